#include "adapters/wal_read_plan.h"

namespace adapters {
namespace {

constexpr std::uint64_t kMaxGap = 64 << 10;
constexpr std::uint64_t kMaxRun = 4 << 20;

bool continues(const WalReadRun& run, const ports::WalLocation& next) {
  const std::uint64_t end = run.position + run.length;
  return next.file == run.file && next.position >= end && next.position - end <= kMaxGap &&
         next.position + next.length - run.position <= kMaxRun;
}

}  // namespace

std::vector<WalReadRun> plan_wal_reads(const std::vector<ports::WalLocation>& locations) {
  std::vector<WalReadRun> runs;
  for (std::size_t i = 0; i < locations.size(); ++i) {
    const ports::WalLocation& next = locations[i];
    if (runs.empty() || !continues(runs.back(), next)) {
      runs.push_back(WalReadRun{next.file, next.position, next.length, i, i + 1});
      continue;
    }
    runs.back().length = next.position + next.length - runs.back().position;
    runs.back().end = i + 1;
  }
  return runs;
}

}  // namespace adapters
