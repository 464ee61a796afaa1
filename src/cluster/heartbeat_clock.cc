#include "cluster/heartbeat_clock.h"

#include "core/check.h"

namespace cluster {

void HeartbeatClock::observe(const Nodes& nodes) {
  const NodeRow* self = nodes.find(observer_);
  if (self == nullptr) return;

  if (self->epoch != observer_epoch_) {
    // A new life of the observer counts from zero again: earlier sightings mean nothing to it.
    sightings_.clear();
    observer_epoch_ = self->epoch;
    now_ = 0;
  }
  CHECK(self->beats >= now_);
  now_ = self->beats;

  for (const auto& [node, row] : nodes.rows) {
    const Sighting seen{.epoch = row.epoch, .beats = row.beats, .at = now_};
    const auto [known, is_new] = sightings_.try_emplace(node, seen);
    const bool progressed = known->second.epoch != seen.epoch || known->second.beats != seen.beats;
    if (progressed) known->second = seen;
  }
}

core::Beats HeartbeatClock::silence(core::NodeId node) const {
  const auto found = sightings_.find(node);
  return found == sightings_.end() ? 0 : now_ - found->second.at;
}

core::Beats silence_limit(core::Time node_timeout, core::Time heartbeat_interval) {
  CHECK(heartbeat_interval > core::Time{0});
  CHECK(node_timeout > heartbeat_interval);
  const core::Time rounded_up = node_timeout + heartbeat_interval - core::Time{1};
  return static_cast<core::Beats>(rounded_up / heartbeat_interval);
}

}  // namespace cluster
