#pragma once

#include <compare>
#include <cstdint>

namespace core {

// A scoped enum over an integer is all a strong id needs: it compares and orders, and can be
// neither mixed up with another id nor added to anything by accident.
enum class NodeId : std::uint32_t {};
enum class StreamId : std::uint64_t {};  // Handed out by apply, from 1; never used twice.
enum class ObjectId : std::uint64_t {};  // Handed out by apply, from 1; never used twice.
enum class Epoch : std::uint64_t {};

/// Position of a command in the log. The first command has index 1; 0 means "nothing yet".
enum class Index : std::uint64_t {};

/// Position of a record in a stream: the number of records before it.
using Offset = std::uint64_t;

/// A number of heartbeats, as applied in the log. The only measure of time the log knows.
using Beats = std::uint64_t;

/// One life of a node, from a registration to the next. A life that is over never comes back, so
/// whatever must not outlive a process, ownership above all, belongs to a life and not to a node.
struct Life {
  NodeId node{};
  Epoch epoch{};
  auto operator<=>(const Life&) const = default;
};

constexpr std::uint64_t raw(NodeId id) {
  return static_cast<std::uint64_t>(id);
}
constexpr std::uint64_t raw(StreamId id) {
  return static_cast<std::uint64_t>(id);
}
constexpr std::uint64_t raw(ObjectId id) {
  return static_cast<std::uint64_t>(id);
}
constexpr std::uint64_t raw(Epoch epoch) {
  return static_cast<std::uint64_t>(epoch);
}
constexpr std::uint64_t raw(Index index) {
  return static_cast<std::uint64_t>(index);
}

constexpr Index next(Index index) {
  return Index{raw(index) + 1};
}
constexpr Epoch next(Epoch epoch) {
  return Epoch{raw(epoch) + 1};
}

}  // namespace core
