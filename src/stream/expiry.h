#pragma once

#include <map>
#include <vector>

#include "core/ids.h"
#include "core/time.h"
#include "stream/view.h"

namespace stream {

/// When streams with a TTL were last used, and which are due to expire.
///
/// Uses are kept in memory; a use is written to the log (TouchStreams) only once it is half a slack
/// younger than what the log knows, and a clean stop writes them all. After a crash a row's time
/// may be too old by as long as the log was away, so every stream counts as used when the node
/// began
/// (`assume_used`): it may live too long after a crash, never too short.
class Expiry {
 public:
  /// Begins to watch a stream that has a TTL or an expiry time; others are ignored.
  void watch(core::StreamId id, const StreamRow& row);
  void forget(core::StreamId id);

  /// Uses up to `when` may be missing from the rows: streams count as used then.
  void assume_used(core::WallMs when) { least_ = when; }

  /// A read or a write restarts a sliding TTL.
  void touch(core::StreamId id, const StreamRow& row, core::WallMs now);

  bool is_expired(core::StreamId id, const StreamRow& row, core::WallMs now) const;

  /// The watched streams that have expired, in order.
  std::vector<core::StreamId> due(const View& view, core::WallMs now) const;

  /// Uses that the log should learn of: those it is half a slack behind with, or all it lacks.
  TouchStreams unsaved(const View& view, core::Life life, bool all) const;

 private:
  std::map<core::StreamId, core::WallMs> watched_;  // Last use in this life; 0: none yet.
  core::WallMs least_ = 0;
};

}  // namespace stream
