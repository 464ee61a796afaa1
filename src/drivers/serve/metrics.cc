#include "drivers/serve/metrics.h"

#include <algorithm>

namespace drivers {

void HttpMetrics::count_request(core::HttpMethod method, unsigned status) {
  const auto found = std::find(kStatuses.begin(), kStatuses.end() - 1, status);
  const auto index = static_cast<std::size_t>(found - kStatuses.begin());
  requests_[static_cast<std::size_t>(method)][index].add();
}

}  // namespace drivers
