#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/http/client.h"
#include "app/quantity.h"
#include "core/result.h"
#include "ports/task.h"

namespace app {

using HeaderList = std::vector<std::pair<std::string, std::string>>;

/// `/v1/stream/NAME`, escaped; `name` may begin with a slash.
std::string stream_target(std::string_view name);

/// Of a query's value.
std::string escaped(std::string_view text);

/// Of a path: slashes stay.
std::string escaped_path(std::string_view text);

/// `404 Not Found: no such stream`: the answer's status and the first line of its body.
std::string describe(const adapters::HttpAnswer& answer);

/// What an unexpected answer means to the caller. 404 and 410 are not_found, 409 conflict, 429 and
/// 503 unavailable, other 5xx unknown, the rest invalid; the context is describe().
core::Error error_of(const adapters::HttpAnswer& answer);

std::string field_of(const adapters::HttpAnswer& answer, std::string_view name);

/// Talks to a node about streams; one call at a time. Follows 307 to a stream's owner.
/// Errors as HttpClient has them; answers of any status are values.
class StreamClient {
 public:
  StreamClient(ports::asio::any_io_executor executor, HttpUrl endpoint,
               adapters::HttpClientOptions options = {});

  ports::Task<core::Result<adapters::HttpAnswer>> call(core::HttpMethod method, std::string target,
                                                       HeaderList headers = {},
                                                       std::string body = {});

  /// Reads the head only; the rest by read_some().
  ports::Task<core::Result<adapters::HttpAnswer>> begin(std::string target);
  ports::Task<core::Result<std::string>> read_some();

  /// Drops all connections.
  void close();

 private:
  enum class Part : std::uint8_t { whole, head };
  ports::Task<core::Result<adapters::HttpAnswer>> follow(Part part, adapters::HttpCall call);
  adapters::HttpClient& connection(const std::string& host, const std::string& port);

  ports::asio::any_io_executor executor_;
  HttpUrl endpoint_;
  adapters::HttpClientOptions options_;
  std::map<std::string, std::unique_ptr<adapters::HttpClient>> connections_;
  adapters::HttpClient* begun_ = nullptr;
};

}  // namespace app
