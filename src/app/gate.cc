#include "app/gate.h"

#include "core/bytes.h"

namespace app {

ports::Task<void> Gate::handle(ports::HttpExchange& exchange) {
  if (ports::HttpHandler* handler = handler_.load(std::memory_order_acquire)) {
    co_await handler->handle(exchange);
    co_return;
  }
  core::HttpResponse response;
  response.status = 503;
  response.headers.add("Content-Type", "application/json");
  response.headers.add("Retry-After", "1");
  response.headers.add("Cache-Control", "no-store");
  response.body.emplace_back(
      std::string(R"({"error":"unavailable","message":"the node is starting"})"));
  exchange.respond(std::move(response));
}

}  // namespace app
