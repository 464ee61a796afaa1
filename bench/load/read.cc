// Catch-up readers: each reads a stream from its beginning until it is up to date, again and again.

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <string>
#include <vector>

#include "bench/load/flags.h"
#include "bench/load/http.h"

namespace load {
namespace {

using Clock = std::chrono::steady_clock;

class Reader {
 public:
  Reader(int poll, std::uint16_t port, std::string path, bool file)
      : poll_(poll), port_(port), path_(std::move(path)), file_(file) {
    connect();
  }
  ~Reader() { ::close(fd_); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t passes() const { return passes_; }
  std::uint64_t requests() const { return requests_; }

  void ask() {
    ++requests_;
    const auto target = file_ ? path_ : path_ + "?offset=" + offset_;
    send_all(fd_, request_text("GET", target, "", ""));
  }

  /// Takes what has arrived; true at the end of a pass, and then the next ask() starts a new one.
  bool on_readable() {
    // A body is thrown away inside the kernel, so that the reader costs little and the figure is
    // the server's.
    static std::vector<char> buffer(16384);
    const auto skip = answer_.skippable();
    if (skip > 0) {
      const auto got =
          ::recv(fd_, nullptr, std::min<std::uint64_t>(skip, 1 << 20), MSG_TRUNC | MSG_DONTWAIT);
      if (got <= 0) return check_open(got);
      bytes_ += static_cast<std::uint64_t>(got);
      answer_.skipped(static_cast<std::uint64_t>(got));
    } else {
      const auto got = ::recv(fd_, buffer.data(), buffer.size(), MSG_DONTWAIT);
      if (got <= 0) return check_open(got);
      const auto taken = answer_.take({buffer.data(), static_cast<std::size_t>(got)},
                                      [&](std::string_view part) { bytes_ += part.size(); });
      if (taken != static_cast<std::size_t>(got)) fail("bytes after an answer");
    }
    return answer_.done() && on_answer();
  }

 private:
  void connect() {
    fd_ = dial(port_);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = this;
    ::epoll_ctl(poll_, EPOLL_CTL_ADD, fd_, &event);
  }

  /// A server may close a connection that it believes idle just as the next request arrives: then
  /// any client asks again on a new one. (Node.js does, when answers to others kept it busy.)
  bool check_open(ssize_t got) {
    if (got < 0 && errno == EAGAIN) return false;
    if (!answer_.untouched() || passes_ == 0) fail("the server closed the connection");
    ::close(fd_);
    connect();
    ask();
    return false;
  }

  bool on_answer() {
    errno = 0;
    if (answer_.status() != 200) fail(fmt::format("answered {}", answer_.status()));
    const bool whole = file_ || answer_.header("stream-up-to-date") == "true";
    offset_ = whole ? "-1" : std::string(answer_.header("stream-next-offset"));
    answer_.reset();
    if (whole) ++passes_;
    if (!whole) ask();
    return whole;
  }

  int poll_;
  std::uint16_t port_;
  int fd_ = -1;
  std::string path_;
  bool file_;
  std::string offset_ = "-1";
  AnswerReader answer_;
  std::uint64_t bytes_ = 0, passes_ = 0, requests_ = 0;
};

}  // namespace

void run_read(const Flags& flags) {
  const auto count = flags.number("readers");
  const auto limit = std::chrono::milliseconds(flags.number("ms"));
  const int poll = ::epoll_create1(0);
  std::vector<std::unique_ptr<Reader>> readers;
  for (std::uint64_t i = 0; i < count; ++i) {
    readers.push_back(std::make_unique<Reader>(poll, flags.port(), flags.text("path"),
                                               flags.text("file", "no") == "yes"));
  }
  const auto start = Clock::now();
  for (auto& reader : readers) reader->ask();
  auto reading = count;
  std::vector<epoll_event> events(64);
  // A pass that was begun is ended: the clock stops when the last reader has all of its bytes.
  while (reading > 0) {
    const int ready = ::epoll_wait(poll, events.data(), static_cast<int>(events.size()), 60'000);
    if (ready <= 0) fail("no reader got anything for a minute");
    for (int i = 0; i < ready; ++i) {
      auto& reader = *static_cast<Reader*>(events[static_cast<std::size_t>(i)].data.ptr);
      if (!reader.on_readable()) continue;
      if (Clock::now() - start < limit) {
        reader.ask();
      } else {
        --reading;
      }
    }
  }
  const auto seconds = std::chrono::duration<double>(Clock::now() - start).count();
  std::uint64_t bytes = 0, passes = 0, requests = 0;
  for (const auto& reader : readers) {
    bytes += reader->bytes();
    passes += reader->passes();
    requests += reader->requests();
  }
  fmt::print("{{\"bytes\":{},\"passes\":{},\"requests\":{},\"seconds\":{}}}\n", bytes, passes,
             requests, seconds);
}

}  // namespace load
