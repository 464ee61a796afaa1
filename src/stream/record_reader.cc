#include "stream/record_reader.h"

#include "stream/record_batch.h"
#include "stream/varint.h"

namespace stream {

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
