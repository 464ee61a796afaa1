#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include "core/ids.h"
#include "drivers/engine/active_stream.h"
#include "stream/view.h"

namespace drivers {

/// The streams that this node has in memory, and what of their write-ahead logs is still needed.
///
/// Knows three things that must agree: the batches of each stream, the bytes that they take
/// (bounded: the oldest lose their bytes first and are read back from the log or the data objects),
/// and for each WAL record the number of entries that are nowhere else yet.
class ActiveStreams {
 public:
  explicit ActiveStreams(std::size_t cache_bytes) : cache_limit_(cache_bytes) {}

  ActiveStream* find(core::StreamId id);
  const ActiveStream* find(core::StreamId id) const;

  /// The stream, made from its row if it is not in memory yet.
  ActiveStream& get(core::StreamId id, const stream::StreamRow& row);

  /// Forgets a stream that was deleted. Wakes everybody who waits for it.
  void erase(core::StreamId id);

  /// Takes in a batch that just became durable, or was replayed; it extends the stream's tail.
  void add(ActiveStream& stream, CachedBatch batch);

  /// Data objects now hold everything before `upto`, and the command log the end if `with_end`.
  void mark_uploaded(ActiveStream& stream, core::Offset upto, bool with_end);

  /// What the log holds of the stream cannot be read back: it is uploaded no more, takes no
  /// appends, and keeps its records in the log, which is the only place where they can be mended.
  void set_aside(ActiveStream& stream, std::string reason);

  /// Streams with something to upload.
  const std::set<core::StreamId>& dirty() const { return dirty_; }
  std::uint64_t dirty_bytes() const { return dirty_bytes_; }
  std::uint64_t cached_bytes() const { return cached_bytes_; }
  std::size_t size() const { return streams_.size(); }

  /// The first WAL record of `life` that is still needed; none if none is.
  std::optional<std::uint64_t> first_needed(core::Life life) const;

  /// A damaged record must never be trimmed: it is all that is left of what it held.
  void keep_for_ever(core::Life life, std::uint64_t sequence) { needed_[{life, sequence}] += 1; }

  template <class Visit>
  void for_each(Visit visit) {
    for (auto& [id, stream] : streams_) visit(*stream);
  }

 private:
  using Record = std::pair<core::Life, std::uint64_t>;

  void release(const ActiveStream& stream, const CachedBatch& batch);
  void drop_bytes(CachedBatch& batch);
  void drop_safe_front(ActiveStream& stream, bool keep_held);
  void evict();

  std::size_t cache_limit_;
  std::unordered_map<std::uint64_t, std::unique_ptr<ActiveStream>> streams_;
  std::set<core::StreamId> dirty_;
  std::uint64_t dirty_bytes_ = 0;
  std::uint64_t cached_bytes_ = 0;
  std::uint64_t held_ = 0;  // Batches whose bytes are in memory.
  std::map<Record, std::uint64_t> needed_;
  std::deque<std::pair<core::StreamId, core::Offset>> by_age_;  // Batches whose bytes are held.
};

}  // namespace drivers
