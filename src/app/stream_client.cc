#include "app/stream_client.h"

#include <fmt/format.h>

#include <cctype>

namespace app {
namespace {

constexpr int kMostHops = 5;  // A stream that moves while we look for it settles within these.
constexpr std::size_t kShownReason = 300;

std::string escape(std::string_view text, std::string_view kept) {
  std::string out;
  for (const char letter : text) {
    const auto c = static_cast<unsigned char>(letter);
    if (std::isalnum(c) != 0 || kept.find(static_cast<char>(c)) != std::string_view::npos) {
      out += static_cast<char>(c);
    } else {
      out += fmt::format("%{:02X}", c);
    }
  }
  return out;
}

}  // namespace

std::string stream_target(std::string_view name) {
  while (name.starts_with('/')) name.remove_prefix(1);
  return "/v1/stream/" + escaped_path(name);
}

std::string escaped_path(std::string_view text) {
  return escape(text, "-._~/");
}

std::string escaped(std::string_view text) {
  return escape(text, "-._~");
}

std::string describe(const adapters::HttpAnswer& answer) {
  std::string text = fmt::format("{} {}", answer.status, core::http_reason(answer.status));
  const auto reason = std::string_view(answer.body).substr(0, answer.body.find_first_of("\r\n"));
  if (!reason.empty()) text += fmt::format(": {}", reason.substr(0, kShownReason));
  return text;
}

core::Error error_of(const adapters::HttpAnswer& answer) {
  core::Errc code = core::Errc::invalid;
  if (answer.status == 404 || answer.status == 410) code = core::Errc::not_found;
  if (answer.status == 409) code = core::Errc::conflict;
  if (answer.status == 429 || answer.status == 503)
    code = core::Errc::unavailable;
  else if (answer.status == 507)
    code = core::Errc::full;
  else if (answer.status >= 500)
    code = core::Errc::unknown;
  return core::Error{code, describe(answer)};
}

std::string field_of(const adapters::HttpAnswer& answer, std::string_view name) {
  return std::string(answer.fields.find(name).value_or(""));
}

StreamClient::StreamClient(ports::asio::any_io_executor executor, HttpUrl endpoint,
                           adapters::HttpClientOptions options)
    : executor_(std::move(executor)), endpoint_(std::move(endpoint)), options_(options) {}

adapters::HttpClient& StreamClient::connection(const std::string& host, const std::string& port) {
  auto& slot = connections_[host + " " + port];
  if (!slot) slot = std::make_unique<adapters::HttpClient>(executor_, host, port, options_);
  return *slot;
}

ports::Task<core::Result<adapters::HttpAnswer>> StreamClient::follow(Part part,
                                                                     adapters::HttpCall call) {
  adapters::HttpClient* at = &connection(endpoint_.host, std::to_string(endpoint_.port));
  call.target = endpoint_.path + call.target;
  for (int hop = 0;; ++hop) {
    adapters::HttpCall copy = call;
    begun_ = at;
    // Not with ?: around the awaits: g++ 12 destroys one of the answers twice.
    core::Result<adapters::HttpAnswer> tried = core::fail(core::Errc::unavailable, "not asked yet");
    if (part == Part::whole) {
      tried = co_await at->request(std::move(copy));
    } else {
      tried = co_await at->begin(std::move(copy));
    }
    CO_TRY(auto answer, std::move(tried));
    if (answer.status != 307 && answer.status != 308) co_return answer;
    const std::string location = field_of(answer, "Location");
    if (hop == kMostHops) {
      co_return core::fail(core::Errc::unavailable,
                           fmt::format("sent on {} times, last to {}", hop, location));
    }
    CO_TRY(const auto url, adapters::parse_http_url(location));
    call.target = url.target;
    at->close();
    at = &connection(url.host, url.port);
  }
}

ports::Task<core::Result<adapters::HttpAnswer>> StreamClient::call(core::HttpMethod method,
                                                                   std::string target,
                                                                   HeaderList headers,
                                                                   std::string body) {
  adapters::HttpCall call;
  call.method = method;
  call.target = std::move(target);
  for (const auto& [name, value] : headers) call.headers.add(name, value);
  call.body = std::move(body);
  co_return co_await follow(Part::whole, std::move(call));
}

ports::Task<core::Result<adapters::HttpAnswer>> StreamClient::begin(std::string target) {
  adapters::HttpCall call;
  call.target = std::move(target);
  co_return co_await follow(Part::head, std::move(call));
}

ports::Task<core::Result<std::string>> StreamClient::read_some() {
  return begun_->read_some();
}

void StreamClient::close() {
  for (auto& [key, connection] : connections_) connection->close();
}

}  // namespace app
