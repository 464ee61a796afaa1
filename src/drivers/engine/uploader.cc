#include "drivers/engine/uploader.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <tuple>
#include <utility>

#include "drivers/engine/batch_load.h"
#include "drivers/engine/object_writer.h"
#include "drivers/engine/producer_load.h"

namespace drivers {
namespace {

using namespace ports::asio::experimental::awaitable_operators;

constexpr core::Time kFirstPause = std::chrono::milliseconds(250);
constexpr core::Time kLongestPause = std::chrono::seconds(15);

// An epoch that moves between planning and commit is rare; each try looks at the newest view.
constexpr int kCommitTries = 5;

}  // namespace

ports::Task<void> Uploader::run() {
  is_running_ = true;
  core::Time pause = kFirstPause;
  core::Time due{0};
  bool was_dirty = false;
  while (!is_stopping_) {
    if (context_.active.dirty().empty()) {
      was_dirty = false;
      // What needed the logs may have been deleted instead of uploaded.
      co_await trim_logs();
      if (is_stopping_ || !context_.active.dirty().empty()) continue;
      is_waiting_for_work_ = true;
      co_await context_.upload_wanted.wait();
      is_waiting_for_work_ = false;
      continue;
    }
    if (!was_dirty) due = context_.ports.timers.now() + context_.options.upload_interval;
    was_dirty = true;
    if (!is_enough() && context_.ports.timers.now() < due) {
      co_await (context_.upload_wanted.wait() || context_.ports.timers.sleep_until(due));
      continue;
    }
    const auto uploaded = co_await upload_now();
    was_dirty = false;
    if (uploaded) {
      pause = kFirstPause;
      continue;
    }
    context_.log_line("upload failed, will be tried again: " + uploaded.error().context);
    const core::Time wake = context_.ports.timers.now() + pause;
    pause = std::min(pause * 2, kLongestPause);
    while (!is_stopping_ && context_.ports.timers.now() < wake) {
      co_await (finished_.wait() || context_.ports.timers.sleep_until(wake));
    }
  }
  is_running_ = false;
  finished_.notify_all();
}

ports::Task<void> Uploader::stop() {
  is_stopping_ = true;
  context_.upload_wanted.notify_all();
  finished_.notify_all();
  while (is_running_ || is_uploading_) co_await finished_.wait();
}

ports::Task<core::Result<void>> Uploader::upload_now() {
  while (is_uploading_) co_await finished_.wait();
  is_uploading_ = true;
  auto result = co_await upload_alone();
  is_uploading_ = false;
  if (!result) context_.stats.upload_failures += 1;
  finished_.notify_all();
  co_return result;
}

ports::Task<core::Result<void>> Uploader::upload_alone() {
  const std::vector<core::StreamId> chosen = choose();
  if (chosen.empty()) co_return core::Result<void>{};
  ObjectWriter writer(context_);
  Load load;
  CO_TRY(load.object, co_await writer.reserve());
  stream::ObjectBuilder builder(load.object);
  core::Result<void> stored;
  for (const core::StreamId id : chosen) {
    stored = co_await fill(id, builder, load.parts);
    if (!stored && stored.error().code == core::Errc::corrupt) {
      set_aside(id, stored.error().context);
      stored = {};
    }
    if (!stored) break;
  }
  const bool has_data = !builder.empty();
  if (stored && has_data) {
    load.built = builder.finish();
    stored = co_await writer.store(load.object, load.built);
  }
  if (!stored || !has_data) {
    co_await writer.abandon(load.object);
    load.object = core::ObjectId{0};
  }
  if (!stored || load.parts.empty()) co_return stored;
  CO_TRY_VOID(co_await commit(load));
  writer.done(load.object);
  mark(load);
  if (has_data) {
    context_.stats.uploads += 1;
    context_.stats.upload_bytes += load.built.size;
  }
  co_await trim_logs();
  co_return core::Result<void>{};
}

/// Those whose records hold the log back come first; what does not fit waits for the next round.
std::vector<core::StreamId> Uploader::choose() const {
  struct Candidate {
    core::Life life;
    std::uint64_t sequence = 0;
    core::StreamId id{};
    std::uint64_t bytes = 0;
  };
  std::vector<Candidate> candidates;
  for (const core::StreamId id : context_.active.dirty()) {
    const ActiveStream* stream = context_.active.find(id);
    Candidate one{{}, 0, id, 0};
    bool is_first = true;
    for (const CachedBatch& batch : *stream->batches) {
      if (batch.end <= stream->uploaded && batch.kind == stream::WalEntryKind::append) continue;
      if (is_first) std::tie(one.life, one.sequence) = std::tie(batch.life, batch.place.sequence);
      is_first = false;
      one.bytes += batch.place.location.length;
    }
    candidates.push_back(one);
  }
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate& left, const Candidate& right) {
              return std::tie(left.life, left.sequence, left.id) <
                     std::tie(right.life, right.sequence, right.id);
            });
  std::vector<core::StreamId> chosen;
  std::uint64_t bytes = 0;
  for (const Candidate& one : candidates) {
    if (bytes >= context_.options.object_bytes) break;
    bytes += one.bytes;
    chosen.push_back(one.id);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

Uploader::Batches Uploader::batches_to_upload(const ActiveStream& stream) const {
  Batches found;
  found.part.id = stream.id;
  found.part.upto = stream.uploaded;
  std::uint64_t bytes = 0;
  for (const CachedBatch& batch : *stream.batches) {
    if (batch.end <= stream.uploaded || batch.kind == stream::WalEntryKind::close) continue;
    if (bytes >= context_.options.object_bytes) break;
    bytes += batch.place.location.length;
    found.part.upto = batch.end;
    found.batches.push_back(batch);
  }
  found.part.with_end = stream.ended && !stream.end_committed && found.part.upto == stream.durable;
  if (found.part.with_end) found.part.ended = stream.ended;
  return found;
}

ports::Task<core::Result<void>> Uploader::fill(core::StreamId id, stream::ObjectBuilder& builder,
                                               std::vector<Part>& parts) {
  const auto loaded = co_await load_producers(context_, id);
  if (!loaded && loaded.error().code == core::Errc::not_found) co_return core::Result<void>{};
  if (!loaded) co_return loaded;
  const ActiveStream* stream = context_.active.find(id);
  if (stream == nullptr || !stream->is_dirty()) co_return core::Result<void>{};
  const core::Epoch epoch = stream->epoch;
  const Batches found = batches_to_upload(*stream);
  // The table is ahead of what is durable by the appends that are under way: take those back.
  stream::ProducerTable producers = stream->producers;
  if (stream->undo) {
    for (auto undo = stream->undo->rbegin(); undo != stream->undo->rend(); ++undo) {
      producers.undo(undo->producers);
    }
  }
  auto loaded_batches = co_await load_batches(context_, found.batches);
  if (!loaded_batches) {
    core::Error error = std::move(loaded_batches).error();
    // Nothing that is still needed was trimmed: the file itself is gone.
    if (error.code == core::Errc::not_found) error.code = core::Errc::corrupt;
    co_return tl::unexpected<core::Error>(std::move(error));
  }
  const std::vector<core::Bytes>& contents = *loaded_batches;
  if (!contents.empty()) CO_TRY_VOID(builder.add(id, epoch, contents, producers));
  if (!contents.empty() || found.part.with_end) parts.push_back(found.part);
  co_return core::Result<void>{};
}

/// What one stream lost must not keep the others from being stored.
void Uploader::set_aside(core::StreamId id, const std::string& why) {
  ActiveStream* stream = context_.active.find(id);
  const stream::ViewPtr view = context_.view();
  const stream::StreamRow* row = view->find(id);
  if (stream == nullptr || row == nullptr || stream->is_set_aside) return;
  const std::string line = "stream " + row->name + ": " + why;
  context_.active.set_aside(*stream, line);
  context_.stats.damaged_streams += 1;
  context_.log_line(line +
                    "; it is read-only from now on, and what is not in data objects stays in "
                    "the write-ahead log: restore the file from a copy and start again");
}

stream::CommitObject Uploader::commit_command(const Load& load) const {
  stream::CommitObject command;
  command.life = context_.life;
  command.object = load.object;
  command.bytes = load.built.size;
  const stream::ViewPtr view = context_.view();
  auto extent = load.built.extents.begin();
  for (const Part& part : load.parts) {
    stream::StreamCommit commit;
    commit.stream = part.id;
    if (extent != load.built.extents.end() && extent->first == part.id) {
      commit.extent = (extent++)->second;
    }
    const stream::StreamRow* row = view->find(part.id);
    if (row != nullptr) commit.epoch = row->epoch;
    if (part.with_end) commit.ended = part.ended;
    command.streams.push_back(std::move(commit));
  }
  return command;
}

ports::Task<core::Result<void>> Uploader::commit(const Load& load) {
  for (int attempt = 1;; ++attempt) {
    const stream::Command command = commit_command(load);
    CO_TRY(const cmdlog::Outcome outcome,
           co_await context_.ports.proposer.propose_until_known(command));
    if (outcome.holds()) co_return core::Result<void>{};
    if (outcome.verdict == cmdlog::Verdict::changed_since && attempt < kCommitTries) continue;
    ObjectWriter writer(context_);
    co_await writer.abandon(load.object);
    const core::Error error{
        outcome.verdict == cmdlog::Verdict::not_live ? core::Errc::fenced : core::Errc::conflict,
        std::string("the commit of an upload was refused: ") + cmdlog::name_of(outcome.verdict)};
    if (error.code == core::Errc::fenced) context_.on_fatal(error);
    co_return tl::unexpected<core::Error>(error);
  }
}

void Uploader::mark(const Load& load) {
  for (const Part& part : load.parts) {
    if (ActiveStream* stream = context_.active.find(part.id)) {
      context_.active.mark_uploaded(*stream, part.upto, part.with_end);
    }
  }
}

ports::Task<void> Uploader::trim_logs() {
  std::vector<core::Life> done;
  for (const core::Life life : earlier_) {
    if (!context_.active.first_needed(life)) done.push_back(life);
  }
  // Side by side: after a row of crashes there are many, and each costs the store a few round
  // trips.
  for (const core::Life life : done) {
    std::erase(earlier_, life);
    removals_ += 1;
    ports::asio::co_spawn(context_.ports.executor, remove_log(life), ports::asio::detached);
  }
  while (removals_ > 0) co_await finished_.wait();
  const std::uint64_t first = context_.active.first_needed(context_.life).value_or(next_sequence_);
  if (wal_ == nullptr || first <= trimmed_) co_return;
  if (co_await wal_->trim(first)) trimmed_ = first;
}

ports::Task<void> Uploader::remove_log(core::Life life) {
  const auto removed = co_await context_.ports.wals.remove(life);
  if (!removed) earlier_.push_back(life);  // The next time, then.
  removals_ -= 1;
  finished_.notify_all();
}

}  // namespace drivers
