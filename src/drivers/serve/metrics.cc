#include "drivers/serve/metrics.h"

#include <algorithm>

namespace drivers {

void HttpMetrics::count_request(core::HttpMethod method, unsigned status) {
  const auto found = std::find(kStatuses.begin(), kStatuses.end() - 1, status);
  const auto index = static_cast<std::size_t>(found - kStatuses.begin());
  requests_[static_cast<std::size_t>(method)][index].add();
}

void Histogram::add(core::Time took) {
  count_.add();
  sum_us_.add(static_cast<std::uint64_t>(std::max<std::int64_t>(took.count(), 0)));
  std::size_t bucket = 0;
  while (bucket < kBuckets && took > bound(bucket)) ++bucket;
  if (bucket < kBuckets) counts_[bucket].add();
}

}  // namespace drivers
