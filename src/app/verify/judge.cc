#include "app/verify/judge.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/verify/stream_judge.h"

namespace app::verify {

const char* name_of(Fault fault) {
  switch (fault) {
    case Fault::lost: return "lost";
    case Fault::duplicated: return "duplicated";
    case Fault::reordered: return "reordered";
    case Fault::torn: return "torn";
    case Fault::phantom: return "phantom";
  }
  return "lost";
}

std::uint64_t Judgement::faults() const {
  std::uint64_t sum = 0;
  for (const std::uint64_t count : counts) sum += count;
  return sum;
}

Judgement judge(const Ledger& ledger, const std::vector<Reading>& readings) {
  Judgement judgement;
  for (std::uint32_t stream = 0; stream < ledger.streams().size(); ++stream) {
    static const Reading kNothing{};
    const Reading* final = &kNothing;
    std::vector<const Reading*> others;
    for (const Reading& reading : readings) {
      if (reading.stream != stream) continue;
      judgement.records_read += reading.seen.size();
      if (reading.final) {
        final = &reading;
      } else {
        others.push_back(&reading);
      }
    }
    StreamJudge of_stream(ledger, stream, judgement);
    of_stream.judge_final(*final);
    for (const Reading* reading : others) of_stream.judge_reader(*reading);
  }
  return judgement;
}

}  // namespace app::verify
