#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/http_message.h"
#include "core/result.h"
#include "core/time.h"
#include "ports/task.h"

namespace adapters {

/// An http URL, taken apart. https is refused.
struct HttpUrl {
  std::string host;  // Without the brackets of an IPv6 address.
  std::string port;
  std::string target;  // Path and query; "/" if the URL has none.
  bool operator==(const HttpUrl&) const = default;
};

core::Result<HttpUrl> parse_http_url(std::string_view text);

struct HttpClientOptions {
  core::Time connect_timeout = std::chrono::seconds(5);
  core::Time silence_timeout = std::chrono::seconds(60);  // Without a byte while one is expected.
  std::size_t max_body = std::size_t{1} << 30;            // Of request(): more is Errc::limit.
};

struct HttpCall {
  core::HttpMethod method = core::HttpMethod::get;
  std::string target;            // Path and query, encoded.
  core::HttpHeaderText headers;  // Host and Content-Length are added.
  std::string body;
};

struct HttpAnswer {
  unsigned status = 0;
  core::HttpFields fields;
  std::string body;
};

/// One HTTP/1.1 connection to one server, kept alive between calls and made again when it is gone.
/// One call at a time; all of it on the executor it was given.
///
/// Errors: unavailable: nothing of the request was acted on (no connection; or a kept-alive one
/// that the server had closed, tried again once on a fresh one if it is safe).
/// unknown: it was sent, and no complete answer came. limit: the body is larger than max_body.
class HttpClient {
 public:
  HttpClient(ports::asio::any_io_executor executor, std::string host, std::string port,
             HttpClientOptions options = {});
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;
  ~HttpClient();

  /// Sends and reads the whole answer.
  ports::Task<core::Result<HttpAnswer>> request(HttpCall call);

  /// Sends and reads the head only; the body follows by read_some().
  ports::Task<core::Result<HttpAnswer>> begin(HttpCall call);

  /// The next piece of the body that begin() left; empty at its end. A piece of a chunked body is
  /// whatever arrived, not a chunk.
  ports::Task<core::Result<std::string>> read_some();

  /// Drops the connection; a call in progress fails with unknown.
  void close();

 private:
  class Connection;
  std::shared_ptr<Connection> connection_;
};

}  // namespace adapters
