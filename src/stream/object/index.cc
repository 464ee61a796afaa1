#include "stream/object/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "core/crc32c.h"
#include "core/fixed.h"

namespace stream {
namespace {

std::string name(core::ObjectId object) {
  return fmt::format("data object {:016x}", raw(object));
}

tl::unexpected<core::Error> corrupt(core::ObjectId object, std::uint64_t position,
                                    std::string_view why) {
  return core::fail(core::Errc::corrupt,
                    fmt::format("{} at byte {}: {}", name(object), position, why));
}

tl::unexpected<core::Error> newer(core::ObjectId object, int version) {
  return core::fail(core::Errc::invalid,
                    fmt::format("{} has format version {}, this build reads up to {}", name(object),
                                version, int{kObjectVersion}));
}

std::string difference(std::uint32_t stored, std::uint32_t computed) {
  return fmt::format("checksum {:08x}, its bytes have {:08x}", stored, computed);
}

/// Reads the rows of an index one after the other, filling in what follows from those before.
class IndexParser {
 public:
  explicit IndexParser(std::string_view bytes) : reader_(bytes) {}

  bool read_stream(ObjectStream& stream, std::vector<BlockInfo>& blocks) {
    const std::uint64_t step = reader_.uvarint();
    if (step == 0) return false;
    id_ += step;
    stream.id = core::StreamId{id_};
    stream.epoch = core::Epoch{reader_.uvarint()};
    stream.base = reader_.uvarint();
    stream.end = stream.base;
    stream.position = position_;
    stream.first_block = static_cast<std::uint32_t>(blocks.size());
    const std::uint64_t count = reader_.uvarint();
    if (count == 0 || count > reader_.left()) return false;
    stream.block_count = static_cast<std::uint32_t>(count);
    for (std::uint64_t i = 0; i < count && reader_.ok(); ++i) {
      const std::uint64_t length = reader_.uvarint();
      if (length > std::numeric_limits<std::uint32_t>::max()) return false;
      blocks.push_back(read_block(stream.end, static_cast<std::uint32_t>(length)));
      if (blocks.back().end <= stream.end) return false;
      stream.end = blocks.back().end;
    }
    stream.bytes = position_ - stream.position;
    stream.producers = reader_.bytes(reader_.uvarint());
    return reader_.ok();
  }

  std::uint64_t read_count() { return reader_.uvarint(); }
  std::uint64_t position() const { return position_; }  // In the object, after all blocks so far.
  const core::ByteReader& reader() const { return reader_; }

 private:
  BlockInfo read_block(core::Offset base, std::uint32_t length) {
    BlockInfo block{.position = position_, .length = length};
    block.crc32c = reader_.le<std::uint32_t>();
    block.base = base;
    block.end = base + reader_.uvarint();
    timestamp_ += static_cast<std::uint64_t>(core::unzigzag(reader_.uvarint()));
    block.max_timestamp = static_cast<core::WallMs>(timestamp_);
    position_ += block.length;
    return block;
  }

