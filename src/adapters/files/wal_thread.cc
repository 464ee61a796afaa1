#include "adapters/files/wal_thread.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace adapters {
namespace {

// Larger records are written in pieces of this size and then synced.
constexpr std::size_t kBufferBytes = 1 << 20;

}  // namespace

WalThread::WalThread(std::string directory, std::uint64_t salt, std::uint64_t segment_bytes,
                     std::unique_ptr<WalSegmentWriter> first)
    : directory_(std::move(directory)),
      salt_(salt),
      segment_bytes_(segment_bytes),
      current_(std::move(first)),
      buffer_(kBufferBytes),
      ranges_{SegmentRange{}},
      thread_([this] { run(); }) {}

WalThread::~WalThread() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
  for (Job& job : jobs_) {
    job.done(core::fail(core::Errc::unavailable, fmt::format("WAL {} was closed", directory_)));
  }
}

void WalThread::append(std::vector<core::Bytes> parts, Done done) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(Job{std::move(parts), std::move(done)});
  }
  wake_.notify_one();
}

void WalThread::fence() {
  std::unique_lock lock(mutex_);
  is_fenced_ = true;
  idle_.wait(lock, [this] { return !is_writing_; });
}

std::vector<std::uint64_t> WalThread::take_trimmed(std::uint64_t first_needed) {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint64_t> numbers;
  while (ranges_.size() > 1 && ranges_.front().end <= first_needed) {
    numbers.push_back(ranges_.front().number);
    ranges_.erase(ranges_.begin());
  }
  return numbers;
}

void WalThread::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (is_stopping_) return;
    if (jobs_.empty()) {
      lock.unlock();
      const bool did_something = do_idle_work();
      lock.lock();
      if (!did_something && jobs_.empty() && !is_stopping_) wake_.wait(lock);
      continue;
    }
    const Job job = std::move(jobs_.front());
    jobs_.pop_front();
    const bool is_refused = is_fenced_;
    is_writing_ = !is_refused;
    lock.unlock();
    auto result = is_refused
                      ? core::Result<ports::WalRecord>(core::fail(
                            core::Errc::fenced, fmt::format("WAL {} was taken over", directory_)))
                      : write(job.parts);
    lock.lock();
    if (result) ranges_.back().end = result->sequence + 1;
    is_writing_ = false;
    lock.unlock();
    job.done(std::move(result));
    idle_.notify_all();
    lock.lock();
  }
}

/// One step, short enough for an append to wait for; false if there is nothing to do.
bool WalThread::do_idle_work() {
  if (current_->wants_preparation()) {
    current_->prepare(buffer_);
    return true;
  }
  if (!next_ && may_make_next_ && current_->is_half_full()) {
    auto made = make_segment(0);
    may_make_next_ = made.has_value();
    if (made) next_ = std::move(*made);
    return true;
  }
  return false;
}

core::Result<std::unique_ptr<WalSegmentWriter>> WalThread::make_segment(std::uint64_t payload) {
  SegmentHeader header = current_->header();
  header.number = next_number_;
  header.salt = salt_;
  const std::uint64_t size = std::max(segment_bytes_, kWalBlock + record_size(payload));
  auto made = WalSegmentWriter::create(directory_, header, size);
  if (made) next_number_ += 1;
  return made;
}

core::Result<void> WalThread::rotate(std::uint64_t payload) {
  std::unique_ptr<WalSegmentWriter> too_small;  // Stays, without records, between two others.
  if (!next_ || !next_->has_room(payload)) {
    TRY(auto made, make_segment(payload));
    too_small = std::exchange(next_, std::move(made));
  }
  current_ = std::move(next_);
  may_make_next_ = true;
  const std::lock_guard lock(mutex_);
  if (too_small) {
    ranges_.push_back(SegmentRange{too_small->header().number, next_sequence_, next_sequence_});
  }
  ranges_.push_back(SegmentRange{current_->header().number, next_sequence_, next_sequence_});
  return {};
}

core::Result<ports::WalRecord> WalThread::write(const std::vector<core::Bytes>& parts) {
  std::uint64_t length = 0;
  for (const core::Bytes& part : parts) length += part.size();
  if (!current_->has_room(length)) TRY_VOID(rotate(length));
  ports::WalRecord record;
  record.sequence = next_sequence_;
  TRY(record.location.position, current_->write(next_sequence_, parts, length, buffer_));
  record.location.file = current_->header().number;
  record.location.length = length;
  next_sequence_ += 1;
  return record;
}

}  // namespace adapters
