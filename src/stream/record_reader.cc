#include "stream/record_reader.h"

#include <cstddef>
#include <limits>

#include "core/fixed.h"
#include "stream/record_batch.h"

namespace stream {
namespace {

bool read_long_varint(const char*& at, const char* end, std::int64_t& value) {
  std::uint64_t bits = 0;
  for (unsigned shift = 0; at != end && shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(*at++);
    if (shift == 63 && byte > 1) return false;
    bits |= std::uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) {
      value = core::unzigzag(bits);
      return true;
    }
  }
  return false;
}

/// Reads Kafka's zigzag varint; false if it is cut off or too long. Most have one byte or two.
inline bool read_varint(const char*& at, const char* end, std::int64_t& value) {
  if (end - at >= 2) {
    const unsigned first = static_cast<unsigned char>(at[0]);
    const unsigned second = static_cast<unsigned char>(at[1]);
    if (first < 0x80) {
      value = core::unzigzag(first);
      at += 1;
      return true;
    }
    if (second < 0x80) {
      value = core::unzigzag((first & 0x7Fu) | (second << 7));
      at += 2;
      return true;
    }
  }
  return read_long_varint(at, end, value);
}

/// Reads a length and that many bytes; length -1 is null.
inline bool read_field(const char*& at, const char* end, std::optional<std::string_view>& field) {
  std::int64_t length = 0;
  if (!read_varint(at, end, length)) return false;
  if (length == -1) {
    field.reset();
    return true;
  }
  if (length < 0 || length > end - at) return false;
  field.emplace(at, static_cast<std::size_t>(length));
  at += length;
  return true;
}

}  // namespace

core::Result<RecordReader> RecordReader::open(std::string_view batch) {
  TRY(const BatchHeader header, peek_batch(batch));
  if (header.is_compressed) {
    return core::fail(core::Errc::invalid, "the records of this batch are compressed");
  }
  return RecordReader(header, batch);
}

RecordReader::RecordReader(const BatchHeader& header, std::string_view batch)
    : at_(batch.data() + kBatchHeaderSize),
      end_(batch.data() + header.size),
      base_(header.base),
      end_offset_(header.end),
      least_offset_(header.base),
      first_timestamp_(header.first_timestamp),
      left_(header.records) {}

bool RecordReader::give_up() {
  ok_ = false;
  left_ = 0;
  return false;
}

bool RecordReader::next(Record& record) {
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

HeaderReader::HeaderReader(std::string_view headers)
    : at_(headers.data()), end_(headers.data() + headers.size()) {
  std::int64_t count = 0;
  ok_ = read_varint(at_, end_, count) && count >= 0 && count <= end_ - at_;
  left_ = ok_ ? static_cast<std::uint64_t>(count) : 0;
}

bool HeaderReader::next(RecordHeader& header) {
  if (left_ == 0) return false;
  left_ -= 1;
  std::optional<std::string_view> key;
  if (!read_field(at_, end_, key) || !key || !read_field(at_, end_, header.value)) {
    ok_ = false;
    left_ = 0;
    return false;
  }
  header.key = *key;
  return true;
}

}  // namespace stream
