#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "core/ids.h"
#include "core/time.h"
#include "stream/command.h"
#include "stream/producer.h"

namespace stream {

// What the protocols ask of the engine and what it answers, free of any wire format. Requests that
// the engine could carry out but must refuse come back as a status with its companions; failures of
// the node (disk full, fenced, corrupt data) come back as core::Error.

/// A batch of records, framed by the network thread: RecordBatch v2 with base offset 0,
/// checksummed. Producer claim, Stream-Seq and the closing mark are inside it (record_batch.h).
struct FramedBatch {
  std::string bytes;  // Empty: no records.
  std::uint32_t records = 0;
  bool operator==(const FramedBatch&) const = default;
};

enum class AppendStatus : std::uint8_t {
  appended,
  duplicate,  // The producer sent this before: acknowledged again, nothing written.
  closed,     // Just closed without content, or was closed already (close-only is idempotent).
  not_found,
  deleted,          // Soft-deleted: only forks still read it.
  already_closed,   // Refused: the stream has ended.
  wrong_type,       // Refused: content type differs.
  stale_epoch,      // Refused: the producer has a newer epoch (`producer_epoch`).
  bad_epoch_start,  // Refused: a new epoch must begin at sequence 0.
  gap,              // Refused: `expected_sequence` comes next.
  stale_seq,        // Refused: Stream-Seq is not greater than the last.
  wrong_offset,     // Refused: the tail is not the expected offset.
  invalid_body,     // Refused: see AppendRequest::invalid_body.
};

struct AppendRequest {
  std::string name;
  FramedBatch batch;
  std::string content_type;  // As given; compared by normalized_type().
  std::optional<ProducerClaim> producer;
  std::optional<std::string> stream_seq;  // Compared byte-wise; per stream.
  std::optional<core::Offset> expected_offset;
  bool close = false;
  std::string invalid_body;  // Why the body is no good; judged after all the rest.
  core::WallMs at_ms = 0;
};

struct AppendReply {
  AppendStatus status = AppendStatus::appended;
  core::Offset next_offset = 0;  // Tail after (or despite) this request.
  bool closed = false;           // The stream has ended.
  std::uint64_t producer_epoch = 0;
  std::uint64_t producer_sequence = 0;  // Highest accepted one.
  std::uint64_t expected_sequence = 0;
  bool operator==(const AppendReply&) const = default;
};

enum class CreateStatus : std::uint8_t {
  created,
  existed,   // The same config: nothing was done.
  conflict,  // Another config, or the name is soft-deleted.
  source_not_found,
  source_deleted,  // Fork of a soft-deleted stream.
  source_type_differs,
  bad_fork_offset,  // Beyond the source's tail.
  bad_sub_offset,   // Overshoots the next append, or there is none.
};

struct ForkRequest {
  std::string source;                  // Stream name.
  std::optional<core::Offset> offset;  // None: the source's tail.
  std::uint64_t sub_offset = 0;        // Bytes, or messages of a JSON stream, past it.
};

struct CreateRequest {
  std::string name;
  StreamConfig config;  // content_type empty: the source's, or octet-stream.
  std::optional<ForkRequest> fork;
  bool closed = false;
  FramedBatch content;
  core::WallMs at_ms = 0;
};

struct CreateReply {
  CreateStatus status = CreateStatus::created;
  std::string content_type;
  core::Offset next_offset = 0;
  bool closed = false;
};

/// What one may know of a stream without reading it.
struct StreamFacts {
  core::StreamId id{};
  StreamConfig config;
  core::Offset start = 0;
  core::Offset tail = 0;  // Durable end: everything before it is acknowledged and readable.
  bool closed = false;
  bool deleted = false;  // Soft-deleted.
  bool damaged = false;  // What follows `tail` is lost to damage: the tail is not the end.
};

enum class ReadStart : std::uint8_t { offset, beginning, now };

struct ReadRequest {
  std::string name;
  ReadStart from = ReadStart::beginning;
  core::Offset offset = 0;
  std::size_t max_bytes = 0;  // Stop after about so many bytes; at least one batch is returned.
  core::WallMs at_ms = 0;     // Restarts a sliding TTL.
};

enum class ReadStatus : std::uint8_t {
  ok,
  not_found,
  deleted,      // Soft-deleted.
  trimmed,      // Before the earliest retained record (`facts.start`).
  beyond_tail,  // After the tail: no offset of this stream.
};

/// Records [first, end) of stored batches, with the batches around them.
struct BatchSlice {
  core::Bytes batches;     // A run of one or more whole RecordBatch v2, consecutive offsets.
  core::Offset first = 0;  // First record wanted; may lie inside the first batch.
  core::Offset end = 0;    // One past the last record wanted; may lie inside the last batch.
};

struct ReadReply {
  ReadStatus status = ReadStatus::ok;
  StreamFacts facts;
  core::Offset start = 0;  // Where the returned records begin...
  core::Offset next = 0;   // ...and the offset to go on from.
  std::vector<BatchSlice> slices;

  bool up_to_date() const { return next == facts.tail && !facts.damaged; }
  bool at_end() const { return facts.closed && up_to_date(); }
};

/// News of a stream's tail, for those who follow it.
struct TailUpdate {
  std::vector<BatchSlice> slices;  // Just became durable, consecutive, ending at `tail`.
  core::Offset tail = 0;
  bool closed = false;  // It has ended at `tail`.
  bool gone = false;    // Deleted, expired, or no longer served by this node.
};

}  // namespace stream
