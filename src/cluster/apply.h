#pragma once

#include "cluster/command.h"
#include "cluster/nodes.h"
#include "log/verdict.h"

namespace cluster {

// What the commands about nodes do. Each service's apply calls these with its own `Nodes`.

/// outcome.value: the node's epoch, also when redundant.
[[nodiscard]] cmdlog::Outcome apply(Nodes& nodes, const RegisterNode& command);

/// outcome.value: the node's beats.
[[nodiscard]] cmdlog::Outcome apply(Nodes& nodes, const Heartbeat& command);

[[nodiscard]] cmdlog::Outcome apply(Nodes& nodes, const FenceNode& command);
[[nodiscard]] cmdlog::Outcome apply(Nodes& nodes, const FenceSelf& command);
[[nodiscard]] cmdlog::Outcome apply(Nodes& nodes, const SetSlots& command);

}  // namespace cluster
