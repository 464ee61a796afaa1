#include "stream/apply_areas.h"
#include "stream/content_type.h"
#include "stream/retention.h"

namespace stream {
namespace {

using cmdlog::Outcome;
using cmdlog::Verdict;

/// Where the request said to fork, before its sub-offset.
core::Offset anchor(const ForkPoint& fork) {
  return fork.explicit_offset ? fork.requested : fork.offset;
}

bool same_fork(const core::Rare<ForkPoint>& had, const std::optional<ForkPoint>& wanted) {
  if (had.has_value() != wanted.has_value()) return false;
  if (!had) return true;
  return had->parent == wanted->parent && had->sub_offset == wanted->sub_offset &&
         (!wanted->explicit_offset || anchor(*had) == wanted->requested);
}

bool same_stream(const StreamRow& row, const CreateStream& command) {
  return !row.deleted && row.config.ttl_s == command.config.ttl_s &&
         row.config.expires_at == command.config.expires_at &&
         is_same_type(row.config.content_type, command.config.content_type) &&
         same_fork(row.fork, command.fork);
}

Verdict check_fork(const View& state, const ForkPoint& fork) {
  const StreamRow* parent = state.find(fork.parent);
  if (parent == nullptr || parent->deleted) return Verdict::not_found;
  // The fork point may be beyond what is committed: the rest is in the owner's write-ahead log.
  const bool within =
      fork.offset >= parent->start && (!parent->ended || fork.offset <= parent->ended->offset);
  return within ? Verdict::applied : Verdict::invalid;
}

}  // namespace

Outcome apply_one(View& state, const CreateStream& command) {
  if (command.name.empty() || command.name.size() > kMaxNameBytes) {
    return {.verdict = Verdict::invalid};
  }
  if (const core::StreamId* taken = state.names.find(command.name)) {
    const bool same = same_stream(*state.find(*taken), command);
    return {.verdict = same ? Verdict::redundant : Verdict::exists, .value = core::raw(*taken)};
  }
  if (command.fork) {
    const Verdict verdict = check_fork(state, *command.fork);
    if (verdict != Verdict::applied) return {.verdict = verdict};
  }

  StreamRow row{.name = command.name,
                .config = command.config,
                .owner = command.life,
                .awaits_content = command.awaits_content,
                .created_ms = command.at_ms,
                .touched_ms = command.at_ms,
                .fork = command.fork};
  if (command.fork) {
    row.start = state.find(command.fork->parent)->start;
    row.end = command.fork->offset;
  }
  row.kept = row.start;
  // With content to come, the end is not known before that is committed.
  if (command.closed && !command.awaits_content) row.ended = StreamEnd{.offset = row.end};

  const core::StreamId id = state.next_stream;
  state.next_stream = core::StreamId{core::raw(id) + 1};
  state.names.put(command.name, id);
  state.streams.put(id, std::move(row));
  if (command.fork) add_fork(state, id);
  return {.verdict = Verdict::applied, .value = core::raw(id)};
}

}  // namespace stream
