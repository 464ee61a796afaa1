#pragma once

#include "sim/history.h"
#include "stream/view.h"

namespace sim {

/// Judges, after everything in `view` was read to its end, what can only be judged then: nothing
/// acknowledged is missing, nothing is there twice or that was refused, appends are whole and in
/// order, forks begin with what their parents had. What is wrong goes into the history.
void check_everything(History& history, const stream::View& view);

}  // namespace sim
