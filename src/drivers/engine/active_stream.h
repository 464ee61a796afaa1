#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "core/ids.h"
#include "drivers/engine/wal_writer.h"
#include "drivers/stream_service.h"
#include "ports/signal.h"
#include "stream/command.h"
#include "stream/producer_table.h"
#include "stream/wal/batch.h"

namespace drivers {

/// One stored batch that is in the write-ahead log, and perhaps in memory.
struct CachedBatch {
  stream::WalEntryKind kind = stream::WalEntryKind::append;
  core::Offset base = 0;
  core::Offset end = 0;  // == base for a close without content.
  core::Bytes bytes;     // Empty if dropped; `place` then says where to read it.
  core::Life life;       // Whose write-ahead log `place` speaks of.
  WalPlace place;
};

/// What an append changed before it was durable, to take back if it fails.
struct Undo {
  stream::ProducerUndo producers;
  std::optional<stream::StreamEnd> ended;
};

/// What the owner keeps in memory of a stream that was touched. An idle one costs little: the
/// optional parts are allocated when there is something in them.
struct ActiveStream {
  explicit ActiveStream(core::StreamId which) : id(which) {}

  core::StreamId id;
  core::Epoch epoch{};         // At which this life opened it; 0: not opened for writing yet.
  core::Offset assigned = 0;   // End of what was handed to the write-ahead log.
  core::Offset durable = 0;    // End of what is acknowledged and readable: the tail.
  core::Offset uploaded = 0;   // End of what data objects hold, as committed.
  bool has_producers = false;  // `producers` is complete.
  bool end_committed = false;  // The log knows that the stream has ended.
  std::optional<stream::StreamEnd> assigned_end;     // It ends there once all is durable.
  std::optional<stream::StreamEnd> ended;            // It has ended.
  stream::ProducerTable producers;                   // After everything assigned.
  std::unique_ptr<std::deque<CachedBatch>> batches;  // Durable ones, consecutive, up to `durable`.
  std::unique_ptr<std::deque<Undo>> undo;            // One for each entry that is not durable yet.
  std::unique_ptr<std::vector<std::weak_ptr<TailListener>>> listeners;
  std::unique_ptr<ports::Signal> opened;  // While somebody opens it: the others wait here.
  std::unique_ptr<ports::Signal> moved;   // Waited on for entries to become durable, or to fail.
  std::uint64_t submitted = 0;            // Entries ever handed to the write-ahead log...
  std::uint64_t failures = 0;             // ...and how often some of them failed.
  std::string damage;  // Why some records cannot be told, and no more are taken. Empty: fine.
  bool is_set_aside = false;  // See ActiveStreams::set_aside.

  /// Entries that are in the log but not in data objects or, for an end, not in the command log.
  bool is_dirty() const { return uploaded < durable || (ended && !end_committed); }
  std::uint64_t completed() const { return submitted - (undo ? undo->size() : 0); }
};

}  // namespace drivers
