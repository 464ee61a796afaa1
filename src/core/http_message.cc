#include "core/http_message.h"

#include <algorithm>

namespace core {
namespace {

constexpr char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

}  // namespace

bool equal_without_case(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (lower(a[i]) != lower(b[i])) return false;
  }
  return true;
}

void HttpFields::add(std::string_view name, std::string_view value) {
  fields_.push_back({static_cast<std::uint32_t>(text_.size()),
                     static_cast<std::uint32_t>(name.size()),
                     static_cast<std::uint32_t>(value.size())});
  text_.append(name).append(value);
}

std::string_view HttpFields::name(std::size_t index) const {
  return std::string_view(text_).substr(fields_[index].at, fields_[index].name_size);
}

std::string_view HttpFields::value(std::size_t index) const {
  const Field& field = fields_[index];
  return std::string_view(text_).substr(field.at + field.name_size, field.value_size);
}

std::optional<std::string_view> HttpFields::find(std::string_view wanted) const {
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (fields_[i].name_size == wanted.size() && equal_without_case(name(i), wanted)) {
      return value(i);
    }
  }
  return std::nullopt;
}

bool HttpFields::has_token(std::string_view wanted, std::string_view token) const {
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (!equal_without_case(name(i), wanted)) continue;
    std::string_view list = value(i);
    while (!list.empty()) {
      const std::size_t comma = std::min(list.find(','), list.size());
      if (equal_without_case(trimmed(list.substr(0, comma)), token)) return true;
      list.remove_prefix(std::min(comma + 1, list.size()));
    }
  }
  return false;
}

void HttpFields::clear() {
  text_.clear();
  fields_.clear();
}

void HttpHeaderText::add(std::string_view name, std::string_view value) {
  if (std::any_of(value.begin(), value.end(), is_control)) return;
  text_.append(name).append(": ").append(value).append("\r\n");
}

std::string_view HttpHeaderText::value_of(std::string_view name) const {
  std::string_view rest = text_;
  while (!rest.empty()) {
    const std::size_t end = rest.find("\r\n");
    const std::string_view line = rest.substr(0, end);
    const std::size_t colon = line.find(':');
    if (equal_without_case(line.substr(0, colon), name)) return line.substr(colon + 2);
    rest.remove_prefix(end + 2);
  }
  return {};
}

std::string_view http_reason(unsigned status) {
  switch (status) {
    case 100: return "Continue";
    case 200: return "OK";
    case 201: return "Created";
    case 204: return "No Content";
    case 304: return "Not Modified";
    case 307: return "Temporary Redirect";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 410: return "Gone";
    case 413: return "Content Too Large";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 503: return "Service Unavailable";
    case 505: return "HTTP Version Not Supported";
    case 507: return "Insufficient Storage";
    default: return "Unknown";
  }
}

}  // namespace core
