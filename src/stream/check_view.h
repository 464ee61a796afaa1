#pragma once

#include <string>

#include "stream/view.h"

namespace stream {

/// The first invariant of the state that `view` breaks, as a line that names the row; empty if it
/// keeps them all. apply() keeps them, so a view that does not is damaged. Costs a pass over the
/// view: for snapshots that were read, and for tests.
std::string broken_invariant(const View& view);

}  // namespace stream
