#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "app/bench/histogram.h"
#include "app/bench/options.h"
#include "core/result.h"
#include "ports/task.h"

namespace app::bench {

using Clock = std::chrono::steady_clock;

/// What was measured. In `sse` the requests are deliveries, and a latency is the time from sending
/// an append to a reader's having it.
struct Result {
  Histogram latency_us;
  std::uint64_t requests = 0;
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
  std::uint64_t errors = 0;
  std::string first_error;
  double seconds = 0;
};

/// Shared by all connections of a run; one thread.
struct Run {
  BenchOptions options;
  std::vector<std::string> streams;
  Result result;
  Clock::time_point begun{};
  bool over = false;
  std::uint32_t running = 0;

  bool is_json() const {
    return options.batch > 1 || options.json_streams || options.mode == Mode::sse;
  }
  std::string content_type() const { return is_json() ? "application/json" : "text/plain"; }
  void failed(const core::Error& error);
  void count(std::uint64_t records, std::uint64_t bytes, Clock::duration latency);
};

/// The body of one append. `stamp` is put into each JSON message, for readers to measure with.
std::string make_body(const Run& run, std::uint64_t stamp);

/// The stamps in what an SSE event carried, in order.
std::vector<std::uint64_t> stamps_in(std::string_view text);

/// unavailable: the streams could not be made.
ports::Task<core::Result<void>> measure(ports::asio::any_io_executor executor, Run& run);

}  // namespace app::bench
