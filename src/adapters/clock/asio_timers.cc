#include "adapters/clock/asio_timers.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>

namespace adapters {

namespace asio = ports::asio;
using Steady = std::chrono::steady_clock;

core::Time AsioTimers::now() const {
  return std::chrono::duration_cast<core::Time>(Steady::now().time_since_epoch());
}

core::WallMs AsioTimers::wall_now() const {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count();
}

ports::Task<void> AsioTimers::sleep_until(core::Time wake_at) {
  asio::steady_timer timer(co_await asio::this_coro::executor, Steady::time_point(wake_at));
  (void)co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
}

}  // namespace adapters
