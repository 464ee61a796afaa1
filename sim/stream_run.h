#pragma once

#include <string>

#include "sim/log.h"
#include "sim/store.h"
#include "sim/stream_clients.h"
#include "sim/wal.h"

namespace sim {

/// What kind of run a seed stands for.
struct RunOptions {
  core::Time length = std::chrono::seconds(4);
  core::Time most_calm = std::chrono::milliseconds(800);  // Between two mishaps.
  bool has_mishaps = true;
  StreamNodeOptions node;
  ClientOptions clients;
  StoreFaults store;
  WalFaults wal;
  LogFaults log;
  std::uint64_t lost_answers = 0;
  bool prints = false;  // Every note, to stderr.

  static RunOptions draw(std::uint64_t seed);
};

/// One stream node, its clients, and everything that can go wrong, under virtual time. First things
/// break; then all is healed and must come to rest; then everything is read and judged, and once
/// more after a crash, and once more after a clean stop.
class StreamRun {
 public:
  StreamRun(std::uint64_t seed, const RunOptions& options);

  /// What is wrong; empty: nothing.
  std::string run();

  // The same in pieces, for tests that break things themselves.
  void begin();
  void settle();
  std::string verdict() const { return history_.broken(); }

  SimWorld& world() { return world_; }
  StreamNode& node() { return node_; }
  SimStore& store() { return store_; }
  SimWalStore& wals() { return wals_; }
  History& history() { return history_; }
  StreamClients& clients() { return clients_; }
  /// The last of what happened, for a failing run.
  std::string log_tail() const;

 private:
  void schedule_mishap();
  void mishap();
  void crash_and_restart(core::Time pause);
  void restart();
  void heal();
  bool wait(const std::function<bool()>& done, core::Time limit, const std::string& what);
  bool wait_for_rest();
  std::string unrest();
  void check_followers();
  void read_everything();
  ports::Task<core::Result<bool>> read_all(std::string name);
  void check_view();

  SimWorld world_;
  SimLogStore log_;
  SimStore store_{world_};
  SimWalStore wals_{world_};
  SimTimers timers_{world_};
  RunOptions options_;
  core::Random chance_;
  History history_;
  std::deque<std::string> lines_;
  StreamNode node_;
  StreamClients clients_;
  bool is_healing_ = false;
};

}  // namespace sim
