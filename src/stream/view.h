#pragma once

#include <compare>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/nodes.h"
#include "core/ids.h"
#include "core/rare.h"
#include "stream/command.h"
#include "stream/table.h"

namespace stream {

struct StreamRow {
  std::string name;
  StreamConfig config{};
  core::Life owner;
  core::Epoch
      epoch{};  // Goes up with every opening, so that what an earlier owner writes is refused.
  core::Epoch opened_in{};  // Of the life that opened it last: a life opens a stream once.
  bool open = false;        // The owner may have records that are only in its write-ahead log.
  bool deleted = false;     // Soft-deleted: kept, name and all, for the data that forks inherit.
  bool awaits_content = false;  // Created with a body: as long as nothing was ever appended, the
                                // creation is unfinished and a repeat of it brings the body again.
  core::Offset start = 0;       // First record that readers may have.
  core::Offset kept = 0;  // First record that anybody may have, forks included: the minimum of
                          // `start` (if not deleted) and of what forks read below their fork
                          // points. Extents before it are dropped, but for the
                          // newest of a stream that is not deleted. See retention.h.
  core::Offset end = 0;   // End of what data objects hold (for a fork: at least the fork point).
  core::Rare<StreamEnd> ended{};
  core::WallMs created_ms = 0;
  core::WallMs touched_ms = 0;  // Last known use, for the TTL; see drivers/expiry.
  core::Rare<ForkPoint> fork{};
  std::uint32_t forks = 0;        // Rows (soft-deleted ones too) that name this one as parent.
  std::vector<Extent> extents{};  // In order, without gaps, up to `end`; from >= fork point. May
                                  // begin before `start`: forks may still read those records.
  bool operator==(const StreamRow&) const = default;
};

enum class ObjectState : std::uint8_t {
  reserved,   // An upload may be under way.
  committed,  // Streams have extents in it.
  doomed,     // Nothing refers to it: delete it from the store, then ForgetObjects.
};

struct ObjectRow {
  ObjectState state = ObjectState::reserved;
  core::Life life;  // Who reserved it; part of its name in the store.
  std::uint64_t bytes = 0;
  std::uint32_t extents = 0;  // Live ones.
  core::WallMs reserved_ms = 0;
  bool operator==(const ObjectRow&) const = default;
};

/// A fork that reads its parent's records from `from` on (up to its fork point). Ordered so that
/// the first one of a parent says how much of the parent must be kept, however many forks it has.
struct Inheritance {
  core::StreamId parent{};
  core::Offset from = 0;
  core::StreamId fork{};
  auto operator<=>(const Inheritance&) const = default;
};

struct Nothing {
  bool operator==(const Nothing&) const = default;
};

/// The whole state of the stream service after applying the log up to `applied`. Published views
/// are never modified. Rows are shared between versions (see table.h).
struct View {
  core::Index applied{0};
  cluster::Nodes nodes;
  Table<core::StreamId, StreamRow> streams;
  Table<std::string, core::StreamId> names;  // Of soft-deleted streams too.
  Table<core::ObjectId, ObjectRow> objects;
  Table<Inheritance, Nothing> inheritances;  // Follows from the rows: not in snapshots.
  core::StreamId next_stream{1};
  core::ObjectId next_object{1};
  bool operator==(const View&) const = default;

  const StreamRow* find(core::StreamId id) const { return streams.find(id); }

  /// The stream of that name; null if there is none. It may be soft-deleted (`row.deleted`): then
  /// the name stays taken until the last fork is gone.
  const StreamRow* find(std::string_view name) const {
    const core::StreamId* id = names.find(name);
    return id == nullptr ? nullptr : streams.find(*id);
  }
};

using ViewPtr = std::shared_ptr<const View>;

}  // namespace stream
