#include "stream/retention.h"

#include <algorithm>

#include "core/check.h"

namespace stream {

core::Offset first_needed(const View& state, core::StreamId id, const StreamRow& row) {
  core::Offset needed = row.deleted ? kNobody : row.start;
  const Inheritance lowest{.parent = id};
  const auto first = state.inheritances.from(lowest);
  if (first != state.inheritances.end() && (*first).key.parent == id) {
    needed = std::min(needed, (*first).key.from);
  }
  return needed;
}

bool inherits(const StreamRow& row) {
  return row.fork && row.kept < row.fork->offset;
}

Inheritance inheritance_of(core::StreamId id, const StreamRow& row) {
  return Inheritance{.parent = row.fork->parent, .from = row.kept, .fork = id};
}

void add_fork(View& state, core::StreamId fork) {
  const StreamRow& row = *state.streams.find(fork);
  state.streams.mutate(row.fork->parent).forks += 1;
  if (inherits(row)) state.inheritances.put(inheritance_of(fork, row), Nothing{});
}

void drop_extents(View& state, StreamRow& row) {
  auto first = std::find_if(row.extents.begin(), row.extents.end(),
                            [&](const Extent& extent) { return extent.end > row.kept; });
  if (first == row.extents.end() && first != row.extents.begin() && !row.deleted) --first;
  for (auto it = row.extents.begin(); it != first; ++it) release_extent(state, it->object);
  row.extents.erase(row.extents.begin(), first);
}

void drop_unneeded(View& state, core::StreamId id) {
  for (;;) {
    StreamRow& row = state.streams.mutate(id);
    const core::Offset needed = first_needed(state, id, row);
    const bool changes = needed != row.kept;
    if (changes && inherits(row)) state.inheritances.erase(inheritance_of(id, row));
    row.kept = needed;
    drop_extents(state, row);
    if (changes && inherits(row)) state.inheritances.put(inheritance_of(id, row), Nothing{});
    if (!changes || !row.fork) return;
    id = row.fork->parent;
  }
}

void remove_stream(View& state, core::StreamId id) {
  for (;;) {
    const StreamRow gone = *state.streams.find(id);
    for (const Extent& extent : gone.extents) release_extent(state, extent.object);
    if (inherits(gone)) state.inheritances.erase(inheritance_of(id, gone));
    state.names.erase(gone.name);
    state.streams.erase(id);
    if (!gone.fork) return;

    id = gone.fork->parent;
    StreamRow& parent = state.streams.mutate(id);
    CHECK(parent.forks > 0);
    parent.forks -= 1;
    if (!parent.deleted || parent.forks > 0) break;
  }
  drop_unneeded(state, id);
}

void release_extent(View& state, core::ObjectId object) {
  ObjectRow& row = state.objects.mutate(object);
  CHECK(row.extents > 0);
  row.extents -= 1;
  if (row.extents == 0) row.state = ObjectState::doomed;
}

}  // namespace stream
