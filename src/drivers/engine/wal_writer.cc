#include "drivers/engine/wal_writer.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <iterator>
#include <utility>

#include "core/check.h"

namespace drivers {
namespace {

namespace asio = ports::asio;

// One flush is one record, which is read back whole after a crash.
constexpr std::size_t kFlushBytes = 8u << 20;
constexpr std::size_t kFlushEntries = 8192;

}  // namespace

WalWriter::WalWriter(asio::any_io_executor executor, const ports::Timers& clock,
                     std::unique_ptr<ports::Wal> wal, WalWriterEvents& events)
    : executor_(std::move(executor)),
      clock_(clock),
      wal_(std::move(wal)),
      events_(events),
      idle_(executor_) {}

ports::Task<void> WalWriter::wait_until_idle() {
  while (!is_idle()) co_await idle_.wait();
}

ports::Task<core::Result<void>> WalWriter::append(stream::WalEntry entry) {
  using Signature = void(core::Result<void>);
  return asio::async_initiate<const asio::use_awaitable_t<>, Signature>(
      [this](auto handler, stream::WalEntry taken) {
        pending_.push_back(Pending{std::move(taken), Waiter(std::move(handler))});
        start_flushes();
      },
      asio::use_awaitable, std::move(entry));
}

void WalWriter::start_flushes() {
  if (lost_) {
    fail_everything(*lost_);
    return;
  }
  // After a failure the port takes nothing new until all that was under way has come back.
  if (!in_flight_.empty() && in_flight_.front()->is_undone) return;
  while (!pending_.empty() && in_flight_.size() < wal_->max_in_flight()) {
    std::shared_ptr<Flush> flush = next_flush();
    in_flight_.push_back(flush);
    asio::co_spawn(executor_, run_flush(std::move(flush)), asio::detached);
  }
}

std::shared_ptr<WalWriter::Flush> WalWriter::next_flush() {
  auto flush = std::make_shared<Flush>();
  std::size_t bytes = 0;
  while (!pending_.empty() && flush->entries.size() < kFlushEntries) {
    bytes += pending_.front().entry.batch.size();
    if (bytes > kFlushBytes && !flush->entries.empty()) break;
    flush->entries.push_back(std::move(pending_.front()));
    pending_.pop_front();
  }
  return flush;
}

ports::Task<void> WalWriter::run_flush(std::shared_ptr<Flush> flush) {
  stream::WalBatchBuilder builder;
  for (const Pending& pending : flush->entries) builder.add(pending.entry);
  stream::WalPayload built = builder.finish();
  std::vector<std::uint64_t> positions = std::move(built.positions);
  const core::Time began = clock_.now();
  const auto result = co_await wal_->append(std::move(built.parts));
  if (result) flush_times_.add(clock_.now() - began);
  finish(*flush, result, positions);
  start_flushes();
  if (is_idle()) idle_.notify_all();
}

void WalWriter::finish(Flush& flush, const core::Result<ports::WalRecord>& result,
                       const std::vector<std::uint64_t>& positions) {
  CHECK(!in_flight_.empty() && in_flight_.front().get() == &flush);
  const std::shared_ptr<Flush> held = std::move(in_flight_.front());
  in_flight_.pop_front();
  if (flush.is_undone) {
    CHECK(!result);  // The port promised that what follows a failed append fails too.
    return;
  }
  if (!result) {
    in_flight_.push_front(held);
    fail_everything(result.error());
    in_flight_.pop_front();
    return;
  }
  for (std::size_t i = 0; i < flush.entries.size(); ++i) {
    const stream::WalEntry& entry = flush.entries[i].entry;
    ports::WalLocation location = result->location;
    location.position += positions[i];
    location.length = entry.batch.size();
    events_.on_durable(entry, WalPlace{result->sequence, location});
  }
  events_.on_flushed();
  answer(std::move(flush.entries), {});
}

void WalWriter::fail_everything(const core::Error& error) {
  std::vector<Pending> fallen;
  for (const std::shared_ptr<Flush>& flush : in_flight_) {
    if (flush->is_undone) continue;
    flush->is_undone = true;
    std::move(flush->entries.begin(), flush->entries.end(), std::back_inserter(fallen));
    flush->entries.clear();
  }
  std::move(pending_.begin(), pending_.end(), std::back_inserter(fallen));
  pending_.clear();
  for (auto pending = fallen.rbegin(); pending != fallen.rend(); ++pending) {
    events_.on_failed(pending->entry);
  }
  if (!lost_ && error.code != core::Errc::full && error.code != core::Errc::unavailable) {
    lost_ = error;
    events_.on_wal_lost(error);
  }
  answer(std::move(fallen), tl::unexpected<core::Error>(error));
}

void WalWriter::answer(std::vector<Pending> entries, const core::Result<void>& result) {
  for (Pending& pending : entries) {
    asio::post(executor_, [waiter = std::move(pending.waiter), result]() mutable {
      std::move(waiter)(std::move(result));
    });
  }
}

}  // namespace drivers
