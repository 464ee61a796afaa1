#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/http_message.h"
#include "drivers/meters.h"

namespace drivers {

/// What the HTTP side counts; any thread may count. The engine's numbers come through AdminService.
class HttpMetrics {
 public:
  static constexpr std::size_t kMethods = 7;  // Of core::HttpMethod.
  static constexpr std::array<unsigned, 18> kStatuses = {
      200, 201, 204, 304, 307, 400, 403, 404, 405, 409, 410, 413, 429, 431, 500, 503, 507, 0};

  /// A status that is not in kStatuses counts under its 0.
  void count_request(core::HttpMethod method, unsigned status);
  std::uint64_t requests(core::HttpMethod method, std::size_t status_index) const {
    return requests_[static_cast<std::size_t>(method)][status_index].value();
  }

  Counter body_bytes_in;
  Counter body_bytes_out;  // Of reads, live ones included.
  Counter events_sent;     // Data events of SSE.
  Counter feed_fallbacks;  // A live reader was too slow for its feed's window and read again.
  Gauge sse_readers;
  Gauge long_polls;

 private:
  std::array<std::array<Counter, kStatuses.size()>, kMethods> requests_;
};

}  // namespace drivers
