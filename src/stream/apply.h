#pragma once

#include "log/verdict.h"
#include "stream/command.h"
#include "stream/view.h"

namespace stream {

/// Runs one command. Deterministic and total: every node that applies the same log holds the same
/// state, and no command, however late or often it comes, can break it. Does not touch `applied`.
[[nodiscard]] cmdlog::Outcome apply(View& state, const Command& command);

}  // namespace stream
