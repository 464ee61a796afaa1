#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "durable/parsed.h"

namespace durable {

/// Streams live below this path: the stream `orders/eu` is `/v1/stream/orders/eu`.
inline constexpr std::string_view kStreamRoot = "/v1/stream/";
inline constexpr std::size_t kMaxStreamName = 1024;

/// A request target, cut at the first `?`; scheme and host of the absolute form are dropped.
struct Target {
  std::string_view path;
  std::string_view query;
};
Target split_target(std::string_view target);

/// Undoes %XX. None: a `%` without two hexadecimal digits.
std::optional<std::string> percent_decode(std::string_view text);

/// Keeps letters, digits, `-._~/` and writes the rest as %XX.
std::string percent_encode(std::string_view text);

/// The name of the stream at `path`.
/// 404: not below kStreamRoot. 400: empty, too long, badly encoded, with control characters or with
/// a slash at its beginning.
Parsed<std::string> parse_stream_name(std::string_view path);

/// The path of a stream; the inverse of parse_stream_name().
std::string stream_path(std::string_view name);

/// Names below `__ds` are reserved for the protocol's control APIs, which this server lacks.
bool is_reserved(std::string_view name);

/// A query's parameters in order, decoded. Unknown ones do no harm.
class Query {
 public:
  /// 400: a badly encoded parameter.
  static Parsed<Query> parse(std::string_view text);

  /// 400: there is more than one, or it is empty, or has control characters, which are never
  /// trimmed away: an offset of `-1%0A` is not `-1`.
  Parsed<std::optional<std::string>> single(std::string_view name) const;

  /// The first one, whatever it is; empty if there is none.
  std::string first(std::string_view name) const;

 private:
  std::vector<std::pair<std::string, std::string>> parameters_;
};

}  // namespace durable
