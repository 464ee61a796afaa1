#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/ids.h"
#include "core/result.h"
#include "core/time.h"

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
  bool give_up();

  const char* at_;
  const char* end_;
  core::Offset base_;
  core::Offset end_offset_;
  core::Offset least_offset_;  // The next record must not be before it.
  core::WallMs first_timestamp_;
  std::uint32_t left_;
  bool ok_ = true;
};

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
