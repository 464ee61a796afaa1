#include "sim/world.h"

#include <algorithm>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/execution/blocking.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace sim {

/// What Asio asks of an executor, over one process's share of the world.
class SimWorld::Executor {
 public:
  Executor(SimWorld& world, ProcessPtr process) : world_(&world), process_(std::move(process)) {}

  const ProcessPtr& process() const { return process_; }

  asio::execution_context& query(asio::execution::context_t) const noexcept { return world_->io_; }
  static constexpr asio::execution::blocking_t query(asio::execution::blocking_t) noexcept {
    return asio::execution::blocking.never;
  }
  Executor require(asio::execution::blocking_t::never_t) const { return *this; }

  template <class Function>
  void execute(Function function) const {
    struct Call final : Job {
      explicit Call(Function called) : function(std::move(called)) {}
      void run() override { function(); }
      Function function;
    };
    world_->enqueue(process_, std::make_unique<Call>(std::move(function)));
  }

  bool operator==(const Executor&) const = default;

 private:
  SimWorld* world_;
  ProcessPtr process_;
};

SimWorld::SimWorld(std::uint64_t seed) : random_(seed) {}

SimWorld::~SimWorld() {
  while (!processes_.empty()) kill(processes_.begin()->first);
  sleepers_.clear();
  bury();
}

asio::any_io_executor SimWorld::executor(core::NodeId node) {
  ProcessPtr& process = processes_[node];
  if (!process) {
    process = std::make_shared<Process>();
    process->number = next_process_++;
  }
  return Executor(*this, process);
}

void SimWorld::kill(core::NodeId node) {
  const auto found = processes_.find(node);
  if (found == processes_.end()) return;
  const ProcessPtr process = std::move(found->second);
  processes_.erase(found);
  process->is_dead = true;
  for (JobPtr& job : process->held) grave_.push_back(std::move(job));
  process->held.clear();
  for (auto& [owner, job] : ready_) {
    if (owner == process) grave_.push_back(std::move(job));
  }
  std::erase_if(ready_, [&](const auto& item) { return item.first == process; });
  // Their handlers, destroyed, ask the executor to unwind the frames, and so come to the grave.
  std::vector<Wake> fallen;
  for (auto& [key, sleeper] : sleepers_) {
    if (sleeper.process == process) fallen.push_back(std::move(sleeper.wake));
  }
  std::erase_if(sleepers_, [&](const auto& item) { return item.second.process == process; });
  fallen.clear();
  if (!is_running_) bury();
}

void SimWorld::pause(core::NodeId node) {
  (void)executor(node);
  processes_[node]->is_paused = true;
}

void SimWorld::resume(core::NodeId node) {
  const auto found = processes_.find(node);
  if (found == processes_.end()) return;
  const ProcessPtr process = found->second;
  process->is_paused = false;
  for (JobPtr& job : std::exchange(process->held, {})) ready_.emplace_back(process, std::move(job));
}

void SimWorld::at(core::Time when, std::function<void()> event) {
  add_sleeper(when, nullptr, Wake(std::move(event)));
}

ports::Task<void> SimWorld::sleep_until(core::Time wake_at) {
  return asio::async_initiate<const asio::use_awaitable_t<>, void()>(
      [this, wake_at](auto handler) {
        ProcessPtr process = process_of(asio::get_associated_executor(handler));
        add_sleeper(wake_at, std::move(process), Wake(std::move(handler)));
      },
      asio::use_awaitable);
}

void SimWorld::spawn(core::NodeId node, ports::Task<void> task) {
  asio::co_spawn(executor(node), std::move(task), [](std::exception_ptr error) {
    if (error) std::rethrow_exception(error);
  });
}

SimWorld::ProcessPtr SimWorld::process_of(const asio::any_io_executor& executor) {
  const Executor* ours = executor.target<Executor>();
  return ours == nullptr ? nullptr : ours->process();
}

void SimWorld::add_sleeper(core::Time wake_at, ProcessPtr process, Wake wake) {
  if (process && process->is_dead) {
    this->wake(Sleeper{std::move(process), std::move(wake)});
    return;
  }
  const Key key(std::max(wake_at, now_), sequence_++);
  auto slot = asio::get_associated_cancellation_slot(wake);
  if (slot.is_connected()) {
    slot.assign([this, key](asio::cancellation_type) { cancel_sleeper(key); });
  }
  sleepers_.emplace(key, Sleeper{std::move(process), std::move(wake)});
}

void SimWorld::cancel_sleeper(Key key) {
  auto found = sleepers_.extract(key);
  if (found) this->wake(std::move(found.mapped()));
}

void SimWorld::wake(Sleeper sleeper) {
  struct Waking final : Job {
    explicit Waking(Wake woken) : handler(std::move(woken)) {}
    void run() override {
      asio::get_associated_cancellation_slot(handler).clear();
      std::move(handler)();
    }
    Wake handler;
  };
  enqueue(sleeper.process, std::make_unique<Waking>(std::move(sleeper.wake)));
}

void SimWorld::enqueue(ProcessPtr process, JobPtr job) {
  if (process && process->is_dead) {
    grave_.push_back(std::move(job));
  } else if (process && process->is_paused) {
    process->held.push_back(std::move(job));
  } else {
    ready_.emplace_back(std::move(process), std::move(job));
  }
}

void SimWorld::bury() {
  while (!grave_.empty()) std::exchange(grave_, {}).clear();
}

void SimWorld::begin_step() {
  steps_ += 1;
  const ProcessPtr& process = ready_.front().first;
  trace_ = trace_ * 0x100000001B3ULL + static_cast<std::uint64_t>(now_.count()) * 64 +
           (process ? process->number : 0);
  while (!step_events_.empty() && step_events_.begin()->first <= steps_) {
    const auto event = step_events_.extract(step_events_.begin());
    event.mapped()();
    bury();
  }
}

void SimWorld::run_ready() {
  do {
    bury();
    while (!ready_.empty()) {
      begin_step();
      if (ready_.empty()) break;  // All of it was the dead's.
      auto [process, job] = std::move(ready_.front());
      ready_.pop_front();
      if (process && process->is_paused) {
        process->held.push_back(std::move(job));
        continue;
      }
      is_running_ = true;
      job->run();
      job.reset();
      is_running_ = false;
      bury();
    }
    io_.restart();
  } while (io_.poll() > 0 || !ready_.empty() || !grave_.empty());
}

bool SimWorld::step_until(core::Time end) {
  run_ready();
  if (sleepers_.empty() || sleepers_.begin()->first.first > end) return false;
  auto woken = sleepers_.extract(sleepers_.begin());
  now_ = woken.key().first;
  this->wake(std::move(woken.mapped()));
  return true;
}

void SimWorld::run_for(core::Time duration) {
  const core::Time end = now_ + duration;
  while (step_until(end)) {
  }
  now_ = end;
}

bool SimWorld::run_until(const std::function<bool()>& done, core::Time limit) {
  const core::Time end = now_ + limit;
  do {
    run_ready();
    if (done()) return true;
  } while (step_until(end));
  now_ = end;
  return false;
}

bool SimWorld::run_until_idle(core::Time limit) {
  const core::Time end = now_ + limit;
  while (step_until(end)) {
  }
  return sleepers_.empty();
}

}  // namespace sim
