#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "adapters/files/wal_segment_writer.h"
#include "ports/wal.h"

namespace adapters {

/// Writes one life's records, one at a time, on a thread of its own. Between appends it overwrites
/// the blocks that come next and makes the next segment, so that neither is waited for.
///
///   append() ──> queue ──> [thread] write + sync ──> done(result), on the thread
class WalThread {
 public:
  using Done = std::function<void(core::Result<ports::WalRecord>)>;
  struct SegmentRange {
    std::uint64_t number = 0;
    std::uint64_t first = 0;  // Sequences of its records: [first, end).
    std::uint64_t end = 0;
  };

  WalThread(std::string directory, std::uint64_t salt, std::uint64_t segment_bytes,
            std::unique_ptr<WalSegmentWriter> first);
  WalThread(const WalThread&) = delete;
  WalThread& operator=(const WalThread&) = delete;
  /// Finishes the append under way; those behind it are answered `unavailable`.
  ~WalThread();

  void append(std::vector<core::Bytes> parts, Done done);

  /// After this returns, nothing is appended.
  void fence();

  /// Segments that are complete and hold only records below `first_needed`; no longer ours then.
  std::vector<std::uint64_t> take_trimmed(std::uint64_t first_needed);

  const std::string& directory() const { return directory_; }

 private:
  struct Job {
    std::vector<core::Bytes> parts;
    Done done;
  };

  void run();
  bool do_idle_work();
  core::Result<ports::WalRecord> write(const std::vector<core::Bytes>& parts);
  core::Result<void> rotate(std::uint64_t payload);
  core::Result<std::unique_ptr<WalSegmentWriter>> make_segment(std::uint64_t payload);

  const std::string directory_;
  const std::uint64_t salt_;
  const std::uint64_t segment_bytes_;

  // Of the thread alone.
  std::unique_ptr<WalSegmentWriter> current_;
  std::unique_ptr<WalSegmentWriter> next_;
  bool may_make_next_ = true;  // Not after a failure, until an append needs it.
  std::uint64_t next_number_ = 1;
  std::uint64_t next_sequence_ = 0;
  AlignedBuffer buffer_;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable idle_;
  std::deque<Job> jobs_;
  std::vector<SegmentRange> ranges_;  // The last one is being written.
  bool is_writing_ = false;
  bool is_fenced_ = false;
  bool is_stopping_ = false;

  std::thread thread_;  // Last: uses all of the above.
};

}  // namespace adapters
