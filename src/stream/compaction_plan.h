#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "core/ids.h"
#include "stream/view.h"

namespace stream {

struct CompactionLimits {
  std::uint64_t small_bytes = 0;   // Objects below this size are worth merging...
  std::size_t count = 0;           // ...once there are so many of them...
  std::uint64_t output_bytes = 0;  // ...into one of about this size at most.
};

/// Which committed objects to merge next: the oldest small ones that are not in `stuck`. Empty:
/// nothing to do.
std::vector<core::ObjectId> plan_compaction(const View& view, const CompactionLimits& limits,
                                            const std::set<core::ObjectId>& stuck);

/// The longest run of consecutive extents of one stream that lie in `objects` (ascending), as a
/// rewrite whose target is yet to be filled in. No extents: the stream has none there.
StreamRewrite plan_rewrite(core::StreamId id, const StreamRow& row,
                           const std::vector<core::ObjectId>& objects);

/// How many objects have no extents left once `rewrites` are made. An object may have at most one
/// run of each stream, so runs that others interrupt cannot all move: a merge that does not leave
/// fewer objects behind would be repeated for ever.
std::size_t count_emptied(const View& view, const std::vector<StreamRewrite>& rewrites);

}  // namespace stream
