#include "drivers/engine/active_streams.h"

#include <algorithm>
#include <utility>

#include "core/check.h"

namespace drivers {
namespace {

/// Whether all that the batch says is in data objects and in the command log.
bool is_safe(const CachedBatch& batch, core::Offset uploaded, bool end_committed) {
  const bool ends_stream = batch.kind != stream::WalEntryKind::append;
  return batch.end <= uploaded && (!ends_stream || end_committed);
}

/// The batch that begins at `base`, which may be gone.
CachedBatch* batch_at(ActiveStream& stream, core::Offset base) {
  if (!stream.batches) return nullptr;
  const auto found = std::lower_bound(
      stream.batches->begin(), stream.batches->end(), base,
      [](const CachedBatch& batch, core::Offset offset) { return batch.base < offset; });
  return found != stream.batches->end() && found->base == base ? &*found : nullptr;
}

}  // namespace

ActiveStream* ActiveStreams::find(core::StreamId id) {
  const auto found = streams_.find(raw(id));
  return found == streams_.end() ? nullptr : found->second.get();
}

const ActiveStream* ActiveStreams::find(core::StreamId id) const {
  const auto found = streams_.find(raw(id));
  return found == streams_.end() ? nullptr : found->second.get();
}

ActiveStream& ActiveStreams::get(core::StreamId id, const stream::StreamRow& row) {
  std::unique_ptr<ActiveStream>& slot = streams_[raw(id)];
  if (slot) return *slot;
  slot = std::make_unique<ActiveStream>(id);
  slot->assigned = slot->durable = slot->uploaded = row.end;
  slot->assigned_end = slot->ended = row.ended;
  slot->end_committed = row.ended.has_value();
  return *slot;
}

void ActiveStreams::erase(core::StreamId id) {
  const auto found = streams_.find(raw(id));
  if (found == streams_.end()) return;
  ActiveStream& stream = *found->second;
  if (stream.batches) {
    for (CachedBatch& batch : *stream.batches) {
      if (!is_safe(batch, stream.uploaded, stream.end_committed)) release(stream, batch);
      drop_bytes(batch);
    }
  }
  if (stream.opened) stream.opened->notify_all();
  if (stream.moved) stream.moved->notify_all();
  dirty_.erase(id);
  streams_.erase(found);
}

void ActiveStreams::add(ActiveStream& stream, CachedBatch batch) {
  CHECK(batch.base == stream.durable);
  stream.durable = batch.end;
  needed_[{batch.life, batch.place.sequence}] += 1;
  if (!stream.is_set_aside) {
    dirty_bytes_ += batch.place.location.length;
    dirty_.insert(stream.id);
  }
  if (!batch.bytes.empty()) {
    cached_bytes_ += batch.bytes.size();
    held_ += 1;
    by_age_.emplace_back(stream.id, batch.base);
  }
  if (!stream.batches) stream.batches = std::make_unique<std::deque<CachedBatch>>();
  stream.batches->push_back(std::move(batch));
  evict();
}

void ActiveStreams::mark_uploaded(ActiveStream& stream, core::Offset upto, bool with_end) {
  CHECK(upto >= stream.uploaded && upto <= stream.durable);
  const bool end_committed = stream.end_committed || with_end;
  if (stream.batches) {
    for (const CachedBatch& batch : *stream.batches) {
      if (is_safe(batch, stream.uploaded, stream.end_committed)) continue;
      if (is_safe(batch, upto, end_committed)) release(stream, batch);
    }
  }
  stream.uploaded = upto;
  stream.end_committed = end_committed;
  if (!stream.is_dirty()) dirty_.erase(stream.id);

  // Tail readers are served from memory; nobody else needs what data objects hold.
  drop_safe_front(stream, stream.listeners != nullptr);
}

void ActiveStreams::set_aside(ActiveStream& stream, std::string reason) {
  if (stream.is_set_aside) return;
  if (stream.batches) {
    for (const CachedBatch& batch : *stream.batches) {
      if (is_safe(batch, stream.uploaded, stream.end_committed)) continue;
      dirty_bytes_ -= batch.place.location.length;
    }
  }
  stream.is_set_aside = true;
  if (stream.damage.empty()) stream.damage = std::move(reason);
  dirty_.erase(stream.id);
}

void ActiveStreams::drop_safe_front(ActiveStream& stream, bool keep_held) {
  while (stream.batches && !stream.batches->empty()) {
    CachedBatch& oldest = stream.batches->front();
    if (!is_safe(oldest, stream.uploaded, stream.end_committed)) break;
    if (keep_held && !oldest.bytes.empty()) break;
    drop_bytes(oldest);
    stream.batches->pop_front();
  }
  if (stream.batches && stream.batches->empty()) stream.batches.reset();
}

std::optional<std::uint64_t> ActiveStreams::first_needed(core::Life life) const {
  const auto found = needed_.lower_bound({life, 0});
  if (found == needed_.end() || found->first.first != life) return std::nullopt;
  return found->first.second;
}

void ActiveStreams::release(const ActiveStream& stream, const CachedBatch& batch) {
  const auto found = needed_.find({batch.life, batch.place.sequence});
  CHECK(found != needed_.end());
  if (--found->second == 0) needed_.erase(found);
  if (!stream.is_set_aside) dirty_bytes_ -= batch.place.location.length;
}

void ActiveStreams::drop_bytes(CachedBatch& batch) {
  if (batch.bytes.empty()) return;
  cached_bytes_ -= batch.bytes.size();
  held_ -= 1;
  batch.bytes = core::Bytes();
}

void ActiveStreams::evict() {
  while (cached_bytes_ > cache_limit_ && !by_age_.empty()) {
    const auto [id, base] = by_age_.front();
    by_age_.pop_front();
    ActiveStream* stream = find(id);
    CachedBatch* batch = stream == nullptr ? nullptr : batch_at(*stream, base);
    if (batch == nullptr) continue;
    drop_bytes(*batch);
    drop_safe_front(*stream, true);
  }
  // Most batches lose their bytes by being uploaded, not here; their names must not pile up.
  if (by_age_.size() > 2 * held_ + 1024) {
    std::erase_if(by_age_, [this](const auto& name) {
      ActiveStream* stream = find(name.first);
      const CachedBatch* batch = stream == nullptr ? nullptr : batch_at(*stream, name.second);
      return batch == nullptr || batch->bytes.empty();
    });
  }
}

}  // namespace drivers
