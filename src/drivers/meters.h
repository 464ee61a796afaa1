#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

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

}  // namespace drivers
