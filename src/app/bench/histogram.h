#pragma once

#include <array>
#include <cstdint>

namespace app::bench {

/// Counts values in buckets that grow with them: exact below 64, within 1/32 above. Fixed memory.
class Histogram {
 public:
  void add(std::uint64_t value);
  void add_all(const Histogram& other);

  std::uint64_t count() const { return count_; }
  std::uint64_t max() const { return max_; }
  double mean() const;

  /// The value that `share` (0 to 1) of all values do not exceed, within 1/32; 0 if there are none.
  std::uint64_t at(double share) const;

 private:
  static constexpr std::size_t kExact = 64;
  static constexpr std::size_t kSteps = 32;  // Between a power of two and the next.
  static constexpr std::size_t kBuckets = kExact + (64 - 6) * kSteps;

  static std::size_t bucket_of(std::uint64_t value);
  static std::uint64_t highest_of(std::size_t bucket);

  std::array<std::uint64_t, kBuckets> buckets_{};
  std::uint64_t count_ = 0;
  std::uint64_t max_ = 0;
  double sum_ = 0;
};

}  // namespace app::bench
