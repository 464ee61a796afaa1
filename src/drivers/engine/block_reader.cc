#include "drivers/engine/block_reader.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <charconv>
#include <cstdio>
#include <span>
#include <utility>

#include "stream/object/layout.h"

namespace drivers {
namespace {

namespace asio = ports::asio;

// Footer and a small index come with one request.
constexpr std::uint64_t kTailRead = 64u << 10;

}  // namespace

std::string data_object_name(core::ObjectId object) {
  char text[32];
  std::snprintf(text, sizeof text, "data/%016llx", static_cast<unsigned long long>(raw(object)));
  return text;
}

std::optional<core::ObjectId> data_object_of(std::string_view name) {
  constexpr std::string_view prefix = kDataPrefix;
  if (!name.starts_with(prefix)) return std::nullopt;
  std::uint64_t number = 0;
  const char* end = name.data() + name.size();
  const auto read = std::from_chars(name.data() + prefix.size(), end, number, 16);
  const core::ObjectId object{number};
  if (read.ec != std::errc() || data_object_name(object) != name) return std::nullopt;
  return object;
}

BlockReader::BlockReader(asio::any_io_executor executor, ports::ObjectStore& store,
                         std::size_t cache_bytes, std::size_t readahead_blocks)
    : executor_(std::move(executor)),
      store_(store),
      limit_(cache_bytes),
      readahead_(readahead_blocks) {}

ports::Task<core::Result<std::vector<stream::BatchSlice>>> BlockReader::read(
    core::StreamId id, stream::Extent extent, core::Offset from, core::Offset until,
    std::size_t max_bytes) {
  CO_TRY(const auto found, co_await index(extent.object));
  const stream::ObjectStream* part = found->find(id);
  if (part == nullptr) {
    co_return core::fail(core::Errc::corrupt, data_object_name(extent.object) +
                                                  ": its index does not list stream " +
                                                  std::to_string(raw(id)));
  }
  const std::span<const stream::BlockInfo> blocks = found->blocks(*part);
  auto at = static_cast<std::size_t>(
      std::partition_point(blocks.begin(), blocks.end(),
                           [from](const stream::BlockInfo& block) { return block.end <= from; }) -
      blocks.begin());

  std::vector<stream::BatchSlice> slices;
  std::size_t bytes = 0;
  for (; at < blocks.size() && blocks[at].base < until && (bytes == 0 || bytes < max_bytes); ++at) {
    for (std::size_t ahead = at; ahead < std::min(at + 1 + readahead_, blocks.size()); ++ahead) {
      if (find(Key{extent.object, blocks[ahead].position}) == nullptr) {
        (void)start_block(extent.object, blocks[ahead]);
      }
    }
    const stream::BlockInfo wanted = blocks[at];
    auto content = co_await block(extent.object, wanted);
    if (!content) {
      if (slices.empty()) co_return tl::unexpected<core::Error>(std::move(content).error());
      break;  // The next read begins at the bad block and says so.
    }
    bytes += content->size();
    slices.push_back(stream::BatchSlice{.batches = std::move(*content),
                                        .first = std::max(from, wanted.base),
                                        .end = std::min(until, wanted.end)});
  }
  if (slices.empty()) {
    co_return core::fail(core::Errc::corrupt,
                         data_object_name(extent.object) + ": no block holds record " +
                             std::to_string(from) + " of stream " + std::to_string(raw(id)));
  }
  co_return slices;
}

ports::Task<core::Result<std::shared_ptr<const stream::ObjectIndex>>> BlockReader::index(
    core::ObjectId object) {
  const Key key{object, kIndex};
  if (const Held* held = find(key)) co_return held->index;
  std::shared_ptr<Fetch>& slot = fetches_[key];
  if (!slot) {
    slot = std::make_shared<Fetch>(executor_);
    asio::co_spawn(executor_, fetch_index(object, slot), asio::detached);
  }
  const std::shared_ptr<Fetch> fetch = slot;
  while (!fetch->is_done) co_await fetch->done.wait();
  co_return fetch->index;
}

ports::Task<core::Result<core::Bytes>> BlockReader::block(core::ObjectId object,
                                                          stream::BlockInfo info) {
  if (const Held* held = find(Key{object, info.position})) {
    stats_.block_hits += 1;
    co_return held->block;
  }
  const std::shared_ptr<Fetch> fetch = start_block(object, info);
  while (!fetch->is_done) co_await fetch->done.wait();
  co_return fetch->block;
}

std::shared_ptr<BlockReader::Fetch> BlockReader::start_block(core::ObjectId object,
                                                             const stream::BlockInfo& info) {
  std::shared_ptr<Fetch>& slot = fetches_[Key{object, info.position}];
  if (!slot) {
    stats_.block_misses += 1;
    slot = std::make_shared<Fetch>(executor_);
    asio::co_spawn(executor_, fetch_block(object, info, slot), asio::detached);
  }
  return slot;
}

ports::Task<void> BlockReader::fetch_block(core::ObjectId object, stream::BlockInfo info,
                                           std::shared_ptr<Fetch> fetch) {
  const Key key{object, info.position};
  auto content = co_await store_.get_range(data_object_name(object), info.position, info.length);
  if (content) {
    stats_.bytes_fetched += content->size();
    auto checked = stream::check_block(object, info, content->view());
    if (!checked) content = tl::unexpected<core::Error>(std::move(checked).error());
  }
  if (content)
    hold(key, Held{.block = *content, .index = nullptr, .bytes = content->size(), .age = {}});
  fetch->block = std::move(content);
  fetch->is_done = true;
  fetch->done.notify_all();
  fetches_.erase(key);
}

ports::Task<void> BlockReader::fetch_index(core::ObjectId object, std::shared_ptr<Fetch> fetch) {
  fetch->index = co_await load_index(object);
  const Key key{object, kIndex};
  if (fetch->index) {
    const auto& parsed = *fetch->index;
    std::uint64_t bytes = sizeof(stream::ObjectIndex);
    for (const stream::ObjectStream& part : parsed->streams()) {
      bytes += sizeof part + part.producers.size() + part.block_count * sizeof(stream::BlockInfo);
    }
    hold(key, Held{.block = {}, .index = parsed, .bytes = bytes, .age = {}});
  }
  fetch->is_done = true;
  fetch->done.notify_all();
  fetches_.erase(key);
}

ports::Task<core::Result<std::shared_ptr<const stream::ObjectIndex>>> BlockReader::load_index(
    core::ObjectId object) {
  const std::string name = data_object_name(object);
  CO_TRY(const ports::ObjectInfo info, co_await store_.head(name));
  const std::uint64_t tail_at = info.size > kTailRead ? info.size - kTailRead : 0;
  CO_TRY(const core::Bytes tail, co_await store_.get_range(name, tail_at, info.size - tail_at));
  CO_TRY(const stream::ObjectFooter footer, stream::parse_footer(object, tail.view(), info.size));
  core::Bytes bytes;
  if (footer.index_position >= tail_at) {
    bytes = core::Bytes(
        std::string(tail.view().substr(footer.index_position - tail_at, footer.index_length)));
  } else {
    CO_TRY(bytes, co_await store_.get_range(name, footer.index_position, footer.index_length));
  }
  CO_TRY(auto parsed, stream::parse_index(footer, std::move(bytes)));
  co_return std::make_shared<const stream::ObjectIndex>(std::move(parsed));
}

BlockReader::Held* BlockReader::find(const Key& key) {
  const auto found = held_.find(key);
  if (found == held_.end()) return nullptr;
  by_age_.splice(by_age_.end(), by_age_, found->second.age);
  return &found->second;
}

void BlockReader::hold(const Key& key, Held held) {
  if (held_.contains(key)) return;
  bytes_ += held.bytes;
  held.age = by_age_.insert(by_age_.end(), key);
  held_.emplace(key, std::move(held));
  while (bytes_ > limit_ && by_age_.size() > 1) {
    const auto oldest = held_.find(by_age_.front());
    bytes_ -= oldest->second.bytes;
    held_.erase(oldest);
    by_age_.pop_front();
  }
}

}  // namespace drivers
