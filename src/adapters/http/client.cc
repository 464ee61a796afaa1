#include "adapters/http/client.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <vector>

#include "adapters/http/parser.h"

namespace adapters {
namespace {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;
using Clock = std::chrono::steady_clock;
constexpr auto kAwait = asio::as_tuple(asio::use_awaitable);

/// What recv gave, until it is parsed: never across a suspension, so one for each thread will do.
std::vector<char>& scratch() {
  thread_local std::vector<char> bytes(64 * 1024);
  return bytes;
}

std::string_view name_of(core::HttpMethod method) {
  switch (method) {
    case core::HttpMethod::head: return "HEAD";
    case core::HttpMethod::put: return "PUT";
    case core::HttpMethod::post: return "POST";
    case core::HttpMethod::remove: return "DELETE";
    case core::HttpMethod::options: return "OPTIONS";
    default: return "GET";
  }
}

/// May be sent again when nobody knows whether the first one arrived.
bool is_repeatable(core::HttpMethod method) {
  return method != core::HttpMethod::post;
}

bool is_interim(unsigned status) {
  return status >= 100 && status < 200;
}

}  // namespace

core::Result<HttpUrl> parse_http_url(std::string_view text) {
  const auto refuse = [&](const char* why) {
    return core::fail(core::Errc::invalid, fmt::format("the URL '{}' {}", text, why));
  };
  constexpr std::string_view kScheme = "http://";
  if (text.substr(0, kScheme.size()) != kScheme) return refuse("does not begin with http://");
  std::string_view rest = text.substr(kScheme.size());
  const std::size_t slash = std::min(rest.find_first_of("/?"), rest.size());
  std::string_view place = rest.substr(0, slash);
  HttpUrl url;
  url.target = std::string(rest.substr(slash));
  if (url.target.empty() || url.target[0] != '/') url.target.insert(0, "/");
  if (place.find('@') != std::string_view::npos) return refuse("may not hold a user name");
  std::string_view port = "80";
  if (!place.empty() && place[0] == '[') {
    const std::size_t end = place.find(']');
    if (end == std::string_view::npos) return refuse("has no ] after the address");
    url.host = std::string(place.substr(1, end - 1));
    place.remove_prefix(end + 1);
    if (!place.empty() && place[0] != ':') return refuse("has text between ] and the port");
    if (!place.empty()) port = place.substr(1);
  } else {
    const std::size_t colon = place.find(':');
    url.host = std::string(place.substr(0, colon));
    if (colon != std::string_view::npos) port = place.substr(colon + 1);
  }
  if (url.host.empty()) return refuse("has no host");
  unsigned number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (error != std::errc{} || end != port.data() + port.size() || number == 0 || number > 65535) {
    return refuse("has no port between 1 and 65535");
  }
  url.port = std::string(port);
  return url;
}

class HttpClient::Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(asio::any_io_executor executor, std::string host, std::string port,
             HttpClientOptions options)
      : executor_(executor),
        socket_(executor),
        timer_(executor),
        host_(std::move(host)),
        port_(std::move(port)),
        options_(options) {}

  ports::Task<core::Result<HttpAnswer>> begin(HttpCall call) {
    const auto self = shared_from_this();
    if (parser_ && !parser_->done()) close();
    for (bool reused = is_usable();; reused = false) {
      if (!reused) CO_TRY_VOID(co_await connect());
      auto answer = co_await exchange(call);
      if (answer) co_return answer;
      close();
      const bool stale = reused && !answered_ && !expired_ && !closed_by_us_;
      if (!stale || !is_repeatable(call.method)) co_return answer;
    }
  }

  ports::Task<core::Result<HttpAnswer>> request(HttpCall call) {
    const auto self = shared_from_this();
    CO_TRY(HttpAnswer answer, co_await begin(std::move(call)));
    while (!parser_->done() && parser_->body.size() <= options_.max_body) {
      CO_TRY_VOID(co_await receive());
    }
    if (parser_->body.size() > options_.max_body) {
      close();
      co_return core::fail(core::Errc::limit,
                           fmt::format("the answer has more than {} bytes", options_.max_body));
    }
    answer.body = std::move(parser_->body);
    if (!parser_->keep_alive()) close();
    co_return answer;
  }

