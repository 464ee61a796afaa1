#include "adapters/http/connection.h"

#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>

namespace adapters {
namespace {

namespace asio = boost::asio;
constexpr auto kAwait = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t kSmallBody = 64 * 1024;  // Not worth counting against the budget.
constexpr std::size_t kKeep = 1024;            // Larger buffers are given back between requests.

}  // namespace

Connection::Connection(Socket socket, NetThread& thread, const HttpListener& listener,
                       HttpShared& shared)
    : socket_(std::move(socket)), thread_(thread), listener_(listener), shared_(shared) {
  close_ = thread_.stopping;
  place_ = thread_.connections.insert(thread_.connections.end(), this);
}

Connection::~Connection() {
  shared_.buffered -= charged_;
  thread_.deadlines.forget(*this);
  thread_.connections.erase(place_);
  if (--shared_.connections == 0) shared_.tell_drained();
}

ports::Task<void> Connection::run(std::shared_ptr<Connection> self) {
  Connection& c = *self;
  for (;;) {
    const bool came = co_await c.next_request();
    if (!came) break;
    co_await c.listener_.handler.handle(c);
    const bool sent = co_await c.send_answer();
    c.reset_exchange();
    if (!sent || c.close_) break;
  }
  if (c.lingers_ && !c.broken_) co_await c.linger();
  c.cut();
}

void Connection::end_soon() {
  close_ = true;
  if (idle_) cancel_waits();
}

void Connection::cut() {
  broken_ = true;
  boost::system::error_code ignored;
  socket_.close(ignored);
  if (waiting_) wake();
}

/// A connection that was cut is still here until those who wait for its socket have heard of it.
void Connection::cancel_waits() {
  boost::system::error_code ignored;
  socket_.cancel(ignored);
}

void Connection::on_deadline() {
  expired_ = true;
  cancel_waits();
}

// ---- coming in -------------------------------------------------------------------------------

ports::Task<bool> Connection::next_request() {
  const ParserLimits limits{listener_.limits.max_head, listener_.limits.max_body};
  parser_.emplace(limits, request_);
  continued_ = expired_ = false;
  idle_ = pending_.empty();
  if (idle_ && close_) co_return false;
  began_ = Deadlines::Clock::now();
  if (!idle_) {
    std::swap(request_, thread_.spare_request);
    parse({});
  }
  unsigned status = 0;
  std::string reason;
  while ((status = read_failure(reason)) == 0 && !parser_->done()) {
    if (parser_->head_done() && !continued_) {
      continued_ = true;
      if (!request_.http_1_0 && request_.fields.has_token("Expect", "100-continue")) {
        head_ = "HTTP/1.1 100 Continue\r\n\r\n";
        const bool sent = co_await send_all();
        if (!sent) co_return false;
      }
    }
    set_read_deadline();
    co_await socket_.async_wait(Socket::wait_read, kAwait);
    if (broken_) co_return false;
    if (expired_ && idle_) co_return false;
    if (expired_) continue;
    // A stop cancels the wait of an idle connection; what came before it is still answered.
    const Io io = receive();
    if (io == Io::gone || (io == Io::again && close_ && idle_)) co_return false;
  }
  thread_.deadlines.clear(*this);
  if (status != 0) {
    refuse(status, reason);
    co_await send_answer();
    co_return false;
  }
  idle_ = false;
  to_head_ = request_.method == core::HttpMethod::head;
  http_1_0_ = request_.http_1_0;
  if (!parser_->keep_alive()) close_ = true;
  co_return true;
}

/// Why the request cannot go on, as a status; 0 if it can.
unsigned Connection::read_failure(std::string& reason) {
  if (parser_->failure() != 0) {
    reason = parser_->reason();
    return parser_->failure();
  }
  if (expired_) {
    reason = "the request came too slowly";
    return 408;
  }
  if (over_budget()) {
    reason = "this server holds as many request bodies as it can";
    return 503;
  }
  return 0;
}

Connection::Io Connection::receive() {
  for (;;) {
    std::vector<char>& scratch = thread_.scratch;
    const ssize_t n = ::recv(socket_.native_handle(), scratch.data(), scratch.size(), MSG_DONTWAIT);
    if (n == 0) return Io::gone;
    if (n < 0) {
      if (errno == EINTR) continue;
      return errno == EAGAIN || errno == EWOULDBLOCK ? Io::again : Io::gone;
    }
    if (std::exchange(idle_, false)) {
      std::swap(request_, thread_.spare_request);
      began_ = Deadlines::Clock::now();
    }
    const auto size = static_cast<std::size_t>(n);
    parse(std::string_view(scratch.data(), size));
    if (size < scratch.size() || parser_->done() || parser_->failure() != 0) return Io::done;
    if (over_budget()) return Io::done;
  }
}

/// Feeds the parser what is pending and then `bytes`; keeps what it does not take.
void Connection::parse(std::string_view bytes) {
  if (pending_.empty()) {
    pending_.append(bytes.substr(parser_->take(bytes)));
    return;
  }
  if (parsed_ > 0 && !bytes.empty()) {
    pending_.erase(0, parsed_);
    parsed_ = 0;
  }
  pending_.append(bytes);
  parsed_ += parser_->take(std::string_view(pending_).substr(parsed_));
  if (parsed_ < pending_.size()) return;
  parsed_ = 0;
  pending_.clear();
  if (pending_.capacity() > kKeep) pending_.shrink_to_fit();
}

bool Connection::over_budget() {
  const std::size_t size = request_.body.size();
  if (size < kSmallBody || size <= charged_) return false;
  shared_.buffered += size - charged_;
  charged_ = size;
  return shared_.buffered > listener_.limits.max_buffered;
}

void Connection::set_read_deadline() {
  const HttpLimits& limits = listener_.limits;
  const auto now = Deadlines::Clock::now();
  if (idle_) return thread_.deadlines.set(*this, now + limits.idle_timeout);
  if (!parser_->head_done()) return thread_.deadlines.set(*this, began_ + limits.head_timeout);
  const std::chrono::seconds earned(request_.body.size() / limits.min_rate);
  const auto total = began_ + limits.head_timeout + limits.body_timeout + earned;
  thread_.deadlines.set(*this, std::min(total, now + limits.body_timeout));
}

/// Between two requests a connection holds next to nothing.
void Connection::reset_exchange() {
  if (watching_) cancel_waits();
  idle_ = true;
  woken_ = false;
  wake_timer_.reset();
  answer_ = Answer::none;
  response_ = {};
  shared_.buffered -= charged_;
  charged_ = 0;
  request_.fields.clear();
  request_.target.clear();
  request_.body.clear();
  if (request_.body.capacity() > kKeep) request_.body.shrink_to_fit();
  std::swap(request_, thread_.spare_request);
  request_ = {};
  parser_.reset();
}

// ---- a handler that waits --------------------------------------------------------------------

ports::Task<ports::HttpWake> Connection::wait(core::Time timeout) {
  if (!broken_ && !woken_) {
    watch_peer();
    if (!wake_timer_) wake_timer_.emplace(thread_.io);
    wake_timer_->expires_after(timeout);
    waiting_ = true;
    co_await wake_timer_->async_wait(kAwait);
    waiting_ = false;
  }
  if (broken_) co_return ports::HttpWake::peer_gone;
  co_return std::exchange(woken_, false) ? ports::HttpWake::woken : ports::HttpWake::timeout;
}

void Connection::wake() {
  woken_ = true;
  if (waiting_) wake_timer_->cancel();
}

/// Notices when the peer closes. Once it sends something (its next request), that is what stays
/// readable, and its end shows only when something is written to it.
void Connection::watch_peer() {
  if (watching_ || !pending_.empty()) return;
  watching_ = true;
  socket_.async_wait(
      Socket::wait_read, [self = shared_from_this()](boost::system::error_code error) {
        self->watching_ = false;
        if (error) return;
        char byte = 0;
        const ssize_t n = ::recv(self->socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
        if (n > 0) return;
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) return self->watch_peer();
        self->broken_ = true;
        self->wake();
      });
}

}  // namespace adapters
