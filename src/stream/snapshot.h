#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/cbor.h"
#include "core/result.h"
#include "stream/view.h"

namespace stream {

// The whole view as bytes, docs/snapshot-format.md.

inline constexpr std::uint8_t kSnapshotVersion = 1;

/// Encodes a view a piece at a time, so that a large one does not hold up the thread it runs on.
class SnapshotWriter {
 public:
  explicit SnapshotWriter(ViewPtr view);

  /// Encodes about `rows` more rows. True when all are done.
  bool step(std::size_t rows);

  /// The snapshot, once step() has said that it is done.
  std::string finish() &&;

 private:
  ViewPtr view_;
  core::CborWriter out_;
  Table<core::StreamId, StreamRow>::Iterator stream_;
  Table<core::ObjectId, ObjectRow>::Iterator object_;
  bool streams_done_ = false;
};

/// corrupt: damaged, contradicting itself, or of a newer version; the line says which.
core::Result<View> decode_snapshot(std::string_view bytes);

}  // namespace stream
