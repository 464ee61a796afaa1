#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "ports/wal.h"
#include "sim/world.h"

namespace sim {

/// What goes wrong with simulated write-ahead logs.
struct WalFaults {
  std::size_t max_in_flight = 1;
  std::uint64_t lost_on_crash = 50;  // Percent of appends under way that die with their writer;
                                     // the others arrive, late.
  std::uint64_t unavailable = 0;     // Percent of appends that fail so.
  bool is_full = false;
  core::Time least_latency = std::chrono::microseconds(100);
  core::Time most_latency = std::chrono::milliseconds(1);
};

/// Write-ahead logs in memory, kept by the world: they survive the nodes that write them. An append
/// under way when its writer dies is there afterwards or is not; a record torn by a crash is one
/// that is not, because replay cuts it.
class SimWalStore final : public ports::WalStore {
 public:
  explicit SimWalStore(SimWorld& world) : world_(world) {}

  WalFaults& faults() { return faults_; }

  ports::Task<core::Result<std::unique_ptr<ports::Wal>>> create(core::Life life) override;
  ports::Task<core::Result<std::vector<core::Life>>> lives(core::NodeId node) override;
  ports::Task<core::Result<void>> take_over(core::Life ended) override;
  ports::Task<core::Result<std::vector<ports::WalRecord>>> replay(core::Life ended,
                                                                  std::uint64_t from,
                                                                  std::size_t max_bytes) override;
  ports::Task<core::Result<std::vector<core::Bytes>>> read(
      core::Life life, std::vector<ports::WalLocation> locations) override;
  ports::Task<core::Result<void>> remove(core::Life ended) override;

  /// Flips one bit of a record that is there; replay reports the damage. For tests.
  void flip(core::Life life, std::uint64_t sequence, std::uint64_t position);

  /// Records of `life` that are durable and not trimmed. For checkers.
  std::size_t count(core::Life life) const;

 private:
  friend class SimWal;

  struct Record {
    std::uint64_t sequence = 0;
    std::uint64_t position = 0;  // Of its first byte, counted over the life.
    core::Bytes payload;
    bool is_damaged = false;
  };
  struct Log {
    std::vector<Record> records;
    std::uint64_t next_sequence = 0;
    std::uint64_t next_position = 0;
    bool is_open = false;  // Created and not removed.
    bool is_sealed = false;
  };

  static std::optional<core::Bytes> bytes_at(const Log& log, const ports::WalLocation& location);
  ports::Task<void> latency();
  core::Time draw_latency();

  SimWorld& world_;
  WalFaults faults_;
  std::map<core::Life, Log> logs_;
};

}  // namespace sim
