#include "app/verify/report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace app::verify {
namespace {

constexpr Fault kAllFaults[kFaults] = {Fault::lost, Fault::duplicated, Fault::reordered,
                                       Fault::torn, Fault::phantom};

std::uint64_t count_of(const Judgement& judgement, Fault fault) {
  return judgement.counts[static_cast<std::size_t>(fault)];
}

}  // namespace

std::string text_report(const Run& run, const Judgement& judgement) {
  std::string text = fmt::format(
      "run {}: {} appends acknowledged ({} records) to {} streams, {} maybe ({} of them there), "
      "{} refused; {} records read back\n",
      run.ledger.run(), judgement.requests_acknowledged, judgement.records_acknowledged,
      run.ledger.streams().size(), judgement.requests_maybe, judgement.requests_maybe_there,
      judgement.requests_refused, judgement.records_read);
  for (const Finding& finding : judgement.first) {
    text += fmt::format("{}: {}: {}\n", name_of(finding.fault), finding.stream, finding.what);
  }
  if (judgement.faults() > judgement.first.size()) {
    text += fmt::format("... and {} more\n", judgement.faults() - judgement.first.size());
  }
  std::string counts;
  for (const Fault fault : kAllFaults) {
    counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", name_of(fault),
                          count_of(judgement, fault));
  }
  return text + fmt::format("{}: {}\n", judgement.good() ? "GOOD" : "BAD", counts);
}

std::string json_report(const Run& run, const Judgement& judgement) {
  nlohmann::ordered_json report{
      {"good", judgement.good()},
      {"run", run.ledger.run()},
      {"streams", run.ledger.streams().size()},
      {"appends_acknowledged", judgement.requests_acknowledged},
      {"records_acknowledged", judgement.records_acknowledged},
      {"appends_maybe", judgement.requests_maybe},
      {"appends_maybe_there", judgement.requests_maybe_there},
      {"appends_refused", judgement.requests_refused},
      {"tries_again", run.reconnects},
      {"records_read", judgement.records_read},
  };
  for (const Fault fault : kAllFaults) report[name_of(fault)] = count_of(judgement, fault);
  report["first"] = nlohmann::ordered_json::array();
  for (const Finding& finding : judgement.first) {
    report["first"].push_back(
        {{"fault", name_of(finding.fault)}, {"stream", finding.stream}, {"what", finding.what}});
  }
  return report.dump() + "\n";
}

}  // namespace app::verify
