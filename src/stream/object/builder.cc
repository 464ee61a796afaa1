#include "stream/object/builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/check.h"
#include "core/crc32c.h"
#include "core/fixed.h"
#include "stream/producer_table.h"

namespace stream {
namespace {

std::string encode_header(core::ObjectId object) {
  std::string header(kObjectHeaderSize, '\0');
  kObjectHeaderMagic.copy(header.data(), kObjectHeaderMagic.size());
  core::store_le(header.data() + kHeaderVersionAt, kObjectVersion);
  core::store_le(header.data() + kHeaderObjectAt, raw(object));
  core::store_le(header.data() + kHeaderCrcAt,
                 core::crc32c(std::string_view(header).substr(0, kHeaderCrcAt)));
  return header;
}

std::string encode_footer(const ObjectFooter& footer) {
  std::string bytes(kObjectFooterSize, '\0');
  core::store_le(bytes.data() + kFooterIndexPositionAt, footer.index_position);
  core::store_le(bytes.data() + kFooterIndexLengthAt, footer.index_length);
  core::store_le(bytes.data() + kFooterObjectSizeAt, footer.object_size);
  core::store_le(bytes.data() + kFooterObjectAt, raw(footer.object));
  core::store_le(bytes.data() + kFooterIndexCrcAt, footer.index_crc32c);
  core::store_le(bytes.data() + kFooterVersionAt, kObjectVersion);
  core::store_le(bytes.data() + kFooterCrcAt,
                 core::crc32c(std::string_view(bytes).substr(0, kFooterCrcAt)));
  kObjectFooterMagic.copy(bytes.data() + kFooterMagicAt, kObjectFooterMagic.size());
  return bytes;
}

}  // namespace

ObjectBuilder::ObjectBuilder(core::ObjectId object) : object_(object) {
  parts_.emplace_back(encode_header(object));
  position_ = kObjectHeaderSize;
}

/// Appends a batch to the last block, or to a new one if it would grow too large.
void ObjectBuilder::add_to_block(const BatchHeader& header, std::string_view batch) {
  if (blocks_.empty() || blocks_.back().length + batch.size() > kBlockTarget) {
    blocks_.push_back(BlockInfo{.position = position_,
                                .base = header.base,
                                .end = header.base,
                                .max_timestamp = header.max_timestamp});
  }
  BlockInfo& block = blocks_.back();
  block.length += static_cast<std::uint32_t>(batch.size());
  block.crc32c = core::extend_crc32c(block.crc32c, batch);
  block.end = header.end;
  block.max_timestamp = std::max(block.max_timestamp, header.max_timestamp);
  position_ += batch.size();
}

core::Result<void> ObjectBuilder::add(core::StreamId stream, core::Epoch epoch,
                                      const std::vector<core::Bytes>& batches,
                                      const ProducerTable& producers) {
  CHECK(last_stream_ < stream);
  const std::uint64_t start = position_;
  blocks_.clear();
  for (const core::Bytes& run : batches) {
    std::string_view rest = run.view();
    while (!rest.empty()) {
      TRY(const BatchHeader header, peek_batch(rest));
      if (!blocks_.empty() && blocks_.back().end != header.base) {
        return core::fail(core::Errc::corrupt,
                          fmt::format("stream {}: a batch at offset {} follows records up to {}",
                                      raw(stream), header.base, blocks_.back().end));
      }
      add_to_block(header, rest.substr(0, header.size));
      rest.remove_prefix(header.size);
    }
    if (!run.empty()) parts_.push_back(run);
  }
  if (blocks_.empty()) {
    return core::fail(core::Errc::corrupt, fmt::format("stream {}: no batches", raw(stream)));
  }

  core::put_uvarint(index_, raw(stream) - raw(last_stream_));
  core::put_uvarint(index_, raw(epoch));
  core::put_uvarint(index_, blocks_.front().base);
  core::put_uvarint(index_, blocks_.size());
  for (const BlockInfo& block : blocks_) {
    // Unsigned, because timestamps of clients may be as far apart as can be.
    const std::uint64_t later = static_cast<std::uint64_t>(block.max_timestamp) -
                                static_cast<std::uint64_t>(last_timestamp_);
    core::put_uvarint(index_, block.length);
    core::put_le(index_, block.crc32c);
    core::put_uvarint(index_, block.end - block.base);
    core::put_uvarint(index_, core::zigzag(static_cast<std::int64_t>(later)));
    last_timestamp_ = block.max_timestamp;
  }
  std::string table;
  producers.encode(table);
  core::put_uvarint(index_, table.size());
  index_ += table;

  last_stream_ = stream;
  extents_.emplace_back(stream, Extent{.object = object_,
                                       .base = blocks_.front().base,
                                       .end = blocks_.back().end,
                                       .position = start,
                                       .bytes = position_ - start});
  return {};
}

BuiltObject ObjectBuilder::finish() {
  std::string tail;
  core::put_uvarint(tail, extents_.size());
  tail += index_;
  const ObjectFooter footer{.object = object_,
                            .index_position = position_,
                            .index_length = tail.size(),
                            .index_crc32c = core::crc32c(tail),
                            .object_size = position_ + tail.size() + kObjectFooterSize};
  tail += encode_footer(footer);
  parts_.emplace_back(std::move(tail));
  return BuiltObject{
      .parts = std::move(parts_), .size = footer.object_size, .extents = std::move(extents_)};
}

}  // namespace stream
