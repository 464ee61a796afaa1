#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/ids.h"

namespace adapters {

// The outer framing of a local write-ahead log: docs/wal-format.md, "Segments". All integers are
// little-endian. A segment is a header block, then records, each padded to whole blocks, then
// zeros. What says how long a record is stands at both of its ends, so that no single damaged place
// hides where the next one begins.

inline constexpr std::size_t kWalBlock = 4096;
inline constexpr std::size_t kRecordHeader = 64;
inline constexpr std::size_t kSegmentHeader = 64;  // At 0 and, again, in the middle of the block.
inline constexpr std::uint16_t kSegmentVersion = 1;

struct SegmentHeader {
  core::Life life;
  std::uint64_t number = 0;
  /// Drawn once for a life and part of the checksum of its record headers: bytes that a client
  /// sends can never pass for one.
  std::uint64_t salt = 0;
  bool operator==(const SegmentHeader&) const = default;
};

struct RecordHeader {
  std::uint64_t sequence = 0;
  std::uint64_t length = 0;    // Of the payload.
  std::uint64_t position = 0;  // Of this record in the segment.
  std::uint32_t payload_crc = 0;
  bool operator==(const RecordHeader&) const = default;
};

enum class HeaderCopy { first, last };  // The last is the end of the record's last block.

/// Bytes of a record with its headers and padding.
constexpr std::uint64_t record_size(std::uint64_t payload) {
  return (payload + 2 * kRecordHeader + kWalBlock - 1) / kWalBlock * kWalBlock;
}

/// The whole first block.
std::string encode_segment_block(const SegmentHeader& header);

struct SegmentBlock {
  std::optional<SegmentHeader> header;  // None: neither copy makes sense.
  std::uint16_t newer_version = 0;      // Not 0: written by a newer build.
};
SegmentBlock decode_segment_block(std::string_view block);

/// Writes kRecordHeader bytes.
void encode_record_header(char* to, const SegmentHeader& segment, const RecordHeader& record,
                          HeaderCopy copy);

/// None if these kRecordHeader bytes are no header of a record of this segment.
std::optional<RecordHeader> decode_record_header(std::string_view bytes,
                                                 const SegmentHeader& segment, HeaderCopy copy);

/// `{number}.wal` as 16 hexadecimal digits, and back.
std::string segment_name(std::uint64_t number);
std::optional<std::uint64_t> segment_number(std::string_view name);

}  // namespace adapters
