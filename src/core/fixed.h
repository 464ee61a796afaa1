#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace core {

// Integers as stored: little-endian in our own formats, big-endian in those of Kafka, and LEB128
// ("uvarint") where most values are small.

template <class T>
concept FixedWidth = std::integral<T> && !std::same_as<T, bool>;

template <FixedWidth T>
T swap_bytes(T value) {
  using U = std::make_unsigned_t<T>;
  if constexpr (sizeof(T) == 1) return value;
  if constexpr (sizeof(T) == 2) return static_cast<T>(__builtin_bswap16(static_cast<U>(value)));
  if constexpr (sizeof(T) == 4) return static_cast<T>(__builtin_bswap32(static_cast<U>(value)));
  if constexpr (sizeof(T) == 8) return static_cast<T>(__builtin_bswap64(static_cast<U>(value)));
}

static_assert(std::endian::native == std::endian::little);

/// `at` must have sizeof(T) bytes; it need not be aligned.
template <FixedWidth T>
void store_le(char* at, T value) {
  std::memcpy(at, &value, sizeof value);
}
template <FixedWidth T>
void store_be(char* at, T value) {
  store_le(at, swap_bytes(value));
}
template <FixedWidth T>
T load_le(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
template <FixedWidth T>
T load_be(const char* at) {
  return swap_bytes(load_le<T>(at));
}

template <FixedWidth T>
void put_le(std::string& out, T value) {
  char bytes[sizeof value];
  store_le(bytes, value);
  out.append(bytes, sizeof value);
}
template <FixedWidth T>
void put_be(std::string& out, T value) {
  put_le(out, swap_bytes(value));
}

inline constexpr std::size_t kMaxUvarint = 10;  // Bytes of the longest uvarint.

/// Writes `value` to `at` (room for kMaxUvarint bytes) and returns the end of it.
inline char* store_uvarint(char* at, std::uint64_t value) {
  while (value >= 0x80) {
    *at++ = static_cast<char>(value | 0x80);
    value >>= 7;
  }
  *at++ = static_cast<char>(value);
  return at;
}
inline void put_uvarint(std::string& out, std::uint64_t value) {
  char bytes[kMaxUvarint];
  out.append(bytes, static_cast<std::size_t>(store_uvarint(bytes, value) - bytes));
}

/// Bytes that `value` takes as a uvarint.
constexpr std::size_t uvarint_size(std::uint64_t value) {
  return static_cast<std::size_t>(std::bit_width(value | 1) + 6) / 7;
}

/// Signed numbers near 0 as small unsigned ones: 0, -1, 1, -2 ... become 0, 1, 2, 3 ...
constexpr std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
constexpr std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1));
}

/// Reads stored bytes front to back and never beyond their end. The first read that finds too
/// little (or a uvarint that is too long) makes `ok` false for good; it and all later ones give
/// zeros and empty views, so that a caller may read a whole structure and ask once.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes)
      : at_(bytes.data()), begin_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool ok() const { return ok_; }
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  std::size_t position() const { return static_cast<std::size_t>(at_ - begin_); }
  bool at_end() const { return ok_ && at_ == end_; }

  template <FixedWidth T>
  T le() {
    const char* at = take(sizeof(T));
    return at == nullptr ? T{0} : load_le<T>(at);
  }
  template <FixedWidth T>
  T be() {
    return swap_bytes(le<T>());
  }

  std::string_view bytes(std::uint64_t count) {
    const char* at = take(count);
    return at == nullptr ? std::string_view() : std::string_view(at, count);
  }

  std::uint64_t uvarint() {
    if (at_ != end_ && static_cast<unsigned char>(*at_) < 0x80) {
      return static_cast<unsigned char>(*at_++);
    }
    return long_uvarint();
  }

 private:
  const char* take(std::uint64_t count) {
    if (count > left()) {
      fail();
      return nullptr;
    }
    const char* at = at_;
    at_ += count;
    return at;
  }

  std::uint64_t long_uvarint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && at_ != end_; shift += 7) {
      const auto byte = static_cast<unsigned char>(*at_++);
      // The tenth byte has room for the topmost bit only.
      if (shift == 63 && byte > 1) break;
      value |= std::uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return value;
    }
    fail();
    return 0;
  }

  void fail() {
    ok_ = false;
    at_ = end_;
  }

  const char* at_;
  const char* begin_;
  const char* end_;
  bool ok_ = true;
};

}  // namespace core
