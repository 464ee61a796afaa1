#include "stream/varint.h"

namespace stream {

bool read_long_varint(const char*& at, const char* end, std::int64_t& value) {
  std::uint64_t bits = 0;
  for (unsigned shift = 0; at != end && shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(*at++);
    if (shift == 63 && byte > 1) return false;
    bits |= std::uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) {
      value = core::unzigzag(bits);
      return true;
    }
  }
  return false;
}

}  // namespace stream
