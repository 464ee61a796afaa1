#include "adapters/files/wal_life_reader.h"

#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace adapters {

using core::Errc;
using core::fail;
using Stop = WalSegmentReader::Stop;

core::Result<std::vector<std::uint64_t>> list_segments(const std::string& directory) {
  DIR* opened = ::opendir(directory.c_str());
  if (opened == nullptr) {
    return tl::unexpected<core::Error>(disk_error("cannot list WAL directory", directory, errno));
  }
  std::vector<std::uint64_t> numbers;
  while (const dirent* entry = ::readdir(opened)) {
    if (const auto number = segment_number(entry->d_name)) numbers.push_back(*number);
  }
  ::closedir(opened);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

core::Result<std::unique_ptr<WalLifeReader>> WalLifeReader::open(const std::string& directory,
                                                                 core::Life life, Report report) {
  TRY(auto numbers, list_segments(directory));
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    if (numbers[i] == numbers[i - 1] + 1) continue;
    return fail(Errc::corrupt,
                fmt::format("WAL segment {}/{} is missing, and {} after it is there: put it back",
                            directory, segment_name(numbers[i - 1] + 1), segment_name(numbers[i])));
  }
  std::optional<std::uint64_t> salt;
  for (std::size_t i = 0; i < numbers.size() && !salt; ++i) {
    const auto segment = WalSegmentReader::open(directory + "/" + segment_name(numbers[i]), life,
                                                numbers[i], std::nullopt, i + 1 == numbers.size());
    if (segment) salt = segment->header().salt;
  }
  std::unique_ptr<WalLifeReader> reader(
      new WalLifeReader(directory, life, std::move(numbers), salt, std::move(report)));
  for (std::size_t i = 0; i < reader->numbers_.size(); ++i) {
    TRY(const auto checked, reader->open_segment(i));
  }
  return reader;
}

core::Result<WalSegmentReader> WalLifeReader::open_segment(std::size_t index) const {
  const std::uint64_t number = numbers_[index];
  return WalSegmentReader::open(directory_ + "/" + segment_name(number), life_, number, salt_,
                                index + 1 == numbers_.size());
}

core::Result<void> WalLifeReader::rewind() {
  segment_.reset();
  follower_.reset();
  index_ = 0;
  next_ = 0;
  if (numbers_.empty()) return {};
  TRY(segment_, open_segment(0));
  // Only a log that was never trimmed has its first record in front.
  if (numbers_[0] == 0) segment_->expect(0);
  return find_follower();
}

core::Result<void> WalLifeReader::find_follower() {
  follower_.reset();
  follower_first_.reset();
  for (std::size_t i = index_ + 1; i < numbers_.size(); ++i) {
    TRY(auto segment, open_segment(i));
    TRY(follower_first_, segment.first_sequence());
    if (!follower_first_) continue;
    follower_ = std::move(segment);
    follower_index_ = i;
    return {};
  }
  return {};
}

core::Result<std::vector<ports::WalRecord>> WalLifeReader::read(std::uint64_t from,
                                                                std::size_t max_bytes) {
  const std::lock_guard lock(mutex_);
  if (next_ != from) TRY_VOID(rewind());
  std::vector<ports::WalRecord> found;
  while (segment_ && found.empty()) {
    TRY(const Stop stop, segment_->read(max_bytes, follower_.has_value(), found));
    if (stop != Stop::more) TRY_VOID(leave_segment(stop, found));
    std::erase_if(found, [from](const auto& record) { return record.sequence < from; });
  }
  next_ = found.empty() ? from : found.back().sequence + 1;
  return found;
}

core::Result<void> WalLifeReader::leave_segment(Stop stop, std::vector<ports::WalRecord>& found) {
  if (!follower_) {
    if (stop == Stop::torn && !std::exchange(has_reported_, true)) {
      report_(
          fmt::format("WAL segment {}: what is at position {} was never finished, so it was not "
                      "acknowledged; the log ends there",
                      segment_->path(), segment_->position()));
    }
    // Space that was set aside and never used: given back, so that a node which dies again and
    // again neither fills its disk nor looks through ever more zeros when it starts.
    if (stop == Stop::end) {
      (void)::truncate(segment_->path().c_str(), static_cast<off_t>(segment_->position()));
    }
    segment_.reset();
    return {};
  }
  std::optional<std::uint64_t> expected = segment_->expected();
  if (stop == Stop::lost && expected && *follower_first_ == *expected + 1) {
    TRY(auto lost, segment_->lost_record(*expected));
    found.push_back(std::move(lost));
    expected = *follower_first_;
  }
  if (expected && expected != follower_first_) {
    return fail(Errc::corrupt,
                fmt::format("WAL segment {} ends at position {} before record {}, and {} begins "
                            "with record {}: what was between them is gone",
                            segment_->path(), segment_->position(), *expected, follower_->path(),
                            *follower_first_));
  }
  follower_->expect(follower_first_);
  segment_ = std::move(follower_);
  index_ = follower_index_;
  return find_follower();
}

}  // namespace adapters
