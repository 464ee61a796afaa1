#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "core/ids.h"
#include "core/result.h"
#include "ports/task.h"

namespace ports {

/// Where a record lies in one life's write-ahead log. Only that log's backend can read it.
struct WalLocation {
  std::uint64_t file = 0;      // Segment or object number.
  std::uint64_t position = 0;  // Of the payload's first byte.
  std::uint64_t length = 0;    // Of the payload.
  bool operator==(const WalLocation&) const = default;
};

/// One record as it was appended: the payload of one flush (stream/wal/batch.h has its format).
struct WalRecord {
  std::uint64_t sequence = 0;  // 0, 1, 2 ... within a life.
  WalLocation location;
  core::Bytes payload;
  /// Not empty if the stored bytes do not match their checksum: a line that names file and
  /// position. `payload` then holds what is there, for the reader to save what it can.
  std::string damage;
};

/// The write-ahead log of the life that is running. One flush is one record.
class Wal {
 public:
  Wal() = default;
  Wal(const Wal&) = delete;
  Wal& operator=(const Wal&) = delete;
  virtual ~Wal() = default;

  /// How many appends may be under way at once; they become durable, and return, in order.
  virtual std::size_t max_in_flight() const = 0;

  /// Appends the concatenation of `parts` as the next record and returns where, once it is durable.
  /// Records are numbered in the order of the calls.
  ///
  /// full: no room; the record is not there and never will be, and neither are those appended
  ///   after it (they fail too); the next append after all have failed may work.
  /// unavailable: likewise, for another reason. fenced: the log was taken over: stop.
  /// A failed sync of the disk ends the process: what is on disk then is not known.
  virtual Task<core::Result<WalRecord>> append(std::vector<core::Bytes> parts) = 0;

  /// Records with a sequence below `first_needed` are no longer needed. Space comes back by
  /// segment, when it can.
  virtual Task<core::Result<void>> trim(std::uint64_t first_needed) = 0;
};

/// All write-ahead logs of a node or a cluster: opens a new one, finds and takes over ended ones.
class WalStore {
 public:
  WalStore() = default;
  WalStore(const WalStore&) = delete;
  WalStore& operator=(const WalStore&) = delete;
  virtual ~WalStore() = default;

  /// Starts the log of a new life. conflict: that life has a log already.
  virtual Task<core::Result<std::unique_ptr<Wal>>> create(core::Life life) = 0;

  /// The lives of `node` that have a log, oldest epoch first.
  virtual Task<core::Result<std::vector<core::Life>>> lives(core::NodeId node) = 0;

  /// Ends the log of `ended` for ever: after this returns, no append of its writer succeeds,
  /// however late. Repeating it is success.
  virtual Task<core::Result<void>> take_over(core::Life ended) = 0;

  /// The records of a taken-over log with sequence >= `from`, in order, about `max_bytes` of them
  /// (at least one if there is one); empty at the end. A torn tail, which no acknowledgement can
  /// have depended on, is cut here, with one line in the log. Damage before the end is reported in
  /// the record, see WalRecord; a gap, or damage that hides where records begin, is corrupt.
  virtual Task<core::Result<std::vector<WalRecord>>> replay(core::Life ended, std::uint64_t from,
                                                            std::size_t max_bytes) = 0;

  /// Reads payloads, or parts of them, back: one answer for each location, in their order. What
  /// lies close together is read in one go, so ask for many at once; the answers may share memory.
  /// Nothing is checked against a checksum. The life may be the running one.
  /// not_found: what should be there was removed. corrupt: it ends before the end of a location.
  virtual Task<core::Result<std::vector<core::Bytes>>> read(core::Life life,
                                                            std::vector<WalLocation> locations) = 0;

  /// Forgets a taken-over log whose records are all safe elsewhere.
  virtual Task<core::Result<void>> remove(core::Life ended) = 0;
};

}  // namespace ports
