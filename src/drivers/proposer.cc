#include "drivers/proposer.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <utility>

#include "core/check.h"

namespace drivers {
namespace {

using cmdlog::Outcome;
using core::Errc;
using ports::Task;

/// Calls `leave` at the end of a scope, also when the coroutine is cancelled there, unless what it
/// is about is gone: frames may be unwound after their executor's other users.
template <class Function>
class OnExit {
 public:
  OnExit(std::weak_ptr<void> alive, Function leave)
      : alive_(std::move(alive)), leave_(std::move(leave)) {}
  OnExit(const OnExit&) = delete;
  OnExit& operator=(const OnExit&) = delete;
  ~OnExit() {
    if (!alive_.expired()) leave_();
  }

 private:
  std::weak_ptr<void> alive_;
  Function leave_;
};

bool may_pass(Errc code) {
  return code == Errc::unavailable || code == Errc::full || code == Errc::unknown ||
         code == Errc::limit;
}

}  // namespace

template <cmdlog::Machine M>
LogProposer<M>::LogProposer(ports::asio::any_io_executor executor, ports::CommandLog& log,
                            ports::Timers& timers, ProposerOptions options)
    : executor_(std::move(executor)),
      log_(log),
      timers_(timers),
      options_(options),
      random_(options.seed),
      queue_filled_(executor_),
      changed_(executor_),
      snapshot_due_(executor_) {}

template <cmdlog::Machine M>
Task<core::Result<void>> LogProposer<M>::start() {
  CO_TRY_VOID(co_await install_snapshot());
  co_return co_await catch_up();
}

template <cmdlog::Machine M>
Task<core::Result<void>> LogProposer<M>::run() {
  using namespace ports::asio::experimental::awaitable_operators;
  const OnExit leave(alive_, [this] {
    is_stopped_ = true;
    fail_queue(core::Error{Errc::unavailable, "this node no longer writes to the log"});
  });
  const auto ended = co_await (run_appends() || run_tail() || run_snapshots());
  co_return std::visit([](const auto& result) { return result; }, ended);
}

// ---- proposing -------------------------------------------------------------------------------

template <cmdlog::Machine M>
Task<core::Result<Outcome>> LogProposer<M>::propose(Command command) {
  std::vector<Command> one;
  one.push_back(std::move(command));
  CO_TRY(const Outcomes outcomes, co_await propose_all(std::move(one)));
  co_return outcomes.front();
}

template <cmdlog::Machine M>
Task<core::Result<typename LogProposer<M>::Outcomes>> LogProposer<M>::propose_all(
    std::vector<Command> commands) {
  if (commands.empty()) co_return Outcomes();
  if (broken_) co_return tl::unexpected(*broken_);
  if (is_stopped_) {
    co_return core::fail(Errc::unavailable, "this node no longer writes to the log");
  }
  if (queued_ + commands.size() > options_.queue_limit) {
    co_return core::fail(Errc::limit, fmt::format("{} commands are waiting for the log, at most {} "
                                                  "may",
                                                  queued_, options_.queue_limit));
  }
  auto group = std::make_shared<Group>(executor_);
  group->commands = std::move(commands);
  queued_ += group->commands.size();
  queue_.push_back(group);
  queue_filled_.notify_all();
  while (!group->result) co_await group->done.wait();
  co_return std::move(*group->result);
}

template <cmdlog::Machine M>
Task<core::Result<Outcome>> LogProposer<M>::propose_until_known(Command command) {
  for (int tries = 0;; ++tries) {
    auto outcome = co_await propose(command);
    if (outcome || is_stopped_ || !may_pass(outcome.error().code)) co_return outcome;
    co_await back_off(tries);
  }
}

template <cmdlog::Machine M>
Task<core::Result<void>> LogProposer<M>::run_appends() {
  while (!broken_) {
    if (queue_.empty()) {
      co_await queue_filled_.wait();
    } else {
      co_await append_batch(next_batch());
    }
  }
  fail_queue(*broken_);
  co_return tl::unexpected(*broken_);
}

template <cmdlog::Machine M>
typename LogProposer<M>::Groups LogProposer<M>::next_batch() {
  Groups batch;
  std::size_t commands = 0;
  while (!queue_.empty()) {
    const std::size_t more = queue_.front()->commands.size();
    if (!batch.empty() && commands + more > options_.batch_limit) break;
    commands += more;
    batch.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  queued_ -= commands;
  return batch;
}

template <cmdlog::Machine M>
Task<void> LogProposer<M>::append_batch(Groups batch) {
  // If this is cancelled the batch may be in the log.
  core::Result<Outcomes> result =
      core::fail(Errc::unknown, "this node stopped while the log was written");
  const OnExit leave(alive_, [this, &batch, &result] {
    is_appending_ = false;
    seen_.clear();
    answer(batch, result);
  });
  is_appending_ = true;
  result = co_await append_and_apply(batch);
}

template <cmdlog::Machine M>
Task<core::Result<typename LogProposer<M>::Outcomes>> LogProposer<M>::append_and_apply(
    const Groups& batch) {
  const auto first = co_await log_.append(encode(batch));
  if (first) co_return co_await outcomes_at(*first, batch);
  if (first.error().code == Errc::unknown) co_return co_await look_for(batch);
  co_return tl::unexpected(first.error());
}

template <cmdlog::Machine M>
std::vector<std::string> LogProposer<M>::encode(const Groups& batch) {
  std::vector<std::string> payloads;
  for (const GroupPtr& group : batch) {
    group->bytes = 0;
    for (const Command& command : group->commands) {
      payloads.push_back(cmdlog::encode_entry(command));
      group->bytes += payloads.back().size();
    }
  }
  return payloads;
}

/// The batch is in the log, from `first` on: applies what precedes it, and it.
template <cmdlog::Machine M>
Task<core::Result<typename LogProposer<M>::Outcomes>> LogProposer<M>::outcomes_at(
    core::Index first, const Groups& batch) {
  const core::Index before{core::raw(first) - 1};
  const auto reached = co_await catch_up_to(before);
  if (!reached) {
    if (broken_) co_return tl::unexpected(*broken_);
    co_return core::fail(Errc::unknown, "appended, but then: " + reached.error().context);
  }
  co_return apply_own(first, batch);
}

template <cmdlog::Machine M>
core::Result<typename LogProposer<M>::Outcomes> LogProposer<M>::apply_own(core::Index first,
                                                                          const Groups& batch) {
  Outcomes outcomes;
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
  core::Index index = first;
  for (const GroupPtr& group : batch) {
    bytes += group->bytes;
    for (const Command& command : group->commands) {
      if (index > replica_.applied()) {
        outcomes.push_back(replica_.apply(index, command));
        ++entries;
      } else {
        // The tail was quicker.
        const auto seen = std::find_if(seen_.begin(), seen_.end(),
                                       [&](const Seen& s) { return s.index == index; });
        if (seen == seen_.end()) {
          return core::fail(Errc::unknown, fmt::format("entry {} came with a snapshot: what became "
                                                       "of it is not told",
                                                       core::raw(index)));
        }
        outcomes.push_back(seen->outcome);
      }
      index = next(index);
    }
  }
  publish();
  note_applied(entries, bytes);
  return outcomes;
}

/// The batch may be in the log: reads to its end to see.
template <cmdlog::Machine M>
Task<core::Result<typename LogProposer<M>::Outcomes>> LogProposer<M>::look_for(
    const Groups& batch) {
  const core::Time deadline = timers_.now() + options_.resolve_for;
  for (int tries = 0;; ++tries) {
    const auto reached = co_await catch_up();
    if (reached) break;
    if (broken_) co_return tl::unexpected(*broken_);
    if (timers_.now() >= deadline) {
      co_return core::fail(Errc::unknown, "the log does not say: " + reached.error().context);
    }
    co_await back_off(tries);
  }

  const std::vector<std::string> payloads = encode(batch);
  const auto same = [](const Seen& seen, const std::string& payload) {
    return seen.payload == payload;
  };
  auto found = std::search(seen_.begin(), seen_.end(), payloads.begin(), payloads.end(), same);
  if (found == seen_.end()) {
    co_return core::fail(Errc::unknown,
                         "the log's answer was lost, and it is not in the log (yet)");
  }
  Outcomes outcomes;
  for (std::size_t i = 0; i < payloads.size(); ++i, ++found) outcomes.push_back(found->outcome);
  co_return outcomes;
}

template <cmdlog::Machine M>
void LogProposer<M>::answer(const Groups& batch, const core::Result<Outcomes>& result) {
  std::size_t position = 0;
  for (const GroupPtr& group : batch) {
    if (result) {
      const auto first = result->begin() + static_cast<std::ptrdiff_t>(position);
      position += group->commands.size();
      group->result = Outcomes(first, first + static_cast<std::ptrdiff_t>(group->commands.size()));
    } else {
      group->result = tl::unexpected(result.error());
    }
    group->done.notify_all();
  }
}

template <cmdlog::Machine M>
void LogProposer<M>::fail_queue(const core::Error& error) {
  const Groups all(queue_.begin(), queue_.end());
  queue_.clear();
  queued_ = 0;
  answer(all, tl::unexpected(error));
}

// ---- following -------------------------------------------------------------------------------

template <cmdlog::Machine M>
Task<core::Result<void>> LogProposer<M>::run_tail() {
  for (int tries = 0;;) {
    const core::Index after = replica_.applied();
    const auto woken = co_await log_.wait(after);
    if (broken_) co_return tl::unexpected(*broken_);
    if (woken && replica_.applied() > after) continue;  // It was our own batch.
    const auto reached = co_await catch_up();
    if (broken_) {
      queue_filled_.notify_all();
      co_return tl::unexpected(*broken_);
    }
    tries = woken && reached ? 0 : tries + 1;
    if (tries > 0) co_await back_off(tries - 1);
  }
}

template <cmdlog::Machine M>
Task<core::Result<void>> LogProposer<M>::catch_up() {
  for (;;) {
    CO_TRY(const std::size_t entries, co_await read_once());
    if (entries == 0) co_return core::Result<void>();
  }
}

/// Retries while the log is away, as long as `resolve_for`.
template <cmdlog::Machine M>
Task<core::Result<void>> LogProposer<M>::catch_up_to(core::Index wanted) {
  const core::Time deadline = timers_.now() + options_.resolve_for;
  for (int tries = 0; replica_.applied() < wanted;) {
    const auto entries = co_await read_once();
    if (entries) continue;
    if (broken_ || timers_.now() >= deadline) co_return tl::unexpected(entries.error());
    co_await back_off(tries++);
  }
  co_return core::Result<void>();
}

/// Reads and applies a piece of the log; 0 at its end.
template <cmdlog::Machine M>
Task<core::Result<std::size_t>> LogProposer<M>::read_once() {
  const auto entries = co_await log_.read(replica_.applied(), options_.read_limit);
  if (!entries) {
    if (entries.error().code != Errc::not_found) co_return tl::unexpected(entries.error());
    // Too far behind: what follows was truncated.
    CO_TRY_VOID(co_await install_snapshot());
    co_return std::size_t{1};
  }
  CO_TRY_VOID(apply_entries(*entries));
  co_return entries->size();
}

template <cmdlog::Machine M>
core::Result<void> LogProposer<M>::apply_entries(const std::vector<ports::LogEntry>& entries) {
  if (broken_) return tl::unexpected(*broken_);
  std::uint64_t applied = 0;
  std::uint64_t bytes = 0;
  for (const ports::LogEntry& entry : entries) {
    if (entry.index <= replica_.applied()) continue;  // Another reader was quicker.
    core::Result<Outcome> outcome =
        entry.index == next(replica_.applied())
            ? replica_.apply(entry.index, entry.payload)
            : core::fail(Errc::corrupt,
                         fmt::format("the log lacks entry {}: entry {} follows {}",
                                     core::raw(replica_.applied()) + 1, core::raw(entry.index),
                                     core::raw(replica_.applied())));
    if (!outcome) {
      broken_ = outcome.error();
      break;
    }
    if (is_appending_) seen_.push_back(Seen{entry.index, entry.payload, *outcome});
    ++applied;
    bytes += entry.payload.size();
  }
  publish();
  note_applied(applied, bytes);
  if (broken_) return tl::unexpected(*broken_);
  return {};
}

template <cmdlog::Machine M>
void LogProposer<M>::publish() {
  if (!replica_.publish()) return;
  changed_.notify_all();
  for (const auto& listener : listeners_) listener(replica_.state());
}

template <cmdlog::Machine M>
Task<void> LogProposer<M>::changed(core::Index after) {
  while (replica_.applied() <= after) co_await changed_.wait();
}

template <cmdlog::Machine M>
Task<void> LogProposer<M>::back_off(int tries) {
  const core::Time doubled = options_.least_backoff * (1 << std::min(tries, 16));
  const auto most = static_cast<std::uint64_t>(std::min(doubled, options_.most_backoff).count());
  const core::Time pause{static_cast<core::Time::rep>(most / 2 + random_.below(most / 2 + 1))};
  co_await timers_.sleep_until(timers_.now() + pause);
}

// ---- snapshots -------------------------------------------------------------------------------

template <cmdlog::Machine M>
Task<core::Result<void>> LogProposer<M>::install_snapshot() {
  CO_TRY(const auto snapshot, co_await log_.load_snapshot());
  if (!snapshot || snapshot->index <= replica_.applied()) co_return core::Result<void>();
  const auto installed = replica_.install(snapshot->index, snapshot->payload);
  if (!installed) {
    broken_ = installed.error();
    co_return installed;
  }
  last_snapshot_ = snapshot->index;
  entries_since_snapshot_ = 0;
  bytes_since_snapshot_ = 0;
  changed_.notify_all();
  for (const auto& listener : listeners_) listener(replica_.state());
  co_return core::Result<void>();
}

template <cmdlog::Machine M>
void LogProposer<M>::note_applied(std::uint64_t entries, std::uint64_t bytes) {
  entries_since_snapshot_ += entries;
  bytes_since_snapshot_ += bytes;
  if (entries_since_snapshot_ >= options_.snapshot_entries ||
      bytes_since_snapshot_ >= options_.snapshot_bytes) {
    snapshot_due_.notify_all();
  }
}

template <cmdlog::Machine M>
Task<core::Result<void>> LogProposer<M>::run_snapshots() {
  for (int tries = 0;;) {
    const bool due = entries_since_snapshot_ >= options_.snapshot_entries ||
                     bytes_since_snapshot_ >= options_.snapshot_bytes;
    if (!due) {
      co_await snapshot_due_.wait();
      continue;
    }
    const auto taken = co_await take_snapshot();
    tries = taken ? 0 : tries + 1;
    if (tries > 0) co_await back_off(tries + 4);  // Never urgent: the log is whole without it.
  }
}

template <cmdlog::Machine M>
Task<core::Result<void>> LogProposer<M>::take_snapshot() {
  const StatePtr state = view();
  if (state->applied > last_snapshot_) {
    const std::uint64_t entries = entries_since_snapshot_;
    const std::uint64_t bytes = bytes_since_snapshot_;
    CO_TRY(std::string payload, co_await encode_snapshot(state));
    ports::LogSnapshot snapshot{.index = state->applied, .payload = std::move(payload)};
    CO_TRY_VOID(co_await log_.store_snapshot(std::move(snapshot)));
    last_snapshot_ = std::max(last_snapshot_, state->applied);
    entries_since_snapshot_ -= std::min(entries_since_snapshot_, entries);
    bytes_since_snapshot_ -= std::min(bytes_since_snapshot_, bytes);
  }
  if (core::raw(last_snapshot_) <= options_.kept_entries) co_return core::Result<void>();
  const core::Index upto{core::raw(last_snapshot_) - options_.kept_entries};
  co_return co_await log_.truncate(upto);
}

/// Gives others their turn between the pieces.
template <cmdlog::Machine M>
Task<core::Result<std::string>> LogProposer<M>::encode_snapshot(StatePtr state) {
  typename M::SnapshotWriter writer(std::move(state));
  while (!writer.step(options_.snapshot_step)) {
    co_await ports::asio::post(executor_, ports::asio::use_awaitable);
  }
  co_return std::move(writer).finish();
}

template class LogProposer<stream::Machine>;

}  // namespace drivers
