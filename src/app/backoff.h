#pragma once

#include <algorithm>
#include <chrono>

#include "core/random.h"
#include "core/time.h"

namespace app {

/// How long to wait before the next try: doubling up to a limit, each drawn between half and all of
/// it, so that clients that failed together do not come back together.
class Backoff {
 public:
  explicit Backoff(std::uint64_t seed, core::Time longest = std::chrono::seconds(1))
      : random_(seed), longest_(longest) {}

  core::Time next() {
    const auto half = static_cast<std::uint64_t>(span_.count() / 2);
    const core::Time wait(static_cast<core::Time::rep>(half + random_.below(half + 1)));
    span_ = std::min(span_ * 2, longest_);
    return wait;
  }

  void reset() { span_ = kFirst; }

 private:
  static constexpr core::Time kFirst = std::chrono::milliseconds(20);
  core::Random random_;
  core::Time longest_;
  core::Time span_ = kFirst;
};

}  // namespace app
