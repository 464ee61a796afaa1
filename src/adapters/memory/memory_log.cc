#include "adapters/memory/memory_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace adapters {

using core::Errc;
using ports::Task;

Task<core::Result<core::Index>> MemoryLog::append(std::vector<std::string> batch) {
  const core::Index first = next(last());
  for (std::string& payload : batch) entries_.push_back(std::move(payload));
  appended_.notify_all();
  co_return first;
}

Task<core::Result<std::vector<ports::LogEntry>>> MemoryLog::read(core::Index after,
                                                                 std::size_t limit) {
  if (core::raw(after) < truncated_) {
    co_return core::fail(Errc::not_found, fmt::format("entry {} was truncated; the first is {}",
                                                      core::raw(after) + 1, truncated_ + 1));
  }
  std::vector<ports::LogEntry> entries;
  for (core::Index index = next(after); index <= last() && entries.size() < limit;
       index = next(index)) {
    entries.push_back({index, entries_[core::raw(index) - truncated_ - 1]});
  }
  co_return entries;
}

Task<core::Result<void>> MemoryLog::wait(core::Index after) {
  while (last() <= after) co_await appended_.wait();
  co_return core::Result<void>();
}

Task<core::Result<std::optional<ports::LogSnapshot>>> MemoryLog::load_snapshot() {
  co_return snapshot_;
}

Task<core::Result<void>> MemoryLog::store_snapshot(ports::LogSnapshot snapshot) {
  if (!snapshot_ || snapshot_->index < snapshot.index) snapshot_ = std::move(snapshot);
  co_return core::Result<void>();
}

Task<core::Result<void>> MemoryLog::truncate(core::Index upto) {
  if (!snapshot_ || upto > snapshot_->index) {
    co_return core::fail(Errc::invalid,
                         fmt::format("entry {} is beyond the stored snapshot", core::raw(upto)));
  }
  while (truncated_ < core::raw(upto) && !entries_.empty()) {
    entries_.pop_front();
    ++truncated_;
  }
  co_return core::Result<void>();
}

}  // namespace adapters
