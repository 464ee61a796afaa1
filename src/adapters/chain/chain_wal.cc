#include "adapters/chain/chain_wal.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/crc32c.h"

namespace adapters {
namespace {

constexpr std::uint64_t kRemovedAtOnce = 1024;  // Bounds one call's list of names.

}  // namespace

using core::Errc;
using core::fail;

ChainWal::ChainWal(ports::asio::any_io_executor executor, ports::ObjectStore& store,
                   ports::Timers& timers, core::Random random, core::Life life,
                   const ChainOptions& options)
    : store_(store),
      timers_(timers),
      random_(random),
      life_(life),
      options_(options),
      moved_(std::move(executor)) {}

ChainWal::Pending ChainWal::make_pending(std::vector<core::Bytes> parts) {
  Pending pending;
  ChainHeader& header = pending.header;
  header.life = life_;
  header.number = next_number_;
  header.sequence = next_sequence_;
  header.previous = previous_;
  header.skips = skips_;
  header.confirmed = confirmed_;
  header.first = declared_;
  for (const core::Bytes& part : parts) {
    header.length += part.size();
    header.payload_crc = core::extend_crc32c(header.payload_crc, part.view());
  }
  const core::Bytes encoded{encode_chain_header(header)};
  pending.name = chain_name(life_, header.number);
  pending.size = header.length + 2 * kChainHeader;
  pending.parts.push_back(encoded);
  for (core::Bytes& part : parts) pending.parts.push_back(std::move(part));
  pending.parts.push_back(encoded);
  return pending;
}

/// A place in the order, given up however the coroutine ends.
class ChainWal::Turn {
 public:
  Turn(ChainWal& wal, const ChainHeader& header) : wal_(wal), header_(header) {
    wal_.under_way_.push_back(header);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    if (!is_over_) {
      wal_.note_failure(header_.sequence, {Errc::fenced, "an append of this log was cancelled"});
      std::erase(wal_.under_way_, header_);
      wal_.moved_.notify_all();
    }
  }
  bool has_come() const { return wal_.under_way_.front() == header_; }
  void end() {
    is_over_ = true;
    wal_.leave(header_);
  }

 private:
  ChainWal& wal_;
  ChainHeader header_;
  bool is_over_ = false;
};

ports::Task<core::Result<ports::WalRecord>> ChainWal::append(std::vector<core::Bytes> parts) {
  if (failure_) co_return tl::unexpected<core::Error>(failure_->error);
  const Pending pending = make_pending(std::move(parts));
  const ChainHeader& header = pending.header;
  next_number_ = header.next_number();
  next_sequence_ += 1;
  previous_ = checksum_of(header);
  skips_ = 0;
  Turn turn(*this, header);

  co_await store(pending);
  while (!turn.has_come()) co_await moved_.wait();
  const bool failed = has_failed(header.sequence);
  const std::optional<Failure> failure = failure_;
  turn.end();
  if (failed) co_return tl::unexpected<core::Error>(failure->error);
  ports::WalRecord record;
  record.sequence = header.sequence;
  record.location = ports::WalLocation{header.number, kChainHeader, header.length};
  co_return record;
}

void ChainWal::note_failure(std::uint64_t sequence, const core::Error& error) {
  if (has_failed(sequence)) return;
  failure_ = Failure{error, sequence};
}

/// Returns once the object is in the store, or it (or one before it) has failed.
ports::Task<void> ChainWal::store(const Pending& pending) {
  const std::uint64_t sequence = pending.header.sequence;
  bool may_be_there = false;
  Backoff backoff(timers_, random_, options_.backoff);
  while (!has_failed(sequence)) {
    const Outcome put = co_await store_.put_if_absent(pending.name, pending.parts);
    if (put) co_return;
    const Errc code = put.error().code;
    if (code == Errc::conflict) {
      may_be_there = true;
      const std::optional<Outcome> seen = co_await look(pending);
      if (seen && *seen) co_return;
      if (seen) note_failure(sequence, seen->error());
      if (seen) co_return;
    }
    may_be_there = may_be_there || code == Errc::unknown;
    const bool is_worth_another_try = code == Errc::unavailable && !backoff.has_given_up();
    if (!may_be_there && !is_worth_another_try) {
      note_failure(sequence, put.error());
      co_return;
    }
    co_await backoff.pause();
  }
}

/// What stands in the place of `pending`: its own bytes, or somebody else's. None: no telling yet.
ports::Task<std::optional<ChainWal::Outcome>> ChainWal::look(const Pending& pending) {
  const auto there = co_await store_.get_range(pending.name, 0, pending.size + 1);
  if (!there) co_return std::optional<Outcome>();
  std::string_view left = there->view();
  bool is_ours = left.size() == pending.size;
  for (const core::Bytes& part : pending.parts) {
    is_ours = is_ours && left.starts_with(part.view());
    left.remove_prefix(std::min(part.size(), left.size()));
  }
  if (is_ours) co_return std::optional<Outcome>(Outcome());
  const auto header = decode_chain_header(there->view());
  const bool is_seal = header && header->kind == ChainKind::seal;
  core::Error fenced{Errc::fenced,
                     fmt::format("WAL object {} {}: another node took this log over", pending.name,
                                 is_seal ? "is a seal" : "is not ours")};
  co_return std::optional<Outcome>(Outcome(tl::unexpected<core::Error>(std::move(fenced))));
}

void ChainWal::leave(const ChainHeader& header) {
  under_way_.pop_front();
  if (!has_failed(header.sequence)) {
    confirmed_ = header.next_number();
    durably_declared_ = std::max(durably_declared_, header.first);
    kept_.push_back(Kept{header.sequence, header.number});
  } else if (!failed_first_) {
    failed_first_ = header;
  }
  if (under_way_.empty() && failure_ && failure_->error.code != Errc::fenced) take_up_again();
  moved_.notify_all();
}

void ChainWal::take_up_again() {
  skips_ = static_cast<std::uint32_t>(next_number_ - failed_first_->number - 1);
  next_number_ = failed_first_->number;
  next_sequence_ = failed_first_->sequence;
  previous_ = failed_first_->previous;
  failed_first_.reset();
  failure_.reset();
}

ports::Task<core::Result<void>> ChainWal::trim(std::uint64_t first_needed) {
  while (!kept_.empty() && kept_.front().sequence < first_needed) {
    const std::uint64_t last = kept_.front().number;
    kept_.pop_front();
    declared_ = std::max(declared_, kept_.empty() ? confirmed_ : kept_.front().number);
    if (kept_.empty()) declared_ = std::max(declared_, last + 1);
  }
  if (std::exchange(is_removing_, true)) co_return core::Result<void>();
  core::Result<void> result;
  // Nobody looks below what was durably declared, so the order does not matter. Void numbers are
  // among them.
  while (result && removed_ < durably_declared_) {
    const std::uint64_t end = std::min(durably_declared_, removed_ + kRemovedAtOnce);
    std::vector<std::string> names;
    for (std::uint64_t number = removed_; number < end; ++number) {
      names.push_back(chain_name(life_, number));
    }
    result = co_await store_.remove_all(std::move(names));
    if (result) removed_ = end;
  }
  is_removing_ = false;
  co_return result;
}

}  // namespace adapters
