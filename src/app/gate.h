#pragma once

#include <atomic>

#include "core/http_message.h"
#include "ports/http.h"

namespace app {

/// Stands where a handler will be, so that a node can take its ports before it writes anything and
/// answers 503 until it is ready to serve.
class Gate final : public ports::HttpHandler {
 public:
  /// From any thread. `handler` must outlive the server that calls this gate.
  void open(ports::HttpHandler& handler) { handler_.store(&handler, std::memory_order_release); }

  ports::Task<void> handle(ports::HttpExchange& exchange) override;

 private:
  std::atomic<ports::HttpHandler*> handler_{nullptr};
};

}  // namespace app
