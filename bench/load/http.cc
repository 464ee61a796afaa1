#include "bench/load/http.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace load {

void fail(const std::string& what) {
  fmt::print(stderr, "bench_load: {}{}{}\n", what, errno != 0 ? ": " : "",
             errno != 0 ? std::strerror(errno) : "");
  std::exit(1);
}

int dial(std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) fail("socket");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    fail(fmt::format("connecting to port {}", port));
  }
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

std::string request_text(std::string_view method, std::string_view path, std::string_view headers,
                         std::string_view body) {
  std::string length;
  if (!body.empty()) length = fmt::format("Content-Length: {}\r\n", body.size());
  return fmt::format("{} {} HTTP/1.1\r\nHost: 127.0.0.1\r\n{}{}\r\n{}", method, path, headers,
                     length, body);
}

void send_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) fail("sending");
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::string_view AnswerReader::header(std::string_view name) const {
  const std::string_view head = head_;
  for (auto at = head.find("\r\n"); at != head.npos; at = head.find("\r\n", at + 2)) {
    const auto line = head.substr(at + 2, head.find("\r\n", at + 2) - at - 2);
    const auto same = [](char a, char b) { return std::tolower(a) == b; };
    if (line.size() > name.size() && line[name.size()] == ':' &&
        std::equal(name.begin(), name.end(), line.begin(),
                   [&](char b, char a) { return same(a, b); })) {
      auto value = line.substr(name.size() + 1);
      value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
      return value;
    }
  }
  return {};
}

void AnswerReader::parse_head() {
  if (head_.size() < 12) fail("not an HTTP answer: " + head_);
  status_ = std::atoi(head_.c_str() + 9);
  const auto length = header("content-length");
  if (status_ == 204 || status_ == 304) {
    state_ = State::done;
  } else if (!length.empty()) {
    std::from_chars(length.data(), length.data() + length.size(), left_);
    state_ = left_ == 0 ? State::done : State::length;
  } else if (header("transfer-encoding") == "chunked") {
    state_ = State::chunk_size;
  } else {
    fail("an answer without a length: " + head_);
  }
}

std::size_t AnswerReader::take_line(std::string_view bytes) {
  const auto end = bytes.find('\n');
  const auto taken = end == bytes.npos ? bytes.size() : end + 1;
  line_.append(bytes.substr(0, taken));
  if (end != bytes.npos) on_line();
  return taken;
}

void AnswerReader::on_line() {
  if (state_ == State::chunk_size) {
    std::from_chars(line_.data(), line_.data() + line_.size(), left_, 16);
    state_ = left_ == 0 ? State::trailer : State::chunk;
  } else if (state_ == State::chunk_end) {
    state_ = State::chunk_size;
  } else if (line_ == "\r\n") {
    state_ = State::done;
  }
  line_.clear();
}

void AnswerReader::skipped(std::uint64_t bytes) {
  left_ -= bytes;
  if (left_ == 0) state_ = state_ == State::length ? State::done : State::chunk_end;
}

std::size_t AnswerReader::take(std::string_view bytes, const OnBody& on_body) {
  std::size_t used = 0;
  while (used < bytes.size() && state_ != State::done) {
    const auto rest = bytes.substr(used);
    if (state_ == State::head) {
      // The blank line may be split between two reads: look from just before the new bytes.
      const auto from = head_.size() < 3 ? 0 : head_.size() - 3;
      const auto before = head_.size();
      head_.append(rest);
      const auto end = head_.find("\r\n\r\n", from);
      if (end == head_.npos) return bytes.size();
      head_.resize(end + 4);
      used += head_.size() - before;
      parse_head();
    } else if (in_body()) {
      const auto part = rest.substr(0, std::min<std::uint64_t>(left_, rest.size()));
      on_body(part);
      used += part.size();
      skipped(part.size());
    } else {
      used += take_line(rest);
    }
  }
  return used;
}

Client::~Client() {
  ::close(fd_);
}

Answer Client::call(std::string_view request) {
  send_all(fd_, request);
  Answer answer;
  AnswerReader reader;
  std::array<char, 16384> buffer;
  while (!reader.done()) {
    const auto got = ::recv(fd_, buffer.data(), buffer.size(), 0);
    if (got <= 0) fail("the server closed the connection");
    reader.take({buffer.data(), static_cast<std::size_t>(got)},
                [&](std::string_view part) { answer.body.append(part); });
  }
  answer.status = reader.status();
  answer.next_offset = reader.header("stream-next-offset");
  return answer;
}

}  // namespace load
