#include <algorithm>
#include <utility>

#include "drivers/engine/batch_load.h"
#include "drivers/engine/engine.h"
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

/// The batches of the log that hold what is from `offset` on, up to `until` or about `max_bytes`,
/// at least one; none if the log does not hold `offset`.
std::vector<CachedBatch> batches_from(const ActiveStream* stream, core::Offset offset,
                                      core::Offset until, std::size_t max_bytes) {
  std::vector<CachedBatch> found;
  if (stream == nullptr || !stream->batches) return found;
  const auto& batches = *stream->batches;
  auto next =
      std::partition_point(batches.begin(), batches.end(),
                           [offset](const CachedBatch& batch) { return batch.end <= offset; });
  if (next == batches.end() || next->base > offset) return found;
  std::size_t bytes = 0;
  for (; next != batches.end() && next->base < until; ++next) {
    if (next->base == next->end) continue;  // A close without content.
    if (!found.empty() && bytes >= max_bytes) break;
    bytes += next->place.location.length;
    found.push_back(*next);
  }
  return found;
}

/// Where the reading that is asked for begins, or why it cannot.
void place_reading(const stream::ReadRequest& request, stream::ReadReply& reply) {
  switch (request.from) {
    case stream::ReadStart::beginning: reply.start = reply.facts.start; break;
    case stream::ReadStart::now: reply.start = reply.facts.tail; break;
    case stream::ReadStart::offset: reply.start = request.offset; break;
  }
  reply.next = reply.start;
  if (reply.start < reply.facts.start) reply.status = stream::ReadStatus::trimmed;
  if (reply.start > reply.facts.tail) reply.status = stream::ReadStatus::beyond_tail;
}

}  // namespace

ports::Task<core::Result<stream::ReadReply>> Engine::read(stream::ReadRequest request) {
  context_.stats.reads += 1;
  for (;;) {
    // The uses of streams with a TTL may have been saved already: no more of them.
    if (context_.is_stopping) co_return core::fail(core::Errc::unavailable, "shutting down");
    stream::ReadReply reply;
    const stream::ViewPtr view = context_.view();
    const std::optional<Found> found = find(*view, request.name, request.at_ms);
    if (!found || found->row->deleted) {
      reply.status = found ? stream::ReadStatus::deleted : stream::ReadStatus::not_found;
      if (found) reply.facts = facts_of(*found);
      co_return reply;
    }
    if (found->is_expired) {
      CO_TRY_VOID(co_await expire(*found, request.at_ms));
      continue;
    }
    reply.facts = facts_of(*found);
    context_.expiry.touch(found->id, *found->row, request.at_ms);
    place_reading(request, reply);
    if (reply.status != stream::ReadStatus::ok) co_return reply;
    if (reply.start == reply.facts.tail) {
      if (!reply.facts.damaged) co_return reply;
      co_return core::fail(core::Errc::corrupt, context_.active.find(found->id)->damage);
    }
    const core::StreamId id = found->id;
    auto slices = co_await collect(id, reply.start, reply.facts.tail, request.max_bytes);
    if (!slices) {
      // Deleted or trimmed while this waited: then that is the answer.
      const stream::ViewPtr now = context_.view();
      const stream::StreamRow* row = now->find(id);
      if (row == nullptr || row->deleted || row->start > reply.start) continue;
      co_return tl::unexpected<core::Error>(std::move(slices).error());
    }
    reply.slices = std::move(*slices);
    context_.stats.read_slices += reply.slices.size();
    if (!reply.slices.empty()) reply.next = reply.slices.back().end;
    co_return reply;
  }
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
    const std::size_t room = max_bytes > bytes ? max_bytes - bytes : 0;
    const std::vector<CachedBatch> cached = batches_from(active, from, holder.until, room);
    if (!cached.empty()) {
      const core::Offset last = holder.until;
      auto contents = co_await load_batches(context_, cached);
      if (!contents && cached.size() > 1) {  // What comes before the damage can still be had.
        std::vector<CachedBatch> first(1, cached.front());
        contents = co_await load_batches(context_, std::move(first));
      }
      if (!contents && !slices.empty()) break;  // The next read begins here and says what is wrong.
      if (!contents) co_return tl::unexpected<core::Error>(std::move(contents).error());
      for (std::size_t i = 0; i < contents->size(); ++i) {
        const core::Offset end = std::min(cached[i].end, last);
        bytes += (*contents)[i].size();
        slices.push_back(stream::BatchSlice{std::move((*contents)[i]), from, end});
        from = end;
      }
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
