#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "ports/command_log.h"

namespace SQLite {
class Database;
class Exception;
}  // namespace SQLite

namespace adapters {

/// The command log in one SQLite file, docs/log-format.md. Blocks; used by one thread at a time.
///
/// The file is locked as long as this lives. What fails leaves things as they were; after an error
/// of the disk the file is opened anew by the next call, so that it recovers when the disk does. A
/// sync that fails ends the process.
class LogTable {
 public:
  /// `path` may be ":memory:". Makes the file if there is none; its folder must exist.
  ///
  /// invalid: it cannot be opened, is no log of ours, or has a newer format. unavailable: another
  /// process has it. corrupt: SQLite cannot read it.
  static core::Result<LogTable> open(std::string path);

  LogTable(LogTable&&) noexcept;
  LogTable& operator=(LogTable&&) noexcept;
  ~LogTable();

  core::Result<core::Index> append(const std::vector<std::string>& batch);
  core::Result<std::vector<ports::LogEntry>> read(core::Index after, std::size_t limit);
  core::Result<std::optional<ports::LogSnapshot>> load_snapshot();
  core::Result<void> store_snapshot(const ports::LogSnapshot& snapshot);

  /// Drops at most `limit` of the entries up to `upto`; false if there are more.
  core::Result<bool> truncate(core::Index upto, std::size_t limit);

  /// Index of the last entry.
  core::Index last() const { return last_; }

 private:
  explicit LogTable(std::string path);

  core::Result<void> connect();
  core::Result<void> prepare_file();
  void find_ends();
  template <class Function>
  auto guarded(const char* doing, Function work) -> decltype(work());
  core::Error error_of(const char* doing, const SQLite::Exception& error);

  std::string path_;
  std::unique_ptr<SQLite::Database> database_;  // Null after an error of the disk.
  core::Index first_{1};                        // The oldest entry there is, or last + 1.
  core::Index last_{0};
  bool is_committing_ = false;
};

}  // namespace adapters
