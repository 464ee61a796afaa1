#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "core/ids.h"
#include "core/result.h"

namespace stream {

// The payload of one record of the write-ahead log: everything that one flush made durable, for
// however many streams. See docs/wal-format.md. A table says what the batches are; it is there
// twice, before and after them, so that no single damaged place hides which streams are concerned.

/// Stored: numbers never change their meaning.
enum class WalEntryKind : std::uint8_t {
  append = 1,
  append_close = 2,  // The stream ends with these records.
  close = 3,         // The stream ends at `base` == `end`; the batch is a frame_close_mark().
};

struct WalEntry {
  core::StreamId stream{};
  core::Epoch epoch{};  // Of the stream, as its writer held it.
  WalEntryKind kind = WalEntryKind::append;
  core::Offset base = 0;
  core::Offset end = 0;
  core::Bytes batch;  // One RecordBatch v2, base offset set.
  bool operator==(const WalEntry&) const = default;
};

/// A payload ready for ports::Wal::append.
struct WalPayload {
  std::vector<core::Bytes> parts;        // Their concatenation is the payload.
  std::vector<std::uint64_t> positions;  // Of each entry's batch in it, in the order of add().
  std::uint64_t size = 0;
};

class WalBatchBuilder {
 public:
  void add(const WalEntry& entry);

  std::size_t count() const { return batches_.size(); }
  bool empty() const { return batches_.empty(); }
  std::uint64_t batch_bytes() const { return batch_bytes_; }  // Without the tables.

  /// The payload of what was added; copies no batch. The builder is empty again.
  WalPayload finish();

 private:
  std::string table_;  // Encoded rows.
  std::vector<core::Bytes> batches_;
  std::uint64_t batch_bytes_ = 0;
};

struct ParsedWalEntry {
  WalEntry entry;              // `batch` is a slice of the payload.
  std::uint64_t position = 0;  // Of the batch in the payload.
  bool intact = true;          // Else the batch's bytes are not those that were written.
  bool operator==(const ParsedWalEntry&) const = default;
};

struct ParsedWalBatch {
  std::vector<ParsedWalEntry> entries;
  bool operator==(const ParsedWalBatch&) const = default;
};

/// Reads a payload back. Say `damaged` if its backend found it so (WalRecord::damage): then every
/// batch is held against its checksum, and each entry says whether it survived. Otherwise the
/// backend's checksum has vouched for all of it and only the table is checked.
///
/// corrupt: neither copy of the table can be read, so nothing is known of what was in here.
/// invalid: written by a newer build.
core::Result<ParsedWalBatch> parse_wal_batch(const core::Bytes& payload, bool damaged);

}  // namespace stream
