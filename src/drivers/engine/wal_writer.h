#pragma once

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "drivers/meters.h"
#include "ports/signal.h"
#include "ports/timers.h"
#include "ports/wal.h"
#include "stream/wal/batch.h"

namespace drivers {

/// Where a WAL entry came to lie: the record, and the entry's own bytes inside it.
struct WalPlace {
  std::uint64_t sequence = 0;
  ports::WalLocation location;
};

/// Hears what became of entries, in the order in which they were submitted.
class WalWriterEvents {
 public:
  virtual ~WalWriterEvents() = default;
  virtual void on_durable(const stream::WalEntry& entry, const WalPlace& place) = 0;

  /// Follows the last `on_durable` of one flush.
  virtual void on_flushed() = 0;

  /// The entry is not in the log and never will be. Called newest first for all that fell with it,
  /// so that what they assumed can be undone step by step.
  virtual void on_failed(const stream::WalEntry& entry) = 0;

  /// The log was taken over, or fails in a way that is no error of one append.
  virtual void on_wal_lost(const core::Error& error) = 0;
};

/// Group commit: entries that come while a flush is under way go with the next one; an entry that
/// finds nothing under way is flushed at once. No timer is involved.
class WalWriter {
 public:
  WalWriter(ports::asio::any_io_executor executor, const ports::Timers& clock,
            std::unique_ptr<ports::Wal> wal, WalWriterEvents& events);

  /// Takes the entry in, in order, and returns once it is durable or has failed. The events come
  /// before any caller goes on.
  ports::Task<core::Result<void>> append(stream::WalEntry entry);

  ports::Wal& wal() { return *wal_; }
  bool is_idle() const { return in_flight_.empty() && pending_.empty(); }
  /// Returns when nothing is under way.
  ports::Task<void> wait_until_idle();
  /// How long those took that succeeded, from the write to the sync.
  const Histogram& flush_times() const { return flush_times_; }

 private:
  using Waiter = ports::asio::any_completion_handler<void(core::Result<void>)>;
  struct Pending {
    stream::WalEntry entry;
    Waiter waiter;
  };
  struct Flush {
    std::vector<Pending> entries;
    bool is_undone = false;  // An earlier one failed and took this one with it.
  };

  void start_flushes();
  std::shared_ptr<Flush> next_flush();
  ports::Task<void> run_flush(std::shared_ptr<Flush> flush);
  void finish(Flush& flush, const core::Result<ports::WalRecord>& result,
              const std::vector<std::uint64_t>& positions);
  void fail_everything(const core::Error& error);
  void answer(std::vector<Pending> entries, const core::Result<void>& result);

  ports::asio::any_io_executor executor_;
  const ports::Timers& clock_;
  std::unique_ptr<ports::Wal> wal_;
  WalWriterEvents& events_;
  std::deque<Pending> pending_;
  std::deque<std::shared_ptr<Flush>> in_flight_;  // Oldest first.
  std::optional<core::Error> lost_;
  Histogram flush_times_;
  ports::Signal idle_;
};

}  // namespace drivers
