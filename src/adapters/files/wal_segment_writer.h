#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "adapters/files/file.h"
#include "adapters/files/wal_segment.h"
#include "core/bytes.h"
#include "core/result.h"

namespace adapters {

/// Memory that O_DIRECT can write from.
class AlignedBuffer {
 public:
  explicit AlignedBuffer(std::size_t size);
  char* data() { return bytes_.get(); }
  std::size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(char* bytes) const;
  };
  std::unique_ptr<char, Free> bytes_;
  std::size_t size_;
};

/// One segment file that is being written, front to back. Errors other than a lack of space end the
/// process, see die_of_disk.
class WalSegmentWriter {
 public:
  /// Makes the file in `directory` with all its space reserved and its first blocks overwritten,
  /// durable with its name. full, unavailable: there is no such file.
  static core::Result<std::unique_ptr<WalSegmentWriter>> create(const std::string& directory,
                                                                const SegmentHeader& header,
                                                                std::uint64_t size);

  const SegmentHeader& header() const { return header_; }
  bool has_room(std::uint64_t payload) const {
    return !is_finished_ && position_ + record_size(payload) <= size_;
  }
  bool is_half_full() const { return is_finished_ || position_ > size_ / 2; }

  /// Durable on return; gives the position of the payload. full: nothing of it stays, and the
  /// segment takes no more.
  core::Result<std::uint64_t> write(std::uint64_t sequence, const std::vector<core::Bytes>& parts,
                                    std::uint64_t length, AlignedBuffer& buffer);

  /// Whether blocks soon to be written should be overwritten first (while nobody waits).
  bool wants_preparation() const;
  void prepare(AlignedBuffer& buffer);

 private:
  WalSegmentWriter(std::string path, const SegmentHeader& header, std::uint64_t size)
      : path_(std::move(path)), header_(header), size_(size) {}

  int open_and_reserve();
  int write_blocks(const char* from, std::size_t length, std::uint64_t position, bool sync);
  int write_record(const RecordHeader& record, const std::vector<core::Bytes>& parts,
                   AlignedBuffer& buffer);

  std::string path_;
  SegmentHeader header_;
  std::uint64_t size_;
  File file_;
  std::uint64_t position_ = kWalBlock;  // Of the next record.
  std::uint64_t overwritten_ = 0;       // Blocks before this have been written at least once.
  bool can_sync_each_write_ = true;
  bool is_finished_ = false;
};

}  // namespace adapters
