#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/bytes.h"
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
/// a busy log lies among those of other streams, and a call costs as much as reading 16 KiB.
std::vector<WalReadRun> plan_wal_reads(const std::vector<ports::WalLocation>& locations);

/// Takes out of `bytes`, which is what `run` reads, the part for each of its locations. They share
/// its memory, unless most of it is what lies between them: that must not stay because of them.
void cut_wal_run(const WalReadRun& run, const std::vector<ports::WalLocation>& locations,
                 const core::Bytes& bytes, std::vector<core::Bytes>& parts);

}  // namespace adapters
