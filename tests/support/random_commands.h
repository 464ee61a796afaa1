#pragma once

#include "core/random.h"
#include "stream/command.h"
#include "stream/view.h"

namespace tests {

/// The next command of a random history of `view`: mostly what a sane proposer would say, sometimes
/// stale, repeated or senseless.
stream::Command random_command(core::Random& random, const stream::View& view);

}  // namespace tests
