#pragma once

#include "ports/timers.h"

namespace adapters {

/// The machine's monotonic and wall clocks. Sleeps on the executor of the coroutine that asks.
class AsioTimers final : public ports::Timers {
 public:
  core::Time now() const override;
  core::WallMs wall_now() const override;
  ports::Task<void> sleep_until(core::Time wake_at) override;
};

}  // namespace adapters
