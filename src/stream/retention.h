#pragma once

#include "stream/view.h"

namespace stream {

// Who still needs which records. A fork reads its parent below the fork point, so a parent's data
// outlives its trim and even its deletion; `StreamRow::kept` says from where on.

/// `kept` of a stream that nobody reads.
inline constexpr core::Offset kNobody = ~core::Offset{0};

/// What `kept` of a row must be: follows from the row and from what its forks read.
core::Offset first_needed(const View& state, core::StreamId id, const StreamRow& row);

/// Whether the row is a fork that reads its parent's records.
bool inherits(const StreamRow& row);

/// What a fork that inherits has in View::inheritances.
Inheritance inheritance_of(core::StreamId id, const StreamRow& row);

/// Notes what `fork`, which is new, reads of its parent.
void add_fork(View& state, core::StreamId fork);

/// To be called after `start` or `deleted` of a stream changed: drops the extents that nobody needs
/// any more, its own and its ancestors'. Costs the length of that line, not the number of streams.
void drop_unneeded(View& state, core::StreamId id);

/// Drops the extents of one row that nobody needs. The newest one of a stream that is not deleted
/// stays in any case: its object tells the stream's producers.
void drop_extents(View& state, StreamRow& row);

/// Takes the row away with everything in it, and each soft-deleted ancestor whose last fork this
/// was.
void remove_stream(View& state, core::StreamId id);

/// Notes that an extent of `object` is gone. An object without any is doomed.
void release_extent(View& state, core::ObjectId object);

}  // namespace stream
