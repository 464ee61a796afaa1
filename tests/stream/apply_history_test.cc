#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "log/entry.h"
#include "log/replica.h"
#include "stream/check_view.h"
#include "stream/machine.h"
#include "tests/support/random_commands.h"

namespace stream {
namespace {

using cmdlog::Verdict;

constexpr std::uint64_t kSeeds = 30;
constexpr int kCommands = 1'000;

std::string snapshot_of(const View& view) {
  SnapshotWriter writer(std::make_shared<const View>(view));
  while (!writer.step(3)) {
  }
  return std::move(writer).finish();
}

TEST(ApplyHistoryTest, WhateverIsProposedTheStateKeepsItsInvariants) {
  std::map<std::size_t, int> applied;  // By kind of command.
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    core::Random random(seed);
    View state;
    for (int i = 0; i < kCommands; ++i) {
      const View before = state;
      const Command command = tests::random_command(random, state);
      const cmdlog::Outcome outcome = stream::apply(state, command);
      if (outcome.verdict == Verdict::applied) {
        ++applied[command.index()];
      } else {
        ASSERT_EQ(state, before) << "seed " << seed << ", command " << i << ": "
                                 << cmdlog::name_of(outcome.verdict) << " changed the state";
      }
      ASSERT_EQ(broken_invariant(state), "") << "seed " << seed << ", command " << i;
    }
  }
  // A history in which a kind of command never applies would prove nothing about it.
  for (std::size_t kind = 0; kind < std::variant_size_v<Command>; ++kind) {
    EXPECT_GE(applied[kind], 5) << "command kind " << kind;
  }
}

TEST(ApplyHistoryTest, BatchesGiveTheSameStateAsSingleCommandsAndLeaveOldVersionsAlone) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    core::Random random(seed);
    View single;
    cmdlog::Replica<Machine> replica;
    std::vector<std::pair<ViewPtr, std::string>> kept;
    for (int i = 0; i < kCommands; ++i) {
      const Command command = tests::random_command(random, single);
      const core::Index index = next(single.applied);
      const cmdlog::Outcome outcome = stream::apply(single, command);
      single.applied = index;
      const auto replayed = replica.apply(index, cmdlog::encode_entry(command));
      ASSERT_TRUE(replayed) << replayed.error().context;
      ASSERT_EQ(*replayed, outcome);
      if (random.chance(20)) replica.publish();
      if (random.chance(2)) {
        replica.publish();
        kept.emplace_back(replica.state(), snapshot_of(*replica.state()));
      }
    }
    replica.publish();
    ASSERT_EQ(*replica.state(), single) << "seed " << seed;
    for (const auto& [version, snapshot] : kept) ASSERT_EQ(snapshot_of(*version), snapshot);
  }
}

TEST(ApplyHistoryTest, SnapshotsBringBackTheWholeState) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    core::Random random(seed);
    View state;
    for (int i = 0; i < kCommands; ++i) {
      (void)stream::apply(state, tests::random_command(random, state));
      state.applied = next(state.applied);
    }
    const auto back = decode_snapshot(snapshot_of(state));
    ASSERT_TRUE(back) << back.error().context;
    ASSERT_EQ(*back, state) << "seed " << seed;
  }
}

}  // namespace
}  // namespace stream
