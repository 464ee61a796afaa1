#include <utility>

#include "core/check.h"
#include "drivers/engine/engine.h"
#include "drivers/engine/producer_load.h"
#include "drivers/engine/uploader.h"
#include "stream/append_check.h"
#include "stream/record_batch.h"

namespace drivers {
namespace {

core::Error stopping_error() {
  return core::Error{core::Errc::unavailable, "this node is shutting down"};
}

stream::AppendReply refusal(stream::AppendStatus status) {
  stream::AppendReply reply;
  reply.status = status;
  return reply;
}

}  // namespace

ports::Task<core::Result<stream::AppendReply>> Engine::append(stream::AppendRequest request) {
  if (context_.is_stopping) co_return tl::unexpected<core::Error>(stopping_error());
  for (;;) {
    const stream::ViewPtr view = context_.view();
    const std::optional<Found> found = find(*view, request.name, request.at_ms);
    if (!found) co_return refusal(stream::AppendStatus::not_found);
    if (found->row->deleted) co_return refusal(stream::AppendStatus::deleted);
    if (found->is_expired) {
      CO_TRY_VOID(co_await expire(*found, request.at_ms));
      continue;
    }
    if (found->row->awaits_content && creating_.contains(request.name)) {
      co_await created_.wait();  // What the creator sent along comes first.
      continue;
    }
    context_.expiry.touch(found->id, *found->row, request.at_ms);
    const core::StreamId id = found->id;
    co_return co_await append_to(id, std::move(request));
  }
}

ports::Task<core::Result<stream::AppendReply>> Engine::append_to(core::StreamId id,
                                                                 stream::AppendRequest request) {
  for (;;) {
    const auto ready = co_await writable(id);
    if (!ready) {
      if (ready.error().code == core::Errc::not_found) {
        co_return refusal(stream::AppendStatus::not_found);
      }
      co_return tl::unexpected<core::Error>(ready.error());
    }
    // Opening may have taken long; once the node stops, nothing new gets into the log.
    if (context_.is_stopping) co_return tl::unexpected<core::Error>(stopping_error());
    const ActiveStream& stream = **ready;
    const stream::ViewPtr view = context_.view();
    const stream::StreamRow* row = view->find(id);
    if (row == nullptr) co_return refusal(stream::AppendStatus::not_found);

    stream::AppendFacts facts;
    facts.content_type = row->config.content_type;
    facts.tail = stream.assigned;
    facts.ended = stream.assigned_end ? &*stream.assigned_end : nullptr;
    facts.producers = &stream.producers;
    facts.deleted = row->deleted;
    stream::AppendDecision decision = stream::check_append(facts, request);
    if (decision.action != stream::AppendAction::answer) {
      co_return co_await submit(id, std::move(decision), std::move(request));
    }
    // The answer may rest on appends that are not durable yet, and that may still fail.
    if (co_await settled(id)) co_return decision.reply;
  }
}

/// Waits until everything assigned to the stream so far is durable or has failed. False if
/// something failed or the stream is gone: what was decided on it must be decided again.
ports::Task<bool> Engine::settled(core::StreamId id) {
  ActiveStream* stream = context_.active.find(id);
  if (stream == nullptr) co_return false;
  const std::uint64_t target = stream->submitted;
  const std::uint64_t failures = stream->failures;
  while (stream->completed() < target) {
    if (!stream->moved) stream->moved = std::make_unique<ports::Signal>(context_.ports.executor);
    co_await stream->moved->wait();
    stream = context_.active.find(id);
    if (stream == nullptr) co_return false;
  }
  co_return stream->failures == failures;
}

ports::Task<core::Result<stream::AppendReply>> Engine::submit(core::StreamId id,
                                                              stream::AppendDecision decision,
                                                              stream::AppendRequest request) {
  ActiveStream& stream = *context_.active.find(id);
  const bool closes = decision.action != stream::AppendAction::append;
  const stream::BatchIdentity identity{request.producer, request.stream_seq, closes};

  stream::WalEntry entry;
  entry.stream = id;
  entry.epoch = stream.epoch;
  entry.base = entry.end = stream.assigned;
  std::string bytes;
  if (decision.action == stream::AppendAction::close) {
    entry.kind = stream::WalEntryKind::close;
    bytes = stream::frame_close_mark(request.at_ms, identity);
  } else {
    CHECK(request.batch.records > 0);
    entry.kind = closes ? stream::WalEntryKind::append_close : stream::WalEntryKind::append;
    entry.end += request.batch.records;
    bytes = std::move(request.batch.bytes);
  }
  stream::set_base_offset(bytes, entry.base);
  const std::size_t size = bytes.size();
  entry.batch = core::Bytes(std::move(bytes));

  if (!stream.undo) stream.undo = std::make_unique<std::deque<Undo>>();
  stream.undo->push_back(Undo{stream.producers.apply(identity), stream.assigned_end});
  stream.assigned = entry.end;
  if (closes) stream.assigned_end = stream::StreamEnd{entry.end, request.producer};
  stream.submitted += 1;

  const std::uint64_t records = entry.end - entry.base;
  auto written = co_await writer_->append(std::move(entry));
  if (!written) {
    context_.stats.append_failures += 1;
    co_return tl::unexpected<core::Error>(std::move(written).error());
  }
  context_.stats.appends += 1;
  context_.stats.append_records += records;
  context_.stats.append_bytes += size;
  co_return decision.reply;
}

/// The stream, opened by this life and with its producers known.
ports::Task<core::Result<ActiveStream*>> Engine::writable(core::StreamId id) {
  for (;;) {
    const stream::ViewPtr view = context_.view();
    const stream::StreamRow* row = view->find(id);
    if (row == nullptr) co_return core::fail(core::Errc::not_found, "the stream was deleted");
    if (row->owner != context_.life) {
      co_return core::fail(core::Errc::unavailable, "stream " + row->name + " is owned by node " +
                                                        std::to_string(raw(row->owner.node)) +
                                                        " at epoch " +
                                                        std::to_string(raw(row->owner.epoch)));
    }
    ActiveStream& stream = context_.active.get(id, *row);
    if (!stream.damage.empty()) co_return core::fail(core::Errc::corrupt, stream.damage);
    if (stream.epoch != core::Epoch{} && stream.has_producers) co_return &stream;
    if (stream.opened) {
      co_await stream.opened->wait();  // Somebody opens it already.
      continue;
    }
    stream.opened = std::make_unique<ports::Signal>(context_.ports.executor);
    const auto opened = co_await open(id);
    if (ActiveStream* still = context_.active.find(id)) {
      const std::unique_ptr<ports::Signal> signal = std::move(still->opened);
      signal->notify_all();
    }
    if (!opened) co_return tl::unexpected<core::Error>(opened.error());
  }
}

ports::Task<core::Result<void>> Engine::open(core::StreamId id) {
  CO_TRY_VOID(co_await load_producers(context_, id));
  const stream::Command command = stream::OpenStream{context_.life, id};
  CO_TRY(const cmdlog::Outcome outcome, co_await context_.ports.proposer.propose(command));
  ActiveStream* stream = context_.active.find(id);
  if (stream == nullptr || outcome.verdict == cmdlog::Verdict::not_found) {
    co_return core::fail(core::Errc::not_found, "the stream was deleted");
  }
  if (!outcome.holds()) {
    co_return core::fail(core::Errc::fenced, std::string("this node may not open the stream: ") +
                                                 cmdlog::name_of(outcome.verdict));
  }
  stream->epoch = core::Epoch{outcome.value};
  co_return core::Result<void>{};
}

void Engine::on_durable(const stream::WalEntry& entry, const WalPlace& place) {
  ActiveStream* stream = context_.active.find(entry.stream);
  if (stream == nullptr) return;  // Deleted while its append was under way.
  CHECK(stream->undo && !stream->undo->empty());
  stream->undo->pop_front();
  if (stream->undo->empty()) stream->undo.reset();

  CachedBatch batch;
  batch.kind = entry.kind;
  batch.base = entry.base;
  batch.end = entry.end;
  batch.bytes = entry.batch;
  batch.life = context_.life;
  batch.place = place;
  const bool closes = entry.kind != stream::WalEntryKind::append;
  if (closes) stream->ended = stream->assigned_end;
  uploader_->note_durable(place.sequence);
  context_.active.add(*stream, std::move(batch));
  if (stream->moved) stream->moved->notify_all();

  if (stream->listeners) {
    std::shared_ptr<stream::TailUpdate>& update = updates_[entry.stream];
    if (!update) update = std::make_shared<stream::TailUpdate>();
    if (entry.end > entry.base) {
      update->slices.push_back(stream::BatchSlice{entry.batch, entry.base, entry.end});
    }
    update->tail = entry.end;
    update->closed = update->closed || closes;
  }
}

void Engine::on_flushed() {
  for (auto& [id, update] : std::exchange(updates_, {})) {
    if (ActiveStream* stream = context_.active.find(id)) publish(*stream, std::move(update));
  }
  uploader_->look();
}

void Engine::on_failed(const stream::WalEntry& entry) {
  ActiveStream* stream = context_.active.find(entry.stream);
  if (stream == nullptr) return;
  CHECK(stream->undo && !stream->undo->empty());
  Undo undo = std::move(stream->undo->back());
  stream->undo->pop_back();
  if (stream->undo->empty()) stream->undo.reset();
  stream->producers.undo(std::move(undo.producers));
  stream->assigned_end = undo.ended;
  stream->assigned = entry.base;
  stream->failures += 1;
  if (stream->moved) stream->moved->notify_all();
}

void Engine::on_wal_lost(const core::Error& error) {
  context_.on_fatal(error);
}

}  // namespace drivers
