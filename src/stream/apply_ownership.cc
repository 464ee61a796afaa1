#include "stream/apply_areas.h"

namespace stream {

using cmdlog::Outcome;
using cmdlog::Verdict;

Outcome apply_one(View& state, const OpenStream& command) {
  const StreamRow* row = state.find(command.stream);
  if (row == nullptr || row->deleted) return {.verdict = Verdict::not_found};
  if (row->owner != command.life) return {.verdict = Verdict::changed_since};
  if (row->open && row->opened_in == command.life.epoch) {
    return {.verdict = Verdict::redundant, .value = core::raw(row->epoch)};
  }

  StreamRow& opened = state.streams.mutate(command.stream);
  opened.open = true;
  opened.opened_in = command.life.epoch;
  opened.epoch = next(opened.epoch);
  return {.verdict = Verdict::applied, .value = core::raw(opened.epoch)};
}

Outcome apply_one(View& state, const AdoptLife& command) {
  // `to` is live, so an earlier epoch of the same node is over for good.
  const bool earlier =
      command.from.node == command.to.node && command.from.epoch < command.to.epoch;
  if (!earlier) return {.verdict = Verdict::invalid};

  std::vector<core::StreamId> adopted;
  for (const auto& [id, row] : state.streams) {
    if (row.owner == command.from) adopted.push_back(id);
  }
  for (const core::StreamId id : adopted) state.streams.mutate(id).owner = command.to;
  return {.verdict = adopted.empty() ? Verdict::redundant : Verdict::applied};
}

Outcome apply_one(View& state, const CloseStream& command) {
  const StreamRow* row = state.find(command.stream);
  if (row == nullptr) return {.verdict = Verdict::not_found};
  if (row->owner != command.life || row->epoch != command.epoch) {
    return {.verdict = Verdict::changed_since};
  }
  if (!row->open) return {.verdict = Verdict::redundant};

  state.streams.mutate(command.stream).open = false;
  return {};
}

}  // namespace stream
