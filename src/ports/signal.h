#pragma once

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <cstdint>
#include <map>
#include <utility>

#include "ports/task.h"

namespace ports {

/// Lets coroutines of one executor wait for something to change. No state is kept: check the
/// condition, wait, check again. Not thread-safe.
///
/// Destroying a signal drops its waiters; their frames unwind when the executor next runs.
class Signal {
 public:
  explicit Signal(asio::any_io_executor executor) : executor_(std::move(executor)) {}
  Signal(const Signal&) = delete;
  Signal& operator=(const Signal&) = delete;

  /// Suspends until the next `notify_all`, or until it is cancelled (`a || signal.wait()`).
  Task<void> wait();

  /// Wakes everybody who waits now; they run later, in the order in which they began to wait.
  void notify_all();

 private:
  using Waiter = asio::any_completion_handler<void()>;

  /// The slot of a cancellation that is being delivered cannot be cleared.
  void wake(std::uint64_t ticket, bool clear_slot);

  asio::any_io_executor executor_;
  std::map<std::uint64_t, Waiter> waiters_;
  std::uint64_t next_ticket_ = 0;
};

}  // namespace ports
