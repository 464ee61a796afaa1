#pragma once

#include <cstdint>
#include <string>

#include "core/ids.h"

namespace cluster {

// What can happen to the nodes of a cluster. Both services take these into their own variant.

/// Begins the next life of `node`: its row gets the next epoch, which the proposer reads from the
/// outcome's value. No clock is involved. `token` is drawn at random by each process, so that a
/// repeat of the same proposal (whose answer was lost) is answered as redundant with its epoch.
struct RegisterNode {
  core::NodeId node{};
  std::string address;  // Where clients reach it: a URL that other nodes redirect to.
  std::uint32_t slots = 1;
  std::uint64_t token = 0;
  bool operator==(const RegisterNode&) const = default;
};

struct Heartbeat {
  core::Life life;
  bool operator==(const Heartbeat&) const = default;
};

/// Applies only if the node is exactly as the proposer saw it: same epoch, same beats, not fenced.
struct FenceNode {
  core::Life life;
  core::Beats beats = 0;
  bool operator==(const FenceNode&) const = default;
};

/// A node's last word about itself: unconditional for its current life.
struct FenceSelf {
  core::Life life;
  bool operator==(const FenceSelf&) const = default;
};

struct SetSlots {
  core::NodeId node{};
  std::uint32_t slots = 1;
  bool operator==(const SetSlots&) const = default;
};

}  // namespace cluster