  ports::Task<core::Result<std::string>> read_some() {
    const auto self = shared_from_this();
    if (!parser_) co_return std::string();
    while (parser_->body.empty() && !parser_->done()) CO_TRY_VOID(co_await receive());
    std::string piece = std::move(parser_->body);
    parser_->body.clear();
    if (piece.empty() && !parser_->keep_alive()) close();
    co_return piece;
  }

  /// By the user.
  void shut() {
    closed_by_us_ = true;
    close();
  }

 private:
  void close() {
    boost::system::error_code ignored;
    socket_.close(ignored);
    pending_.clear();
  }

  core::Error lost(const char* what) const {
    const char* why = expired_ ? "no answer in time" : what;
    return {core::Errc::unknown, fmt::format("{}:{}: {}", host_, port_, why)};
  }

  /// Open, and the server neither closed it nor said anything that nobody asked for.
  bool is_usable() {
    if (!socket_.is_open() || !pending_.empty()) return false;
    char byte = 0;
    const ssize_t n = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  }

  /// One timer serves all waits: it looks at the deadline when it fires.
  void set_deadline(core::Time timeout) {
    deadline_ = Clock::now() + timeout;
    expired_ = false;
    if (!timing_ || deadline_ < timer_.expiry()) arm();
  }

  void arm() {
    timing_ = true;
    timer_.expires_at(deadline_);
    timer_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
      const auto self = weak.lock();
      if (error || !self) return;  // Armed anew, or gone.
      self->timing_ = false;
      if (!self->busy_) return;
      if (Clock::now() < self->deadline_) return self->arm();
      self->expired_ = true;
      boost::system::error_code ignored;
      self->socket_.cancel(ignored);
    });
  }

  ports::Task<core::Result<void>> connect() {
    close();
    closed_by_us_ = false;
    const auto fail = [this](const boost::system::error_code& error) {
      return core::fail(core::Errc::unavailable,
                        fmt::format("cannot connect to {}:{}: {}", host_, port_,
                                    expired_ ? "no answer in time" : error.message()));
    };
    tcp::resolver resolver(executor_);
    const auto [error, found] = co_await resolver.async_resolve(host_, port_, kAwait);
    if (error) co_return fail(error);
    boost::system::error_code failed = asio::error::host_not_found;
    for (const auto& entry : found) {
      close();
      const tcp::endpoint endpoint = entry.endpoint();
      socket_.open(endpoint.protocol(), failed);
      if (failed) continue;
      busy_ = true;
      set_deadline(options_.connect_timeout);
      const auto [refused] = co_await socket_.async_connect(endpoint, kAwait);
      busy_ = false;
      failed = refused;
      if (failed) continue;
      socket_.set_option(tcp::no_delay(true), failed);
      socket_.non_blocking(true, failed);
      co_return core::Result<void>();
    }
    close();
    co_return fail(failed);
  }

  ports::Task<core::Result<HttpAnswer>> exchange(const HttpCall& call) {
    parser_.emplace(call.method == core::HttpMethod::head);
    answered_ = expired_ = false;
    CO_TRY_VOID(co_await send(call));
    while (!parser_->head_done() || is_interim(parser_->status)) {
      if (parser_->head_done()) {
        parser_.emplace(call.method == core::HttpMethod::head);
        std::string rest;
        rest.swap(pending_);
        CO_TRY_VOID(parse(rest));
        continue;
      }
      CO_TRY_VOID(co_await receive());
    }
    HttpAnswer answer;
    answer.status = parser_->status;
    answer.fields = std::move(parser_->fields);
    co_return answer;
  }

  ports::Task<core::Result<void>> send(const HttpCall& call) {
    std::string head = fmt::format("{} {} HTTP/1.1\r\nHost: {}:{}\r\n{}", name_of(call.method),
                                   call.target, host_, port_, call.headers.text());
    if (!call.body.empty() || call.method == core::HttpMethod::post ||
        call.method == core::HttpMethod::put) {
      head += fmt::format("Content-Length: {}\r\n", call.body.size());
    }
    head += "\r\n";
    std::size_t sent = 0;
    const std::size_t size = head.size() + call.body.size();
    while (sent < size) {
      const std::string_view a = std::string_view(head).substr(std::min(sent, head.size()));
      const std::string_view b =
          std::string_view(call.body).substr(sent > head.size() ? sent - head.size() : 0);
      std::array<iovec, 2> list{iovec{const_cast<char*>(a.data()), a.size()},
                                iovec{const_cast<char*>(b.data()), b.size()}};
      msghdr message{};
      message.msg_iov = list.data();
      message.msg_iovlen = list.size();
      const ssize_t n = ::sendmsg(socket_.native_handle(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
      if (n >= 0) {
        sent += static_cast<std::size_t>(n);
        continue;
      }
      if (errno == EINTR) continue;
      // A server that refuses a body early answers before it has all of it: look for that answer.
      if (errno != EAGAIN && errno != EWOULDBLOCK) break;
      CO_TRY_VOID(co_await wait(tcp::socket::wait_write));
    }
    co_return core::Result<void>();
  }

  ports::Task<core::Result<void>> wait(tcp::socket::wait_type what) {
    busy_ = true;
    set_deadline(options_.silence_timeout);
    const auto [error] = co_await socket_.async_wait(what, kAwait);
    busy_ = false;
    if (error || !socket_.is_open()) {
      const core::Error why = lost("the connection was closed");
      close();
      co_return tl::unexpected<core::Error>(why);
    }
    co_return core::Result<void>();
  }

  ports::Task<core::Result<void>> receive() {
    if (!socket_.is_open()) co_return tl::unexpected<core::Error>(lost("the connection is closed"));
    CO_TRY_VOID(co_await wait(tcp::socket::wait_read));
    std::vector<char>& bytes = scratch();
    const ssize_t n = ::recv(socket_.native_handle(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) co_return core::Result<void>();
    if (n <= 0) {
      const bool whole = n == 0 && parser_->take_end();
      close();
      if (whole) co_return core::Result<void>();
      co_return tl::unexpected<core::Error>(lost("the server closed the connection"));
    }
    answered_ = true;
    co_return parse(std::string_view(bytes.data(), static_cast<std::size_t>(n)));
  }

  core::Result<void> parse(std::string_view bytes) {
    if (pending_.empty()) {
      pending_.append(bytes.substr(parser_->take(bytes)));
    } else {
      pending_.append(bytes);
      pending_.erase(0, parser_->take(pending_));
    }
    if (!parser_->failed()) return {};
    const std::string why = parser_->reason();
    close();
    return tl::unexpected<core::Error>(lost(why.c_str()));
  }

  asio::any_io_executor executor_;
  tcp::socket socket_;
  asio::steady_timer timer_;
  std::string host_;
  std::string port_;
  HttpClientOptions options_;
  std::optional<ResponseParser> parser_;
  std::string pending_;  // Received, not yet parsed.
  Clock::time_point deadline_{};
  bool timing_ = false;  // The timer is armed.
  bool busy_ = false;    // Somebody waits for the socket.
  bool expired_ = false;
  bool answered_ = false;  // The server has said something.
  bool closed_by_us_ = false;
};

HttpClient::HttpClient(asio::any_io_executor executor, std::string host, std::string port,
                       HttpClientOptions options)
    : connection_(std::make_shared<Connection>(std::move(executor), std::move(host),
                                               std::move(port), options)) {}

HttpClient::~HttpClient() {
  connection_->shut();
}

ports::Task<core::Result<HttpAnswer>> HttpClient::request(HttpCall call) {
  return connection_->request(std::move(call));
}

ports::Task<core::Result<HttpAnswer>> HttpClient::begin(HttpCall call) {
  return connection_->begin(std::move(call));
}

ports::Task<core::Result<std::string>> HttpClient::read_some() {
  return connection_->read_some();
}

void HttpClient::close() {
  connection_->shut();
}

}  // namespace adapters
