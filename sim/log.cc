#include "sim/log.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace sim {

using core::Errc;
using core::fail;
using ports::Task;

const std::string* SimLogStore::find(core::Index index) const {
  const std::uint64_t number = core::raw(index);
  return number > truncated_ && index <= last() ? &entries_[number - truncated_ - 1] : nullptr;
}

core::Index SimLogStore::append(const std::vector<std::string>& batch) {
  const core::Index first = next(last());
  entries_.insert(entries_.end(), batch.begin(), batch.end());
  for (SimLog* link : links_) link->appended_.notify_all();
  return first;
}

SimLog::SimLog(SimWorld& world, SimLogStore& store, asio::any_io_executor executor)
    : world_(world), store_(store), appended_(std::move(executor)) {
  store_.links_.insert(this);
}

SimLog::~SimLog() {
  store_.links_.erase(this);
}

SimLog::Fate SimLog::draw_fate() {
  if (faults_.is_cut || world_.random().chance(faults_.unavailable)) return Fate::refused;
  if (world_.random().chance(faults_.lost_requests)) return Fate::lost_request;
  if (world_.random().chance(faults_.lost_answers)) return Fate::lost_answer;
  if (world_.random().chance(faults_.late_requests)) return Fate::late;
  return Fate::done;
}

core::Time SimLog::draw(core::Time least, core::Time most) {
  const auto spread = static_cast<std::uint64_t>((most - least).count());
  return least + core::Time(static_cast<core::Time::rep>(world_.random().below(spread + 1)));
}

Task<core::Result<core::Index>> SimLog::append(std::vector<std::string> batch) {
  const Fate fate = draw_fate();
  const core::Time arrival = world_.now() + draw_latency();
  const core::Time reply = arrival + draw_latency();
  const bool is_full = faults_.is_full;
  auto answer = std::make_shared<core::Index>();
  if (!is_full && fate != Fate::refused && fate != Fate::lost_request) {
    const core::Time late = draw(core::Time(0), faults_.late_by);
    SimLogStore& store = store_;
    world_.at(fate == Fate::late ? reply + late : arrival,
              [&store, batch = std::move(batch), answer] { *answer = store.append(batch); });
  }
  co_await world_.sleep_until(reply);
  if (fate == Fate::refused) co_return fail(Errc::unavailable, "the simulated log refused");
  if (is_full) co_return fail(Errc::full, "the simulated log is full");
  if (fate != Fate::done) co_return fail(Errc::unknown, "the simulated log did not answer");
  co_return *answer;
}

/// Passes the time of a request and its answer, or fails.
Task<core::Result<void>> SimLog::arrive() {
  const bool refused = faults_.is_cut || world_.random().chance(faults_.unavailable);
  co_await world_.pass(draw_latency());
  if (refused) co_return fail(Errc::unavailable, "the simulated log refused");
  co_return core::Result<void>();
}

Task<core::Result<std::vector<ports::LogEntry>>> SimLog::read(core::Index after,
                                                              std::size_t limit) {
  CO_TRY_VOID(co_await arrive());
  if (core::raw(after) < store_.truncated_) {
    co_return fail(Errc::not_found, fmt::format("entry {} was truncated; the first is {}",
                                                core::raw(after) + 1, store_.truncated_ + 1));
  }
  std::vector<ports::LogEntry> entries;
  for (core::Index index = next(after); entries.size() < limit; index = next(index)) {
    const std::string* payload = store_.find(index);
    if (payload == nullptr) break;
    entries.push_back({index, *payload});
  }
  co_await world_.pass(draw_latency());
  co_return entries;
}

Task<core::Result<void>> SimLog::wait(core::Index after) {
  if (store_.last() <= after) co_await appended_.wait();
  co_return co_await arrive();
}

Task<core::Result<std::optional<ports::LogSnapshot>>> SimLog::load_snapshot() {
  CO_TRY_VOID(co_await arrive());
  co_return store_.snapshot_;
}

Task<core::Result<void>> SimLog::store_snapshot(ports::LogSnapshot snapshot) {
  CO_TRY_VOID(co_await arrive());
  if (faults_.is_full) co_return fail(Errc::full, "the simulated log is full");
  auto& stored = store_.snapshot_;
  if (!stored || stored->index < snapshot.index) stored = std::move(snapshot);
  co_return core::Result<void>();
}

Task<core::Result<void>> SimLog::truncate(core::Index upto) {
  CO_TRY_VOID(co_await arrive());
  if (!store_.snapshot_ || upto > store_.snapshot_->index) {
    co_return fail(Errc::invalid,
                   fmt::format("entry {} is beyond the stored snapshot", core::raw(upto)));
  }
  while (store_.truncated_ < core::raw(upto) && !store_.entries_.empty()) {
    store_.entries_.pop_front();
    ++store_.truncated_;
  }
  co_return core::Result<void>();
}

}  // namespace sim
