#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ids.h"

namespace drivers {

struct Readiness {
  bool ready = false;
  bool fenced = false;
  std::string reason;  // Why not; empty if ready.
};

struct ClusterFacts {
  std::string cluster_id;
  core::Life life;  // Of the node that answers.
  core::Index applied{};
  std::optional<core::NodeId> lease_holder;
  std::uint64_t nodes = 0;
  std::uint64_t streams = 0;
  std::uint64_t objects = 0;
  std::uint64_t object_bytes = 0;
  std::uint64_t pending_transfers = 0;
  std::uint64_t backlog_records = 0;  // Acknowledged, and so far only in the write-ahead log.
  std::uint64_t backlog_bytes = 0;
};

struct NodeFacts {
  core::NodeId id{};
  core::Epoch epoch{};
  std::string address;
  std::uint64_t slots = 0;
  std::uint64_t streams = 0;
  std::uint64_t open_streams = 0;
  core::Beats heartbeats = 0;
  bool fenced = false;
  bool local = false;  // It is the node that answers.
  bool lease_holder = false;
};

struct StreamPlace {
  std::string name;
  core::StreamId id{};
  core::NodeId owner{};
  std::string state;  // open, closed, deleted.
  core::Epoch epoch{};
  core::Offset start = 0;
  core::Offset end = 0;
  bool ended = false;  // Durable Streams: closed by its writer.
  std::string content_type;
  std::optional<core::NodeId> transfer_to;
};

/// One number for /metrics. Samples of one name follow each other and agree in help and kind.
struct Sample {
  enum class Kind : std::uint8_t { counter, gauge, histogram };
  std::string name;
  std::string help;
  Kind kind = Kind::counter;
  std::vector<std::pair<std::string, std::string>> labels;
  double value = 0;
  // Of a histogram, which has no value:
  std::vector<std::pair<double, std::uint64_t>> buckets;  // Upper bound, how many up to it.
  std::uint64_t count = 0;
  double sum = 0;
};

/// What a node knows of itself and of its cluster. Called on the logic thread; answers at once,
/// from what is in memory.
class AdminService {
 public:
  virtual ~AdminService() = default;
  virtual Readiness readiness() = 0;
  virtual ClusterFacts cluster() = 0;
  virtual std::vector<NodeFacts> nodes() = 0;
  virtual std::optional<StreamPlace> stream(const std::string& name) = 0;
  virtual std::vector<Sample> samples() = 0;
};

}  // namespace drivers
