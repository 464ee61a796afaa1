#include "drivers/engine/compactor.h"

#include <limits>
#include <set>
#include <string>
#include <utility>

#include "drivers/engine/object_writer.h"

namespace drivers {

ports::Task<core::Result<void>> Compactor::pass() {
  const stream::CompactionLimits limits{.small_bytes = context_.options.small_object_bytes,
                                        .count = context_.options.compact_count,
                                        .output_bytes = context_.options.object_bytes};
  std::vector<core::ObjectId> objects = stream::plan_compaction(*context_.view(), limits, stuck_);
  if (objects.empty()) co_return core::Result<void>{};
  const core::ObjectId oldest = objects.front();
  CO_TRY(auto found, co_await rewrites(std::move(objects)));
  if (stream::count_emptied(*context_.view(), found) < 2) {
    stuck_.insert(oldest);  // The next pass tries those behind it.
    co_return core::Result<void>{};
  }
  co_return co_await merge(std::move(found));
}

/// The objects' own indexes say which streams may have extents there; the view says which still do.
ports::Task<core::Result<std::vector<stream::StreamRewrite>>> Compactor::rewrites(
    std::vector<core::ObjectId> objects) {
  std::set<core::StreamId> streams;
  for (const core::ObjectId object : objects) {
    CO_TRY(const auto index, co_await context_.blocks.index(object));
    for (const stream::ObjectStream& part : index->streams()) streams.insert(part.id);
  }
  const stream::ViewPtr view = context_.view();
  std::vector<stream::StreamRewrite> found;
  for (const core::StreamId id : streams) {
    const stream::StreamRow* row = view->find(id);
    if (row == nullptr) continue;
    stream::StreamRewrite rewrite = stream::plan_rewrite(id, *row, objects);
    if (!rewrite.from.empty()) found.push_back(std::move(rewrite));
  }
  co_return found;
}

ports::Task<core::Result<void>> Compactor::copy(const stream::StreamRewrite& rewrite,
                                                stream::ObjectBuilder& builder) {
  std::vector<core::Bytes> batches;
  for (const stream::Extent& extent : rewrite.from) {
    core::Offset from = extent.base;
    while (from < extent.end) {
      const core::StreamId id = rewrite.stream;
      const stream::Extent in = extent;
      CO_TRY(const auto slices, co_await context_.blocks.read(
                                    id, in, from, in.end, std::numeric_limits<std::size_t>::max()));
      for (const stream::BatchSlice& slice : slices) batches.push_back(slice.batches);
      from = slices.back().end;
    }
  }
  const stream::Extent last = rewrite.from.back();
  CO_TRY(const auto index, co_await context_.blocks.index(last.object));
  const stream::ObjectStream* part = index->find(rewrite.stream);
  if (part == nullptr) {
    co_return core::fail(core::Errc::corrupt, data_object_name(last.object) +
                                                  ": its index does not list stream " +
                                                  std::to_string(raw(rewrite.stream)));
  }
  CO_TRY(const stream::ProducerTable producers, index->producers(*part));
  co_return builder.add(rewrite.stream, part->epoch, batches, producers);
}

ports::Task<core::Result<void>> Compactor::merge(std::vector<stream::StreamRewrite> rewrites) {
  ObjectWriter writer(context_);
  CO_TRY(const core::ObjectId object, co_await writer.reserve());
  stream::ObjectBuilder builder(object);
  core::Result<void> copied;
  for (const stream::StreamRewrite& rewrite : rewrites) {
    copied = co_await copy(rewrite, builder);
    if (!copied) break;
  }
  if (!copied) {
    co_await writer.abandon(object);
    co_return copied;
  }
  const stream::BuiltObject built = builder.finish();
  const auto stored = co_await writer.store(object, built);
  if (!stored) {
    co_await writer.abandon(object);
    co_return stored;
  }
  stream::CompactObjects compact{context_.life, object, built.size, std::move(rewrites)};
  for (std::size_t i = 0; i < compact.streams.size(); ++i) {
    compact.streams[i].to = built.extents[i].second;
  }
  const stream::Command command = std::move(compact);
  CO_TRY(const cmdlog::Outcome outcome,
         co_await context_.ports.proposer.propose_until_known(command));
  if (outcome.holds()) {
    writer.done(object);
    stuck_.clear();
    context_.stats.compactions += 1;
  } else {
    co_await writer.abandon(object);
  }
  co_return core::Result<void>{};
}

}  // namespace drivers
