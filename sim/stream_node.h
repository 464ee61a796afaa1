#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "drivers/engine/engine.h"
#include "drivers/proposer.h"
#include "sim/log.h"
#include "sim/world.h"

namespace sim {

/// What a stream node works on. All of it outlives the node's crashes.
struct StreamNodePorts {
  SimWorld& world;
  SimLogStore& log;
  ports::ObjectStore& store;
  ports::WalStore& wals;
  ports::Timers& timers;
};

struct StreamNodeOptions {
  drivers::EngineOptions engine;
  drivers::ProposerOptions proposer;
};

/// One simulated process of the stream service: proposer and engine, without protocols. It can be
/// killed between any two steps of the world and started again at its next epoch.
///
/// The requests are called from coroutines of other nodes ("clients") and behave as over a network:
/// a node that is down refuses (unavailable), one that dies meanwhile, or whose answer is lost,
/// gives `unknown`.
class StreamNode {
 public:
  enum class State { down, starting, up, stopping };

  StreamNode(StreamNodePorts ports, core::NodeId node, StreamNodeOptions options)
      : ports_(ports), node_(node), options_(options) {}
  ~StreamNode() { crash(); }

  /// Begins a life. What fails on the way ends it, and the next one begins a little later.
  void start();
  /// The process is gone, whatever it was doing.
  void crash();
  /// Stops in order; `down` once done.
  void stop();

  State state() const { return state_; }
  bool is_up() const { return state_ == State::up; }
  core::Life life() const { return life_; }
  std::uint64_t starts() const { return starts_; }
  /// Null while it is down.
  drivers::Engine* engine() { return engine_.get(); }
  drivers::Proposer* proposer() { return proposer_.get(); }
  /// Why the last start failed, or the engine gave up. Empty: neither.
  const std::string& last_error() const { return last_error_; }
  StreamNodeOptions& options() { return options_; }
  void set_log_faults(const LogFaults& faults);

  /// Percent of answers that do not reach the client.
  std::uint64_t lost_answers = 0;
  /// What the engine would write into its log.
  std::function<void(const std::string&)> log_line = [](const std::string&) {};

  template <class T>
  using Answer = ports::Task<core::Result<T>>;

  Answer<stream::CreateReply> create(stream::CreateRequest request);
  Answer<stream::AppendReply> append(stream::AppendRequest request);
  Answer<stream::ReadReply> read(stream::ReadRequest request);
  Answer<stream::StreamFacts> facts(std::string name);
  Answer<drivers::DeleteStatus> remove(std::string name);
  Answer<drivers::TrimStatus> trim(std::string name, core::Offset start);
  /// `found` hears which stream it is, before the listener hears anything; 0: there is none.
  Answer<bool> follow(std::string name, std::weak_ptr<drivers::TailListener> listener,
                      std::function<void(core::StreamId)> found);

 private:
  /// A request under way; the client waits for it.
  struct Call {
    explicit Call(asio::any_io_executor client) : over(std::move(client)) {}
    virtual ~Call() = default;
    ports::Signal over;
    bool is_over = false;
    void finish() {
      is_over = true;
      over.notify_all();
    }
  };
  template <class T>
  struct TypedCall final : Call {
    using Call::Call;
    std::optional<core::Result<T>> answer;
  };
  template <class T>
  using Request = std::function<Answer<T>(drivers::Engine&)>;

  template <class T>
  Answer<T> call(Request<T> request);
  template <class T>
  static ports::Task<void> carry_out(drivers::Engine& engine, Request<T> request,
                                     std::shared_ptr<TypedCall<T>> call);

  ports::Task<void> run_start();
  ports::Task<void> run_proposer();
  ports::Task<void> run_stop();
  void give_up(const std::string& why);

  StreamNodePorts ports_;
  core::NodeId node_;
  StreamNodeOptions options_;
  State state_ = State::down;
  core::Life life_;
  std::uint64_t starts_ = 0;
  std::string last_error_;
  LogFaults log_faults_;
  std::unique_ptr<SimLog> log_;
  std::unique_ptr<drivers::Proposer> proposer_;
  std::unique_ptr<drivers::Engine> engine_;
  std::map<std::uint64_t, std::shared_ptr<Call>> calls_;  // By number, so that order is no chance.
  std::uint64_t next_call_ = 0;
};

}  // namespace sim
