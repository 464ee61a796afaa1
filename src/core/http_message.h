#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/bytes.h"

namespace core {

// HTTP messages as values, so that what judges a request needs neither sockets nor a parser.

enum class HttpMethod : std::uint8_t { get, head, put, post, remove, options, other };

/// Header fields in the order they came. All text lies in one block; names keep their case and are
/// looked up without regard to it.
class HttpFields {
 public:
  void add(std::string_view name, std::string_view value);

  /// The first one of that name.
  std::optional<std::string_view> find(std::string_view name) const;

  bool has(std::string_view name) const { return find(name).has_value(); }

  /// Whether the comma-separated lists under `name` contain `token`, without regard to case.
  bool has_token(std::string_view name, std::string_view token) const;

  std::size_t size() const { return fields_.size(); }
  std::string_view name(std::size_t index) const;
  std::string_view value(std::size_t index) const;

  /// Forgets the fields and keeps the memory.
  void clear();

 private:
  struct Field {
    std::uint32_t at;
    std::uint32_t name_size;
    std::uint32_t value_size;
  };
  std::string text_;
  std::vector<Field> fields_;
};

struct HttpRequest {
  HttpMethod method = HttpMethod::get;
  std::string target;  // As sent: path and query, still percent-encoded.
  bool http_1_0 = false;
  HttpFields fields;
  std::string body;
};

/// Header lines ready to be sent. Names and values must be free of control characters; a value
/// that is not is left out, so that nobody can smuggle in a line of their own.
class HttpHeaderText {
 public:
  void add(std::string_view name, std::string_view value);

  /// Whole lines that are known to be good, each with its line end.
  void add_lines(std::string_view lines) { text_.append(lines); }

  const std::string& text() const { return text_; }

  /// The value of `name`, for tests; empty if absent.
  std::string_view value_of(std::string_view name) const;

 private:
  std::string text_;
};

struct HttpResponse {
  unsigned status = 200;
  HttpHeaderText headers;  // Without Content-Length, Connection and the like: the server's matter.
  std::vector<Bytes> body;
  bool close = false;  // End the connection after this.
};

bool equal_without_case(std::string_view a, std::string_view b);

/// The standard phrase for a status; never empty.
std::string_view http_reason(unsigned status);

}  // namespace core
