#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/bytes.h"
#include "core/ids.h"
#include "core/result.h"
#include "ports/object_store.h"
#include "ports/signal.h"
#include "stream/object/index.h"
#include "stream/request.h"

namespace drivers {

/// The name of a data object in the store.
std::string data_object_name(core::ObjectId object);

/// The object that has this name; none if no data object has.
std::optional<core::ObjectId> data_object_of(std::string_view name);

inline constexpr const char* kDataPrefix = "data/";

struct BlockReaderStats {
  std::uint64_t block_hits = 0;
  std::uint64_t block_misses = 0;
  std::uint64_t bytes_fetched = 0;
};

/// Reads records out of data objects through two bounded caches, indexes and blocks. Each block is
/// checked against its checksum when it is fetched. A sequential reader finds the next blocks being
/// fetched already.
class BlockReader {
 public:
  BlockReader(ports::asio::any_io_executor executor, ports::ObjectStore& store,
              std::size_t cache_bytes, std::size_t readahead_blocks);

  /// Records of `id` from `from` up to `until`, all of which `extent` must hold; about `max_bytes`
  /// of them, at least one block's worth.
  ///
  /// not_found: the object is gone (compacted away: look at the view again). corrupt: names the
  /// object and the position.
  ports::Task<core::Result<std::vector<stream::BatchSlice>>> read(core::StreamId id,
                                                                  stream::Extent extent,
                                                                  core::Offset from,
                                                                  core::Offset until,
                                                                  std::size_t max_bytes);

  ports::Task<core::Result<std::shared_ptr<const stream::ObjectIndex>>> index(
      core::ObjectId object);

  std::uint64_t cached_bytes() const { return bytes_; }
  const BlockReaderStats& stats() const { return stats_; }

 private:
  struct Key {
    core::ObjectId object{};
    std::uint64_t position = 0;  // kIndex: the index.
    auto operator<=>(const Key&) const = default;
  };
  struct Held {
    core::Bytes block;
    std::shared_ptr<const stream::ObjectIndex> index;
    std::uint64_t bytes = 0;
    std::list<Key>::iterator age;
  };
  struct Fetch {
    explicit Fetch(ports::asio::any_io_executor executor) : done(std::move(executor)) {}
    ports::Signal done;
    bool is_done = false;
    core::Result<core::Bytes> block;
    core::Result<std::shared_ptr<const stream::ObjectIndex>> index;
  };
  static constexpr std::uint64_t kIndex = ~std::uint64_t{0};

  ports::Task<core::Result<core::Bytes>> block(core::ObjectId object, stream::BlockInfo info);
  std::shared_ptr<Fetch> start_block(core::ObjectId object, const stream::BlockInfo& info);
  ports::Task<void> fetch_block(core::ObjectId object, stream::BlockInfo info,
                                std::shared_ptr<Fetch> fetch);
  ports::Task<void> fetch_index(core::ObjectId object, std::shared_ptr<Fetch> fetch);
  ports::Task<core::Result<std::shared_ptr<const stream::ObjectIndex>>> load_index(
      core::ObjectId object);
  Held* find(const Key& key);
  void hold(const Key& key, Held held);

  ports::asio::any_io_executor executor_;
  ports::ObjectStore& store_;
  std::size_t limit_;
  std::size_t readahead_;
  std::map<Key, Held> held_;
  std::list<Key> by_age_;  // Least recently used first.
  std::map<Key, std::shared_ptr<Fetch>> fetches_;
  std::uint64_t bytes_ = 0;
  BlockReaderStats stats_;
};

}  // namespace drivers
