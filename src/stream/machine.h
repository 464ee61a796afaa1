#pragma once

#include "log/replica.h"
#include "stream/apply.h"
#include "stream/snapshot.h"

namespace stream {

/// The stream service as a state kept by the log.
struct Machine {
  using State = View;
  using Command = stream::Command;
  using SnapshotWriter = stream::SnapshotWriter;

  static cmdlog::Outcome apply(View& state, const Command& command) {
    return stream::apply(state, command);
  }
  static core::Result<View> decode_snapshot(std::string_view bytes) {
    return stream::decode_snapshot(bytes);
  }
};

static_assert(cmdlog::Machine<Machine>);

}  // namespace stream
