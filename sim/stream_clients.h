#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/history.h"
#include "sim/stream_node.h"
#include "sim/timers.h"
#include "stream/gather.h"

namespace sim {

struct ClientOptions {
  std::size_t streams = 2;
  std::size_t producers = 2;  // Per stream; of each other kind there is one.
  std::size_t ttl_streams = 1;
  std::uint32_t most_records = 5;  // Of one JSON append.
  std::size_t most_padding = 200;
  core::Time most_pause = std::chrono::milliseconds(40);
  std::uint64_t deletes = 10;  // Percent of what a keeper does.
  std::uint64_t closes = 5;
  std::uint64_t trims = 20;
  std::uint64_t forks = 20;
  std::size_t most_forks = 4;
};

/// Follows a stream's tail and checks that it hears everything once, in order.
class TailSpy final : public drivers::TailListener {
 public:
  TailSpy(History& history, std::string name) : history_(history), name_(std::move(name)) {}
  void on_tail(std::shared_ptr<const stream::TailUpdate> update) override;

  core::StreamId id{};     // What it follows...
  std::uint64_t life = 0;  // ...and in which life of the node.
  core::Offset tail = 0;
  bool is_closed = false;
  bool is_gone = false;
  bool has_begun = false;

 private:
  History& history_;
  std::string name_;
};

/// Clients of one stream node, each a coroutine that goes on until it is told to finish, and then
/// until it knows what became of its last request. All they hear goes into the history.
class StreamClients {
 public:
  /// The node that clients run on, in the world's sense; never killed.
  static constexpr core::NodeId kHome{1000};

  StreamClients(SimWorld& world, StreamNode& node, SimTimers& timers, History& history,
                ClientOptions options)
      : world_(world), node_(node), timers_(timers), history_(history), options_(options) {}

  void start();
  void finish() { is_finishing_ = true; }
  bool are_done() const { return active_ == 0; }
  const std::vector<std::shared_ptr<TailSpy>>& spies() const { return spies_; }
  /// Each producer sends its last accepted request once more: a stream must know it for ever.
  ports::Task<core::Result<bool>> repeat_last();
  /// Names of all streams that there may be.
  const std::vector<std::string>& names() const { return names_; }

 private:
  enum class Known { accepted, refused };

  void spawn(ports::Task<void> task);
  ports::Task<void> count(ports::Task<void> task);
  ports::Task<void> pause();
  bool chance(std::uint64_t percent) { return world_.random().chance(percent); }

  void start_stream(const std::string& name, std::size_t producers);
  std::uint64_t new_append(const std::string& name);
  stream::AppendRequest request_for(std::uint64_t append, stream::BatchIdentity identity) const;
  stream::FramedBatch frame(std::uint64_t append, const stream::BatchIdentity& identity) const;
  ports::Task<stream::AppendStatus> send_until_known(std::uint64_t append,
                                                     stream::AppendRequest request);

  // Those who append.
  void begin_session(const std::string& name, stream::ProducerClaim& claim, std::uint64_t& session);
  ports::Task<void> run_producer(std::string name, std::string id);
  ports::Task<void> run_window(std::string name, std::string id);
  ports::Task<void> run_plain(std::string name);
  ports::Task<void> run_sequencer(std::string name);
  ports::Task<void> run_comparer(std::string name);
  ports::Task<void> resend(std::string name, stream::AppendRequest request);
  ports::Task<void> send_once(std::uint64_t append, stream::AppendRequest request,
                              std::shared_ptr<std::size_t> left,
                              std::shared_ptr<ports::Signal> done);

  // Those who read.
  ports::Task<void> run_reader(std::string name);
  ports::Task<void> run_follower(std::string name);

  // Those who manage: stream_keeper.cc.
  ports::Task<void> run_keeper(std::string name);
  ports::Task<void> run_ttl(std::string name);
  ports::Task<bool> create(std::string name, std::optional<stream::ForkRequest> fork);
  ports::Task<void> close(std::string name);
  ports::Task<void> trim(std::string name);
  ports::Task<void> remove(std::string name);
  ports::Task<void> fork(std::string name);
  ports::Task<core::Result<core::StreamId>> find_id(std::string name);

  struct TtlUse {
    core::WallMs accepted = 0;   // Last use that was answered.
    core::WallMs attempted = 0;  // Last use that may have happened.
    std::uint64_t life = 0;      // In which all uses were.
  };
  ports::Task<bool> use(std::string name, core::WallMs ttl_ms, TtlUse& last);
  bool judge_ttl(const std::string& name, core::WallMs ttl_ms, const TtlUse& last,
                 core::WallMs at_ms, bool found, std::uint64_t life);

  SimWorld& world_;
  StreamNode& node_;
  SimTimers& timers_;
  History& history_;
  ClientOptions options_;
  bool is_finishing_ = false;
  std::size_t active_ = 0;
  std::size_t forks_ = 0;
  std::vector<std::string> names_;
  struct Last {
    stream::AppendRequest request;
    std::uint64_t generation = 0;
  };
  std::map<std::pair<std::string, std::string>, Last> last_;  // By stream and producer.
  std::map<std::string, bool> brings_content_;                // With their creation.
  std::vector<std::shared_ptr<TailSpy>> spies_;
};

}  // namespace sim
