// One appender, many SSE readers of the same stream: how many deliveries a second.

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "bench/load/flags.h"
#include "bench/load/http.h"

namespace load {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// Each record has it once and nothing else has it: counting it counts records, whatever the events
/// look like.
constexpr char kMark = '~';

void allow_files(std::uint64_t count) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = std::max<rlim_t>(limit.rlim_cur, std::min<rlim_t>(count + 64, limit.rlim_max));
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

struct Listener {
  int fd = -1;
  bool started = false;  // Its head and its first control event have arrived.
  std::uint64_t records = 0;
};

class Audience {
 public:
  Audience(std::uint16_t port, const std::string& path, std::uint64_t count)
      : poll_(::epoll_create1(0)), listeners_(count), buffer_(256 << 10) {
    const auto text = request_text("GET", path + "?offset=now&live=sse", "", "");
    for (auto& listener : listeners_) {
      listener.fd = dial(port);
      send_all(listener.fd, text);
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.ptr = &listener;
      ::epoll_ctl(poll_, EPOLL_CTL_ADD, listener.fd, &event);
    }
  }

  /// Takes what arrives within `wait`; false if nothing did.
  bool take(milliseconds wait) {
    std::array<epoll_event, 256> events;
    const int ready = ::epoll_wait(poll_, events.data(), static_cast<int>(events.size()),
                                   static_cast<int>(wait.count()));
    for (int i = 0; i < ready; ++i) {
      auto& listener = *static_cast<Listener*>(events[static_cast<std::size_t>(i)].data.ptr);
      const auto got = ::recv(listener.fd, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
      if (got <= 0) fail("the server closed an SSE connection");
      const auto marks = std::count(buffer_.begin(), buffer_.begin() + got, kMark);
      listener.records += static_cast<std::uint64_t>(marks);
      deliveries_ += static_cast<std::uint64_t>(marks);
      if (!listener.started) {
        listener.started = true;
        ++started_;
      }
    }
    return ready > 0;
  }

  std::uint64_t started() const { return started_; }
  std::uint64_t deliveries() const { return deliveries_; }
  std::uint64_t slowest() const {
    return std::min_element(listeners_.begin(), listeners_.end(),
                            [](auto& a, auto& b) { return a.records < b.records; })
        ->records;
  }

 private:
  int poll_;
  std::vector<Listener> listeners_;
  std::vector<char> buffer_;
  std::uint64_t started_ = 0, deliveries_ = 0;
};

}  // namespace

void run_fan_out(const Flags& flags) {
  const auto count = flags.number("readers");
  const auto path = flags.text("path");
  const auto limit = milliseconds(flags.number("ms"));
  const auto gap = milliseconds(flags.number("gap-ms", 0));
  const std::string type = "Content-Type: text/plain\r\n";
  allow_files(count);
  Client(flags.port()).call(request_text("PUT", path, type, ""));
  Audience audience(flags.port(), path, count);
  while (audience.started() < count) {
    if (!audience.take(milliseconds(10'000))) fail("SSE readers got no first event");
  }
  while (audience.take(milliseconds(100))) {
  }

  const auto start = Clock::now();
  std::atomic<std::uint64_t> appended = 0;
  std::atomic<bool> stopped = false;
  std::thread appender([&] {
    Client client(flags.port());
    auto body = std::string(flags.number("record-bytes", 100), 'r');
    body[0] = kMark;
    const auto text = request_text("POST", path, type, body);
    while (Clock::now() - start < limit) {
      if (client.call(text).status / 100 != 2) fail("an append was refused");
      ++appended;
      if (gap.count() > 0) std::this_thread::sleep_for(gap);
    }
    stopped = true;
  });
  // The clock stops when every reader has every record.
  auto last = Clock::now();
  auto idle_since = last;
  while (!stopped || audience.deliveries() < appended * count) {
    const auto before = audience.deliveries();
    audience.take(milliseconds(50));
    const auto now = Clock::now();
    if (audience.deliveries() != before) last = idle_since = now;
    if (now - idle_since > std::chrono::seconds(120)) break;
  }
  appender.join();
  const auto seconds = std::chrono::duration<double>(last - start).count();
  fmt::print("{{\"appended\":{},\"deliveries\":{},\"missing\":{},\"slowest\":{},\"seconds\":{}}}\n",
             appended, audience.deliveries(), appended * count - audience.deliveries(),
             audience.slowest(), seconds);
}

}  // namespace load
