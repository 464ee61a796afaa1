#include "stream/expiry.h"

#include <algorithm>

namespace stream {
namespace {

core::WallMs ttl_ms(const StreamRow& row) {
  // 2^40 seconds is beyond any calendar and keeps the sums below in range.
  constexpr std::uint64_t kForever = std::uint64_t{1} << 40;
  return static_cast<core::WallMs>(std::min(*row.config.ttl_s, kForever) * 1000);
}

/// How far the log's knowledge of a stream's last use may lag behind.
core::WallMs slack_ms(const StreamRow& row) {
  return std::max<core::WallMs>(ttl_ms(row) / 10, 1000);
}

}  // namespace

void Expiry::watch(core::StreamId id, const StreamRow& row) {
  if (row.config.ttl_s || row.config.expires_at_ms) watched_.try_emplace(id, 0);
}

void Expiry::forget(core::StreamId id) {
  watched_.erase(id);
}

void Expiry::touch(core::StreamId id, const StreamRow& row, core::WallMs now) {
  if (!row.config.ttl_s) return;
  core::WallMs& last = watched_[id];
  last = std::max(last, now);
}

bool Expiry::is_expired(core::StreamId id, const StreamRow& row, core::WallMs now) const {
  if (row.config.expires_at_ms) return now >= *row.config.expires_at_ms;
  if (!row.config.ttl_s) return false;
  const auto found = watched_.find(id);
  const core::WallMs here = found != watched_.end() ? found->second : 0;
  return now >= std::max({here, row.touched_ms, least_}) + ttl_ms(row);
}

std::vector<core::StreamId> Expiry::due(const View& view, core::WallMs now) const {
  std::vector<core::StreamId> found;
  for (const auto& [id, last] : watched_) {
    const StreamRow* row = view.find(id);
    if (row != nullptr && !row->deleted && is_expired(id, *row, now)) found.push_back(id);
  }
  return found;
}

TouchStreams Expiry::unsaved(const View& view, core::Life life, bool all) const {
  TouchStreams command{.life = life, .streams = {}, .at_ms = {}};
  for (const auto& [id, here] : watched_) {
    const StreamRow* row = view.find(id);
    const core::WallMs last = all ? std::max(here, least_) : here;
    if (row == nullptr || row->deleted || !row->config.ttl_s || last <= row->touched_ms) continue;
    if (!all && last - row->touched_ms < slack_ms(*row) / 2) continue;
    command.streams.push_back(id);
    command.at_ms.push_back(last);
  }
  return command;
}

}  // namespace stream
