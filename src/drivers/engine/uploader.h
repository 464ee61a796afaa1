#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "drivers/engine/context.h"
#include "stream/object/builder.h"

namespace drivers {

/// Moves what is only in the write-ahead log into data objects: builds one object for many streams,
/// stores it, commits it, and trims the log. Also commits the ends of streams.
///
/// Everything may fail and is tried again; nothing is forgotten before the command log has it.
class Uploader {
 public:
  explicit Uploader(EngineContext& context)
      : context_(context), finished_(context.ports.executor) {}

  /// Until `stop`: uploads when enough waits, or when the oldest has waited long enough.
  ports::Task<void> run();

  /// To be called whenever something became durable; wakes `run` if that changes what it waits for.
  void look() {
    if (is_waiting_for_work_ || is_enough()) context_.upload_wanted.notify_all();
  }

  /// One round now: all that waits, or as much as goes into one object. An error: it could not, for
  /// now, and all is as before.
  ports::Task<core::Result<void>> upload_now();

  /// Ends `run`; returns when it has ended.
  ports::Task<void> stop();

  /// Trims this life's log, and removes those of earlier lives once nothing in them is needed.
  ports::Task<void> trim_logs();

  void set_wal(ports::Wal* wal) { wal_ = wal; }
  void add_earlier_life(core::Life life) { earlier_.push_back(life); }
  void note_durable(std::uint64_t sequence) { next_sequence_ = sequence + 1; }

 private:
  /// What one object, or one commit of ends, has of a stream.
  struct Part {
    core::StreamId id{};
    core::Offset upto = 0;
    bool with_end = false;
    std::optional<stream::StreamEnd> ended;
  };
  struct Load {
    core::ObjectId object{};  // 0: only ends, nothing to store.
    stream::BuiltObject built;
    std::vector<Part> parts;
  };
  struct Batches {
    std::vector<CachedBatch> batches;
    Part part;
  };

  bool is_enough() const { return context_.active.dirty_bytes() >= context_.options.upload_bytes; }
  ports::Task<core::Result<void>> upload_alone();
  std::vector<core::StreamId> choose() const;
  Batches batches_to_upload(const ActiveStream& stream) const;
  void set_aside(core::StreamId id, const std::string& why);
  ports::Task<core::Result<void>> fill(core::StreamId id, stream::ObjectBuilder& builder,
                                       std::vector<Part>& parts);
  ports::Task<core::Result<void>> commit(const Load& load);
  stream::CommitObject commit_command(const Load& load) const;
  void mark(const Load& load);
  ports::Task<void> remove_log(core::Life life);

  EngineContext& context_;
  ports::Wal* wal_ = nullptr;
  std::vector<core::Life> earlier_;
  std::uint64_t next_sequence_ = 0;  // After the last durable record of this life's log.
  std::uint64_t trimmed_ = 0;
  int removals_ = 0;  // Of earlier lives' logs, under way.
  bool is_uploading_ = false;
  bool is_running_ = false;
  bool is_stopping_ = false;
  bool is_waiting_for_work_ = false;
  ports::Signal finished_;  // A round, or `run`, is over.
};

}  // namespace drivers
