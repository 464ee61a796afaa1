#include "drivers/meters.h"

#include <algorithm>

namespace drivers {

void Histogram::add(core::Time took) {
  count_.add();
  sum_us_.add(static_cast<std::uint64_t>(std::max<std::int64_t>(took.count(), 0)));
  std::size_t bucket = 0;
  while (bucket < kBuckets && took > bound(bucket)) ++bucket;
  if (bucket < kBuckets) counts_[bucket].add();
}

}  // namespace drivers
