#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/ids.h"

namespace cluster {

/// The latest life of a node.
struct NodeRow {
  core::Epoch epoch{};
  core::Beats beats = 0;
  bool fenced = false;
  std::string address;
  std::uint32_t slots = 1;
  std::uint64_t token = 0;
  bool operator==(const NodeRow&) const = default;
};

/// Part of every service's view. Ordered, because iteration must be the same on every node.
struct Nodes {
  std::map<core::NodeId, NodeRow> rows;
  bool operator==(const Nodes&) const = default;

  const NodeRow* find(core::NodeId id) const {
    const auto found = rows.find(id);
    return found == rows.end() ? nullptr : &found->second;
  }

  bool is_live(core::Life life) const {
    const NodeRow* row = find(life.node);
    return row != nullptr && row->epoch == life.epoch && !row->fenced;
  }
};

}  // namespace cluster
