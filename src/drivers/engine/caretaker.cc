#include "drivers/engine/caretaker.h"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <utility>
#include <vector>

namespace drivers {
namespace {

using namespace ports::asio::experimental::awaitable_operators;

// A pass does not grow with what piled up; the rest waits for the next pass.
constexpr std::size_t kObjectsPerPass = 64;

}  // namespace

ports::Task<void> Caretaker::run() {
  is_running_ = true;
  while (!is_stopping_) {
    const core::Time wake = context_.ports.timers.now() + context_.options.sweep_interval;
    co_await (changed_.wait() || context_.ports.timers.sleep_until(wake));
    if (!is_stopping_) co_await pass();
  }
  is_running_ = false;
  changed_.notify_all();
}

ports::Task<void> Caretaker::stop() {
  is_stopping_ = true;
  changed_.notify_all();
  while (is_running_) co_await changed_.wait();
}

ports::Task<void> Caretaker::pass() {
  settle_doubts();
  co_await expire_due();
  (void)co_await save_touches(false);
  const auto compacted = co_await compactor_.pass();
  if (!compacted) context_.log_line("compaction failed: " + compacted.error().context);
  co_await give_up_reservations();
  co_await remove_doomed();
  co_await remove_orphans();
}

/// Removals whose answer was lost: those that happened are carried on here.
void Caretaker::settle_doubts() {
  const stream::ViewPtr view = context_.view();
  std::erase_if(context_.in_doubt, [&](const auto& one) {
    const auto& [id, before] = one;
    const stream::StreamRow* row = view->find(id);
    if (row != nullptr && !row->deleted) return false;
    forget_(*before, id);
    return true;
  });
}

ports::Task<void> Caretaker::expire_due() {
  const stream::ViewPtr before = context_.view();
  const core::WallMs now = context_.ports.timers.wall_now();
  for (; next_unwatched_ < before->next_stream;
       next_unwatched_ = core::StreamId{raw(next_unwatched_) + 1}) {
    const stream::StreamRow* row = before->find(next_unwatched_);
    if (row != nullptr) context_.expiry.watch(next_unwatched_, *row);
  }
  const std::vector<core::StreamId> due = context_.expiry.due(*before, now);
  for (const core::StreamId id : due) {
    const stream::ViewPtr view = context_.view();
    const stream::StreamRow* row = view->find(id);
    if (row == nullptr || row->deleted || !context_.expiry.is_expired(id, *row, now)) continue;
    const stream::Command command = stream::ExpireStream{context_.life, id, row->touched_ms, now};
    const auto outcome = co_await context_.ports.proposer.propose(command);
    if (!outcome && outcome.error().code == core::Errc::unknown)
      context_.in_doubt.emplace(id, view);
    if (!outcome) co_return;
    if (outcome->holds()) forget_(*view, id);
  }
}

ports::Task<core::Result<void>> Caretaker::save_touches(bool all) {
  stream::TouchStreams touches = context_.expiry.unsaved(*context_.view(), context_.life, all);
  if (touches.streams.empty()) co_return core::Result<void>{};
  const stream::Command command = std::move(touches);
  CO_TRY_VOID(co_await context_.ports.proposer.propose(command));
  co_return core::Result<void>{};
}

/// Reservations that nobody uploads for: of lives that are over, and of this one if the answer to
/// the reservation, or to giving it up, was lost.
ports::Task<void> Caretaker::give_up_reservations() {
  const stream::ViewPtr view = context_.view();
  std::vector<core::ObjectId> abandoned;
  for (const auto& [id, row] : view->objects) {
    if (abandoned.size() >= kObjectsPerPass) break;
    if (row.state != stream::ObjectState::reserved) continue;
    const bool mine = row.life == context_.life;
    if (mine ? !context_.uploading.contains(id) : !view->nodes.is_live(row.life)) {
      abandoned.push_back(id);
    }
  }
  if (abandoned.empty()) co_return;
  const stream::Command command = stream::AbandonObjects{context_.life, std::move(abandoned)};
  (void)co_await context_.ports.proposer.propose(command);
}

ports::Task<void> Caretaker::remove_doomed() {
  const stream::ViewPtr view = context_.view();
  std::vector<core::ObjectId> removed;
  for (const auto& [id, row] : view->objects) {
    if (removed.size() >= kObjectsPerPass) break;
    if (row.state != stream::ObjectState::doomed) continue;
    if (co_await context_.ports.store.remove(data_object_name(id))) removed.push_back(id);
  }
  if (removed.empty()) co_return;
  const stream::Command command = stream::ForgetObjects{context_.life, std::move(removed)};
  (void)co_await context_.ports.proposer.propose(command);
}

/// Objects that arrived in the store after their ids had been forgotten.
ports::Task<void> Caretaker::remove_orphans() {
  if (context_.ports.timers.now() < next_search_) co_return;
  next_search_ = context_.ports.timers.now() + context_.options.orphan_interval;
  const auto listed = co_await context_.ports.store.list(kDataPrefix);
  if (!listed) co_return;
  const stream::ViewPtr view = context_.view();
  for (const ports::ObjectInfo& info : *listed) {
    const std::optional<core::ObjectId> object = data_object_of(info.name);
    if (!object || *object >= view->next_object || view->objects.contains(*object)) continue;
    (void)co_await context_.ports.store.remove(info.name);
  }
}

}  // namespace drivers
