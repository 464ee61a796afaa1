#pragma once

#include <vector>

#include "drivers/engine/context.h"

namespace drivers {

/// The bytes of each batch, in order: from memory, or else read back from the write-ahead logs, as
/// many in one go as lie together there. Ask for a bounded number of bytes at a time.
///
/// not_found: a log was trimmed or removed meanwhile; what it held is in data objects. corrupt:
/// what was read back is not what was written; the line names the place.
ports::Task<core::Result<std::vector<core::Bytes>>> load_batches(EngineContext& context,
                                                                 std::vector<CachedBatch> batches);

}  // namespace drivers
