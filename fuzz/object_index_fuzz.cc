// Footer, index and producer tables of data objects: whatever the bytes are, reading ends, stays
// within them, and lookups agree with the rows.

#include <cstdint>
#include <string>
#include <string_view>

#include "core/check.h"
#include "core/crc32c.h"
#include "core/fixed.h"
#include "stream/object/index.h"

namespace {

constexpr core::ObjectId kObject{1};

void look_up(const stream::ObjectIndex& index) {
  for (const stream::ObjectStream& stream : index.streams()) {
    CHECK(index.find(stream.id) == &stream);
    CHECK(index.find_block(stream.id, stream.end) == nullptr);
    std::uint64_t position = stream.position;
    core::Offset base = stream.base;
    for (const stream::BlockInfo& block : index.blocks(stream)) {
      CHECK(block.position == position && block.base == base && block.end > block.base);
      CHECK(index.find_block(stream.id, block.base) == &block);
      CHECK(index.find_block(stream.id, block.end - 1) == &block);
      position += block.length;
      base = block.end;
    }
    CHECK(base == stream.end && position == stream.position + stream.bytes);
    const auto producers = index.producers(stream);
    if (!producers) continue;
    std::string again;
    producers->encode(again);
    CHECK(stream::ProducerTable::decode(again) == *producers);
  }
}

/// The length of all blocks of an index, which its footer must agree with, is hard to guess: take
/// it from the first two bytes of the input.
void read_index(std::string_view input) {
  if (input.size() < 2) return;
  const std::string_view bytes = input.substr(2);
  const stream::ObjectFooter footer{
      .object = kObject,
      .index_position = stream::kObjectHeaderSize + core::load_le<std::uint16_t>(input.data()),
      .index_length = bytes.size(),
      .index_crc32c = core::crc32c(bytes)};
  const auto index = stream::parse_index(footer, core::Bytes(std::string(bytes)));
  if (index) look_up(*index);
}

void read_footer(std::string input) {
  if (input.size() < stream::kObjectFooterSize) return;
  char* const at = input.data() + input.size() - stream::kObjectFooterSize;
  stream::kObjectFooterMagic.copy(at + stream::kFooterMagicAt, 8);
  core::store_le(at + stream::kFooterCrcAt,
                 core::crc32c(std::string_view(at, stream::kFooterCrcAt)));
  const std::uint64_t object_size = input.size();
  const auto footer = stream::parse_footer(kObject, input, object_size);
  if (!footer) return;
  CHECK(footer->index_position + footer->index_length + stream::kObjectFooterSize == object_size);
  const core::Bytes index(input.substr(footer->index_position, footer->index_length));
  const auto parsed = stream::parse_index(*footer, index);
  if (parsed) look_up(*parsed);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string input(reinterpret_cast<const char*>(data), size);
  read_index(input);
  read_footer(input);
  const auto table = stream::ProducerTable::decode(input);
  if (table) {
    std::string again;
    table->encode(again);
    CHECK(stream::ProducerTable::decode(again) == *table);
  }
  return 0;
}
