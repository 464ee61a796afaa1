#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "drivers/stream_service.h"
#include "ports/timers.h"
#include "stream/producer_table.h"

namespace support {

/// The stream service in memory, with all that a client can see of it: producers, forks, expiry,
/// soft deletion, followers. No log, no disk; "durable" at once.
class FakeStreamService : public drivers::StreamService {
 public:
  explicit FakeStreamService(const ports::Timers& clock) : clock_(clock) {}

  ports::Task<core::Result<stream::CreateReply>> create(stream::CreateRequest request) override;
  ports::Task<core::Result<stream::AppendReply>> append(stream::AppendRequest request) override;
  ports::Task<core::Result<stream::ReadReply>> read(stream::ReadRequest request) override;
  ports::Task<core::Result<stream::StreamFacts>> facts(std::string name) override;
  ports::Task<core::Result<drivers::DeleteStatus>> remove(std::string name) override;
  ports::Task<core::Result<drivers::TrimStatus>> trim(std::string name,
                                                      core::Offset start) override;
  ports::Task<core::Result<std::vector<drivers::ListedStream>>> list(
      drivers::ListRequest request) override;
  void follow(std::string name, std::weak_ptr<drivers::TailListener> listener) override;

  /// Every request fails with this until it is taken back.
  std::optional<core::Error> failure;
  std::size_t reads = 0;  // So far.

 private:
  struct Stream {
    stream::StreamFacts facts;
    std::optional<stream::StreamEnd> ended;
    std::optional<stream::ForkRequest> fork;  // As it was asked for.
    std::shared_ptr<Stream> parent;
    std::string name;
    std::size_t forks = 0;
    std::vector<stream::BatchSlice> slices;
    stream::ProducerTable producers;
    core::WallMs touched_ms = 0;
    std::vector<std::weak_ptr<drivers::TailListener>> listeners;
  };
  using StreamPtr = std::shared_ptr<Stream>;

  StreamPtr find(const std::string& name, core::WallMs now);
  void forget(const StreamPtr& gone);
  static void publish(Stream& stream, std::vector<stream::BatchSlice> slices, bool gone);
  void add(Stream& stream, std::string batch, std::uint32_t records);
  stream::CreateStatus begin_fork(Stream& fork, const stream::CreateRequest& request,
                                  core::WallMs now);

  const ports::Timers& clock_;
  std::map<std::string, StreamPtr> streams_;
  std::uint64_t next_id_ = 1;
};

}  // namespace support
