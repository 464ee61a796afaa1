#pragma once

#include "ports/timers.h"
#include "sim/world.h"

namespace sim {

/// The world's time, and a wall clock of this node's own that a test may set to anything.
class SimTimers final : public ports::Timers {
 public:
  explicit SimTimers(SimWorld& world, core::WallMs wall_at_start = 1'800'000'000'000)
      : world_(world), wall_offset_(wall_at_start) {}

  core::Time now() const override { return world_.now(); }
  core::WallMs wall_now() const override { return wall_offset_ + now_ms(); }
  ports::Task<void> sleep_until(core::Time wake_at) override { return world_.sleep_until(wake_at); }

  void set_wall(core::WallMs wall) { wall_offset_ = wall - now_ms(); }

 private:
  core::WallMs now_ms() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(world_.now()).count();
  }

  SimWorld& world_;
  core::WallMs wall_offset_;
};

}  // namespace sim
