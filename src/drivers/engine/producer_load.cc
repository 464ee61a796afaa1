#include "drivers/engine/producer_load.h"

#include <string>
#include <utility>
#include <vector>

#include "drivers/engine/batch_load.h"
#include "stream/record_batch.h"

namespace drivers {

namespace {

constexpr std::size_t kLoadBytes = 4u << 20;

/// Takes over what `batches` say of their producers, a bounded number of bytes at a time.
ports::Task<core::Result<void>> apply_batches(EngineContext& context,
                                              const std::vector<CachedBatch>& batches,
                                              stream::ProducerTable& table) {
  for (std::size_t done = 0; done < batches.size();) {
    std::vector<CachedBatch> some;
    for (std::size_t bytes = 0; done < batches.size() && bytes < kLoadBytes; ++done) {
      bytes += batches[done].place.location.length;
      some.push_back(batches[done]);
    }
    CO_TRY(const std::vector<core::Bytes> contents,
           co_await load_batches(context, std::move(some)));
    for (const core::Bytes& content : contents) {
      CO_TRY(const stream::BatchIdentity identity, stream::read_identity(content.view()));
      (void)table.apply(identity);
    }
  }
  co_return core::Result<void>{};
}

}  // namespace

ports::Task<core::Result<void>> load_producers(EngineContext& context, core::StreamId id) {
  for (;;) {
    stream::ViewPtr view = context.view();
    const stream::StreamRow* row = view->find(id);
    ActiveStream* stream = context.active.find(id);
    if (row == nullptr || stream == nullptr) {
      co_return core::fail(core::Errc::not_found, "the stream was deleted");
    }
    if (stream->has_producers) co_return core::Result<void>{};
    stream::ProducerTable table;
    core::Offset covered = row->fork ? row->fork->offset : 0;
    if (!row->extents.empty()) {
      const stream::Extent last = row->extents.back();
      const auto index = co_await context.blocks.index(last.object);
      if (!index && index.error().code == core::Errc::not_found && context.view() != view) {
        continue;  // Compacted away meanwhile.
      }
      if (!index) co_return tl::unexpected<core::Error>(index.error());
      const stream::ObjectStream* part = (*index)->find(id);
      if (part == nullptr) {
        co_return core::fail(core::Errc::corrupt, data_object_name(last.object) +
                                                      ": its index does not list stream " +
                                                      std::to_string(raw(id)));
      }
      CO_TRY(table, (*index)->producers(*part));
      covered = last.end;
    }
    stream = context.active.find(id);
    if (stream == nullptr) co_return core::fail(core::Errc::not_found, "the stream was deleted");
    std::vector<CachedBatch> later;
    if (stream->batches) {
      for (const CachedBatch& batch : *stream->batches) {
        const bool is_mark = batch.kind == stream::WalEntryKind::close;
        if (batch.base >= covered || is_mark) later.push_back(batch);
      }
    }
    auto applied = co_await apply_batches(context, later, table);
    // An upload may have moved batches out of memory while this waited: then look again.
    const stream::StreamRow* now = context.view()->find(id);
    stream = context.active.find(id);
    if (now == nullptr || stream == nullptr) {
      co_return core::fail(core::Errc::not_found, "the stream was deleted");
    }
    if (stream->has_producers) co_return core::Result<void>{};  // Somebody else was quicker.
    if (now->extents != row->extents) continue;
    if (!applied) {
      core::Error failure = std::move(applied).error();
      if (failure.code == core::Errc::not_found) failure.code = core::Errc::corrupt;
      co_return tl::unexpected<core::Error>(std::move(failure));
    }
    stream->producers = std::move(table);
    stream->has_producers = true;
    co_return core::Result<void>{};
  }
}

}  // namespace drivers
