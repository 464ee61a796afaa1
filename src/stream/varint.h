#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/fixed.h"

namespace stream {

// Kafka's zigzag varints. Inline, because reading records is nearly nothing else.

/// The rare rest of read_varint.
bool read_long_varint(const char*& at, const char* end, std::int64_t& value);

/// Reads a varint; false if it is cut off or too long. Most have one byte or two.
[[gnu::always_inline]] inline bool read_varint(const char*& at, const char* end,
                                               std::int64_t& value) {
  if (end - at >= 2) {
    const unsigned first = static_cast<unsigned char>(at[0]);
    const unsigned second = static_cast<unsigned char>(at[1]);
    if (first < 0x80) {
      value = core::unzigzag(first);
      at += 1;
      return true;
    }
    if (second < 0x80) {
      value = core::unzigzag((first & 0x7Fu) | (second << 7));
      at += 2;
      return true;
    }
  }
  return read_long_varint(at, end, value);
}

/// Reads a length and that many bytes; length -1 is null.
[[gnu::always_inline]] inline bool read_field(const char*& at, const char* end,
                                              std::optional<std::string_view>& field) {
  std::int64_t length = 0;
  if (!read_varint(at, end, length)) return false;
  if (length == -1) {
    field.reset();
    return true;
  }
  if (length < 0 || length > end - at) return false;
  field.emplace(at, static_cast<std::size_t>(length));
  at += length;
  return true;
}

}  // namespace stream
