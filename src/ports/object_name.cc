#include "ports/object_name.h"

#include <fmt/format.h>

namespace ports {
namespace {

constexpr std::size_t kLongestName = 512;
constexpr std::size_t kLongestSegment = 200;  // File systems take 255 bytes.

bool is_allowed(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-' || c == '/';
}

const char* fault_of(std::string_view name) {
  if (name.empty()) return "is empty";
  if (name.size() > kLongestName) return "is longer than 512 characters";
  for (const char c : name) {
    if (!is_allowed(c)) return "has a character outside of [A-Za-z0-9._/-]";
  }
  while (!name.empty()) {
    const std::size_t end = name.find('/');
    const std::string_view segment = name.substr(0, end);
    if (segment.empty()) return "has an empty segment";
    if (segment == "." || segment == "..") return "has a segment . or ..";
    if (segment.size() > kLongestSegment) return "has a segment of more than 200 characters";
    if (end == std::string_view::npos) return nullptr;
    name.remove_prefix(end + 1);
  }
  return "ends with /";
}

}  // namespace

core::Result<void> check_object_name(std::string_view name) {
  const char* fault = fault_of(name);
  if (fault == nullptr) return {};
  return core::fail(core::Errc::invalid, fmt::format("object name '{}' {}", name, fault));
}

}  // namespace ports
