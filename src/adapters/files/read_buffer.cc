#include "adapters/files/read_buffer.h"

#include <algorithm>
#include <mutex>
#include <vector>

namespace adapters {
namespace {

constexpr std::size_t kKept = 8;  // What one call of replay hands out, about.

struct Block {
  std::unique_ptr<char[]> bytes;
  std::size_t capacity = 0;
};

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
  if (!block.bytes) block = Block{std::unique_ptr<char[]>(new char[size]), size};
  const std::size_t capacity = block.capacity;
  char* bytes = block.bytes.release();
  memory_ = std::shared_ptr<char>(bytes, [free = std::weak_ptr(free_), capacity](char* at) {
    Block dropped{std::unique_ptr<char[]>(at), capacity};
    if (const auto alive = free.lock()) alive->put_back(std::move(dropped));
  });
  return bytes;
}

}  // namespace adapters
