#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cluster/command.h"
#include "core/ids.h"
#include "core/time.h"
#include "stream/producer.h"

namespace stream {

// Everything that can happen to the stream service. Each command is a value that may arrive late or
// twice, so it carries all that its outcome depends on, time included, and names the life that
// speaks. Stored (docs/log-format.md): fields are only ever appended, variants only added at the
// end.

// What is larger is invalid. Every node must judge the same log alike, so these are part of the
// log's meaning: they can only ever be raised, and only once all nodes know the new value.
inline constexpr std::size_t kMaxNameBytes = 1024;
inline constexpr std::uint32_t kMaxReservation = 4096;

/// What a creator asks for. Two creations with equal configs are one (HTTP: 200, else 409).
struct StreamConfig {
  std::string content_type;              // As given; compared without parameters and case.
  std::optional<std::uint64_t> ttl_s{};  // Sliding: restarts with each read and write.
  std::string expires_at{};              // As given (RFC 3339), or empty.
  std::optional<core::WallMs> expires_at_ms{};
  bool operator==(const StreamConfig&) const = default;
};

/// Data of another stream that a new one begins with.
struct ForkPoint {
  core::StreamId parent{};
  core::Offset offset = 0;       // The fork inherits the records before it.
  std::uint64_t sub_offset = 0;  // As requested; what it adds is in `offset` or the fork's body.
  bool explicit_offset = false;  // The request named an offset (else: the tail it had then).
  core::Offset requested = 0;    // That offset.
  bool operator==(const ForkPoint&) const = default;
};

/// outcome.value: the stream's id (also when redundant).
/// exists: the name is taken by a stream with another config, or a soft-deleted one; its id is the
/// value. not_found: the fork's parent is gone. invalid: the fork point is outside the parent.
/// Whether an existing stream is closed is the engine's to compare: the log hears of an end late.
struct CreateStream {
  core::Life life;
  std::string name;
  StreamConfig config{};
  std::optional<ForkPoint> fork{};
  bool closed = false;          // Created at its end: only its initial content, if any.
  bool awaits_content = false;  // The creator goes on to append its body; see StreamRow.
  core::WallMs at_ms = 0;
  bool operator==(const CreateStream&) const = default;
};

/// The owner begins to write at the stream's next epoch; outcome.value is that epoch. A life opens
/// a stream once (until it closes it): a repeat is redundant, with the same epoch.
struct OpenStream {
  core::Life life;
  core::StreamId stream{};
  bool operator==(const OpenStream&) const = default;
};

/// A node's new life takes over what its ended life owned, together with that life's write-ahead
/// log, which only it can read. All streams of `from` become streams of `to`, open ones stay open.
struct AdoptLife {
  core::Life from;
  core::Life to;
  bool operator==(const AdoptLife&) const = default;
};

/// The owner gives a stream up in order (all of it is in data objects).
struct CloseStream {
  core::Life life;
  core::StreamId stream{};
  core::Epoch epoch{};
  bool operator==(const CloseStream&) const = default;
};

/// outcome.value: the first of `count` consecutive object ids, reserved for this life.
struct ReserveObjects {
  core::Life life;
  std::uint32_t count = 1;
  core::WallMs at_ms = 0;
  bool operator==(const ReserveObjects&) const = default;
};

/// A run of one stream's records in one data object.
struct Extent {
  core::ObjectId object{};
  core::Offset base = 0;
  core::Offset end = 0;
  std::uint64_t position = 0;  // In the object, of the run's first block.
  std::uint64_t bytes = 0;
  bool operator==(const Extent&) const = default;
};

/// How a stream came to its end (Durable Streams: "closed").
struct StreamEnd {
  core::Offset offset = 0;
  std::optional<ProducerClaim> by{};  // The exact claim that closed it; its repeat is a duplicate.
  bool operator==(const StreamEnd&) const = default;
};

struct StreamCommit {
  core::StreamId stream{};
  core::Epoch epoch{};
  std::optional<Extent> extent{};  // None: only the end is committed.
  std::optional<StreamEnd> ended{};
  bool operator==(const StreamCommit&) const = default;
};

/// An uploaded object, and the streams whose end offset it moves; all of it or nothing. Each stream
/// appears once and must be the proposer's, at its present epoch; its extent must begin at the
/// committed end. Commits of streams that are gone are passed over; soft-deleted ones are
/// committed, as far as forks need them. redundant: it was committed before. not_found: the
/// reservation is gone (it was given up): upload again, as another object.
struct CommitObject {
  core::Life life;
  core::ObjectId object{};  // 0: nothing but ends.
  std::uint64_t bytes = 0;
  std::vector<StreamCommit> streams;
  bool operator==(const CommitObject&) const = default;
};

/// One stream's share of a compaction: consecutive extents and the one that takes their place.
struct StreamRewrite {
  core::StreamId stream{};
  std::vector<Extent> from;
  Extent to;
  bool operator==(const StreamRewrite&) const = default;
};

/// Replaces runs of extents by one each in `object`. A stream whose extents changed since is passed
/// over; if none is left, changed_since.
struct CompactObjects {
  core::Life life;
  core::ObjectId object{};
  std::uint64_t bytes = 0;
  std::vector<StreamRewrite> streams;
  bool operator==(const CompactObjects&) const = default;
};

/// Drops the records before `start`, which must not be beyond the committed end (invalid).
struct TrimStream {
  core::Life life;
  core::StreamId stream{};
  core::Offset start = 0;
  bool operator==(const TrimStream&) const = default;
};

/// Removes the stream and frees its name. With live forks both stay, soft-deleted, until the last
/// fork is gone: the name then answers "gone" (410) and cannot be created anew (exists).
struct DeleteStream {
  core::Life life;
  core::StreamId stream{};
  bool operator==(const DeleteStream&) const = default;
};

/// Deletes a stream whose TTL or expiry time has passed by `at_ms` (invalid otherwise). Applies
/// only if nobody touched the stream since the proposer looked.
struct ExpireStream {
  core::Life life;
  core::StreamId stream{};
  core::WallMs touched_ms = 0;  // As the proposer saw it in the row.
  core::WallMs at_ms = 0;
  bool operator==(const ExpireStream&) const = default;
};

/// Remembers when streams with a TTL were last used. Never moves a row's time backwards.
struct TouchStreams {
  core::Life life;
  std::vector<core::StreamId> streams;
  std::vector<core::WallMs> at_ms;  // As many as streams.
  bool operator==(const TouchStreams&) const = default;
};

/// Gives up reservations that were never committed (of an ended life, or too old): they are doomed.
/// Those that are not, or no longer, reserved are passed over.
struct AbandonObjects {
  core::Life life;
  std::vector<core::ObjectId> objects;
  bool operator==(const AbandonObjects&) const = default;
};

/// Second phase of a deletion: the store no longer has these doomed objects. changed_since if one
/// of them is not doomed.
struct ForgetObjects {
  core::Life life;
  std::vector<core::ObjectId> objects;
  bool operator==(const ForgetObjects&) const = default;
};

using Command =
    std::variant<cluster::RegisterNode, cluster::Heartbeat, cluster::FenceNode, cluster::FenceSelf,
                 cluster::SetSlots, CreateStream, OpenStream, AdoptLife, CloseStream,
                 ReserveObjects, CommitObject, CompactObjects, TrimStream, DeleteStream,
                 ExpireStream, TouchStreams, AbandonObjects, ForgetObjects>;

}  // namespace stream
