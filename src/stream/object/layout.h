#pragma once

#include <cstddef>
#include <cstdint>

#include "core/ids.h"
#include "core/time.h"

namespace stream {

// A data object: header, blocks, index, footer. See docs/object-format.md. Blocks are whole record
// batches of one stream, one after the other; the streams follow each other by id. A reader needs
// the footer (fixed size, at the end) to find the index, and the index to find blocks.

inline constexpr std::size_t kObjectHeaderSize = 24;
inline constexpr std::size_t kObjectFooterSize = 56;
inline constexpr std::size_t kBlockTarget = std::size_t{1} << 20;  // A batch that is larger has
                                                                   // a block to itself.

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
