#pragma once

#include "app/serve_options.h"

namespace app {

/// Runs a node until it is told to stop. Returns the exit status of the process: kDone after a
/// clean stop, kUsage if it cannot be started as it was told, kFailed if it had to stop.
int serve(const ServeOptions& options);

}  // namespace app
