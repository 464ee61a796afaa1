#include <algorithm>

#include "stream/apply_areas.h"
#include "stream/retention.h"

namespace stream {
namespace {

using cmdlog::Outcome;
using cmdlog::Verdict;

bool names_each_stream_once(const std::vector<StreamCommit>& commits) {
  const auto not_before = [](const StreamCommit& left, const StreamCommit& right) {
    return left.stream >= right.stream;
  };
  const bool ascending =
      std::adjacent_find(commits.begin(), commits.end(), not_before) == commits.end();
  if (ascending) return true;

  std::vector<core::StreamId> ids;
  for (const StreamCommit& commit : commits) ids.push_back(commit.stream);
  std::sort(ids.begin(), ids.end());
  return std::adjacent_find(ids.begin(), ids.end()) == ids.end();
}

/// What can be judged without looking at the state.
bool makes_sense(const CommitObject& command) {
  const bool only_ends = command.object == core::ObjectId{0};
  const auto sound = [&](const StreamCommit& commit) {
    if (!commit.extent) return commit.ended.has_value();
    const Extent& extent = *commit.extent;
    return !only_ends && extent.object == command.object && extent.base < extent.end &&
           fits(extent, command.bytes) && (!commit.ended || commit.ended->offset == extent.end);
  };
  return !command.streams.empty() && names_each_stream_once(command.streams) &&
         std::all_of(command.streams.begin(), command.streams.end(), sound);
}

Verdict check_object(const View& state, const CommitObject& command) {
  if (command.object == core::ObjectId{0}) return Verdict::applied;
  const ObjectRow* object = state.objects.find(command.object);
  if (object == nullptr || object->state == ObjectState::doomed) return Verdict::not_found;
  if (object->life != command.life) return Verdict::invalid;
  return object->state == ObjectState::committed ? Verdict::redundant : Verdict::applied;
}

/// redundant: the stream is gone, or has what this would bring.
Verdict check_stream(const View& state, const CommitObject& command, const StreamCommit& commit) {
  const StreamRow* row = state.find(commit.stream);
  if (row == nullptr) return Verdict::redundant;
  if (row->owner != command.life || row->epoch != commit.epoch) return Verdict::changed_since;
  if (row->ended) {
    const bool again = !commit.extent && *row->ended == *commit.ended;
    return again ? Verdict::redundant : Verdict::changed_since;
  }
  const core::Offset begins = commit.extent ? commit.extent->base : commit.ended->offset;
  return begins == row->end ? Verdict::applied : Verdict::changed_since;
}

/// To a stream that is there. Returns whether it has an extent in the object now.
bool commit_stream(View& state, const StreamCommit& commit) {
  StreamRow& row = state.streams.mutate(commit.stream);
  row.awaits_content = false;
  if (commit.ended) row.ended = *commit.ended;
  if (!commit.extent) return false;
  row.end = commit.extent->end;
  if (row.end <= row.kept) return false;  // Soft-deleted, and no fork reads that far.
  row.extents.push_back(*commit.extent);
  drop_extents(state, row);  // One that stayed only because it was the newest.
  return true;
}

}  // namespace

Outcome apply_one(View& state, const CommitObject& command) {
  if (!makes_sense(command)) return {.verdict = Verdict::invalid};
  const Verdict object = check_object(state, command);
  if (object != Verdict::applied) return {.verdict = object};
  std::vector<const StreamCommit*> changes;
  changes.reserve(command.streams.size());
  for (const StreamCommit& commit : command.streams) {
    const Verdict verdict = check_stream(state, command, commit);
    if (verdict == Verdict::changed_since) return {.verdict = verdict};
    if (verdict == Verdict::applied) changes.push_back(&commit);
  }
  const bool only_ends = command.object == core::ObjectId{0};
  if (only_ends && changes.empty()) return {.verdict = Verdict::redundant};

  std::uint32_t extents = 0;
  for (const StreamCommit* commit : changes) {
    if (commit_stream(state, *commit)) ++extents;
  }
  if (only_ends) return {};
  ObjectRow& row = state.objects.mutate(command.object);
  row.state = extents > 0 ? ObjectState::committed : ObjectState::doomed;
  row.bytes = command.bytes;
  row.extents = extents;
  return {};
}

}  // namespace stream
