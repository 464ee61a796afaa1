#pragma once

#include "log/verdict.h"
#include "stream/command.h"
#include "stream/view.h"

namespace stream {

// The handlers behind apply(), one file an area. apply() has seen to it that the life is live. Each
// checks everything first and changes the state last, so that a refused command leaves no trace.

// apply_create.cc
cmdlog::Outcome apply_one(View& state, const CreateStream& command);

// apply_ownership.cc
cmdlog::Outcome apply_one(View& state, const OpenStream& command);
cmdlog::Outcome apply_one(View& state, const AdoptLife& command);
cmdlog::Outcome apply_one(View& state, const CloseStream& command);

// apply_commit.cc
cmdlog::Outcome apply_one(View& state, const CommitObject& command);

// apply_objects.cc
cmdlog::Outcome apply_one(View& state, const ReserveObjects& command);
cmdlog::Outcome apply_one(View& state, const CompactObjects& command);
cmdlog::Outcome apply_one(View& state, const AbandonObjects& command);
cmdlog::Outcome apply_one(View& state, const ForgetObjects& command);

// apply_removal.cc
cmdlog::Outcome apply_one(View& state, const TrimStream& command);
cmdlog::Outcome apply_one(View& state, const DeleteStream& command);
cmdlog::Outcome apply_one(View& state, const ExpireStream& command);
cmdlog::Outcome apply_one(View& state, const TouchStreams& command);

/// True if [position, position + bytes) lies within an object of `object_bytes` bytes.
inline bool fits(const Extent& extent, std::uint64_t object_bytes) {
  return extent.bytes > 0 && extent.bytes <= object_bytes &&
         extent.position <= object_bytes - extent.bytes;
}

}  // namespace stream
