#include "adapters/files/wal_segment_writer.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "core/check.h"
#include "core/crc32c.h"

namespace adapters {
namespace {

// A write into space that was only reserved makes the file system change its own tables, and the
// sync waits for its journal: twice the time of overwriting. So blocks are overwritten with zeros
// ahead of the records, in steps that an append can wait for.
constexpr std::uint64_t kPrepareStep = 512 << 10;

bool is_lack_of_space(int error) {
  return error == ENOSPC || error == EDQUOT;
}

}  // namespace

AlignedBuffer::AlignedBuffer(std::size_t size)
    : bytes_(static_cast<char*>(std::aligned_alloc(kWalBlock, size))), size_(size) {
  CHECK(size % kWalBlock == 0 && bytes_ != nullptr);
}

void AlignedBuffer::Free::operator()(char* bytes) const {
  std::free(bytes);
}

core::Result<std::unique_ptr<WalSegmentWriter>> WalSegmentWriter::create(
    const std::string& directory, const SegmentHeader& header, std::uint64_t size) {
  const std::string path = directory + "/" + segment_name(header.number);
  std::unique_ptr<WalSegmentWriter> segment(new WalSegmentWriter(path, header, size));
  int error = segment->open_and_reserve();
  if (error == 0) {
    AlignedBuffer buffer(kPrepareStep);
    std::memset(buffer.data(), 0, buffer.size());
    encode_segment_block(header).copy(buffer.data(), kWalBlock);
    const std::uint64_t first = std::min<std::uint64_t>(buffer.size(), size);
    error = segment->write_blocks(buffer.data(), first, 0, false);
    if (error != 0 && !is_lack_of_space(error)) die_of_disk("cannot write", path, error);
    segment->overwritten_ = first;
  }
  if (error != 0) {
    if (segment->file_) ::unlink(path.c_str());
    return tl::unexpected<core::Error>(disk_error("cannot make WAL segment", path, error));
  }
  sync_or_die(segment->file_.fd(), path);
  sync_directory_or_die(directory);
  return segment;
}

int WalSegmentWriter::open_and_reserve() {
  const int flags = O_RDWR | O_CREAT | O_EXCL;
  file_ = File::open(path_, flags | O_DIRECT);
  // Some file systems have made the file before they refuse O_DIRECT.
  if (!file_ && errno == EINVAL) file_ = File::open(path_, O_RDWR | O_CREAT);
  if (!file_) return errno;
  if (::fallocate(file_.fd(), 0, 0, static_cast<off_t>(size_)) == 0) return 0;
  if (errno != EOPNOTSUPP) return errno;
  return ::ftruncate(file_.fd(), static_cast<off_t>(size_)) == 0 ? 0 : errno;
}

int WalSegmentWriter::write_blocks(const char* from, std::size_t length, std::uint64_t position,
                                   bool sync) {
  while (length > 0) {
    const iovec block{const_cast<char*>(from), length};
    const bool with_sync = sync && can_sync_each_write_;
    const ssize_t wrote =
        ::pwritev2(file_.fd(), &block, 1, static_cast<off_t>(position), with_sync ? RWF_DSYNC : 0);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0 && with_sync && (errno == EOPNOTSUPP || errno == ENOSYS)) {
      can_sync_each_write_ = false;
      continue;
    }
    if (wrote < 0) return errno;
    from += wrote;
    length -= static_cast<std::size_t>(wrote);
    position += static_cast<std::uint64_t>(wrote);
  }
  if (sync && !can_sync_each_write_) sync_or_die(file_.fd(), path_);
  return 0;
}

int WalSegmentWriter::write_record(const RecordHeader& record,
                                   const std::vector<core::Bytes>& parts, AlignedBuffer& buffer) {
  const std::uint64_t whole = record_size(record.length);
  std::uint64_t position = record.position;
  std::size_t filled = 0;
  const auto flush = [&](bool sync) {
    const int error = write_blocks(buffer.data(), filled, position, sync);
    position += filled;
    filled = 0;
    return error;
  };
  encode_record_header(buffer.data(), header_, record, HeaderCopy::first);
  filled = kRecordHeader;
  for (const core::Bytes& part : parts) {
    for (std::string_view left = part.view(); !left.empty();) {
      const std::size_t taken = left.copy(buffer.data() + filled, buffer.size() - filled);
      filled += taken;
      left.remove_prefix(taken);
      if (filled < buffer.size()) continue;
      if (const int error = flush(false); error != 0) return error;
    }
  }
  const std::uint64_t left = whole - (position - record.position) - filled;
  if (filled + left > buffer.size()) {  // The padding alone crosses the buffer's end.
    std::memset(buffer.data() + filled, 0, buffer.size() - filled);
    filled = buffer.size();
    if (const int error = flush(false); error != 0) return error;
  }
  const std::uint64_t end = whole - (position - record.position);
  std::memset(buffer.data() + filled, 0, end - filled);
  filled = end;
  encode_record_header(buffer.data() + end - kRecordHeader, header_, record, HeaderCopy::last);
  if (position == record.position) return flush(true);
  if (const int error = flush(false); error != 0) return error;
  sync_or_die(file_.fd(), path_);
  return 0;
}

core::Result<std::uint64_t> WalSegmentWriter::write(std::uint64_t sequence,
                                                    const std::vector<core::Bytes>& parts,
                                                    std::uint64_t length, AlignedBuffer& buffer) {
  RecordHeader record;
  record.sequence = sequence;
  record.length = length;
  record.position = position_;
  for (const core::Bytes& part : parts) {
    record.payload_crc = core::extend_crc32c(record.payload_crc, part.view());
  }
  const int error = write_record(record, parts, buffer);
  if (is_lack_of_space(error)) {
    // Only where reserving promises nothing (copy on write). What was written is cut off.
    is_finished_ = true;
    if (::ftruncate(file_.fd(), static_cast<off_t>(position_)) != 0) {
      die_of_disk("cannot shorten", path_, errno);
    }
    sync_or_die(file_.fd(), path_);
    return tl::unexpected<core::Error>(disk_error("cannot write WAL segment", path_, error));
  }
  if (error != 0) die_of_disk("cannot write", path_, error);
  const std::uint64_t payload_at = position_ + kRecordHeader;
  position_ += record_size(length);
  overwritten_ = std::max(overwritten_, position_);
  return payload_at;
}

bool WalSegmentWriter::wants_preparation() const {
  return !is_finished_ && overwritten_ < size_ && overwritten_ - position_ < kPrepareStep / 2;
}

void WalSegmentWriter::prepare(AlignedBuffer& buffer) {
  const std::uint64_t step =
      std::min({kPrepareStep, size_ - overwritten_, static_cast<std::uint64_t>(buffer.size())});
  std::memset(buffer.data(), 0, step);
  const int error = write_blocks(buffer.data(), step, overwritten_, false);
  if (is_lack_of_space(error)) {
    overwritten_ = size_;  // Not again; an append will find out, and say so.
    return;
  }
  if (error != 0) die_of_disk("cannot write", path_, error);
  sync_or_die(file_.fd(), path_);
  overwritten_ += step;
}

}  // namespace adapters
