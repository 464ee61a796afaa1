#pragma once

#include <cstdint>
#include <string>

#include "core/ids.h"
#include "core/result.h"
#include "core/time.h"
#include "drivers/proposer.h"
#include "ports/timers.h"

namespace drivers {

struct HeartbeatOptions {
  core::NodeId node{};
  std::string address;  // Where clients reach this node.
  std::uint32_t slots = 1;
  std::uint64_t token = 0;  // Drawn at random by each process: makes the registration repeatable.
  core::Time interval = std::chrono::seconds(5);
};

/// One life of this node: registers it, beats, and notices when it is over.
class Heartbeat {
 public:
  Heartbeat(Proposer& proposer, ports::Timers& timers, HeartbeatOptions options)
      : proposer_(proposer), timers_(timers), options_(std::move(options)) {}

  /// Begins a new life. Waits as long as the log is away.
  ports::Task<core::Result<core::Life>> register_node();

  /// Beats until the life is over, then returns why. fenced: the node was fenced, or registered
  /// again by another process. It must stop at once: others take over what it owns.
  ports::Task<core::Error> run();

  /// Ends the life in order. Whatever comes of it, this process has nothing more to say.
  ports::Task<core::Result<void>> fence_self();

  core::Life life() const { return life_; }

 private:
  ports::Task<void> run_beats();
  ports::Task<core::Error> run_watch();

  Proposer& proposer_;
  ports::Timers& timers_;
  HeartbeatOptions options_;
  core::Life life_{};
};

}  // namespace drivers
