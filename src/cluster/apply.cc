#include "cluster/apply.h"

namespace cluster {
namespace {

using cmdlog::Outcome;
using cmdlog::Verdict;

NodeRow* find(Nodes& nodes, core::NodeId id) {
  const auto found = nodes.rows.find(id);
  return found == nodes.rows.end() ? nullptr : &found->second;
}

}  // namespace

Outcome apply(Nodes& nodes, const RegisterNode& command) {
  if (command.slots == 0) return {.verdict = Verdict::invalid};
  const NodeRow* row = nodes.find(command.node);
  if (row != nullptr && command.token != 0 && row->token == command.token) {
    return {.verdict = Verdict::redundant, .value = core::raw(row->epoch)};
  }

  // A new life starts with nothing: its beats count from zero and no fence of an earlier one holds.
  const core::Epoch epoch = next(row == nullptr ? core::Epoch{0} : row->epoch);
  nodes.rows.insert_or_assign(command.node, NodeRow{.epoch = epoch,
                                                    .address = command.address,
                                                    .slots = command.slots,
                                                    .token = command.token});
  return {.verdict = Verdict::applied, .value = core::raw(epoch)};
}

Outcome apply(Nodes& nodes, const Heartbeat& command) {
  if (!nodes.is_live(command.life)) return {.verdict = Verdict::not_live};

  NodeRow& row = *find(nodes, command.life.node);
  row.beats += 1;
  return {.verdict = Verdict::applied, .value = row.beats};
}

Outcome apply(Nodes& nodes, const FenceNode& command) {
  NodeRow* row = find(nodes, command.life.node);
  if (row == nullptr) return {.verdict = Verdict::not_found};
  const bool as_seen =
      row->epoch == command.life.epoch && row->beats == command.beats && !row->fenced;
  if (!as_seen) return {.verdict = Verdict::changed_since};

  row->fenced = true;
  return {};
}

Outcome apply(Nodes& nodes, const FenceSelf& command) {
  NodeRow* row = find(nodes, command.life.node);
  if (row == nullptr || row->epoch != command.life.epoch) return {.verdict = Verdict::not_live};
  if (row->fenced) return {.verdict = Verdict::redundant};

  row->fenced = true;
  return {};
}

Outcome apply(Nodes& nodes, const SetSlots& command) {
  if (command.slots == 0) return {.verdict = Verdict::invalid};
  NodeRow* row = find(nodes, command.node);
  if (row == nullptr) return {.verdict = Verdict::not_found};
  if (row->slots == command.slots) return {.verdict = Verdict::redundant};

  row->slots = command.slots;
  return {};
}

}  // namespace cluster
