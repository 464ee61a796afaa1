#include "stream/offset_text.h"

#include <algorithm>

namespace stream {
namespace {

constexpr std::size_t kDigits = 16;

/// The number that `digits` are; kBeyondEveryTail if that is too large. None if not all are digits.
std::optional<core::Offset> parse_digits(std::string_view digits) {
  if (digits.empty()) return std::nullopt;
  core::Offset value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    const auto digit = static_cast<core::Offset>(c - '0');
    value = value > (kBeyondEveryTail - digit) / 10 ? kBeyondEveryTail : value * 10 + digit;
  }
  return value;
}

}  // namespace

std::string offset_text(core::Offset offset) {
  std::string text(2 * kDigits + 1, '0');
  text[kDigits] = '_';
  const std::string digits = std::to_string(offset);
  // More digits than places: the text is longer, and still stands for that offset alone.
  text.resize(text.size() - std::min(digits.size(), kDigits));
  return text + digits;
}

std::optional<core::Offset> parse_offset(std::string_view text) {
  const std::size_t middle = text.find('_');
  if (middle == std::string_view::npos) return std::nullopt;
  const auto generation = parse_digits(text.substr(0, middle));
  const auto offset = parse_digits(text.substr(middle + 1));
  if (!generation || !offset) return std::nullopt;
  return *generation == 0 ? *offset : kBeyondEveryTail;
}

}  // namespace stream
