#include "app/client_loop.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>

namespace app {

namespace asio = boost::asio;

int run_client(const std::function<ports::Task<int>(asio::any_io_executor)>& body) {
  asio::io_context loop{1};
  int status = 1;
  asio::co_spawn(loop, body(loop.get_executor()), [&](std::exception_ptr error, int result) {
    if (error) std::rethrow_exception(error);
    status = result;
    loop.stop();
  });
  loop.run();
  return status;
}

ports::Task<void> pause_for(std::chrono::microseconds time) {
  asio::steady_timer timer(co_await asio::this_coro::executor, time);
  co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
}

}  // namespace app
