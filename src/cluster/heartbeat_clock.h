#pragma once

#include <map>

#include "cluster/nodes.h"
#include "core/ids.h"
#include "core/time.h"

namespace cluster {

/// How long other nodes have been silent, counted in the observer's own heartbeats.
///
/// No clock is read. Silence grows only when a heartbeat of the observer is applied, so to an
/// observer that is paused, cut off, or facing a log that is down nobody grows silent. It begins
/// without memory: a node is watched for a full timeout before it can be judged.
class HeartbeatClock {
 public:
  explicit HeartbeatClock(core::NodeId observer) : observer_(observer) {}

  /// Takes in a newer state. States may be skipped, but must not go backwards.
  void observe(const Nodes& nodes);

  /// Heartbeats of the observer since it last saw `node` make progress; 0 if it never saw it.
  core::Beats silence(core::NodeId node) const;

 private:
  struct Sighting {
    core::Epoch epoch{};    // The node's, when it last made progress...
    core::Beats beats = 0;  // ...and its beats...
    core::Beats at = 0;     // ...and the observer's own beats at that moment.
  };

  core::NodeId observer_;
  core::Epoch observer_epoch_{};
  core::Beats now_ = 0;
  std::map<core::NodeId, Sighting> sightings_;
};

/// Silence after which a node counts as dead: the timeout in whole heartbeats, rounded up. The
/// timeout must be greater than the interval, and the interval than nothing.
core::Beats silence_limit(core::Time node_timeout, core::Time heartbeat_interval);

}  // namespace cluster
