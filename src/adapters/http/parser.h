#pragma once

#include <boost/beast/http/basic_parser.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "core/http_message.h"

namespace adapters {

// Beast's parser, filling our own values. Included by few files: Beast is slow to compile.

struct ParserLimits {
  std::uint32_t head = 16 * 1024;
  std::uint64_t body = 10 * 1024 * 1024;
};

/// Parses one request. Give it all bytes that it has not consumed yet, each time there are more.
class RequestParser : public boost::beast::http::basic_parser<true> {
 public:
  RequestParser(ParserLimits limits, core::HttpRequest& into);

  /// Returns how many bytes it took. Stops at the end of the request, or at a failure.
  std::size_t take(std::string_view bytes);

  bool head_done() const { return is_header_done(); }
  bool done() const { return is_done(); }

  /// 0, or the status to refuse the request with: 400, 413, 431, 505.
  unsigned failure() const { return failure_; }
  const std::string& reason() const { return reason_; }

 private:
  using Code = boost::beast::error_code;
  using View = boost::beast::string_view;

  void on_request_impl(boost::beast::http::verb verb, View method, View target, int version,
                       Code& error) override;
  void on_response_impl(int, View, int, Code&) override {}
  void on_field_impl(boost::beast::http::field, View name, View value, Code& error) override;
  void on_header_impl(Code& error) override;
  void on_body_init_impl(const boost::optional<std::uint64_t>& length, Code& error) override;
  std::size_t on_body_impl(View body, Code& error) override;
  void on_chunk_header_impl(std::uint64_t size, View extensions, Code& error) override;
  std::size_t on_chunk_body_impl(std::uint64_t left, View body, Code& error) override;
  void on_finish_impl(Code&) override {}

  void fail(unsigned status, std::string reason, Code& error);

  core::HttpRequest& into_;
  std::uint64_t max_body_;
  unsigned failure_ = 0;
  std::string reason_;
};

/// Parses one response; the body's pieces gather in `body` until somebody takes them.
class ResponseParser : public boost::beast::http::basic_parser<false> {
 public:
  /// `to_head`: the answer to a HEAD request, which has no body whatever its head says.
  explicit ResponseParser(bool to_head);

  std::size_t take(std::string_view bytes);

  /// The peer closed the connection. False: in the middle of the response.
  bool take_end();

  bool head_done() const { return is_header_done(); }
  bool done() const { return is_done(); }
  bool failed() const { return !reason_.empty(); }
  const std::string& reason() const { return reason_; }

  unsigned status = 0;
  core::HttpFields fields;
  std::string body;

 private:
  using Code = boost::beast::error_code;
  using View = boost::beast::string_view;

  void on_request_impl(boost::beast::http::verb, View, View, int, Code&) override {}
  void on_response_impl(int code, View, int, Code&) override {
    status = static_cast<unsigned>(code);
  }
  void on_field_impl(boost::beast::http::field, View name, View value, Code&) override;
  void on_header_impl(Code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, Code&) override {}
  std::size_t on_body_impl(View piece, Code&) override;
  void on_chunk_header_impl(std::uint64_t, View, Code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, View piece, Code&) override;
  void on_finish_impl(Code&) override {}

  std::string reason_;
};

}  // namespace adapters
