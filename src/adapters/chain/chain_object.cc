#include "adapters/chain/chain_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/crc32c.h"
#include "core/fixed.h"

namespace adapters {
namespace {

constexpr std::string_view kMagic = "CWCO";
constexpr std::size_t kCrcAt = kChainHeader - 4;

}  // namespace

std::string encode_chain_header(const ChainHeader& header) {
  std::string bytes(kMagic);
  core::put_le(bytes, kChainVersion);
  core::put_le(bytes, static_cast<std::uint8_t>(header.kind));
  core::put_le(bytes, std::uint8_t{0});
  core::put_le(bytes, static_cast<std::uint32_t>(raw(header.life.node)));
  core::put_le(bytes, header.payload_crc);
  core::put_le(bytes, raw(header.life.epoch));
  core::put_le(bytes, header.number);
  core::put_le(bytes, header.sequence);
  core::put_le(bytes, header.length);
  core::put_le(bytes, header.previous);
  core::put_le(bytes, header.skips);
  core::put_le(bytes, header.confirmed);
  core::put_le(bytes, header.first);
  bytes.resize(kCrcAt, '\0');
  core::put_le(bytes, core::crc32c(bytes));
  return bytes;
}

std::uint32_t checksum_of(const ChainHeader& header) {
  return core::load_le<std::uint32_t>(encode_chain_header(header).data() + kCrcAt);
}

std::optional<ChainHeader> decode_chain_header(std::string_view bytes) {
  if (bytes.size() < kChainHeader) return {};
  const std::string_view checked = bytes.substr(0, kCrcAt);
  if (core::load_le<std::uint32_t>(bytes.data() + kCrcAt) != core::crc32c(checked)) return {};
  core::ByteReader in(checked);
  if (in.bytes(4) != kMagic || in.le<std::uint16_t>() != kChainVersion) return {};
  ChainHeader header;
  const auto kind = in.le<std::uint8_t>();
  if (kind != 1 && kind != 2) return {};
  header.kind = static_cast<ChainKind>(kind);
  (void)in.le<std::uint8_t>();
  header.life.node = core::NodeId{in.le<std::uint32_t>()};
  header.payload_crc = in.le<std::uint32_t>();
  header.life.epoch = core::Epoch{in.le<std::uint64_t>()};
  header.number = in.le<std::uint64_t>();
  header.sequence = in.le<std::uint64_t>();
  header.length = in.le<std::uint64_t>();
  header.previous = in.le<std::uint32_t>();
  header.skips = in.le<std::uint32_t>();
  header.confirmed = in.le<std::uint64_t>();
  header.first = in.le<std::uint64_t>();
  return header;
}

std::uint16_t newer_chain_version(std::string_view bytes) {
  if (bytes.size() < kChainHeader || bytes.substr(0, 4) != kMagic) return 0;
  const auto version = core::load_le<std::uint16_t>(bytes.data() + 4);
  return version > kChainVersion ? version : std::uint16_t{0};
}

ChainObject decode_chain_object(const core::Bytes& bytes) {
  ChainObject object;
  if (bytes.size() < 2 * kChainHeader) return object;
  const std::size_t length = bytes.size() - 2 * kChainHeader;
  object.header = decode_chain_header(bytes.view());
  if (!object.header)
    object.header = decode_chain_header(bytes.view().substr(kChainHeader + length));
  object.payload = bytes.slice(kChainHeader, length);
  object.is_intact = object.header && object.header->length == length &&
                     object.header->payload_crc == core::crc32c(object.payload.view());
  return object;
}

std::string chain_folder(core::Life life) {
  return fmt::format("wal/{}/{}/", raw(life.node), raw(life.epoch));
}

std::string chain_name(core::Life life, std::uint64_t number) {
  return fmt::format("{}{:016x}", chain_folder(life), number);
}

std::optional<std::uint64_t> chain_number(std::string_view last_segment) {
  if (last_segment.size() != 16) return {};
  std::uint64_t number = 0;
  const char* end = last_segment.data() + last_segment.size();
  const auto [stop, error] = std::from_chars(last_segment.data(), end, number, 16);
  if (error != std::errc() || stop != end) return {};
  return number;
}

}  // namespace adapters
