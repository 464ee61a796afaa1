#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "sim/stream_run.h"

namespace sim {
namespace {

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
                        << " build/dev/sim_test --gtest_filter='*AnyRun*'\n"
                        << run.log_tail();
}

TEST(EngineSimTest, AnyRunKeepsItsPromises) {
  const std::uint64_t only = setting("SIM_SEED", 0);
  if (only > 0) return run_seed(only);
  const std::uint64_t count = setting("SIM_SEEDS", 20);
  const std::uint64_t first = setting("SIM_FIRST", 1);
  for (std::uint64_t seed = first; seed < first + count && !HasFatalFailure(); ++seed) {
    run_seed(seed);
  }
}

}  // namespace
}  // namespace sim
