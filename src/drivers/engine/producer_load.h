#pragma once

#include "drivers/engine/context.h"

namespace drivers {

/// Makes `ActiveStream::producers` of a stream complete: the newest data object has the producers
/// as of its end, the batches after it carry the rest. Nothing must be under way on the stream.
/// not_found: the stream was deleted.
ports::Task<core::Result<void>> load_producers(EngineContext& context, core::StreamId id);

}  // namespace drivers
