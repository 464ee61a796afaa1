#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "drivers/engine/context.h"
#include "drivers/engine/wal_writer.h"
#include "drivers/stream_service.h"
#include "stream/append_check.h"

namespace drivers {

class Caretaker;
class Uploader;

/// The stream engine of one life of one node: everything between a protocol's request and the
/// write-ahead log, the data objects and the command log.
///
///     append ──> check, assign ──> WAL (group commit) ──> durable: acknowledge, publish
///                                                            │
///     read  <── log cache <──────────────────────────────────┤
///           <── data objects <── commit (command log) <── upload
///
/// Lives on the logic thread. `start` first; nothing else before it succeeded.
class Engine final : public StreamService, private WalWriterEvents {
 public:
  Engine(EnginePorts ports, core::Life life, const EngineOptions& options);
  ~Engine() override;

  /// Replays what earlier lives of this node left in their write-ahead logs, makes their streams
  /// its own, opens a log for this life, and starts the background loops.
  ports::Task<core::Result<void>> start();

  /// Refuses new appends, waits for those under way, uploads everything, closes the streams and
  /// removes the empty logs. With `unavailable` it may be called again.
  ports::Task<core::Result<void>> stop();

  ports::Task<core::Result<stream::CreateReply>> create(stream::CreateRequest request) override;
  ports::Task<core::Result<stream::AppendReply>> append(stream::AppendRequest request) override;
  ports::Task<core::Result<stream::ReadReply>> read(stream::ReadRequest request) override;
  ports::Task<core::Result<stream::StreamFacts>> facts(std::string name) override;
  ports::Task<core::Result<DeleteStatus>> remove(std::string name) override;
  ports::Task<core::Result<TrimStatus>> trim(std::string name, core::Offset start) override;
  ports::Task<core::Result<std::vector<ListedStream>>> list(ListRequest request) override;
  void follow(std::string name, std::weak_ptr<TailListener> listener) override;

  /// Of the write-ahead log; null before the start and after the stop.
  const Histogram* flush_times() const { return writer_ ? &writer_->flush_times() : nullptr; }
  EngineContext& context() { return context_; }
  const EngineContext& context() const { return context_; }

 private:
  struct Found {
    core::StreamId id{};
    const stream::StreamRow* row = nullptr;  // Into the view that was asked.
    bool is_expired = false;  // Its time is up, but the command log does not know it yet.
  };

  // Finding streams. Before anybody is told that an expired stream is gone, `expire` it: a crash
  // must not bring it back.
  std::optional<Found> find(const stream::View& view, const std::string& name,
                            core::WallMs now) const;
  stream::StreamFacts facts_of(const Found& found);

  // Appending.
  ports::Task<core::Result<ActiveStream*>> writable(core::StreamId id);
  ports::Task<core::Result<void>> open(core::StreamId id);
  ports::Task<core::Result<stream::AppendReply>> append_to(core::StreamId id,
                                                           stream::AppendRequest request);
  ports::Task<core::Result<stream::AppendReply>> submit(core::StreamId id,
                                                        stream::AppendDecision decision,
                                                        stream::AppendRequest request);
  ports::Task<bool> settled(core::StreamId id);

  // WalWriterEvents.
  void on_durable(const stream::WalEntry& entry, const WalPlace& place) override;
  void on_flushed() override;
  void on_failed(const stream::WalEntry& entry) override;
  void on_wal_lost(const core::Error& error) override;

  // Creating.
  ports::Task<core::Result<stream::CreateReply>> create_alone(stream::CreateRequest request);
  bool awaits_its_first(const Found& found);
  ports::Task<core::Result<stream::CreateReply>> answer_existing(Found found,
                                                                 stream::CreateRequest request);
  ports::Task<core::Result<stream::CreateStatus>> resolve_fork(const stream::CreateRequest& request,
                                                               stream::CreateStream& command,
                                                               stream::FramedBatch& content);
  ports::Task<core::Result<stream::CreateStatus>> place_sub_offset(stream::ForkPoint& point,
                                                                   stream::StreamConfig config,
                                                                   core::Offset tail);
  ports::Task<core::Result<stream::CreateStatus>> add_fork_prefix(stream::ForkPoint point,
                                                                  stream::StreamConfig config,
                                                                  core::WallMs at_ms,
                                                                  stream::FramedBatch& content);
  ports::Task<core::Result<stream::CreateReply>> finish_creation(core::StreamId id,
                                                                 stream::FramedBatch content,
                                                                 bool closed, core::WallMs at_ms);

  // Reading.
  ports::Task<core::Result<std::vector<stream::BatchSlice>>> collect(core::StreamId id,
                                                                     core::Offset from,
                                                                     core::Offset until,
                                                                     std::size_t max_bytes);
  ports::Task<core::Result<std::vector<stream::BatchSlice>>> collect_once(core::StreamId id,
                                                                          core::Offset from,
                                                                          core::Offset until,
                                                                          std::size_t max_bytes);

  // Managing.
  ports::Task<core::Result<void>> expire(Found found, core::WallMs now);
  void forget_gone(const stream::View& before, core::StreamId id);
  void publish(ActiveStream& stream, std::shared_ptr<const stream::TailUpdate> update);

  EngineContext context_;
  std::unique_ptr<WalWriter> writer_;
  std::unique_ptr<Uploader> uploader_;
  std::unique_ptr<Caretaker> caretaker_;
  std::set<std::string> creating_;  // Names whose creation is under way: one at a time.
  ports::Signal created_;
  std::map<core::StreamId, std::shared_ptr<stream::TailUpdate>> updates_;  // Of this flush.
};

}  // namespace drivers
