#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/ids.h"
#include "core/time.h"

namespace stream {

// A data object: header, blocks, index, footer. See docs/object-format.md. Blocks are whole record
// batches of one stream, one after the other; the streams follow each other by id. A reader needs
// the footer (fixed size, at the end) to find the index, and the index to find blocks.

inline constexpr std::size_t kObjectHeaderSize = 24;
inline constexpr std::size_t kObjectFooterSize = 56;

// Blocks end before they would grow beyond this; a batch that is larger has one to itself. Large
// enough for few requests and index entries, small enough to be read for a few records.
inline constexpr std::size_t kBlockTarget = std::size_t{1} << 20;

inline constexpr std::uint8_t kObjectVersion = 1;
inline constexpr std::string_view kObjectHeaderMagic = "CLDRDATA";
inline constexpr std::string_view kObjectFooterMagic = "CLDRFOOT";

// Positions within the header, whose checksum covers what is before it...
inline constexpr std::size_t kHeaderVersionAt = 8;
inline constexpr std::size_t kHeaderObjectAt = 12;
inline constexpr std::size_t kHeaderCrcAt = 20;
// ...and within the footer, likewise; its magic comes last.
inline constexpr std::size_t kFooterIndexPositionAt = 0;
inline constexpr std::size_t kFooterIndexLengthAt = 8;
inline constexpr std::size_t kFooterObjectSizeAt = 16;
inline constexpr std::size_t kFooterObjectAt = 24;
inline constexpr std::size_t kFooterIndexCrcAt = 32;
inline constexpr std::size_t kFooterVersionAt = 36;
inline constexpr std::size_t kFooterCrcAt = 44;
inline constexpr std::size_t kFooterMagicAt = 48;

/// One block, as the index describes it.
struct BlockInfo {
  std::uint64_t position = 0;  // In the object.
  std::uint32_t length = 0;
  std::uint32_t crc32c = 0;
  core::Offset base = 0;
  core::Offset end = 0;
  core::WallMs max_timestamp = 0;
  bool operator==(const BlockInfo&) const = default;
};

/// Where the index of an object lies.
struct ObjectFooter {
  core::ObjectId object{};
  std::uint64_t index_position = 0;
  std::uint64_t index_length = 0;
  std::uint32_t index_crc32c = 0;
  std::uint64_t object_size = 0;
  bool operator==(const ObjectFooter&) const = default;
};

}  // namespace stream