  core::ByteReader reader_;
  std::uint64_t id_ = 0;
  std::uint64_t position_ = kObjectHeaderSize;
  std::uint64_t timestamp_ = 0;  // Unsigned, so that garbage may overflow it.
};

}  // namespace

core::Result<ObjectFooter> parse_footer(core::ObjectId object, std::string_view tail,
                                        std::uint64_t object_size) {
  if (tail.size() < kObjectFooterSize || object_size < kObjectHeaderSize + kObjectFooterSize) {
    return corrupt(object, 0, fmt::format("too short: {} bytes", object_size));
  }
  tail.remove_prefix(tail.size() - kObjectFooterSize);
  const std::uint64_t position = object_size - kObjectFooterSize;
  const char* const at = tail.data();
  if (tail.substr(kFooterMagicAt) != kObjectFooterMagic) {
    return corrupt(object, position, "no footer");
  }
  const auto stored = core::load_le<std::uint32_t>(at + kFooterCrcAt);
  const std::uint32_t computed = core::crc32c(tail.substr(0, kFooterCrcAt));
  if (stored != computed) {
    return corrupt(object, position, "footer has " + difference(stored, computed));
  }
  const auto version = core::load_le<std::uint8_t>(at + kFooterVersionAt);
  if (version != kObjectVersion) return newer(object, version);

  const ObjectFooter footer{
      .object = core::ObjectId{core::load_le<std::uint64_t>(at + kFooterObjectAt)},
      .index_position = core::load_le<std::uint64_t>(at + kFooterIndexPositionAt),
      .index_length = core::load_le<std::uint64_t>(at + kFooterIndexLengthAt),
      .index_crc32c = core::load_le<std::uint32_t>(at + kFooterIndexCrcAt),
      .object_size = core::load_le<std::uint64_t>(at + kFooterObjectSizeAt)};
  if (footer.object != object) {
    return corrupt(object, position, "footer is that of " + name(footer.object));
  }
  if (footer.object_size != object_size) {
    return corrupt(
        object, position,
        fmt::format("footer says {} bytes, there are {}", footer.object_size, object_size));
  }
  if (footer.index_position < kObjectHeaderSize || footer.index_position > position ||
      footer.index_length != position - footer.index_position) {
    return corrupt(object, position,
                   fmt::format("footer says that {} bytes of index begin at {}",
                               footer.index_length, footer.index_position));
  }
  return footer;
}

core::Result<void> check_object_header(core::ObjectId object, std::string_view head) {
  if (head.size() < kObjectHeaderSize || !head.starts_with(kObjectHeaderMagic)) {
    return corrupt(object, 0, "no header");
  }
  const char* const at = head.data();
  const auto stored = core::load_le<std::uint32_t>(at + kHeaderCrcAt);
  const std::uint32_t computed = core::crc32c(head.substr(0, kHeaderCrcAt));
  if (stored != computed) return corrupt(object, 0, "header has " + difference(stored, computed));
  const auto version = core::load_le<std::uint8_t>(at + kHeaderVersionAt);
  if (version != kObjectVersion) return newer(object, version);
  const auto id = core::ObjectId{core::load_le<std::uint64_t>(at + kHeaderObjectAt)};
  if (id != object) return corrupt(object, 0, "header is that of " + name(id));
  return {};
}

core::Result<void> check_block(core::ObjectId object, const BlockInfo& block,
                               std::string_view bytes) {
  if (bytes.size() != block.length) {
    return corrupt(object, block.position,
                   fmt::format("block of {} bytes, {} are there", block.length, bytes.size()));
  }
  const std::uint32_t computed = core::crc32c(bytes);
  if (computed != block.crc32c) {
    return corrupt(object, block.position, "block has " + difference(block.crc32c, computed));
  }
  return {};
}

const ObjectStream* ObjectIndex::find(core::StreamId id) const {
  const auto found = std::lower_bound(
      streams_.begin(), streams_.end(), id,
      [](const ObjectStream& row, core::StreamId wanted) { return row.id < wanted; });
  return found == streams_.end() || found->id != id ? nullptr : &*found;
}

const BlockInfo* ObjectIndex::find_block(core::StreamId id, core::Offset offset) const {
  const ObjectStream* stream = find(id);
  if (stream == nullptr || offset < stream->base || offset >= stream->end) return nullptr;
  const auto of_stream = blocks(*stream);
  const auto after = std::upper_bound(
      of_stream.begin(), of_stream.end(), offset,
      [](core::Offset wanted, const BlockInfo& block) { return wanted < block.base; });
  return &*(after - 1);
}

core::Result<ObjectIndex> parse_index(const ObjectFooter& footer, core::Bytes bytes) {
  const auto refuse = [&](std::string_view why) {
    return corrupt(footer.object, footer.index_position, why);
  };
  if (bytes.size() != footer.index_length) {
    return refuse(
        fmt::format("index of {} bytes, {} are there", footer.index_length, bytes.size()));
  }
  const std::uint32_t computed = core::crc32c(bytes.view());
  if (computed != footer.index_crc32c) {
    return refuse("index has " + difference(footer.index_crc32c, computed));
  }

  ObjectIndex index;
  IndexParser parser(bytes.view());
  const std::uint64_t count = parser.read_count();
  constexpr std::size_t kLeastRow = 12;  // Bytes of a stream with one block.
  index.streams_.reserve(std::min<std::uint64_t>(count, bytes.size() / kLeastRow));
  for (std::uint64_t i = 0; i < count; ++i) {
    ObjectStream stream;
    if (!parser.read_stream(stream, index.blocks_)) {
      return refuse(fmt::format("row {} of the index makes no sense", i));
    }
    index.streams_.push_back(stream);
  }
  if (!parser.reader().at_end() || parser.position() != footer.index_position) {
    return refuse("the index does not describe this object");
  }
  index.bytes_ = std::move(bytes);
  return index;
}

}  // namespace stream
