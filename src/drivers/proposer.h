#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/random.h"
#include "log/replica.h"
#include "ports/command_log.h"
#include "ports/signal.h"
#include "ports/timers.h"
#include "stream/machine.h"

namespace drivers {

struct ProposerOptions {
  std::size_t read_limit = 1024;      // Entries asked for at once.
  std::size_t batch_limit = 4096;     // Commands appended at once.
  std::size_t queue_limit = 200'000;  // Commands waiting; beyond it proposals are refused (limit).

  // A snapshot is due after so many entries, or so many bytes of them.
  std::uint64_t snapshot_entries = 100'000;
  std::uint64_t snapshot_bytes = std::uint64_t{64} << 20;
  // Entries kept behind a snapshot, so that a node that lags a little need not load it.
  std::uint64_t kept_entries = 10'000;
  std::size_t snapshot_step = 2'000;  // Rows encoded before others get their turn.

  core::Time least_backoff = std::chrono::milliseconds(20);
  core::Time most_backoff = std::chrono::seconds(2);
  // How long to look for what became of a batch that is in the log, or may be.
  core::Time resolve_for = std::chrono::seconds(5);
  std::uint64_t seed = 1;  // Of the jitter of backoffs.
};

/// Proposes commands to the log, follows it, and keeps the replica.
///
///     propose ──> queue ──> append (one under way, others collect) ──> apply ──> publish ──>
///     answer entries of other nodes ──> read ─────────────────────────────────┘
///
/// All on one executor. `run` must be running for anything to happen. Ends with the process: the
/// log outlives it.
template <cmdlog::Machine M>
class LogProposer {
 public:
  using Command = typename M::Command;
  using State = typename M::State;
  using StatePtr = std::shared_ptr<const State>;
  using Outcomes = std::vector<cmdlog::Outcome>;

  LogProposer(ports::asio::any_io_executor executor, ports::CommandLog& log, ports::Timers& timers,
              ProposerOptions options = {});
  LogProposer(const LogProposer&) = delete;
  LogProposer& operator=(const LogProposer&) = delete;

  /// Loads the snapshot and applies the log to its end. Before `run`, once.
  ///
  /// corrupt: a row does not decode; the line names its index and the rule. Never skipped: what
  /// follows it cannot be understood without it.
  ports::Task<core::Result<void>> start();

  /// Appends, follows the log, takes snapshots. Returns only when it cannot go on: corrupt, as in
  /// `start`. The node then must stop. Cancelling it fails what is queued as unavailable.
  ports::Task<core::Result<void>> run();

  /// Returns what became of `command` once this node's view shows it.
  ///
  /// unavailable, full, limit: nothing happened, and nothing will. unknown: it may yet happen; it
  /// is safe to propose it again. corrupt: this node cannot go on (see `run`).
  ports::Task<core::Result<cmdlog::Outcome>> propose(Command command);

  /// The same for several, which come to lie next to each other in the log, all or none.
  ports::Task<core::Result<Outcomes>> propose_all(std::vector<Command> commands);

  /// Proposes again, ever more slowly, until it is known what became of `command`. For the node's
  /// own work, which waits until the log is back. Gives up only on corrupt.
  ports::Task<core::Result<cmdlog::Outcome>> propose_until_known(Command command);

  /// The newest version. Contains everything that proposals returned so far have done.
  StatePtr view() const { return replica_.state(); }

  /// Returns when the view is newer than `after`.
  ports::Task<void> changed(core::Index after);

  /// Calls `listener` with each newer view, on the executor; it must not block. Before `start`.
  void on_change(std::function<void(const StatePtr&)> listener) {
    listeners_.push_back(std::move(listener));
  }

  /// Stores a snapshot of the present view now, and drops the entries before it.
  ports::Task<core::Result<void>> take_snapshot();

 private:
  /// Commands that one caller proposed together.
  struct Group {
    explicit Group(ports::asio::any_io_executor executor) : done(std::move(executor)) {}
    std::vector<Command> commands;
    std::uint64_t bytes = 0;  // Encoded.
    std::optional<core::Result<Outcomes>> result;
    ports::Signal done;
  };
  using GroupPtr = std::shared_ptr<Group>;
  using Groups = std::vector<GroupPtr>;

  /// An entry that was read and applied while a batch of ours was under way: perhaps part of it.
  struct Seen {
    core::Index index;
    std::string payload;
    cmdlog::Outcome outcome;
  };

  ports::Task<core::Result<void>> run_appends();
  ports::Task<core::Result<void>> run_tail();
  ports::Task<core::Result<void>> run_snapshots();

  Groups next_batch();
  static std::vector<std::string> encode(const Groups& batch);
  ports::Task<void> append_batch(Groups batch);
  ports::Task<core::Result<Outcomes>> append_and_apply(const Groups& batch);
  ports::Task<core::Result<Outcomes>> outcomes_at(core::Index first, const Groups& batch);
  ports::Task<core::Result<Outcomes>> look_for(const Groups& batch);
  ports::Task<core::Result<void>> catch_up();
  ports::Task<core::Result<void>> catch_up_to(core::Index wanted);
  ports::Task<core::Result<std::size_t>> read_once();
  ports::Task<core::Result<void>> install_snapshot();
  ports::Task<void> back_off(int tries);
  ports::Task<core::Result<std::string>> encode_snapshot(StatePtr state);

  core::Result<void> apply_entries(const std::vector<ports::LogEntry>& entries);
  core::Result<Outcomes> apply_own(core::Index first, const Groups& batch);
  void publish();
  void note_applied(std::uint64_t entries, std::uint64_t bytes);
  void answer(const Groups& batch, const core::Result<Outcomes>& result);
  void fail_queue(const core::Error& error);

  ports::asio::any_io_executor executor_;
  ports::CommandLog& log_;
  ports::Timers& timers_;
  ProposerOptions options_;
  core::Random random_;
  cmdlog::Replica<M> replica_;
  std::vector<std::function<void(const StatePtr&)>> listeners_;

  std::deque<GroupPtr> queue_;
  std::size_t queued_ = 0;  // Commands in it.
  bool is_appending_ = false;
  std::vector<Seen> seen_;
  std::optional<core::Error> broken_;  // The node cannot go on.
  bool is_stopped_ = false;

  std::uint64_t entries_since_snapshot_ = 0;
  std::uint64_t bytes_since_snapshot_ = 0;
  core::Index last_snapshot_{0};

  ports::Signal queue_filled_;
  ports::Signal changed_;
  ports::Signal snapshot_due_;
  std::shared_ptr<void> alive_ = std::make_shared<int>();  // For frames that outlive this.
};

using Proposer = LogProposer<stream::Machine>;

extern template class LogProposer<stream::Machine>;

}  // namespace drivers
