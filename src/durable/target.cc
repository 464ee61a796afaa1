#include "durable/target.h"

#include <fmt/format.h>

#include <algorithm>

namespace durable {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool has_controls(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~' || c == '/';
}

}  // namespace

Target split_target(std::string_view target) {
  if (target.substr(0, 7) == "http://") {
    const std::size_t slash = target.find('/', 7);
    target = slash == std::string_view::npos ? "/" : target.substr(slash);
  }
  target = target.substr(0, target.find('#'));
  const std::size_t mark = target.find('?');
  if (mark == std::string_view::npos) return {target, {}};
  return {target.substr(0, mark), target.substr(mark + 1)};
}

std::optional<std::string> percent_decode(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    if (text.size() - i < 3) return std::nullopt;
    const int high = hex_digit(text[i + 1]);
    const int low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return decoded;
}

std::string percent_encode(std::string_view text) {
  std::string encoded;
  encoded.reserve(text.size());
  for (const char c : text) {
    if (is_plain(c)) {
      encoded += c;
    } else {
      fmt::format_to(std::back_inserter(encoded), "%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return encoded;
}

Parsed<std::string> parse_stream_name(std::string_view path) {
  if (path.substr(0, kStreamRoot.size()) != kStreamRoot) {
    return refuse(404, fmt::format("there is nothing here; streams are below {}", kStreamRoot));
  }
  auto name = percent_decode(path.substr(kStreamRoot.size()));
  if (!name) return refuse(400, "the path has a % that two hexadecimal digits do not follow");
  if (name->empty()) return refuse(400, "a stream must have a name");
  if (name->front() == '/') return refuse(400, "a stream's name may not begin with a slash");
  if (name->size() > kMaxStreamName) {
    return refuse(400, fmt::format("a stream's name may have {} bytes", kMaxStreamName));
  }
  if (has_controls(*name)) return refuse(400, "a stream's name may not have control characters");
  return std::move(*name);
}

std::string stream_path(std::string_view name) {
  return std::string(kStreamRoot) + percent_encode(name);
}

bool is_reserved(std::string_view name) {
  constexpr std::string_view kReserved = "__ds";
  return name.substr(0, kReserved.size()) == kReserved &&
         (name.size() == kReserved.size() || name[kReserved.size()] == '/');
}

Parsed<Query> Query::parse(std::string_view text) {
  Query query;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('&'), text.size());
    const std::string_view parameter = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (parameter.empty()) continue;
    const std::size_t equals = std::min(parameter.find('='), parameter.size());
    auto name = percent_decode(parameter.substr(0, equals));
    auto value = percent_decode(parameter.substr(std::min(equals + 1, parameter.size())));
    if (!name || !value) {
      return refuse(400, "the query has a % that two hexadecimal digits do not follow");
    }
    query.parameters_.emplace_back(std::move(*name), std::move(*value));
  }
  return query;
}

Parsed<std::optional<std::string>> Query::single(std::string_view name) const {
  std::optional<std::string> found;
  for (const auto& [key, value] : parameters_) {
    if (key != name) continue;
    if (found) return refuse(400, fmt::format("the parameter '{}' is given twice", name));
    if (value.empty()) return refuse(400, fmt::format("the parameter '{}' is empty", name));
    if (has_controls(value)) {
      return refuse(400, fmt::format("the parameter '{}' has control characters", name));
    }
    found = value;
  }
  return found;
}

std::string Query::first(std::string_view name) const {
  for (const auto& [key, value] : parameters_) {
    if (key == name) return value;
  }
  return {};
}

}  // namespace durable
