#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "ports/command_log.h"
#include "ports/signal.h"

namespace adapters {

/// A command log that ends with the process. For tests; everything succeeds at once.
class MemoryLog final : public ports::CommandLog {
 public:
  explicit MemoryLog(ports::asio::any_io_executor executor) : appended_(std::move(executor)) {}

  ports::Task<core::Result<core::Index>> append(std::vector<std::string> batch) override;
  ports::Task<core::Result<std::vector<ports::LogEntry>>> read(core::Index after,
                                                               std::size_t limit) override;
  ports::Task<core::Result<void>> wait(core::Index after) override;
  ports::Task<core::Result<std::optional<ports::LogSnapshot>>> load_snapshot() override;
  ports::Task<core::Result<void>> store_snapshot(ports::LogSnapshot snapshot) override;
  ports::Task<core::Result<void>> truncate(core::Index upto) override;

 private:
  core::Index last() const { return core::Index{truncated_ + entries_.size()}; }

  std::uint64_t truncated_ = 0;  // How many entries were dropped from the front.
  std::deque<std::string> entries_;
  std::optional<ports::LogSnapshot> snapshot_;
  ports::Signal appended_;
};

}  // namespace adapters
