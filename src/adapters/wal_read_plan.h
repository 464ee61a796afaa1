#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ports/wal.h"

namespace adapters {

/// Locations that one call reads: [first, end) of those that were asked for, all in one file.
struct WalReadRun {
  std::uint64_t file = 0;
  std::uint64_t position = 0;
  std::uint64_t length = 0;
  std::size_t first = 0;
  std::size_t end = 0;
  bool operator==(const WalReadRun&) const = default;
};

/// Joins neighbours that lie in one file, one after the other, with little between them: a batch of
/// a busy log lies among those of other streams, and a call costs as much as reading 64 KiB.
std::vector<WalReadRun> plan_wal_reads(const std::vector<ports::WalLocation>& locations);

}  // namespace adapters
