#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "adapters/chain/backoff.h"
#include "adapters/chain/chain_object.h"
#include "ports/object_store.h"
#include "ports/signal.h"
#include "ports/timers.h"
#include "ports/wal.h"

namespace adapters {

struct ChainOptions {
  std::size_t max_in_flight = 4;
  BackoffOptions backoff;
};

/// The object chain of the running life: one object for each record, several on their way at once.
/// The store's only-if-absent is what fences: once somebody else's object stands where the next of
/// ours must go, the chain has ended.
///
/// An answer that is not clear (`unknown`, `conflict`) is resolved by looking at the object: our
/// own bytes are success. As long as it is not resolved the append goes on trying, however long.
///
/// When an append fails for good (`full`, `unavailable`), those behind it fail too, though their
/// objects may be in the store or arrive there late. The next append takes the failed one's number
/// and says in `skips` how many numbers after it are void.
///
/// A cancelled append leaves the log at an end (`fenced`), for want of somebody to resolve it.
///
///     0 ── 1 ── 2 (skips 2)    3 and 4: void    5 ── 6 ── seal
class ChainWal final : public ports::Wal {
 public:
  ChainWal(ports::asio::any_io_executor executor, ports::ObjectStore& store, ports::Timers& timers,
           core::Random random, core::Life life, const ChainOptions& options);

  std::size_t max_in_flight() const override { return options_.max_in_flight; }
  ports::Task<core::Result<ports::WalRecord>> append(std::vector<core::Bytes> parts) override;

  /// Removes what an object that is durable already declares unneeded (ChainHeader::first), and
  /// lets the next one declare the rest. So the newest durable object always stays.
  ports::Task<core::Result<void>> trim(std::uint64_t first_needed) override;

 private:
  /// An object that is on its way, or waits for those before it.
  struct Pending {
    ChainHeader header;
    std::string name;
    std::vector<core::Bytes> parts;  // Of the whole object.
    std::uint64_t size = 0;
  };
  struct Kept {
    std::uint64_t sequence = 0;
    std::uint64_t number = 0;
  };
  /// What fails, from which sequence on, and where the chain takes up again.
  struct Failure {
    core::Error error;
    std::uint64_t sequence = 0;
  };
  using Outcome = core::Result<void>;
  class Turn;

  Pending make_pending(std::vector<core::Bytes> parts);
  bool has_failed(std::uint64_t sequence) const {
    return failure_ && failure_->sequence <= sequence;
  }
  void note_failure(std::uint64_t sequence, const core::Error& error);
  ports::Task<void> store(const Pending& pending);
  ports::Task<std::optional<Outcome>> look(const Pending& pending);
  void leave(const ChainHeader& header);
  void take_up_again();

  ports::ObjectStore& store_;
  ports::Timers& timers_;
  core::Random random_;
  const core::Life life_;
  const ChainOptions options_;

  std::uint64_t next_number_ = 0;
  std::uint64_t next_sequence_ = 0;
  std::uint32_t previous_ = 0;   // Checksum of the last object's header.
  std::uint32_t skips_ = 0;      // Of the next object.
  std::uint64_t confirmed_ = 0;  // Number after the newest durable object.

  std::deque<ChainHeader> under_way_;  // In order.
  std::optional<Failure> failure_;
  std::optional<ChainHeader> failed_first_;  // Its number comes next.
  ports::Signal moved_;                      // Somebody left under_way_.

  std::deque<Kept> kept_;       // Durable objects that are not removed.
  std::uint64_t declared_ = 0;  // What the next object's `first` says.
  std::uint64_t durably_declared_ = 0;
  std::uint64_t removed_ = 0;  // Numbers below are gone.
  bool is_removing_ = false;
};

}  // namespace adapters
