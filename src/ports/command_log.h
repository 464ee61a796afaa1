#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/ids.h"
#include "core/result.h"
#include "ports/task.h"

namespace ports {

/// One command in the log, still encoded (log/entry.h has the format).
struct LogEntry {
  core::Index index;
  std::string payload;
  bool operator==(const LogEntry&) const = default;
};

/// The whole state after applying the log up to `index`, encoded.
struct LogSnapshot {
  core::Index index;
  std::string payload;
  bool operator==(const LogSnapshot&) const = default;
};

/// An ordered, durable list of commands, shared by all nodes. SQLite, PostgreSQL, raft and memory
/// implement it; tests/adapters/command_log_contract.h is what they all pass.
///
/// Called from one thread; calls may overlap.
class CommandLog {
 public:
  CommandLog() = default;
  CommandLog(const CommandLog&) = delete;
  CommandLog& operator=(const CommandLog&) = delete;
  virtual ~CommandLog() = default;

  /// Appends `batch` in order, all of it or nothing, at consecutive indexes after the last one, and
  /// returns the first index once all of it is durable. Other writers may get in between batches.
  ///
  /// unavailable: none of it is in the log. full: the same, for want of space.
  /// unknown: it may be; find out by reading on.
  virtual Task<core::Result<core::Index>> append(std::vector<std::string> batch) = 0;

  /// The entries that follow `after`, oldest first, without gaps, at most `limit` of them.
  ///
  /// not_found: entries right after `after` were truncated; load the snapshot instead.
  virtual Task<core::Result<std::vector<LogEntry>>> read(core::Index after, std::size_t limit) = 0;

  /// Returns when there may be entries beyond `after`. May return early.
  virtual Task<core::Result<void>> wait(core::Index after) = 0;

  /// The newest snapshot, if any.
  virtual Task<core::Result<std::optional<LogSnapshot>>> load_snapshot() = 0;

  /// Makes `snapshot` durable, unless a newer one is there already.
  virtual Task<core::Result<void>> store_snapshot(LogSnapshot snapshot) = 0;

  /// Drops entries up to and including `upto`, which must not be beyond the stored snapshot
  /// (invalid otherwise).
  virtual Task<core::Result<void>> truncate(core::Index upto) = 0;
};

}  // namespace ports
