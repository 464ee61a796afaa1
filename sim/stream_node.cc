#include "sim/stream_node.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>

namespace sim {
namespace {

// Between a failed start and the next one; a supervisor waits too.
constexpr core::Time kRestartPause = std::chrono::milliseconds(50);

ports::Task<core::Result<bool>> follow_now(drivers::Engine& engine, std::string name,
                                           std::weak_ptr<drivers::TailListener> listener,
                                           std::function<void(core::StreamId)> found) {
  const stream::ViewPtr view = engine.context().view();
  const core::StreamId* id = view->names.find(name);
  found(id == nullptr ? core::StreamId{} : *id);
  engine.follow(std::move(name), std::move(listener));
  co_return true;
}

}  // namespace

void StreamNode::start() {
  CHECK(state_ == State::down);
  state_ = State::starting;
  starts_ += 1;
  drivers::ProposerOptions options = options_.proposer;
  options.seed = ports_.world.random().next();
  log_ = std::make_unique<SimLog>(ports_.world, ports_.log, ports_.world.executor(node_));
  log_->faults() = log_faults_;
  proposer_ = std::make_unique<drivers::Proposer>(ports_.world.executor(node_), *log_,
                                                  ports_.timers, options);
  ports_.world.spawn(node_, run_start());
}

void StreamNode::set_log_faults(const LogFaults& faults) {
  log_faults_ = faults;
  if (log_) log_->faults() = faults;
}

ports::Task<void> StreamNode::run_start() {
  const auto followed = co_await proposer_->start();
  if (!followed) {
    give_up("the log: " + followed.error().context);
    co_return;
  }
  ports_.world.spawn(node_, run_proposer());
  cluster::RegisterNode registration{node_, "http://node", 1, ports_.world.random().next() | 1};
  const stream::Command command = std::move(registration);
  const auto registered = co_await proposer_->propose_until_known(command);
  if (!registered || !registered->holds()) {
    give_up("the registration failed");
    co_return;
  }
  life_ = core::Life{node_, core::Epoch{registered->value}};
  drivers::EnginePorts with{ports_.world.executor(node_), *proposer_, ports_.store, ports_.wals,
                            ports_.timers};
  engine_ = std::make_unique<drivers::Engine>(std::move(with), life_, options_.engine);
  engine_->context().on_fatal = [this](const core::Error& error) { give_up(error.context); };
  engine_->context().log_line = log_line;
  const auto started = co_await engine_->start();
  if (!started) {
    give_up("the engine: " + started.error().context);
    co_return;
  }
  state_ = State::up;
  log_line("is up");
}

ports::Task<void> StreamNode::run_proposer() {
  const auto ended = co_await proposer_->run();
  give_up("the proposer ended: " + (ended ? std::string("by itself") : ended.error().context));
}

/// Called from within the life that ends: it is buried once it has returned to the world.
void StreamNode::give_up(const std::string& why) {
  last_error_ = why;
  log_line("gives up: " + why);
  const std::uint64_t mine = starts_;
  ports_.world.at(ports_.world.now(), [this, mine] {
    if (starts_ == mine) crash();
  });
  ports_.world.at(ports_.world.now() + kRestartPause, [this, mine] {
    if (starts_ == mine && state_ == State::down) start();
  });
}

void StreamNode::crash() {
  ports_.world.kill(node_);
  engine_.reset();
  proposer_.reset();
  log_.reset();
  state_ = State::down;
  for (const auto& [number, call] : std::exchange(calls_, {})) call->finish();
}

void StreamNode::stop() {
  CHECK(state_ == State::up);
  state_ = State::stopping;
  ports_.world.spawn(node_, run_stop());
}

ports::Task<void> StreamNode::run_stop() {
  for (;;) {
    const auto stopped = co_await engine_->stop();
    if (stopped) break;
    log_line("stop: " + stopped.error().context);
    co_await ports_.world.pass(kRestartPause);
  }
  const std::uint64_t mine = starts_;
  ports_.world.at(ports_.world.now(), [this, mine] {
    if (starts_ == mine) crash();
  });
}

template <class T>
ports::Task<void> StreamNode::carry_out(drivers::Engine& engine, Request<T> request,
                                        std::shared_ptr<TypedCall<T>> call) {
  call->answer = co_await request(engine);
  call->finish();
}

template <class T>
StreamNode::Answer<T> StreamNode::call(Request<T> request) {
  const asio::any_io_executor client = co_await asio::this_coro::executor;
  if (state_ != State::up && state_ != State::stopping) {
    co_await ports_.world.pass(std::chrono::milliseconds(1));
    co_return core::fail(core::Errc::unavailable, "the node is down");
  }
  auto mine = std::make_shared<TypedCall<T>>(client);
  const std::uint64_t number = next_call_++;
  calls_.emplace(number, mine);
  asio::co_spawn(ports_.world.executor(node_), carry_out<T>(*engine_, std::move(request), mine),
                 asio::detached);
  while (!mine->is_over) co_await mine->over.wait();
  calls_.erase(number);
  const bool is_lost = !mine->answer || ports_.world.random().chance(lost_answers);
  if (is_lost) co_return core::fail(core::Errc::unknown, "no answer");
  co_return std::move(*mine->answer);
}

StreamNode::Answer<stream::CreateReply> StreamNode::create(stream::CreateRequest request) {
  return call<stream::CreateReply>(
      [request = std::move(request)](drivers::Engine& engine) { return engine.create(request); });
}

StreamNode::Answer<stream::AppendReply> StreamNode::append(stream::AppendRequest request) {
  return call<stream::AppendReply>(
      [request = std::move(request)](drivers::Engine& engine) { return engine.append(request); });
}

StreamNode::Answer<stream::ReadReply> StreamNode::read(stream::ReadRequest request) {
  return call<stream::ReadReply>(
      [request = std::move(request)](drivers::Engine& engine) { return engine.read(request); });
}

StreamNode::Answer<stream::StreamFacts> StreamNode::facts(std::string name) {
  return call<stream::StreamFacts>(
      [name = std::move(name)](drivers::Engine& engine) { return engine.facts(name); });
}

StreamNode::Answer<drivers::DeleteStatus> StreamNode::remove(std::string name) {
  return call<drivers::DeleteStatus>(
      [name = std::move(name)](drivers::Engine& engine) { return engine.remove(name); });
}

StreamNode::Answer<drivers::TrimStatus> StreamNode::trim(std::string name, core::Offset start) {
  return call<drivers::TrimStatus>([name = std::move(name), start](drivers::Engine& engine) {
    return engine.trim(name, start);
  });
}

StreamNode::Answer<bool> StreamNode::follow(std::string name,
                                            std::weak_ptr<drivers::TailListener> listener,
                                            std::function<void(core::StreamId)> found) {
  return call<bool>([name = std::move(name), listener, found](drivers::Engine& engine) {
    return follow_now(engine, name, listener, found);
  });
}

}  // namespace sim
