#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "app/verify/journal_file.h"
#include "app/verify/judge.h"
#include "app/verify/options.h"
#include "ports/task.h"

namespace app::verify {

using Clock = std::chrono::steady_clock;

/// Between tries: short, so that a node that has just come back is busy at once.
constexpr core::Time kLongestPause = std::chrono::milliseconds(200);

/// What the writers and readers of one run share. All on one thread.
struct Run {
  Run(VerifyOptions run_options, Ledger run_ledger)
      : options(std::move(run_options)), ledger(std::move(run_ledger)) {}

  VerifyOptions options;
  Ledger ledger;
  JournalFile journal;

  bool writing_ends = false;  // No new appends.
  std::string gave_up;        // Not empty: why nothing can go on.
  std::uint32_t writers_running = 0;
  std::uint64_t acknowledged = 0;
  std::uint64_t maybe = 0;
  std::uint64_t refused = 0;
  std::uint64_t requests = 0;
  std::uint64_t records_read = 0;
  std::uint64_t reconnects = 0;

  /// Writes one line down; a journal that cannot be written ends the run.
  void note(const std::string& line);
};

/// The whole of it: writes (or not, for --check), reads, judges. Empty: see Run::gave_up.
ports::Task<core::Result<Judgement>> verify(ports::asio::any_io_executor executor, Run& run);

}  // namespace app::verify
