// Segments of the local write-ahead log. Mode 0: whatever the bytes are, reading ends and stays
// within them. Else: a sound segment of which the input overwrites some bytes; then every record
// comes back as it was written, or as damaged, or the reader says why it cannot go on.

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "adapters/files/file.h"
#include "adapters/files/wal_segment.h"
#include "adapters/files/wal_segment_reader.h"
#include "core/check.h"
#include "core/crc32c.h"

namespace {

using adapters::HeaderCopy;
using Stop = adapters::WalSegmentReader::Stop;

const adapters::SegmentHeader kHeader{{core::NodeId{1}, core::Epoch{1}}, 0, 42};

std::string payload_of(std::uint64_t sequence) {
  return std::string(1 + sequence * 2'100, static_cast<char>('a' + sequence));
}

std::string sound_segment(std::uint64_t records) {
  std::string file = adapters::encode_segment_block(kHeader);
  for (std::uint64_t sequence = 0; sequence < records; ++sequence) {
    const std::string payload = payload_of(sequence);
    adapters::RecordHeader record;
    record.sequence = sequence;
    record.length = payload.size();
    record.position = file.size();
    record.payload_crc = core::crc32c(payload);
    const std::size_t whole = adapters::record_size(payload.size());
    std::string bytes(whole, '\0');
    adapters::encode_record_header(bytes.data(), kHeader, record, HeaderCopy::first);
    bytes.replace(adapters::kRecordHeader, payload.size(), payload);
    adapters::encode_record_header(bytes.data() + whole - adapters::kRecordHeader, kHeader, record,
                                   HeaderCopy::last);
    file += bytes;
  }
  return file + std::string(2 * adapters::kWalBlock, '\0');
}

void read_all(const std::string& file, bool is_known, bool is_followed) {
  const adapters::File memory(::memfd_create("segment", MFD_CLOEXEC));
  CHECK(adapters::write_all_at(memory.fd(), file, 0) == 0);
  const std::string path = "/proc/self/fd/" + std::to_string(memory.fd());
  auto reader = adapters::WalSegmentReader::open(path, kHeader.life, 0, kHeader.salt, !is_followed);
  if (!reader) return;
  CHECK(reader->first_sequence() || !reader->first_sequence());
  reader->expect(0);
  std::vector<ports::WalRecord> records;
  for (;;) {
    const auto stop = reader->read(1'000, is_followed, records);
    if (!stop) break;
    if (*stop == Stop::lost) (void)reader->lost_record(records.size());
    if (*stop != Stop::more) break;
    CHECK(records.size() <= file.size() / adapters::kWalBlock);
  }
  for (std::size_t i = 0; i < records.size(); ++i) {
    CHECK(records[i].sequence == i);
    CHECK(!is_known || !records[i].damage.empty() || records[i].payload.view() == payload_of(i));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const bool is_followed = (data[0] & 0x80) != 0;
  const std::uint64_t count = data[0] & 0x7;
  if (count == 0) {
    read_all(std::string(data + 1, data + size), false, is_followed);
    return 0;
  }
  std::string file = sound_segment(count);
  for (std::size_t i = 1; i + 4 <= size; i += 4) {
    const std::size_t at =
        data[i] | (std::size_t{data[i + 1]} << 8) | (std::size_t{data[i + 2] & 0x3u} << 16);
    const std::size_t run = (data[i + 2] & 0x4) != 0 ? 600 : 1;
    for (std::size_t j = at; j < std::min(at + run, file.size()); ++j) {
      file[j] = static_cast<char>(data[i + 3]);
    }
  }
  read_all(file, true, is_followed);
  return 0;
}
