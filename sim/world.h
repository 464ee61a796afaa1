#pragma once

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/check.h"
#include "core/ids.h"
#include "core/random.h"
#include "core/time.h"
#include "ports/task.h"

namespace sim {

namespace asio = boost::asio;

/// Virtual time for Asio coroutines of many nodes: one thread, no real waiting, repeatable by seed.
///
/// Everything that is ready runs first, in the order in which it became ready; only when nothing is
/// does time jump to the next wake-up. Each node has an executor for each of its lives, so that a
/// whole process can die (`kill`) or stand still (`pause`) whatever its coroutines wait for.
///
/// Must outlive whatever runs in it.
class SimWorld {
 public:
  explicit SimWorld(std::uint64_t seed);
  SimWorld(const SimWorld&) = delete;
  SimWorld& operator=(const SimWorld&) = delete;
  ~SimWorld();

  core::Time now() const { return now_; }
  core::Random& random() { return random_; }

  /// Where the coroutines of `node` run, from now until it is killed; a new one after that.
  asio::any_io_executor executor(core::NodeId node);

  /// The process of `node` is gone: nothing on its executor runs again. Its frames are unwound
  /// before this returns (if the world itself calls it: before the next step), but for those that
  /// wait for something outside of the world: they go when that does. What the node owned may be
  /// destroyed then, in any order.
  void kill(core::NodeId node);

  /// Nothing of `node` runs until `resume`, then all that is due.
  void pause(core::NodeId node);
  void resume(core::NodeId node);

  /// Runs `event` at `when` (or now, if that has passed). It belongs to no node.
  void at(core::Time when, std::function<void()> event);

  /// Suspends the caller, a coroutine on one of the executors above. Honours cancellation.
  ports::Task<void> sleep_until(core::Time wake_at);
  /// The same, for a while.
  ports::Task<void> pass(core::Time duration) { return sleep_until(now_ + duration); }

  /// Jobs begun so far. Between any two of them a process may die.
  std::uint64_t steps() const { return steps_; }

  /// Runs `event` right before the job that makes `steps()` this number.
  void at_step(std::uint64_t step, std::function<void()> event) {
    step_events_.emplace(step, std::move(event));
  }

  /// Says when each job ran and whose it was: equal for equal seeds.
  std::uint64_t trace() const { return trace_; }

  void run_for(core::Time duration);

  /// Runs until `done()`; false if that took longer than `limit`.
  bool run_until(const std::function<bool()>& done, core::Time limit = kLongTime);

  /// Runs until nothing is left to happen; false if there was more after `limit`.
  bool run_until_idle(core::Time limit = kLongTime);

  /// Runs `task` on `node` to its end, and the rest of the world meanwhile.
  template <class T>
  T run(core::NodeId node, ports::Task<T> task) {
    std::optional<T> result;
    asio::co_spawn(executor(node), std::move(task), [&result](std::exception_ptr error, T value) {
      if (error) std::rethrow_exception(error);
      result = std::move(value);
    });
    CHECK(run_until([&result] { return result.has_value(); }));
    return std::move(*result);
  }

  /// Starts `task` on `node` and lets it go.
  void spawn(core::NodeId node, ports::Task<void> task);

  static constexpr core::Time kLongTime = std::chrono::hours(24);

 private:
  struct Job {
    virtual ~Job() = default;
    virtual void run() = 0;
  };
  using JobPtr = std::unique_ptr<Job>;

  /// One life of a node in this world.
  struct Process {
    std::uint64_t number = 0;
    bool is_dead = false;
    bool is_paused = false;
    std::deque<JobPtr> held;  // Became ready while paused.
  };
  using ProcessPtr = std::shared_ptr<Process>;

  class Executor;
  using Wake = asio::any_completion_handler<void()>;
  using Key = std::pair<core::Time, std::uint64_t>;  // Same time: first come, first served.
  struct Sleeper {
    ProcessPtr process;  // Null: belongs to no node.
    Wake wake;
  };

  void enqueue(ProcessPtr process, JobPtr job);
  static ProcessPtr process_of(const asio::any_io_executor& executor);
  void add_sleeper(core::Time wake_at, ProcessPtr process, Wake wake);
  void cancel_sleeper(Key key);
  void wake(Sleeper sleeper);
  void bury();
  void run_ready();
  void begin_step();
  bool step_until(core::Time end);

  asio::io_context io_{1};  // For Asio's own timers; its handlers end up on our executors.
  core::Time now_{0};
  core::Random random_;
  std::uint64_t sequence_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t trace_ = 0;
  std::uint64_t next_process_ = 1;
  std::multimap<std::uint64_t, std::function<void()>> step_events_;
  std::map<core::NodeId, ProcessPtr> processes_;
  std::deque<std::pair<ProcessPtr, JobPtr>> ready_;
  std::map<Key, Sleeper> sleepers_;
  // Jobs of the dead. Destroying one unwinds frames, which must not happen inside one of them.
  std::vector<JobPtr> grave_;
  bool is_running_ = false;  // A handler is.
};

}  // namespace sim
