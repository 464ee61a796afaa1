#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/bytes.h"
#include "core/ids.h"
#include "core/result.h"
#include "stream/object/layout.h"
#include "stream/producer_table.h"

namespace stream {

// Errors of this file are `corrupt` if the bytes are not what was written, with a line that names
// the object and the position in it, and `invalid` if a newer build wrote them.

/// Reads the footer from the last bytes of an object (at least kObjectFooterSize of them) of
/// `object_size` bytes, which must be the object it claims to be.
core::Result<ObjectFooter> parse_footer(core::ObjectId object, std::string_view tail,
                                        std::uint64_t object_size);

/// Checks the first kObjectHeaderSize bytes of an object. Only who checks a whole object needs it.
core::Result<void> check_object_header(core::ObjectId object, std::string_view head);

/// Holds the bytes of a block against what the index says of them.
core::Result<void> check_block(core::ObjectId object, const BlockInfo& block,
                               std::string_view bytes);

/// One stream's part of an object.
struct ObjectStream {
  core::StreamId id{};
  core::Epoch epoch{};  // Of the stream, when its records were written.
  core::Offset base = 0;
  core::Offset end = 0;
  std::uint64_t position = 0;  // Of its first block.
  std::uint64_t bytes = 0;     // Of all its blocks.
  std::uint32_t first_block = 0;
  std::uint32_t block_count = 0;
  std::string_view producers;  // Encoded; see ObjectIndex::producers().
};

/// What an object holds. Immutable; 72 bytes a stream and 40 a block.
class ObjectIndex {
 public:
  const std::vector<ObjectStream>& streams() const { return streams_; }  // By ascending id.

  /// Null if the object has nothing of that stream.
  const ObjectStream* find(core::StreamId id) const;

  std::span<const BlockInfo> blocks(const ObjectStream& stream) const {
    return std::span(blocks_).subspan(stream.first_block, stream.block_count);
  }

  /// The block that holds the record at `offset`; null if the object does not have it.
  const BlockInfo* find_block(core::StreamId id, core::Offset offset) const;

  /// The stream's producers as of the end of its records here.
  core::Result<ProducerTable> producers(const ObjectStream& stream) const {
    return ProducerTable::decode(stream.producers);
  }

 private:
  friend core::Result<ObjectIndex> parse_index(const ObjectFooter& footer, core::Bytes bytes);

  core::Bytes bytes_;  // What `producers` of the streams point into.
  std::vector<ObjectStream> streams_;
  std::vector<BlockInfo> blocks_;
};

/// `bytes` are the `footer.index_length` bytes at `footer.index_position`.
core::Result<ObjectIndex> parse_index(const ObjectFooter& footer, core::Bytes bytes);

}  // namespace stream
