// The HTTP side over the service in memory, for the conformance suite and for measuring what HTTP
// alone costs:  conformance_fake PORT [NETWORK_THREADS [LONG_POLL_MS]]

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <cstdlib>

#include "adapters/clock/asio_timers.h"
#include "adapters/http/server.h"
#include "drivers/serve/stream_handler.h"
#include "tests/support/fake_stream_service.h"

int main(int count, char** arguments) {
  const auto number = [&](int index, long otherwise) {
    return index < count ? std::strtol(arguments[index], nullptr, 10) : otherwise;
  };
  boost::asio::io_context logic{1};
  const adapters::AsioTimers clock;
  support::FakeStreamService service(clock);
  drivers::HttpMetrics metrics;
  drivers::ServeOptions options;
  options.long_poll_timeout = std::chrono::milliseconds(number(3, 500));
  adapters::HttpServer server(static_cast<std::size_t>(number(2, 1)));
  drivers::StreamHandler handler(service, logic.get_executor(), server.executors(), clock, metrics,
                                 options);
  const auto port =
      server.listen("127.0.0.1", static_cast<std::uint16_t>(number(1, 4437)), handler);
  if (!port) {
    fmt::print(stderr, "{}\n", port.error().context);
    return 1;
  }
  fmt::print("http://127.0.0.1:{}\n", *port);
  std::fflush(stdout);
  boost::asio::signal_set signals(logic, SIGINT, SIGTERM);
  signals.async_wait([&](auto, int) { logic.stop(); });
  logic.run();
  return 0;
}
