#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace drivers {

struct EngineOptions {
  /// Bytes of batches kept in memory for tail readers and for the next upload.
  std::size_t log_cache_bytes = 256u << 20;
  /// Bytes of data blocks kept in memory for catch-up readers.
  std::size_t block_cache_bytes = 256u << 20;
  /// Blocks fetched ahead of a sequential reader.
  std::size_t readahead_blocks = 4;
  /// An upload starts when so much waits for it, or when the oldest has waited so long.
  std::size_t upload_bytes = 16u << 20;
  std::chrono::milliseconds upload_interval{5'000};
  /// No data object grows beyond about this.
  std::size_t object_bytes = 64u << 20;
  /// Objects below this size are merged once there are `compact_count` of them.
  std::size_t small_object_bytes = 16u << 20;
  std::size_t compact_count = 8;
  std::chrono::milliseconds sweep_interval{1'000};
  /// How often the store is searched for objects that nothing refers to: a request may arrive there
  /// long after its sender gave it up.
  std::chrono::milliseconds orphan_interval{600'000};
};

}  // namespace drivers
