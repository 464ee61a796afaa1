#include <algorithm>
#include <utility>

#include "drivers/engine/engine.h"
#include "drivers/engine/producer_load.h"
#include "stream/record_batch.h"

namespace drivers {
namespace {

// Each try looks at a newer view; compaction would have to win that often in a row.
constexpr int kReadTries = 8;

/// Where a record lies: the stream that holds it, after walking up the forks, and how far that
/// stream's own part reaches.
struct Holder {
  core::StreamId id{};
  const stream::StreamRow* row = nullptr;
  core::Offset until = 0;
};

core::Result<Holder> holder_of(const stream::View& view, core::StreamId id, core::Offset offset,
                               core::Offset until) {
  const stream::StreamRow* row = view.find(id);
  while (row != nullptr && row->fork && offset < row->fork->offset) {
    until = std::min(until, row->fork->offset);
    id = row->fork->parent;
    row = view.find(id);
  }
  if (row == nullptr) return core::fail(core::Errc::not_found, "the stream was deleted");
  return Holder{id, row, until};
}

const stream::Extent* extent_at(const stream::StreamRow& row, core::Offset offset) {
  const auto found =
      std::partition_point(row.extents.begin(), row.extents.end(),
                           [offset](const stream::Extent& one) { return one.end <= offset; });
  return found != row.extents.end() && found->base <= offset ? &*found : nullptr;
}

/// The cached batch that holds `offset`; null if it is not among them.
const CachedBatch* batch_holding(const ActiveStream* stream, core::Offset offset) {
  if (stream == nullptr || !stream->batches) return nullptr;
  const auto& batches = *stream->batches;
  const auto found =
      std::partition_point(batches.begin(), batches.end(),
                           [offset](const CachedBatch& batch) { return batch.end <= offset; });
  return found != batches.end() && found->base <= offset ? &*found : nullptr;
}

}  // namespace

ports::Task<core::Result<stream::ReadReply>> Engine::read(stream::ReadRequest request) {
  stream::ReadReply reply;
  const stream::ViewPtr view = context_.view();
  const std::optional<Found> found = find(*view, request.name, request.at_ms);
  if (!found) {
    reply.status = stream::ReadStatus::not_found;
    co_return reply;
  }
  reply.facts = facts_of(*found);
  if (found->row->deleted) {
    reply.status = stream::ReadStatus::deleted;
    co_return reply;
  }
  context_.expiry.touch(found->id, *found->row, request.at_ms);
  context_.stats.reads += 1;

  switch (request.from) {
    case stream::ReadStart::beginning: reply.start = reply.facts.start; break;
    case stream::ReadStart::now: reply.start = reply.facts.tail; break;
    case stream::ReadStart::offset: reply.start = request.offset; break;
  }
  reply.next = reply.start;
  if (reply.start < reply.facts.start) {
    reply.status = stream::ReadStatus::trimmed;
    co_return reply;
  }
  if (reply.start > reply.facts.tail) {
    reply.status = stream::ReadStatus::beyond_tail;
    co_return reply;
  }
  if (reply.start == reply.facts.tail) {
    const ActiveStream* stream = context_.active.find(found->id);
    if (reply.facts.damaged) co_return core::fail(core::Errc::corrupt, stream->damage);
    co_return reply;
  }
  const core::StreamId id = found->id;
  CO_TRY(reply.slices, co_await collect(id, reply.start, reply.facts.tail, request.max_bytes));
  context_.stats.read_slices += reply.slices.size();
  if (!reply.slices.empty()) reply.next = reply.slices.back().end;
  co_return reply;
}

ports::Task<core::Result<std::vector<stream::BatchSlice>>> Engine::collect(core::StreamId id,
                                                                           core::Offset from,
                                                                           core::Offset until,
                                                                           std::size_t max_bytes) {
  for (int attempt = 1;; ++attempt) {
    auto slices = co_await collect_once(id, from, until, max_bytes);
    const bool moved_away = !slices && slices.error().code == core::Errc::not_found;
    if (!moved_away || context_.view()->find(id) == nullptr) co_return slices;
    if (attempt < kReadTries) continue;
    co_return core::fail(core::Errc::corrupt, "records " + std::to_string(from) +
                                                  " and on of stream " + std::to_string(raw(id)) +
                                                  ": " + slices.error().context);
  }
}

ports::Task<core::Result<std::vector<stream::BatchSlice>>> Engine::collect_once(
    core::StreamId id, core::Offset from, core::Offset until, std::size_t max_bytes) {
  std::vector<stream::BatchSlice> slices;
  std::size_t bytes = 0;
  // Whatever it waited for, the world moved: each round looks again from the top.
  while (from < until && (bytes == 0 || bytes < max_bytes)) {
    const stream::ViewPtr view = context_.view();
    CO_TRY(const Holder holder, holder_of(*view, id, from, until));
    const ActiveStream* active = context_.active.find(holder.id);
    if (const CachedBatch* batch = batch_holding(active, from)) {
      const CachedBatch copy = *batch;
      CO_TRY(core::Bytes content, co_await bytes_of(context_, copy));
      const core::Offset end = std::min(copy.end, holder.until);
      bytes += content.size();
      slices.push_back(stream::BatchSlice{std::move(content), from, end});
      from = end;
      continue;
    }
    const stream::Extent* extent = extent_at(*holder.row, from);
    if (extent == nullptr) {
      if (!slices.empty()) break;
      co_return core::fail(core::Errc::corrupt, "stream " + holder.row->name +
                                                    ": neither the write-ahead log nor a data "
                                                    "object holds record " +
                                                    std::to_string(from));
    }
    const stream::Extent wanted = *extent;
    const core::Offset end = std::min(wanted.end, holder.until);
    const std::size_t room = max_bytes > bytes ? max_bytes - bytes : 0;
    const core::StreamId in = holder.id;
    auto part = co_await context_.blocks.read(in, wanted, from, end, room);
    if (!part) {
      if (!slices.empty()) break;  // The next read begins here and says what is wrong.
      co_return tl::unexpected<core::Error>(std::move(part).error());
    }
    for (stream::BatchSlice& slice : *part) {
      bytes += slice.batches.size();
      from = slice.end;
      slices.push_back(std::move(slice));
    }
  }
  co_return slices;
}

}  // namespace drivers
