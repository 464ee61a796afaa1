#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>

#include "adapters/http/connection.h"

namespace adapters {
namespace {

namespace asio = boost::asio;
constexpr auto kAwait = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t kPiecesAtOnce = 64;
constexpr std::size_t kKeep = 4096;
constexpr core::Time kLinger = std::chrono::seconds(5);

bool has_no_body(unsigned status) {
  return status == 204 || status == 304 || status < 200;
}

std::size_t total(const std::vector<core::Bytes>& parts) {
  std::size_t size = 0;
  for (const core::Bytes& part : parts) size += part.size();
  return size;
}

}  // namespace

void Connection::respond(ports::HttpResponse response) {
  answer_ = Answer::whole;
  response_ = std::move(response);
}

void Connection::begin(ports::HttpResponse head) {
  answer_ = Answer::streamed;
  if (http_1_0_) close_ = true;  // Its end is the connection's end.
  compose_head(head, true);
}

ports::Task<bool> Connection::write(std::vector<core::Bytes> parts) {
  const std::size_t size = total(parts);
  if (broken_) co_return false;
  if (size == 0 || to_head_) co_return true;
  parts_ = std::move(parts);
  if (!http_1_0_) {
    fmt::format_to(std::back_inserter(head_), "{:x}\r\n", size);
    tail_ = "\r\n";
  }
  sent_ = 0;
  co_return co_await send_all();
}

ports::Task<bool> Connection::send_answer() {
  if (broken_) co_return false;
  if (answer_ == Answer::streamed) {
    if (!http_1_0_ && !to_head_) head_ += "0\r\n\r\n";
    co_return co_await send_all();
  }
  if (answer_ == Answer::none) refuse(500, "the request was not answered");
  if (response_.close) close_ = true;
  compose_head(response_, false);
  if (!to_head_ && !has_no_body(response_.status)) {
    parts_ = std::move(response_.body);
  }
  sent_ = 0;
  co_return co_await send_all();
}

/// An answer of the server's own, to what never reaches a handler.
void Connection::refuse(unsigned status, std::string_view reason) {
  ports::HttpResponse response;
  response.status = status;
  response.headers.add("Content-Type", "text/plain; charset=utf-8");
  response.headers.add("X-Content-Type-Options", "nosniff");
  response.headers.add("Cache-Control", "no-store");
  if (status == 503) response.headers.add("Retry-After", "1");
  response.body.emplace_back(std::string(reason) + "\n");
  response.close = true;
  to_head_ = false;
  lingers_ = true;
  respond(std::move(response));
}

void Connection::compose_head(const ports::HttpResponse& response, bool streamed) {
  if (head_.empty()) head_.swap(thread_.head);
  auto out = std::back_inserter(head_);
  fmt::format_to(out, "HTTP/1.1 {} {}\r\n", response.status, core::http_reason(response.status));
  head_ += response.headers.text();
  head_ += thread_.date();
  if (streamed) {
    if (!http_1_0_) head_ += "Transfer-Encoding: chunked\r\n";
  } else if (!has_no_body(response.status) && !to_head_) {
    fmt::format_to(out, "Content-Length: {}\r\n", total(response.body));
  }
  if (close_) {
    head_ += "Connection: close\r\n";
  } else if (http_1_0_) {
    head_ += "Connection: keep-alive\r\n";
  }
  head_ += "\r\n";
}

std::string_view Connection::piece(std::size_t index) const {
  if (index == 0) return head_;
  return index <= parts_.size() ? parts_[index - 1].view() : tail_;
}

/// Sends what is there to send; false if the peer is gone or takes it too slowly.
ports::Task<bool> Connection::send_all() {
  const auto began = Deadlines::Clock::now();
  bool waited = false;
  Io io = send_some();
  while (io == Io::again && !broken_ && !expired_) {
    const HttpLimits& limits = listener_.limits;
    const std::chrono::seconds earned(sent_ / limits.min_rate);
    const auto now = Deadlines::Clock::now();
    thread_.deadlines.set(*this, std::min(now, began + earned) + limits.write_timeout);
    waited = true;
    co_await socket_.async_wait(Socket::wait_write, kAwait);
    io = broken_ ? Io::gone : send_some();
  }
  if (waited) thread_.deadlines.clear(*this);
  if (io != Io::done) broken_ = true;
  parts_.clear();
  tail_ = {};
  piece_ = piece_sent_ = 0;
  head_.clear();
  if (head_.capacity() <= kKeep && head_.capacity() > thread_.head.capacity()) {
    head_.swap(thread_.head);
  }
  head_ = std::string();
  co_return io == Io::done;
}

Connection::Io Connection::send_some() {
  const std::size_t pieces = parts_.size() + 2;
  while (piece_ < pieces) {
    std::array<iovec, kPiecesAtOnce> list;
    std::size_t count = 0;
    for (std::size_t i = piece_; i < pieces && count < kPiecesAtOnce; ++i) {
      const std::string_view text = piece(i).substr(i == piece_ ? piece_sent_ : 0);
      if (!text.empty()) list[count++] = {const_cast<char*>(text.data()), text.size()};
    }
    if (count == 0) break;
    msghdr message{};
    message.msg_iov = list.data();
    message.msg_iovlen = count;
    const ssize_t n = ::sendmsg(socket_.native_handle(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0) {
      if (errno == EINTR) continue;
      return errno == EAGAIN || errno == EWOULDBLOCK ? Io::again : Io::gone;
    }
    sent_ += static_cast<std::size_t>(n);
    for (auto left = static_cast<std::size_t>(n); piece_ < pieces;) {
      const std::size_t rest = piece(piece_).size() - piece_sent_;
      if (left < rest) {
        piece_sent_ += left;
        break;
      }
      left -= rest;
      ++piece_;
      piece_sent_ = 0;
    }
  }
  return Io::done;
}

/// Closing with unread bytes resets the connection and may cost the peer our answer, so they are
/// read and dropped for a while.
ports::Task<void> Connection::linger() {
  boost::system::error_code ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
  expired_ = false;
  thread_.deadlines.set(*this, Deadlines::Clock::now() + kLinger);
  while (!expired_ && !broken_) {
    const ssize_t n = ::recv(socket_.native_handle(), thread_.scratch.data(),
                             thread_.scratch.size(), MSG_DONTWAIT | MSG_TRUNC);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) break;
    co_await socket_.async_wait(Socket::wait_read, kAwait);
  }
}

}  // namespace adapters
