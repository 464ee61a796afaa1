#pragma once

#include <atomic>

#include "ports/http.h"

namespace app {

/// Answers /health and /ready.
class NodeAdmin final : public ports::HttpHandler {
 public:
  void set_stopping() { is_stopping_ = true; }
  ports::Task<void> handle(ports::HttpExchange& exchange) override;

 private:
  std::atomic<bool> is_stopping_ = false;
};

}  // namespace app
