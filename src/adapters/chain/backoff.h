#pragma once

#include <algorithm>

#include "core/random.h"
#include "ports/timers.h"

namespace adapters {

struct BackoffOptions {
  core::Time first = std::chrono::milliseconds(20);
  core::Time longest = std::chrono::seconds(2);
  core::Time give_up_after = std::chrono::seconds(10);
};

/// Growing, jittered pauses between tries.
class Backoff {
 public:
  Backoff(ports::Timers& timers, core::Random& random, const BackoffOptions& options)
      : timers_(timers), random_(random), options_(options), began_(timers.now()) {}

  bool has_given_up() const { return timers_.now() - began_ >= options_.give_up_after; }

  ports::Task<void> pause() {
    const auto whole =
        static_cast<std::uint64_t>(next_.count() == 0 ? options_.first.count() : next_.count());
    next_ = std::min(core::Time(static_cast<std::int64_t>(whole * 2)), options_.longest);
    const core::Time jittered(static_cast<std::int64_t>(whole / 2 + random_.below(whole / 2 + 1)));
    return timers_.sleep_until(timers_.now() + jittered);
  }

 private:
  ports::Timers& timers_;
  core::Random& random_;
  BackoffOptions options_;
  core::Time began_;
  core::Time next_{0};
};

}  // namespace adapters
