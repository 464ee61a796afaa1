#include "log/sealed.h"

#include <fmt/format.h>

#include "core/crc32c.h"

namespace cmdlog {
namespace {

constexpr std::size_t kHead = 5;

std::uint32_t checksum(char version, std::string_view body) {
  return core::extend_crc32c(core::crc32c(std::string_view(&version, 1)), body);
}

std::uint32_t stored_checksum(std::string_view bytes) {
  std::uint32_t crc = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    crc |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[1 + i])) << (8 * i);
  }
  return crc;
}

}  // namespace

std::string seal(std::uint8_t version, std::string_view body) {
  std::string bytes;
  bytes.reserve(kHead + body.size());
  bytes.push_back(static_cast<char>(version));
  const std::uint32_t crc = checksum(bytes[0], body);
  for (std::size_t i = 0; i < 4; ++i) bytes.push_back(static_cast<char>(crc >> (8 * i)));
  bytes.append(body);
  return bytes;
}

core::Result<std::string_view> unseal(std::uint8_t newest, std::string_view bytes) {
  if (bytes.size() < kHead) {
    return core::fail(core::Errc::corrupt,
                      fmt::format("{} bytes are less than a head of {}", bytes.size(), kHead));
  }
  const std::string_view body = bytes.substr(kHead);
  const std::uint32_t actual = checksum(bytes[0], body);
  const std::uint32_t stored = stored_checksum(bytes);
  if (actual != stored) {
    return core::fail(core::Errc::corrupt,
                      fmt::format("the checksum is {:08x} and should be {:08x}", actual, stored));
  }
  const auto version = static_cast<std::uint8_t>(bytes[0]);
  if (version == 0 || version > newest) {
    return core::fail(core::Errc::corrupt,
                      fmt::format("format version {} is newer than {}, the newest that this "
                                  "program reads: run the program that wrote it, or a later one",
                                  version, newest));
  }
  return body;
}

}  // namespace cmdlog
