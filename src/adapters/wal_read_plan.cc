#include "adapters/wal_read_plan.h"

#include <string>
#include <utility>

namespace adapters {
namespace {

constexpr std::uint64_t kMaxGap = 16 << 10;
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

void cut_wal_run(const WalReadRun& run, const std::vector<ports::WalLocation>& locations,
                 const core::Bytes& bytes, std::vector<core::Bytes>& parts) {
  std::uint64_t wanted = 0;
  for (std::size_t i = run.first; i < run.end; ++i) wanted += locations[i].length;
  const bool is_sparse = wanted < run.length / 2;
  for (std::size_t i = run.first; i < run.end; ++i) {
    core::Bytes part = bytes.slice(locations[i].position - run.position, locations[i].length);
    parts.push_back(is_sparse ? core::Bytes(std::string(part.view())) : std::move(part));
  }
}

}  // namespace adapters
