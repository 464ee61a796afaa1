#include "adapters/files/read_buffer.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <vector>

#include "core/check.h"

namespace adapters {
namespace {

constexpr std::size_t kHugePage = 2 << 20;
constexpr std::size_t kPage = 4096;
constexpr std::size_t kKept = 8;  // What one call of replay hands out, about.

struct Block {
  struct Release {
    void operator()(char* memory) const { std::free(memory); }
  };
  std::unique_ptr<char, Release> bytes;
  std::size_t capacity = 0;
};

Block allocate(std::size_t size) {
  const std::size_t page = size >= kHugePage ? kHugePage : kPage;
  Block block;
  block.capacity = (size + page - 1) / page * page;
  block.bytes.reset(static_cast<char*>(std::aligned_alloc(page, block.capacity)));
  CHECK(block.bytes != nullptr);
  if (page == kHugePage) (void)::madvise(block.bytes.get(), block.capacity, MADV_HUGEPAGE);
  return block;
}

}  // namespace

struct ReadBuffer::Free {
  std::mutex mutex;
  std::vector<Block> blocks;

  Block take(std::size_t size) {
    const std::lock_guard lock(mutex);
    const auto found = std::find_if(blocks.begin(), blocks.end(),
                                    [size](const Block& block) { return block.capacity >= size; });
    if (found == blocks.end()) return {};
    Block block = std::move(*found);
    blocks.erase(found);
    return block;
  }
  void put_back(Block block) {
    const std::lock_guard lock(mutex);
    if (blocks.size() == kKept) blocks.erase(blocks.begin());
    blocks.push_back(std::move(block));
  }
};

ReadBuffer::ReadBuffer() : free_(std::make_shared<Free>()) {}

char* ReadBuffer::make(std::size_t size) {
  memory_.reset();
  Block block = free_->take(size);
  if (!block.bytes) block = allocate(size);
  const std::size_t capacity = block.capacity;
  char* bytes = block.bytes.release();
  memory_ = std::shared_ptr<char>(bytes, [free = std::weak_ptr(free_), capacity](char* at) {
    Block dropped{std::unique_ptr<char, Block::Release>(at), capacity};
    if (const auto alive = free.lock()) alive->put_back(std::move(dropped));
  });
  return bytes;
}

}  // namespace adapters
