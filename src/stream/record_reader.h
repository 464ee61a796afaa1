#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "core/ids.h"
#include "core/result.h"
#include "core/time.h"
#include "stream/varint.h"

namespace stream {

struct BatchHeader;

/// One record of a batch. Views point into the batch.
struct Record {
  core::Offset offset = 0;
  core::WallMs timestamp = 0;
  std::optional<std::string_view> key;
  std::optional<std::string_view> value;  // None is Kafka's null.
  std::string_view headers;               // Still encoded: see HeaderReader.
};

/// Walks the records of one uncompressed batch, in order. Total: whatever the bytes are, it reads
/// nothing outside them and ends. It does not look at the checksum.
///
///     TRY(auto reader, RecordReader::open(batch));
///     for (Record record; reader.next(record);) use(record);
///     if (!reader.ok()) return corrupt...
class RecordReader {
 public:
  /// `batch` must outlive the reader; bytes after the batch are ignored.
  /// corrupt: no whole batch. invalid: its records are compressed.
  static core::Result<RecordReader> open(std::string_view batch);

  /// The same for who has peeked already: `header` is what peek_batch(batch) gave, not compressed.
  RecordReader(const BatchHeader& header, std::string_view batch);

  /// False after the last record, and at the first that makes no sense: then ok() is false too.
  bool next(Record& record);

  bool ok() const { return ok_; }
  std::uint32_t left() const { return left_; }  // Records not yet read.

 private:
  bool give_up() {
    ok_ = false;
    left_ = 0;
    return false;
  }

  const char* at_;
  const char* end_;
  core::Offset base_;
  core::Offset end_offset_;
  core::Offset least_offset_;  // The next record must not be before it.
  core::WallMs first_timestamp_;
  std::uint32_t left_;
  bool ok_ = true;
};

// Inline: a catch-up read of small records does this for each of them.
[[gnu::always_inline]] inline bool RecordReader::next(Record& record) {
  if (left_ == 0) return ok_ && at_ != end_ ? give_up() : false;
  left_ -= 1;

  std::int64_t length = 0;
  if (!read_varint(at_, end_, length) || length < 1 || length > end_ - at_) return give_up();
  const char* const record_end = at_ + length;
  at_ += 1;  // Attributes: unused by Kafka.

  std::int64_t timestamp_delta = 0;
  std::int64_t offset_delta = 0;
  if (!read_varint(at_, record_end, timestamp_delta)) return give_up();
  if (!read_varint(at_, record_end, offset_delta)) return give_up();
  if (offset_delta < 0 || offset_delta > std::numeric_limits<std::int32_t>::max()) return give_up();
  record.offset = base_ + static_cast<core::Offset>(offset_delta);
  if (record.offset < least_offset_ || record.offset >= end_offset_) return give_up();
  least_offset_ = record.offset + 1;
  // Unsigned, because what a client sent may overflow.
  record.timestamp = static_cast<core::WallMs>(static_cast<std::uint64_t>(first_timestamp_) +
                                               static_cast<std::uint64_t>(timestamp_delta));

  if (!read_field(at_, record_end, record.key)) return give_up();
  if (!read_field(at_, record_end, record.value)) return give_up();
  if (at_ == record_end) return give_up();  // At least a count of headers.
  record.headers = std::string_view(at_, static_cast<std::size_t>(record_end - at_));
  at_ = record_end;
  return true;
}

struct RecordHeader {
  std::string_view key;
  std::optional<std::string_view> value;
};

/// Walks the headers of a record. As total as RecordReader.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view headers);

  bool next(RecordHeader& header);
  bool ok() const { return ok_; }
  bool at_end() const { return ok_ && left_ == 0 && at_ == end_; }

 private:
  const char* at_;
  const char* end_;
  std::uint64_t left_ = 0;
  bool ok_ = true;
};

}  // namespace stream
