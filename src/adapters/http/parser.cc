#include "adapters/http/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <limits>

namespace adapters {
namespace {

namespace http = boost::beast::http;

constexpr std::size_t kMaxFields = 128;
constexpr std::size_t kFirstReserve = 64 * 1024;  // Trust no Content-Length for more than this.

core::HttpMethod method_of(http::verb verb) {
  switch (verb) {
    case http::verb::get: return core::HttpMethod::get;
    case http::verb::head: return core::HttpMethod::head;
    case http::verb::put: return core::HttpMethod::put;
    case http::verb::post: return core::HttpMethod::post;
    case http::verb::delete_: return core::HttpMethod::remove;
    case http::verb::options: return core::HttpMethod::options;
    default: return core::HttpMethod::other;
  }
}

/// At least so many bytes are still to come before a chunked body ends: `0`, two line ends. Beast
/// asserts that it is never asked to finish such a body with fewer in its hands.
constexpr std::size_t kLeastOfChunks = 5;

/// `put` wants the head in one piece, and says need_more while it is not.
template <class Parser>
std::size_t put_all(Parser& parser, std::string_view bytes, boost::beast::error_code& error) {
  std::size_t taken = 0;
  while (taken < bytes.size() && !parser.is_done()) {
    const auto rest = bytes.substr(taken);
    if (parser.is_header_done() && parser.chunked() && rest.size() < kLeastOfChunks) break;
    const std::size_t n = parser.put(boost::asio::buffer(rest.data(), rest.size()), error);
    taken += n;
    if (error || n == 0) break;
  }
  if (error == http::error::need_more) error = {};
  return taken;
}

}  // namespace

RequestParser::RequestParser(ParserLimits limits, core::HttpRequest& into)
    : into_(into), max_body_(limits.body) {
  eager(true);
  header_limit(limits.head);
  body_limit(limits.body);
}

std::size_t RequestParser::take(std::string_view bytes) {
  boost::beast::error_code error;
  const std::size_t taken = put_all(*this, bytes, error);
  if (!error || failure_ != 0) return taken;
  if (error == http::error::header_limit) {
    fail(431, "the request's head is larger than this server takes", error);
  } else if (error == http::error::body_limit) {
    fail(413, fmt::format("a body may have {} bytes", max_body_), error);
  } else if (error == http::error::bad_version) {
    fail(505, "this server speaks HTTP/1.1", error);
  } else {
    fail(400, fmt::format("not an HTTP request: {}", error.message()), error);
  }
  return taken;
}

void RequestParser::fail(unsigned status, std::string reason, Code& error) {
  failure_ = status;
  reason_ = std::move(reason);
  error = http::error::bad_value;
}

void RequestParser::on_request_impl(http::verb verb, View, View target, int version, Code& error) {
  into_.method = method_of(verb);
  into_.target.assign(target.data(), target.size());
  into_.http_1_0 = version == 10;
  if (version != 10 && version != 11) fail(505, "this server speaks HTTP/1.1", error);
}

void RequestParser::on_field_impl(http::field, View name, View value, Code& error) {
  if (into_.fields.size() >= kMaxFields) {
    return fail(431, fmt::format("a request may have {} header fields", kMaxFields), error);
  }
  into_.fields.add(std::string_view(name.data(), name.size()),
                   std::string_view(value.data(), value.size()));
}

void RequestParser::on_header_impl(Code& error) {
  std::size_t hosts = 0;
  for (std::size_t i = 0; i < into_.fields.size(); ++i) {
    hosts += core::equal_without_case(into_.fields.name(i), "Host") ? 1 : 0;
  }
  if (hosts > 1 || (hosts == 0 && !into_.http_1_0)) {
    return fail(400, "a request must have exactly one Host header", error);
  }
  if (into_.fields.has("Transfer-Encoding") && !chunked()) {
    fail(400, "chunked is the only transfer coding that this server takes", error);
  }
}

void RequestParser::on_body_init_impl(const boost::optional<std::uint64_t>& length, Code&) {
  if (length) into_.body.reserve(std::min<std::uint64_t>(*length, kFirstReserve));
}

std::size_t RequestParser::on_body_impl(View body, Code&) {
  into_.body.append(body.data(), body.size());
  return body.size();
}

void RequestParser::on_chunk_header_impl(std::uint64_t size, View, Code& error) {
  if (size > max_body_ || into_.body.size() + size > max_body_) {
    fail(413, fmt::format("a body may have {} bytes", max_body_), error);
  }
}

std::size_t RequestParser::on_chunk_body_impl(std::uint64_t, View body, Code&) {
  into_.body.append(body.data(), body.size());
  return body.size();
}

ResponseParser::ResponseParser(bool to_head) {
  eager(true);
  skip(to_head);
  header_limit(64 * 1024);
  body_limit(std::numeric_limits<std::uint64_t>::max());
}

std::size_t ResponseParser::take(std::string_view bytes) {
  boost::beast::error_code error;
  const std::size_t taken = put_all(*this, bytes, error);
  if (error) reason_ = fmt::format("not an HTTP response: {}", error.message());
  return taken;
}

bool ResponseParser::take_end() {
  if (is_done()) return true;
  if (!is_header_done()) return false;
  boost::beast::error_code error;
  put_eof(error);
  return !error && is_done();
}

void ResponseParser::on_field_impl(http::field, View name, View value, Code&) {
  fields.add(std::string_view(name.data(), name.size()),
             std::string_view(value.data(), value.size()));
}

std::size_t ResponseParser::on_body_impl(View piece, Code&) {
  body.append(piece.data(), piece.size());
  return piece.size();
}

std::size_t ResponseParser::on_chunk_body_impl(std::uint64_t, View piece, Code&) {
  body.append(piece.data(), piece.size());
  return piece.size();
}

}  // namespace adapters
