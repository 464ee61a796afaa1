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
/// younger than what the log knows. After a crash a row's time may therefore be that much too old,
/// and a stream that nobody used since gets a whole slack on top: it may live a little too long
/// after a crash, never too short.
class Expiry {
 public:
  /// Begins to watch a stream that has a TTL or an expiry time; others are ignored.
  void watch(core::StreamId id, const StreamRow& row);
  void forget(core::StreamId id);

  /// A read or a write restarts a sliding TTL.
  void touch(core::StreamId id, const StreamRow& row, core::WallMs now);

  bool is_expired(core::StreamId id, const StreamRow& row, core::WallMs now) const;

  /// The watched streams that have expired, in order.
  std::vector<core::StreamId> due(const View& view, core::WallMs now) const;

  /// Uses that the log should learn of: those it is half a slack behind with, or all it lacks.
  TouchStreams unsaved(const View& view, core::Life life, bool all) const;

 private:
  std::map<core::StreamId, core::WallMs> watched_;  // Last use in this life; 0: none yet.
};

}  // namespace stream
