#include <algorithm>

#include "stream/apply_areas.h"
#include "stream/retention.h"

namespace stream {
namespace {

using cmdlog::Outcome;
using cmdlog::Verdict;

/// The verdict on removing `id`, unless it is there to be removed (applied). Ids are never used
/// twice, so one that was handed out and is gone was removed before.
Verdict check_removal(const View& state, core::StreamId id) {
  if (id == core::StreamId{0} || id >= state.next_stream) return Verdict::not_found;
  const StreamRow* row = state.find(id);
  return row == nullptr || row->deleted ? Verdict::redundant : Verdict::applied;
}

Outcome remove(View& state, core::StreamId id) {
  if (state.find(id)->forks == 0) {
    remove_stream(state, id);
  } else {
    state.streams.mutate(id).deleted = true;
    drop_unneeded(state, id);
  }
  return {};
}

bool has_expired(const StreamRow& row, core::WallMs at_ms) {
  if (row.config.expires_at_ms && at_ms >= *row.config.expires_at_ms) return true;
  if (!row.config.ttl_s || at_ms < row.touched_ms) return false;
  // Unsigned, because the difference and the TTL are anything a clock and a client may say.
  const auto idle_ms =
      static_cast<std::uint64_t>(at_ms) - static_cast<std::uint64_t>(row.touched_ms);
  return idle_ms / 1000 >= *row.config.ttl_s;
}

}  // namespace

Outcome apply_one(View& state, const TrimStream& command) {
  const StreamRow* row = state.find(command.stream);
  if (row == nullptr || row->deleted) return {.verdict = Verdict::not_found};
  if (command.start > row->end) return {.verdict = Verdict::invalid};
  if (command.start <= row->start) return {.verdict = Verdict::redundant, .value = row->start};

  state.streams.mutate(command.stream).start = command.start;
  drop_unneeded(state, command.stream);
  return {.verdict = Verdict::applied, .value = command.start};
}

Outcome apply_one(View& state, const DeleteStream& command) {
  const Verdict verdict = check_removal(state, command.stream);
  return verdict == Verdict::applied ? remove(state, command.stream) : Outcome{.verdict = verdict};
}

Outcome apply_one(View& state, const ExpireStream& command) {
  const Verdict verdict = check_removal(state, command.stream);
  if (verdict != Verdict::applied) return {.verdict = verdict};
  const StreamRow& row = *state.find(command.stream);
  if (row.touched_ms != command.touched_ms) return {.verdict = Verdict::changed_since};
  if (!has_expired(row, command.at_ms)) return {.verdict = Verdict::invalid};
  return remove(state, command.stream);
}

Outcome apply_one(View& state, const TouchStreams& command) {
  if (command.streams.size() != command.at_ms.size()) return {.verdict = Verdict::invalid};

  bool changes = false;
  for (std::size_t i = 0; i < command.streams.size(); ++i) {
    const StreamRow* row = state.find(command.streams[i]);
    if (row == nullptr || row->touched_ms >= command.at_ms[i]) continue;
    state.streams.mutate(command.streams[i]).touched_ms = command.at_ms[i];
    changes = true;
  }
  return {.verdict = changes ? Verdict::applied : Verdict::redundant};
}

}  // namespace stream
