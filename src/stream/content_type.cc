#include "stream/content_type.h"

#include <algorithm>

namespace stream {
namespace {

constexpr std::string_view kSpaces = " \t";

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Without parameters and the spaces around it, in its own case.
std::string_view bare_type(std::string_view content_type) {
  content_type = content_type.substr(0, content_type.find(';'));
  const std::size_t first = content_type.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return {};
  return content_type.substr(first, content_type.find_last_not_of(kSpaces) - first + 1);
}

}  // namespace

std::string normalized_type(std::string_view content_type) {
  std::string type(bare_type(content_type));
  std::transform(type.begin(), type.end(), type.begin(), lower);
  return type;
}

bool is_same_type(std::string_view left, std::string_view right) {
  if (left == right) return true;
  const std::string_view a = bare_type(left);
  const std::string_view b = bare_type(right);
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

bool is_json(std::string_view content_type) {
  return is_same_type(content_type, "application/json");
}

}  // namespace stream
