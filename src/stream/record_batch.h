#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/ids.h"
#include "core/result.h"
#include "core/time.h"
#include "stream/request.h"

namespace stream {

// The stored form of an append: a Kafka RecordBatch v2, see docs/record-batch.md. Base offset and
// partition leader epoch lie outside its checksum, so that a batch is framed and checksummed where
// it arrives and its base offset is set when it gets its place in the stream.

inline constexpr std::size_t kBatchHeaderSize = 61;
inline constexpr std::size_t kMaxBatchSize = std::size_t{1} << 30;  // Its length field is an i32.

/// Who appended a batch and what else its append meant, kept in headers of its first record, so
/// that duplicate detection has exactly the lifetime of the data.
struct BatchIdentity {
  std::optional<ProducerClaim> producer;
  std::optional<std::string> stream_seq;
  bool closes = false;  // The stream ends with this batch.
  bool operator==(const BatchIdentity&) const = default;
};

/// Frames `values` as consecutive records: base offset 0, no Kafka producer id, uncompressed,
/// timestamps `at_ms`. No values: no bytes. The result must stay below kMaxBatchSize, which a
/// protocol's limit on bodies sees to.
FramedBatch frame_batch(std::span<const std::string_view> values, core::WallMs at_ms,
                        const BatchIdentity& identity);

/// What the write-ahead log keeps of a close without content: one empty record that carries the
/// identity and takes no offset. `identity.closes` is set whatever the caller says.
std::string frame_close_mark(core::WallMs at_ms, BatchIdentity identity);

/// Gives a batch its place in the stream. `batch` must hold at least a batch header.
void set_base_offset(char* batch, core::Offset base);
void set_base_offset(std::string& batch, core::Offset base);

/// What the header of a batch says.
struct BatchHeader {
  core::Offset base = 0;
  core::Offset end = 0;       // One past its last record.
  std::size_t size = 0;       // Of the whole batch, header included.
  std::uint32_t records = 0;  // May be fewer than end - base: Kafka allows gaps.
  core::WallMs first_timestamp = 0;
  core::WallMs max_timestamp = 0;
  bool is_compressed = false;
  bool operator==(const BatchHeader&) const = default;
};

/// Reads the header of the batch that `bytes` begins with; more may follow it. Looks at nothing but
/// the header, so it is the way to walk concatenated batches whose block was checked.
///
/// corrupt: this is no batch, or not all of it is there.
core::Result<BatchHeader> peek_batch(std::string_view bytes);

struct BatchInfo : BatchHeader {
  BatchIdentity identity;  // Of a compressed batch: empty.
  bool operator==(const BatchInfo&) const = default;
};

/// The header of the batch that `bytes` begins with, its checksum verified: the bytes are those
/// that were stored.
///
/// corrupt: a line that says what is wrong.
core::Result<BatchHeader> check_batch(std::string_view bytes);

/// Checks the batch that `bytes` begins with completely: checksum, every record's structure, their
/// offsets. The records of a compressed batch are opaque and only covered by the checksum.
///
/// corrupt: a line that says what is wrong and where in `bytes`.
core::Result<BatchInfo> inspect_batch(std::string_view bytes);

/// The identity alone, from the first record. For batches that were checked before.
core::Result<BatchIdentity> read_identity(std::string_view batch);

}  // namespace stream
