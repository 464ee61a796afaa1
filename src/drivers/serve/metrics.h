#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/http_message.h"
#include "core/time.h"

namespace drivers {

/// A number that any thread may add to. Nothing is ordered by it.
class Counter {
 public:
  void add(std::uint64_t n = 1) { value_.fetch_add(n, std::memory_order_relaxed); }
  std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

/// A number that goes up and down.
class Gauge {
 public:
  void add(std::int64_t n) { value_.fetch_add(n, std::memory_order_relaxed); }
  std::int64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> value_{0};
};

/// One more for as long as it lives.
class GaugeHold {
 public:
  explicit GaugeHold(Gauge& gauge) : gauge_(gauge) { gauge_.add(1); }
  ~GaugeHold() { gauge_.add(-1); }
  GaugeHold(const GaugeHold&) = delete;
  GaugeHold& operator=(const GaugeHold&) = delete;

 private:
  Gauge& gauge_;
};

/// How long something takes, in buckets that double from 64 microseconds to 8 seconds.
class Histogram {
 public:
  static constexpr std::size_t kBuckets = 18;
  static constexpr core::Time bound(std::size_t bucket) {
    return core::Time(std::int64_t{64} << bucket);
  }

  void add(core::Time took);
  std::uint64_t in_bucket(std::size_t bucket) const { return counts_[bucket].value(); }
  std::uint64_t count() const { return count_.value(); }
  core::Time sum() const { return core::Time(static_cast<std::int64_t>(sum_us_.value())); }

 private:
  std::array<Counter, kBuckets> counts_;  // Not cumulative; what is longer is only in count_.
  Counter count_;
  Counter sum_us_;
};

/// What the HTTP side counts; any thread may count. The engine's numbers come through AdminService.
class HttpMetrics {
 public:
  static constexpr std::size_t kMethods = 7;  // Of core::HttpMethod.
  static constexpr std::array<unsigned, 18> kStatuses = {
      200, 201, 204, 304, 307, 400, 403, 404, 405, 409, 410, 413, 429, 431, 500, 503, 507, 0};

  /// A status that is not in kStatuses counts under its 0.
  void count_request(core::HttpMethod method, unsigned status);
  std::uint64_t requests(core::HttpMethod method, std::size_t status_index) const {
    return requests_[static_cast<std::size_t>(method)][status_index].value();
  }

  Counter body_bytes_in;
  Counter body_bytes_out;  // Of reads, live ones included.
  Counter events_sent;     // Data events of SSE.
  Counter feed_fallbacks;  // A live reader was too slow for its feed's window and read again.
  Gauge sse_readers;
  Gauge long_polls;

 private:
  std::array<std::array<Counter, kStatuses.size()>, kMethods> requests_;
};

}  // namespace drivers
