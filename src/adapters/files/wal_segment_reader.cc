#include "adapters/files/wal_segment_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/crc32c.h"

namespace adapters {
namespace {

using core::Errc;
using core::fail;

constexpr std::size_t kLargestWindow = 1 << 20;  // Fits into a cache while its checksums are taken.
constexpr std::size_t kSector = 512;             // What a disk writes whole or not at all.
constexpr std::size_t kScan = 256 << 10;

tl::unexpected<core::Error> failed(core::Error error) {
  return tl::unexpected<core::Error>(std::move(error));
}

/// The end of a log is megabytes of zeros: each byte equals the next one, at the speed of memcmp.
bool is_zero(std::string_view bytes) {
  if (bytes.empty()) return true;
  return bytes[0] == '\0' && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
}

}  // namespace

core::Result<WalSegmentReader> WalSegmentReader::open(const std::string& path, core::Life life,
                                                      std::uint64_t number,
                                                      std::optional<std::uint64_t> salt,
                                                      bool is_last) {
  File file = File::open(path, O_RDONLY);
  if (!file) return failed(disk_error("cannot open WAL segment", path, errno));
  struct stat status {};
  if (::fstat(file.fd(), &status) != 0) {
    return failed(disk_error("cannot look at WAL segment", path, errno));
  }
  (void)::posix_fadvise(file.fd(), 0, 0, POSIX_FADV_SEQUENTIAL);
  WalSegmentReader reader(path, std::move(file), static_cast<std::uint64_t>(status.st_size));
  TRY(const core::Bytes bytes, reader.load(0, kWalBlock));
  const SegmentBlock block = decode_segment_block(bytes.view());
  if (block.newer_version != 0) {
    return fail(Errc::invalid,
                fmt::format("WAL segment {} has format version {}; this build reads up to {}: "
                            "start the newer build that wrote it",
                            path, block.newer_version, kSegmentVersion));
  }
  reader.header_ = SegmentHeader{life, number, salt.value_or(0)};
  if (block.header) {
    if (block.header->life != life || block.header->number != number) {
      return fail(Errc::corrupt,
                  fmt::format("WAL segment {} is segment {} of node {} epoch {}: it was put in the "
                              "wrong place",
                              path, block.header->number, raw(block.header->life.node),
                              raw(block.header->life.epoch)));
    }
    reader.header_ = *block.header;
  } else if (is_last && is_zero(bytes.view())) {
    reader.is_empty_ = true;
  } else if (!salt) {
    return fail(Errc::corrupt,
                fmt::format("WAL segment {}: both copies of its header, at 0 and {}, "
                            "are damaged",
                            path, kWalBlock / 2));
  }
  return reader;
}

core::Result<core::Bytes> WalSegmentReader::load(std::uint64_t position,
                                                 std::uint64_t length) const {
  if (position >= size_) return core::Bytes();
  const auto wanted = static_cast<std::size_t>(std::min(length, size_ - position));
  const std::shared_ptr<char[]> block(new char[wanted]);
  std::size_t got = 0;
  if (const int error = read_at(file_.fd(), block.get(), wanted, position, got); error != 0) {
    return fail(Errc::corrupt, fmt::format("cannot read WAL segment {} at {}: {}", path_,
                                           position + got, std::strerror(error)));
  }
  return core::Bytes(block, std::string_view(block.get(), got));
}

/// Reads on from `position`, at least `needed` bytes if there are so many.
core::Result<void> WalSegmentReader::move_window(std::uint64_t position, std::uint64_t needed) {
  window_ = core::Bytes();
  window_at_ = position;
  if (position >= size_) return {};
  const auto wanted = static_cast<std::size_t>(
      std::min(std::max<std::uint64_t>(needed, window_bytes_), size_ - position));
  window_bytes_ = std::min(window_bytes_ * 4, kLargestWindow);
  char* to = buffer_.make(wanted);
  std::size_t got = 0;
  if (const int error = read_at(file_.fd(), to, wanted, position, got); error != 0) {
    return fail(Errc::corrupt, fmt::format("cannot read WAL segment {} at {}: {}", path_,
                                           position + got, std::strerror(error)));
  }
  window_ = buffer_.share(got);
  return {};
}

/// The first record that starts at or after `from`, by either of its headers.
core::Result<std::optional<WalSegmentReader::Hit>> WalSegmentReader::find_record(
    std::uint64_t from) const {
  for (std::uint64_t at = from; at < size_;) {
    // What was only reserved is zeros; a file system that knows of it need not be asked for them.
    const off_t data = ::lseek(file_.fd(), static_cast<off_t>(at), SEEK_DATA);
    if (data < 0 && errno == ENXIO) break;
    at = std::max(at, data < 0 ? at : static_cast<std::uint64_t>(data) / kWalBlock * kWalBlock);
    TRY(const core::Bytes chunk, load(at, kScan));
    if (chunk.size() < kWalBlock) break;
    for (std::size_t i = 0; i + kWalBlock <= chunk.size(); i += kWalBlock) {
      const std::string_view block = chunk.view().substr(i, kWalBlock);
      if (is_zero(block)) continue;
      const auto first = decode_record_header(block, header_, HeaderCopy::first);
      if (first && first->position == at + i) return Hit{*first, false};
      const auto last =
          decode_record_header(block.substr(kWalBlock - kRecordHeader), header_, HeaderCopy::last);
      if (!last || last->position < from) continue;
      if (last->position + record_size(last->length) == at + i + kWalBlock) return Hit{*last, true};
    }
    at += chunk.size() / kWalBlock * kWalBlock;
  }
  return std::optional<Hit>();
}

core::Result<std::optional<std::uint64_t>> WalSegmentReader::first_sequence() {
  if (is_empty_) return std::optional<std::uint64_t>();
  TRY(const auto header, header_at(kWalBlock));
  if (header) return std::optional(header->sequence);
  TRY(const auto hit, find_record(kWalBlock));
  if (!hit) return std::optional<std::uint64_t>();
  // One that is gone before it is still the first; see step_over_damage.
  const bool is_second = hit->record.position != kWalBlock && hit->record.sequence > 0;
  return std::optional(hit->record.sequence - (is_second ? 1 : 0));
}

core::Result<std::optional<RecordHeader>> WalSegmentReader::header_at(std::uint64_t position) {
  const std::uint64_t window_end = window_at_ + window_.size();
  if (position < window_at_ || position + kRecordHeader > window_end) {
    TRY_VOID(move_window(position, kRecordHeader));
  }
  const std::string_view bytes = window_.view().substr(position - window_at_);
  const auto header = decode_record_header(bytes, header_, HeaderCopy::first);
  if (!header || header->position != position) return std::optional<RecordHeader>();
  return header;
}

core::Result<WalSegmentReader::Stop> WalSegmentReader::read(std::size_t max_bytes, bool is_followed,
                                                            std::vector<ports::WalRecord>& found) {
  if (is_empty_) return Stop::end;
  const std::size_t had = found.size();
  for (std::size_t bytes = 0;;) {
    TRY(const auto header, header_at(position_));
    if (header && found.size() > had && bytes + header->length > max_bytes) return Stop::more;
    std::optional<Stop> stop;
    if (header && (!expected_ || header->sequence == *expected_)) {
      TRY(stop, take(*header, is_followed, found));
    } else {
      TRY(stop, step_over_damage(is_followed, found));
    }
    if (stop) return *stop;
    bytes += found.back().payload.size();
  }
}

/// The record at `position_`, whose header (at one end or the other) is sound.
core::Result<std::optional<WalSegmentReader::Stop>> WalSegmentReader::take(
    const RecordHeader& header, bool is_followed, std::vector<ports::WalRecord>& found) {
  const std::uint64_t payload_at = position_ + kRecordHeader;
  if (payload_at + header.length > window_at_ + window_.size()) {
    TRY_VOID(move_window(position_, kRecordHeader + header.length));
  }
  ports::WalRecord record;
  record.sequence = header.sequence;
  record.location = ports::WalLocation{header_.number, payload_at, header.length};
  record.payload = window_.slice(payload_at - window_at_, header.length);
  if (record.payload.size() < header.length ||
      core::crc32c(record.payload.view()) != header.payload_crc) {
    if (!is_followed) {
      TRY(const auto later, find_record(position_ + record_size(header.length)));
      TRY(const bool torn, is_torn(header, record.payload.view()));
      if (!later && torn) return std::optional(Stop::torn);
    }
    record.damage = fmt::format(
        "WAL segment {}: record {}, the {} bytes from position {}, does not match its checksum",
        path_, header.sequence, header.length, payload_at);
  }
  found.push_back(std::move(record));
  expected_ = header.sequence + 1;
  position_ += record_size(header.length);
  return std::optional<Stop>();
}

/// Whether a crash in the middle of writing can have left this. The space was zeros and is written
/// whole sectors at a time: a sector of zeros is still to be written. Without one the record was
/// complete once, so it may have been acknowledged, and something changed it since.
core::Result<bool> WalSegmentReader::is_torn(const RecordHeader& header,
                                             std::string_view there) const {
  if (there.size() < header.length) return true;
  const std::uint64_t end = header.position + record_size(header.length);
  TRY(const core::Bytes last, load(end - kRecordHeader, kRecordHeader));
  if (!decode_record_header(last.view(), header_, HeaderCopy::last) && is_zero(last.view())) {
    return true;
  }
  for (std::size_t at = kSector - kRecordHeader; at + kSector <= there.size(); at += kSector) {
    if (is_zero(there.substr(at, kSector))) return true;
  }
  return false;
}

/// There is no header at `position_`, or not the expected one.
core::Result<std::optional<WalSegmentReader::Stop>> WalSegmentReader::step_over_damage(
    bool is_followed, std::vector<ports::WalRecord>& found) {
  TRY(const auto hit, find_record(position_));
  if (!hit) {
    TRY(const core::Bytes there, load(position_, kWalBlock));
    if (is_zero(there.view())) return std::optional(Stop::end);
    return std::optional(is_followed ? Stop::lost : Stop::torn);
  }
  const RecordHeader& next = hit->record;
  if (next.position == position_ && (!expected_ || next.sequence == *expected_)) {
    return take(next, is_followed, found);
  }
  const std::uint64_t sequence = expected_.value_or(next.sequence == 0 ? 0 : next.sequence - 1);
  if (next.sequence != sequence + 1 || next.position == position_) {
    return fail(Errc::corrupt,
                fmt::format("WAL segment {}: record {} should be at position {}, but what follows "
                            "is record {} at {}; what was between them is gone",
                            path_, sequence, position_, next.sequence, next.position));
  }
  TRY(core::Bytes there,
      load(position_ + kRecordHeader, next.position - position_ - 2 * kRecordHeader));
  found.push_back(
      damaged(sequence, position_, std::move(there), "both of its headers are damaged"));
  expected_ = sequence + 1;
  position_ = next.position;
  return std::optional<Stop>();
}

core::Result<ports::WalRecord> WalSegmentReader::lost_record(std::uint64_t sequence) {
  TRY(core::Bytes there, load(position_ + kRecordHeader, size_ - position_));
  return damaged(sequence, position_, std::move(there), "its headers are damaged");
}

ports::WalRecord WalSegmentReader::damaged(std::uint64_t sequence, std::uint64_t position,
                                           core::Bytes there, std::string why) const {
  ports::WalRecord record;
  record.sequence = sequence;
  record.location = ports::WalLocation{header_.number, position + kRecordHeader, there.size()};
  record.payload = std::move(there);
  record.damage =
      fmt::format("WAL segment {}: record {} at position {}: {}", path_, sequence, position, why);
  return record;
}

}  // namespace adapters
