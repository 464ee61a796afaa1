#include "app/bench/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace app::bench {

std::size_t Histogram::bucket_of(std::uint64_t value) {
  if (value < kExact) return static_cast<std::size_t>(value);
  const auto power = static_cast<std::size_t>(std::bit_width(value)) - 1;  // At least 6.
  const auto step = static_cast<std::size_t>((value >> (power - 5)) - kSteps);
  return kExact + (power - 6) * kSteps + step;
}

std::uint64_t Histogram::highest_of(std::size_t bucket) {
  if (bucket < kExact) return bucket;
  const std::size_t power = 6 + (bucket - kExact) / kSteps;
  const std::uint64_t step = (bucket - kExact) % kSteps;
  return ((kSteps + step) << (power - 5)) + ((1ULL << (power - 5)) - 1);
}

void Histogram::add(std::uint64_t value) {
  ++buckets_[bucket_of(value)];
  ++count_;
  max_ = std::max(max_, value);
  sum_ += static_cast<double>(value);
}

void Histogram::add_all(const Histogram& other) {
  for (std::size_t i = 0; i < kBuckets; ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  max_ = std::max(max_, other.max_);
  sum_ += other.sum_;
}

double Histogram::mean() const {
  return count_ == 0 ? 0 : sum_ / static_cast<double>(count_);
}

std::uint64_t Histogram::at(double share) const {
  const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_)));
  std::uint64_t passed = 0;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    passed += buckets_[i];
    if (passed > 0 && passed >= wanted) return std::min(highest_of(i), max_);
  }
  return max_;
}

}  // namespace app::bench
