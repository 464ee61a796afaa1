#include "app/verify/reader.h"

#include <fmt/format.h>

#include "app/client_loop.h"

namespace app::verify {
namespace {

constexpr auto kBetweenCatchUps = std::chrono::milliseconds(50);  // At the tail.

}  // namespace

Reader::Reader(ports::asio::any_io_executor executor, Run& run, std::uint32_t stream, ReadMode mode,
               std::string from)
    : run_(run),
      mode_(mode),
      client_(executor, run.options.endpoint),
      reader_(client_, run.ledger.streams()[stream].name, mode, from),
      decoder_(run.ledger.streams()[stream].kind, run.ledger.run()),
      backoff_(stream * 3 + static_cast<std::uint64_t>(mode), kLongestPause) {
  reading_.stream = stream;
  reading_.how = app::name_of(mode);
  reading_.from = std::move(from);
}

bool Reader::at_goal() const {
  // An append whose answer was lost may come late: the final read must not end before it.
  if (reading_.final && !up_to_date_) return false;
  return !goal_.empty() && reader_.offset() != "-1" && reader_.offset() >= goal_;
}

void Reader::set_goal(const std::string& offset) {
  goal_ = offset;
  if (at_goal()) client_.close();
}

void Reader::stop(bool whole) {
  if (done_) return;
  stopped_ = true;
  reading_.whole = whole;
  client_.close();
}

void Reader::take(const ReadChunk& chunk) {
  const std::size_t before = reading_.seen.size();
  for (const std::string& piece : chunk.pieces) {
    for (Seen& seen : decoder_.feed(piece)) reading_.seen.push_back(std::move(seen));
  }
  const std::size_t got = reading_.seen.size() - before;
  run_.records_read += got;
  up_to_date_ = chunk.up_to_date;
  idle_ = got == 0 && up_to_date_;
  if (got > 0 || reading_.chunks.empty()) {
    reading_.chunks.push_back({chunk.start, chunk.next, reading_.seen.size(), chunk.up_to_date});
  } else {
    reading_.chunks.back().next = chunk.next;
  }
}

/// True: try again.
ports::Task<bool> Reader::after_error(core::Error error) {
  if (at_goal() || stopped_) co_return false;
  if (error.code == core::Errc::corrupt) {
    Seen damage;
    damage.damage = error.context;
    reading_.seen.push_back(std::move(damage));
    co_return false;
  }
  const bool passing = error.code == core::Errc::unavailable || error.code == core::Errc::unknown;
  if (!passing) {
    fmt::print(stderr, "{} ({}): {}\n", run_.ledger.streams()[reading_.stream].name, reading_.how,
               error.context);
    co_return false;
  }
  client_.close();
  co_await pause_for(backoff_.next());
  co_return !stopped_;
}

ports::Task<void> Reader::read_all() {
  while (!at_goal() && !stopped_ && run_.gave_up.empty()) {
    const auto chunk = co_await reader_.next();
    if (!chunk) {
      if (co_await after_error(chunk.error())) continue;
      break;
    }
    backoff_.reset();
    take(*chunk);
    if (chunk->closed) break;
    if (mode_ == ReadMode::catch_up && idle_ && !at_goal()) co_await pause_for(kBetweenCatchUps);
  }
  if (!stopped_) reading_.whole = at_goal();
  reading_.rest = decoder_.rest();
  done_ = true;
}

}  // namespace app::verify
