#include "stream/apply.h"

#include <variant>

#include "cluster/apply.h"
#include "stream/apply_areas.h"

namespace stream {
namespace {

cmdlog::Outcome dispatch(View& state, const cluster::RegisterNode& command) {
  return cluster::apply(state.nodes, command);
}
cmdlog::Outcome dispatch(View& state, const cluster::Heartbeat& command) {
  return cluster::apply(state.nodes, command);
}
cmdlog::Outcome dispatch(View& state, const cluster::FenceNode& command) {
  return cluster::apply(state.nodes, command);
}
cmdlog::Outcome dispatch(View& state, const cluster::FenceSelf& command) {
  return cluster::apply(state.nodes, command);
}
cmdlog::Outcome dispatch(View& state, const cluster::SetSlots& command) {
  return cluster::apply(state.nodes, command);
}
cmdlog::Outcome dispatch(View& state, const AdoptLife& command) {
  if (!state.nodes.is_live(command.to)) return {.verdict = cmdlog::Verdict::not_live};
  return apply_one(state, command);
}

/// Everything else is said by a life, and the word of a life that is over counts for nothing.
template <class One>
cmdlog::Outcome dispatch(View& state, const One& command) {
  if (!state.nodes.is_live(command.life)) return {.verdict = cmdlog::Verdict::not_live};
  return apply_one(state, command);
}

}  // namespace

cmdlog::Outcome apply(View& state, const Command& command) {
  return std::visit([&state](const auto& one) { return dispatch(state, one); }, command);
}

}  // namespace stream
