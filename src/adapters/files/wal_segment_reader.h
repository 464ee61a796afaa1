#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/files/file.h"
#include "adapters/files/read_buffer.h"
#include "adapters/files/wal_segment.h"
#include "core/bytes.h"
#include "core/result.h"
#include "ports/wal.h"

namespace adapters {

/// Reads the records of one segment file, front to back, and finds its way past damage.
class WalSegmentReader {
 public:
  enum class Stop {
    more,  // There is more; call again.
    end,   // Nothing was ever written here.
    torn,  // What is here was never finished: no record follows, and none is acknowledged.
    lost,  // Something was here and makes no sense any more; a record may follow elsewhere.
  };

  /// The last segment may have no header at all: a crash interrupted its making, and there are no
  /// records in it. `salt` is that of the life's other segments, for the case that only this header
  /// is damaged. invalid: a newer build wrote it. corrupt: the header is damaged and `salt` is not
  /// known.
  static core::Result<WalSegmentReader> open(const std::string& path, core::Life life,
                                             std::uint64_t number,
                                             std::optional<std::uint64_t> salt, bool is_last);

  const std::string& path() const { return path_; }
  const SegmentHeader& header() const { return header_; }
  std::uint64_t position() const { return position_; }

  /// What is known of the next sequence; none in the first segment of a trimmed log.
  void expect(std::optional<std::uint64_t> sequence) { expected_ = sequence; }
  std::optional<std::uint64_t> expected() const { return expected_; }

  /// The first record's sequence, if there is a record anywhere in this segment.
  core::Result<std::optional<std::uint64_t>> first_sequence();

  /// Appends records to `found` until about `max_bytes` (at least one, if there is one) or a stop.
  /// `is_followed`: a later segment has records, so nothing here can be a torn tail.
  /// corrupt: more than one record is gone, see WalStore::replay.
  core::Result<Stop> read(std::size_t max_bytes, bool is_followed,
                          std::vector<ports::WalRecord>& found);

  /// For a `lost` stop: the record that stood there, as damaged, with whatever bytes are there.
  core::Result<ports::WalRecord> lost_record(std::uint64_t sequence);

 private:
  WalSegmentReader(std::string path, File file, std::uint64_t size)
      : path_(std::move(path)), file_(std::move(file)), size_(size) {}

  struct Hit {
    RecordHeader record;
    bool is_by_last = false;  // The header at the record's start is damaged.
  };

  core::Result<core::Bytes> load(std::uint64_t position, std::uint64_t length) const;
  core::Result<void> move_window(std::uint64_t position, std::uint64_t needed);
  core::Result<std::optional<Hit>> find_record(std::uint64_t from) const;
  core::Result<std::optional<RecordHeader>> header_at(std::uint64_t position);
  core::Result<std::optional<Stop>> step_over_damage(bool is_followed,
                                                     std::vector<ports::WalRecord>& found);
  core::Result<std::optional<Stop>> take(const RecordHeader& header, bool is_followed,
                                         std::vector<ports::WalRecord>& found);
  core::Result<bool> is_torn(const RecordHeader& header, std::string_view there) const;
  ports::WalRecord damaged(std::uint64_t sequence, std::uint64_t position, core::Bytes there,
                           std::string why) const;

  std::string path_;
  File file_;
  std::uint64_t size_;
  SegmentHeader header_;
  bool is_empty_ = false;
  std::uint64_t position_ = kWalBlock;
  std::optional<std::uint64_t> expected_;
  core::Bytes window_;           // What was read last...
  std::uint64_t window_at_ = 0;  // ...from here.
  std::size_t window_bytes_ = 1 << 20;
  ReadBuffer buffer_;  // Of window_.
};

}  // namespace adapters
