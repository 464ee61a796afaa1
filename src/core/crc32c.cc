#include "core/crc32c.h"

#include <isa-l/crc.h>

#include <algorithm>

namespace core {

std::uint32_t extend_crc32c(std::uint32_t crc, std::string_view bytes) {
  // The library leaves out the inversion before and after, takes the length as an int, and the
  // bytes as mutable without changing them.
  constexpr std::size_t kMost = std::size_t{1} << 30;
  std::uint32_t state = ~crc;
  while (!bytes.empty()) {
    const std::size_t length = std::min(bytes.size(), kMost);
    auto* start = reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data()));
    state = crc32_iscsi(start, static_cast<int>(length), state);
    bytes.remove_prefix(length);
  }
  return ~state;
}

std::uint32_t crc32c(std::string_view bytes) {
  return extend_crc32c(0, bytes);
}

}  // namespace core
