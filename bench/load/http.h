#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace load {

/// Ends the program with `what` and errno: a load program that limps measures nothing.
[[noreturn]] void fail(const std::string& what);

/// A connected socket to 127.0.0.1:`port` with TCP_NODELAY.
int dial(std::uint16_t port);

/// The text of a request. `headers` is whole lines, each with its \r\n; a body adds Content-Length.
std::string request_text(std::string_view method, std::string_view path, std::string_view headers,
                         std::string_view body);

/// Takes an HTTP/1.1 answer apart as its bytes arrive.
class AnswerReader {
 public:
  using OnBody = std::function<void(std::string_view)>;

  /// Takes what it can of `bytes`, at most to the end of this answer; returns how much that was.
  std::size_t take(std::string_view bytes, const OnBody& on_body);
  bool done() const { return state_ == State::done; }
  bool untouched() const { return state_ == State::head && head_.empty(); }
  void reset() { *this = AnswerReader(); }

  int status() const { return status_; }
  /// Case is ignored in `name`, which is lower case; empty if there is none.
  std::string_view header(std::string_view name) const;
  /// So many bytes of the body come next and can be thrown away unread with skipped().
  std::uint64_t skippable() const { return in_body() ? left_ : 0; }
  void skipped(std::uint64_t bytes);

 private:
  enum class State { head, length, chunk_size, chunk, chunk_end, trailer, done };
  bool in_body() const { return state_ == State::length || state_ == State::chunk; }
  void parse_head();
  std::size_t take_line(std::string_view bytes);
  void on_line();

  State state_ = State::head;
  int status_ = 0;
  std::uint64_t left_ = 0;
  std::string head_;
  std::string line_;
};

struct Answer {
  int status = 0;
  std::string next_offset;
  std::string body;
};

/// One keep-alive connection, one request at a time, blocking.
class Client {
 public:
  explicit Client(std::uint16_t port) : fd_(dial(port)) {}
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  Answer call(std::string_view request);

 private:
  int fd_;
};

void send_all(int fd, std::string_view bytes);

}  // namespace load
