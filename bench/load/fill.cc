// Makes streams and fills them, over many connections, as fast as the server answers.

#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "bench/load/flags.h"
#include "bench/load/http.h"

namespace load {
namespace {

using Clock = std::chrono::steady_clock;

/// Sends request(0) .. request(count - 1), each once, over `connections`; every answer must be 2xx.
void send_each(std::uint16_t port, std::uint64_t connections, std::uint64_t count,
               const std::function<std::string(std::uint64_t)>& request) {
  std::atomic<std::uint64_t> next = 0;
  const auto work = [&] {
    Client client(port);
    for (auto i = next++; i < count; i = next++) {
      const auto answer = client.call(request(i));
      errno = 0;
      if (answer.status / 100 != 2) {
        fail(fmt::format("request {} was answered {}: {}", i, answer.status, answer.body));
      }
    }
  };
  const auto start = Clock::now();
  std::vector<std::thread> threads;
  for (std::uint64_t i = 0; i < connections; ++i) threads.emplace_back(work);
  for (auto& thread : threads) thread.join();
  fmt::print("{{\"requests\":{},\"seconds\":{}}}\n", count,
             std::chrono::duration<double>(Clock::now() - start).count());
}

}  // namespace

void run_fill(const Flags& flags) {
  const auto path = flags.text("path");
  const auto bytes = flags.number("record-bytes");
  const auto batch = flags.number("batch", 1);
  const bool json = flags.text("type", "application/octet-stream") == "application/json";
  std::string body;
  for (std::uint64_t i = 0; i < batch; ++i) {
    // Each JSON record is a string of `bytes` with its quotes.
    if (json) body += fmt::format("{}\"{}\"", i == 0 ? '[' : ',', std::string(bytes - 2, 'r'));
    if (!json) body += std::string(bytes, 'r');
  }
  if (json) body += ']';
  const auto type =
      fmt::format("Content-Type: {}\r\n", flags.text("type", "application/octet-stream"));
  Client(flags.port()).call(request_text("PUT", path, type, ""));
  const auto text = request_text("POST", path, type, body);
  send_each(flags.port(), flags.number("connections", 16), flags.number("records") / batch,
            [&](std::uint64_t) { return text; });
}

void run_create(const Flags& flags) {
  const auto prefix = flags.text("prefix");
  const auto body = std::string(flags.number("body-bytes", 0), 'r');
  send_each(flags.port(), flags.number("connections", 32), flags.number("count"),
            [&](std::uint64_t i) {
              return request_text("PUT", fmt::format("{}{}", prefix, i),
                                  "Content-Type: text/plain\r\n", body);
            });
}

}  // namespace load
