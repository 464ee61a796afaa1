#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/ids.h"
#include "stream/view.h"

namespace stream {

struct CompactionLimits {
  std::uint64_t small_bytes = 0;   // Objects below this size are worth merging...
  std::size_t count = 0;           // ...once there are so many of them...
  std::uint64_t output_bytes = 0;  // ...into one of about this size at most.
};

/// Which committed objects to merge next: the oldest small ones. Empty: nothing to do.
std::vector<core::ObjectId> plan_compaction(const View& view, const CompactionLimits& limits);

/// The longest run of consecutive extents of one stream that lie in `objects` (ascending), as a
/// rewrite whose target is yet to be filled in. No extents: the stream has none there.
StreamRewrite plan_rewrite(core::StreamId id, const StreamRow& row,
                           const std::vector<core::ObjectId>& objects);

}  // namespace stream
