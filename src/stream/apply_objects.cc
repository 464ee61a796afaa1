#include <algorithm>

#include "stream/apply_areas.h"
#include "stream/retention.h"

namespace stream {
namespace {

using cmdlog::Outcome;
using cmdlog::Verdict;

using Extents = std::vector<Extent>;

bool makes_sense(const CompactObjects& command) {
  const auto is_new = [&](const Extent& extent) { return extent.object == command.object; };
  const auto sound = [&](const StreamRewrite& rewrite) {
    return !rewrite.from.empty() &&
           std::none_of(rewrite.from.begin(), rewrite.from.end(), is_new) &&
           rewrite.to.object == command.object && rewrite.to.base == rewrite.from.front().base &&
           rewrite.to.end == rewrite.from.back().end && rewrite.to.base < rewrite.to.end &&
           fits(rewrite.to, command.bytes);
  };
  return !command.streams.empty() &&
         std::all_of(command.streams.begin(), command.streams.end(), sound);
}

/// Where the stream still has, one after the other, the extents that `rewrite` replaces.
template <class Container>
auto find_run(Container& extents, const StreamRewrite& rewrite) {
  return std::search(extents.begin(), extents.end(), rewrite.from.begin(), rewrite.from.end());
}

bool still_holds(const View& state, const StreamRewrite& rewrite) {
  const StreamRow* row = state.find(rewrite.stream);
  return row != nullptr && find_run(row->extents, rewrite) != row->extents.end();
}

void rewrite_stream(View& state, const StreamRewrite& rewrite) {
  Extents& extents = state.streams.mutate(rewrite.stream).extents;
  const auto first = find_run(extents, rewrite);
  *first = rewrite.to;
  extents.erase(first + 1, first + static_cast<std::ptrdiff_t>(rewrite.from.size()));
  for (const Extent& replaced : rewrite.from) release_extent(state, replaced.object);
}

}  // namespace

Outcome apply_one(View& state, const ReserveObjects& command) {
  if (command.count == 0 || command.count > kMaxReservation) return {.verdict = Verdict::invalid};

  const std::uint64_t first = core::raw(state.next_object);
  for (std::uint64_t id = first; id < first + command.count; ++id) {
    state.objects.put(core::ObjectId{id},
                      ObjectRow{.life = command.life, .reserved_ms = command.at_ms});
  }
  state.next_object = core::ObjectId{first + command.count};
  return {.verdict = Verdict::applied, .value = first};
}

Outcome apply_one(View& state, const CompactObjects& command) {
  if (!makes_sense(command)) return {.verdict = Verdict::invalid};
  const ObjectRow* object = state.objects.find(command.object);
  if (object == nullptr || object->state == ObjectState::doomed) {
    return {.verdict = Verdict::not_found};
  }
  if (object->life != command.life) return {.verdict = Verdict::invalid};
  if (object->state == ObjectState::committed) return {.verdict = Verdict::redundant};
  const bool any = std::any_of(command.streams.begin(), command.streams.end(),
                               [&](const auto& rewrite) { return still_holds(state, rewrite); });
  if (!any) return {.verdict = Verdict::changed_since};

  std::uint32_t extents = 0;
  for (const StreamRewrite& rewrite : command.streams) {
    if (!still_holds(state, rewrite)) continue;
    rewrite_stream(state, rewrite);
    ++extents;
  }
  ObjectRow& row = state.objects.mutate(command.object);
  row.state = ObjectState::committed;
  row.bytes = command.bytes;
  row.extents = extents;
  return {};
}

Outcome apply_one(View& state, const AbandonObjects& command) {
  bool changes = false;
  for (const core::ObjectId id : command.objects) {
    const ObjectRow* row = state.objects.find(id);
    if (row == nullptr || row->state != ObjectState::reserved) continue;
    state.objects.mutate(id).state = ObjectState::doomed;
    changes = true;
  }
  return {.verdict = changes ? Verdict::applied : Verdict::redundant};
}

Outcome apply_one(View& state, const ForgetObjects& command) {
  for (const core::ObjectId id : command.objects) {
    const ObjectRow* row = state.objects.find(id);
    if (row != nullptr && row->state != ObjectState::doomed) {
      return {.verdict = Verdict::changed_since};
    }
  }

  bool changes = false;
  for (const core::ObjectId id : command.objects) changes = state.objects.erase(id) || changes;
  return {.verdict = changes ? Verdict::applied : Verdict::redundant};
}

}  // namespace stream
