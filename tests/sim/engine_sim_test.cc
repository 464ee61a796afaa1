#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "sim/stream_run.h"

namespace sim {
namespace {

// As many as a build has time for. The sanitizers (and all clang builds have them) make each run
// several times slower.
#if defined(__SANITIZE_ADDRESS__) || defined(__clang__)
constexpr std::uint64_t kSeeds = 25;
constexpr std::uint64_t kCrashes = 15;
#else
constexpr std::uint64_t kSeeds = 200;
constexpr std::uint64_t kCrashes = 60;
#endif

/// A number from the environment, to repeat or lengthen a run.
std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

void run_seed(std::uint64_t seed) {
  RunOptions options = RunOptions::draw(seed);
  options.prints = setting("SIM_PRINT", 0) > 0;
  StreamRun run(seed, options);
  const std::string broken = run.run();
  ASSERT_EQ(broken, "") << "to repeat: SIM_SEED=" << seed
                        << " build/release/sim_test --gtest_filter='*AnyRun*'\n"
                        << run.log_tail();
}

TEST(EngineSimTest, AnyRunKeepsItsPromises) {
  const std::uint64_t only = setting("SIM_SEED", 0);
  if (only > 0) return run_seed(only);
  const std::uint64_t count = setting("SIM_SEEDS", kSeeds);
  const std::uint64_t first = setting("SIM_FIRST", 1);
  for (std::uint64_t seed = first; seed < first + count && !HasFatalFailure(); ++seed) {
    run_seed(seed);
  }
}

TEST(EngineSimTest, EqualSeedsGiveEqualRuns) {
  RunOptions options = RunOptions::draw(7);
  options.length = std::chrono::milliseconds(1500);
  std::vector<std::uint64_t> traces;
  for (int i = 0; i < 2; ++i) {
    StreamRun run(7, options);
    EXPECT_EQ(run.run(), "");
    traces.push_back(run.world().trace());
  }
  EXPECT_EQ(traces[0], traces[1]);
}

/// A short life of two streams, with everything that happens in one.
RunOptions short_run() {
  RunOptions options;
  options.length = std::chrono::milliseconds(400);
  options.has_mishaps = false;
  options.node.engine.log_cache_bytes = 3000;
  options.node.engine.block_cache_bytes = 4000;
  options.node.engine.upload_bytes = 2000;
  options.node.engine.upload_interval = std::chrono::milliseconds(60);
  options.node.engine.object_bytes = 20'000;
  options.node.engine.small_object_bytes = 20'000;
  options.node.engine.compact_count = 3;
  options.node.engine.sweep_interval = std::chrono::milliseconds(90);
  options.node.engine.orphan_interval = std::chrono::seconds(2);
  options.node.proposer.snapshot_entries = 40;
  options.node.proposer.kept_entries = 10;
  options.wal.max_in_flight = 3;
  options.clients.ttl_streams = 0;
  options.clients.producers = 1;
  options.clients.most_pause = std::chrono::milliseconds(25);
  options.clients.forks = 60;
  options.clients.trims = 60;
  options.clients.deletes = 5;
  return options;
}

TEST(EngineSimTest, ACrashAtAnyStepLosesNothing) {
  const RunOptions options = short_run();
  std::uint64_t steps = 0;
  {
    StreamRun calm(3, options);
    calm.begin();
    calm.world().run_for(options.length);
    steps = calm.world().steps();
    calm.settle();
    ASSERT_EQ(calm.verdict(), "");
  }
  // Every step is far too many for each build; SIM_STRIDE=1 takes them all.
  const std::uint64_t stride = setting("SIM_STRIDE", steps / setting("SIM_CRASHES", kCrashes) + 1);
  const std::uint64_t only = setting("SIM_STEP", 0);
  for (std::uint64_t step = 1; step < steps && !HasFatalFailure(); step += stride) {
    if (only > 0) step = only;
    StreamRun run(3, options);
    run.world().at_step(step, [&run] {
      run.node().crash();
      run.node().start();
    });
    const std::string broken = run.run();
    ASSERT_EQ(broken, "") << "to repeat: SIM_STEP=" << step
                          << " build/release/sim_test --gtest_filter='*AtAnyStep*'\n"
                          << run.log_tail();
    if (only > 0) break;
  }
}

}  // namespace
}  // namespace sim
