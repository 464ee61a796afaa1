#pragma once

#include <deque>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ports/command_log.h"
#include "ports/signal.h"
#include "sim/world.h"

namespace sim {

class SimLog;

/// What is in a simulated command log. Kept by the world: it survives the nodes that write it.
class SimLogStore {
 public:
  core::Index last() const { return core::Index{truncated_ + entries_.size()}; }

  /// The entry at `index`, if it is there. For checkers.
  const std::string* find(core::Index index) const;

  core::Index append(const std::vector<std::string>& batch);

 private:
  friend class SimLog;

  std::uint64_t truncated_ = 0;  // How many entries were dropped from the front.
  std::deque<std::string> entries_;
  std::optional<ports::LogSnapshot> snapshot_;
  std::set<SimLog*> links_;
};

/// What goes wrong between one node and its log, in percent of requests unless said otherwise.
struct LogFaults {
  std::uint64_t unavailable = 0;    // Refused; nothing happens.
  std::uint64_t lost_requests = 0;  // Appends answered `unknown`; did not happen.
  std::uint64_t lost_answers = 0;   // Appends answered `unknown`; happened.
  std::uint64_t late_requests =
      0;  // Appends answered `unknown`; happen up to `late_by` afterwards.
  core::Time late_by = std::chrono::seconds(5);
  core::Time least_latency = std::chrono::microseconds(100);
  core::Time most_latency = std::chrono::milliseconds(1);
  bool is_cut = false;   // Everything is unavailable.
  bool is_full = false;  // Nothing new fits.
};

/// One node's way to the log. A request, once sent, arrives even if its sender dies meanwhile.
class SimLog final : public ports::CommandLog {
 public:
  /// `executor` is where the node runs.
  SimLog(SimWorld& world, SimLogStore& store, asio::any_io_executor executor);
  ~SimLog() override;

  LogFaults& faults() { return faults_; }

  ports::Task<core::Result<core::Index>> append(std::vector<std::string> batch) override;
  ports::Task<core::Result<std::vector<ports::LogEntry>>> read(core::Index after,
                                                               std::size_t limit) override;
  ports::Task<core::Result<void>> wait(core::Index after) override;
  ports::Task<core::Result<std::optional<ports::LogSnapshot>>> load_snapshot() override;
  ports::Task<core::Result<void>> store_snapshot(ports::LogSnapshot snapshot) override;
  ports::Task<core::Result<void>> truncate(core::Index upto) override;

 private:
  friend class SimLogStore;

  /// What becomes of an append is drawn when it is sent.
  enum class Fate { done, refused, lost_request, lost_answer, late };

  Fate draw_fate();
  core::Time draw(core::Time least, core::Time most);
  core::Time draw_latency() { return draw(faults_.least_latency / 2, faults_.most_latency / 2); }
  ports::Task<core::Result<void>> arrive();

  SimWorld& world_;
  SimLogStore& store_;
  LogFaults faults_;
  ports::Signal appended_;
};

}  // namespace sim
