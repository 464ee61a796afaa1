// Record batches from anywhere: whatever the bytes are, reading them ends, stays within them, and
// all ways of reading agree on what is there.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/check.h"
#include "core/crc32c.h"
#include "core/fixed.h"
#include "stream/gather.h"
#include "stream/record_batch.h"
#include "stream/record_reader.h"

namespace {

std::string text_of(const std::vector<core::Bytes>& parts) {
  std::string text;
  for (const core::Bytes& part : parts) text += part.view();
  return text;
}

void read_as_values(const core::Bytes& batches, core::Offset first, core::Offset end) {
  const stream::BatchSlice slice{.batches = batches, .first = first, .end = end};
  for (const stream::Join join : {stream::Join::raw, stream::Join::commas}) {
    std::string copied;
    const auto count = stream::append_values(slice, join, copied);
    stream::ValueGather gather(join, 4);
    const bool gathered = gather.add(slice).has_value();
    CHECK(gathered == count.has_value());
    if (!gathered) continue;
    CHECK(gather.values() == *count);
    CHECK(gather.bytes() == copied.size());
    CHECK(text_of(gather.finish()) == copied);
  }
}

void read(std::string_view bytes) {
  const auto info = stream::inspect_batch(bytes);
  const auto header = stream::peek_batch(bytes);
  CHECK(header.has_value() || !info.has_value());
  if (!header) return;
  read_as_values(core::Bytes(std::string(bytes)), header->base, header->end);
  read_as_values(core::Bytes(std::string(bytes)), header->base + 1, header->end);

  auto reader = stream::RecordReader::open(bytes);
  CHECK(reader.has_value() == !header->is_compressed);
  if (!reader) return;
  std::uint32_t count = 0;
  for (stream::Record record; reader->next(record); ++count) {
    CHECK(record.offset >= header->base && record.offset < header->end);
    stream::HeaderReader headers(record.headers);
    for (stream::RecordHeader found; headers.next(found);) {
    }
  }
  if (!info) return;
  CHECK(reader->ok() && count == info->records);
  CHECK(stream::read_identity(bytes) == info->identity);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  read(bytes);
  // A fuzzer does not find checksums, so give it the right one and, half of the time, the length.
  if (bytes.size() < stream::kBatchHeaderSize) return 0;
  if ((bytes.size() & 1) == 0) {
    core::store_be(bytes.data() + 8, static_cast<std::int32_t>(bytes.size() - 12));
  }
  const auto header = stream::peek_batch(bytes);
  const std::size_t end = header ? header->size : bytes.size();
  core::store_be(bytes.data() + 17, core::crc32c(std::string_view(bytes).substr(21, end - 21)));
  read(bytes);
  return 0;
}
