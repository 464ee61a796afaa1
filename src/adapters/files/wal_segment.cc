#include "adapters/files/wal_segment.h"

#include <fmt/format.h>

#include <charconv>

#include "core/crc32c.h"
#include "core/fixed.h"

namespace adapters {
namespace {

constexpr std::string_view kSegmentMagic = "CWSG";
constexpr std::string_view kFirstMagic = "CWRH";
constexpr std::string_view kLastMagic = "CWRT";
constexpr std::uint16_t kRecordVersion = 1;
constexpr std::size_t kCopyAt = kWalBlock / 2;
constexpr std::size_t kCrcAt = 60;  // Both headers end with the checksum of what precedes it.

std::string encode_segment_header(const SegmentHeader& header) {
  std::string bytes(kSegmentMagic);
  core::put_le(bytes, kSegmentVersion);
  core::put_le(bytes, std::uint16_t{0});
  core::put_le(bytes, static_cast<std::uint32_t>(raw(header.life.node)));
  core::put_le(bytes, static_cast<std::uint32_t>(kWalBlock));
  core::put_le(bytes, raw(header.life.epoch));
  core::put_le(bytes, header.number);
  core::put_le(bytes, header.salt);
  bytes.resize(kCrcAt, '\0');
  core::put_le(bytes, core::crc32c(bytes));
  return bytes;
}

std::optional<SegmentHeader> decode_segment_header(std::string_view bytes) {
  const std::string_view checked = bytes.substr(0, kCrcAt);
  if (core::load_le<std::uint32_t>(bytes.data() + kCrcAt) != core::crc32c(checked)) return {};
  core::ByteReader in(checked);
  if (in.bytes(4) != kSegmentMagic || in.le<std::uint16_t>() != kSegmentVersion) return {};
  (void)in.le<std::uint16_t>();
  SegmentHeader header;
  header.life.node = core::NodeId{in.le<std::uint32_t>()};
  if (in.le<std::uint32_t>() != kWalBlock) return {};
  header.life.epoch = core::Epoch{in.le<std::uint64_t>()};
  header.number = in.le<std::uint64_t>();
  header.salt = in.le<std::uint64_t>();
  return header;
}

std::uint32_t header_crc(std::uint64_t salt, std::string_view bytes) {
  char salted[8];
  core::store_le(salted, salt);
  return core::extend_crc32c(core::crc32c(std::string_view(salted, sizeof salted)), bytes);
}

}  // namespace

std::string encode_segment_block(const SegmentHeader& header) {
  const std::string bytes = encode_segment_header(header);
  std::string block(kWalBlock, '\0');
  block.replace(0, bytes.size(), bytes);
  block.replace(kCopyAt, bytes.size(), bytes);
  return block;
}

SegmentBlock decode_segment_block(std::string_view block) {
  SegmentBlock found;
  if (block.size() < kWalBlock) return found;
  const std::string_view copies[] = {block.substr(0, kSegmentHeader),
                                     block.substr(kCopyAt, kSegmentHeader)};
  std::uint16_t versions[2] = {};
  for (int i = 0; i < 2; ++i) {
    if (!found.header) found.header = decode_segment_header(copies[i]);
    if (copies[i].substr(0, 4) != kSegmentMagic) continue;
    versions[i] = core::load_le<std::uint16_t>(copies[i].data() + 4);
  }
  // Both must say so: one alone may be a flipped bit.
  if (!found.header && versions[0] == versions[1] && versions[0] > kSegmentVersion) {
    found.newer_version = versions[0];
  }
  return found;
}

void encode_record_header(char* to, const SegmentHeader& segment, const RecordHeader& record,
                          HeaderCopy copy) {
  std::string bytes(copy == HeaderCopy::first ? kFirstMagic : kLastMagic);
  core::put_le(bytes, kRecordVersion);
  core::put_le(bytes, std::uint16_t{0});
  core::put_le(bytes, static_cast<std::uint32_t>(raw(segment.life.node)));
  core::put_le(bytes, record.payload_crc);
  core::put_le(bytes, raw(segment.life.epoch));
  core::put_le(bytes, segment.number);
  core::put_le(bytes, record.sequence);
  core::put_le(bytes, record.length);
  core::put_le(bytes, record.position);
  bytes.resize(kCrcAt, '\0');
  core::put_le(bytes, header_crc(segment.salt, bytes));
  bytes.copy(to, bytes.size());
}

std::optional<RecordHeader> decode_record_header(std::string_view bytes,
                                                 const SegmentHeader& segment, HeaderCopy copy) {
  const std::string_view magic = copy == HeaderCopy::first ? kFirstMagic : kLastMagic;
  if (bytes.size() < kRecordHeader || bytes.substr(0, 4) != magic) return {};
  const std::string_view checked = bytes.substr(0, kCrcAt);
  const auto crc = core::load_le<std::uint32_t>(bytes.data() + kCrcAt);
  if (crc != header_crc(segment.salt, checked)) return {};
  core::ByteReader in(checked.substr(4));
  if (in.le<std::uint16_t>() != kRecordVersion) return {};
  (void)in.le<std::uint16_t>();
  RecordHeader record;
  core::Life life;
  life.node = core::NodeId{in.le<std::uint32_t>()};
  record.payload_crc = in.le<std::uint32_t>();
  life.epoch = core::Epoch{in.le<std::uint64_t>()};
  const auto number = in.le<std::uint64_t>();
  record.sequence = in.le<std::uint64_t>();
  record.length = in.le<std::uint64_t>();
  record.position = in.le<std::uint64_t>();
  if (life != segment.life || number != segment.number) return {};
  if (record.position % kWalBlock != 0 || record.length > std::uint64_t{1} << 40) return {};
  return record;
}

std::string segment_name(std::uint64_t number) {
  return fmt::format("{:016x}.wal", number);
}

std::optional<std::uint64_t> segment_number(std::string_view name) {
  if (name.size() != 20 || !name.ends_with(".wal")) return {};
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + 16, number, 16);
  if (error != std::errc() || end != name.data() + 16) return {};
  return number;
}

}  // namespace adapters
