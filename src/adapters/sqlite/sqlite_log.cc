#include "adapters/sqlite/sqlite_log.h"

#include <algorithm>
#include <utility>

namespace adapters {
namespace {

// Dropped a piece at a time, so that appends get their turn in between.
constexpr std::size_t kDroppedAtOnce = 5'000;

}  // namespace

using ports::Task;

core::Result<std::unique_ptr<SqliteLog>> SqliteLog::open(ports::asio::any_io_executor executor,
                                                         std::string path) {
  TRY(LogTable table, LogTable::open(std::move(path)));
  return std::make_unique<SqliteLog>(std::move(executor), std::move(table));
}

SqliteLog::SqliteLog(ports::asio::any_io_executor executor, LogTable table)
    : last_(table.last()), appended_(std::move(executor)), table_(std::move(table)) {}

Task<core::Result<core::Index>> SqliteLog::append(std::vector<std::string> batch) {
  if (batch.empty()) co_return core::fail(core::Errc::invalid, "a batch without entries");
  const std::size_t entries = batch.size();
  auto work = [this, taken = std::move(batch)] { return table_.append(taken); };
  const auto first = co_await worker_.run(std::move(work));
  if (first) last_ = std::max(last_, core::Index{core::raw(*first) + entries - 1});
  // After a failure too: what is unknown may be there.
  appended_.notify_all();
  co_return first;
}

Task<core::Result<std::vector<ports::LogEntry>>> SqliteLog::read(core::Index after,
                                                                 std::size_t limit) {
  auto work = [this, after, limit] { return table_.read(after, limit); };
  return worker_.run(std::move(work));
}

Task<core::Result<void>> SqliteLog::wait(core::Index after) {
  if (last_ <= after) co_await appended_.wait();
  co_return core::Result<void>();
}

Task<core::Result<std::optional<ports::LogSnapshot>>> SqliteLog::load_snapshot() {
  auto work = [this] { return table_.load_snapshot(); };
  return worker_.run(std::move(work));
}

Task<core::Result<void>> SqliteLog::store_snapshot(ports::LogSnapshot snapshot) {
  auto work = [this, taken = std::move(snapshot)] { return table_.store_snapshot(taken); };
  return worker_.run(std::move(work));
}

Task<core::Result<void>> SqliteLog::truncate(core::Index upto) {
  for (;;) {
    auto work = [this, upto] { return table_.truncate(upto, kDroppedAtOnce); };
    CO_TRY(const bool done, co_await worker_.run(std::move(work)));
    if (done) co_return core::Result<void>();
  }
}

}  // namespace adapters
