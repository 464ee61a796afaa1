#pragma once

#include <cstdint>

namespace core {

/// A seeded source of chance that gives the same numbers on every platform (splitmix64). Handed
/// down from `main`, which seeds it from the system, or from a test, which seeds it from its seed.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }

  /// Uniform in [0, n); n must not be 0.
  std::uint64_t below(std::uint64_t n) { return next() % n; }

  bool chance(std::uint64_t percent) { return below(100) < percent; }

 private:
  std::uint64_t state_;
};

}  // namespace core
