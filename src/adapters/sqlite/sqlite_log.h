#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <string>

#include "adapters/files/worker_pool.h"
#include "adapters/sqlite/log_table.h"
#include "ports/command_log.h"
#include "ports/signal.h"

namespace adapters {

/// The command log of a single node, in an SQLite file. SQLite works on a thread of its own.
///
/// Called on `executor`, which must outlive it.
class SqliteLog final : public ports::CommandLog {
 public:
  /// `path` is a file or ":memory:". Blocks. Errors: see LogTable::open.
  static core::Result<std::unique_ptr<SqliteLog>> open(ports::asio::any_io_executor executor,
                                                       std::string path);

  SqliteLog(ports::asio::any_io_executor executor, LogTable table);

  ports::Task<core::Result<core::Index>> append(std::vector<std::string> batch) override;
  ports::Task<core::Result<std::vector<ports::LogEntry>>> read(core::Index after,
                                                               std::size_t limit) override;
  ports::Task<core::Result<void>> wait(core::Index after) override;
  ports::Task<core::Result<std::optional<ports::LogSnapshot>>> load_snapshot() override;
  ports::Task<core::Result<void>> store_snapshot(ports::LogSnapshot snapshot) override;
  ports::Task<core::Result<void>> truncate(core::Index upto) override;

 private:
  core::Index last_;  // What the logic thread knows.
  ports::Signal appended_;
  LogTable table_;  // Belongs to the worker.
  WorkerPool worker_{1};
};

}  // namespace adapters
