#pragma once

#include "core/time.h"
#include "ports/task.h"

namespace ports {

class Timers {
 public:
  Timers() = default;
  Timers(const Timers&) = delete;
  Timers& operator=(const Timers&) = delete;
  virtual ~Timers() = default;

  virtual core::Time now() const = 0;

  /// What the machine's wall clock says. May jump either way; see core::WallMs for its uses.
  virtual core::WallMs wall_now() const = 0;

  /// Returns at once if `wake_at` has passed. Honours cancellation (`a || sleep_until(t)`).
  virtual Task<void> sleep_until(core::Time wake_at) = 0;
};

}  // namespace ports
