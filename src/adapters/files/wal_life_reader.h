#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "adapters/files/wal_segment_reader.h"

namespace adapters {

/// Reads the whole log of one ended life, segment by segment. Safe to call from several threads.
class WalLifeReader {
 public:
  using Report = std::function<void(const std::string&)>;

  /// corrupt: a segment is missing in the middle, named. invalid: written by a newer build.
  static core::Result<std::unique_ptr<WalLifeReader>> open(const std::string& directory,
                                                           core::Life life, Report report);

  /// As WalStore::replay. Going on where the last call ended costs nothing extra.
  core::Result<std::vector<ports::WalRecord>> read(std::uint64_t from, std::size_t max_bytes);

 private:
  WalLifeReader(std::string directory, core::Life life, std::vector<std::uint64_t> numbers,
                std::optional<std::uint64_t> salt, Report report)
      : directory_(std::move(directory)),
        life_(life),
        numbers_(std::move(numbers)),
        salt_(salt),
        report_(std::move(report)) {}

  core::Result<WalSegmentReader> open_segment(std::size_t index) const;
  core::Result<void> rewind();
  core::Result<void> find_follower();
  core::Result<void> leave_segment(WalSegmentReader::Stop stop,
                                   std::vector<ports::WalRecord>& found);

  const std::string directory_;
  const core::Life life_;
  const std::vector<std::uint64_t> numbers_;
  const std::optional<std::uint64_t> salt_;
  const Report report_;

  std::mutex mutex_;
  std::optional<WalSegmentReader> segment_;   // None: at the end of the log.
  std::size_t index_ = 0;                     // Of segment_ in numbers_.
  std::optional<WalSegmentReader> follower_;  // The next segment with records, if there is one.
  std::optional<std::uint64_t> follower_first_;
  std::size_t follower_index_ = 0;
  std::optional<std::uint64_t> next_;  // Where a next call would go on; none: from the start.
  bool has_reported_ = false;
};

/// The numbers of the segment files in `directory`, in order.
core::Result<std::vector<std::uint64_t>> list_segments(const std::string& directory);

}  // namespace adapters
