#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <map>
#include <memory>
#include <string>

#include "drivers/proposer.h"
#include "sim/log.h"
#include "sim/timers.h"
#include "sim/world.h"
#include "stream/check_view.h"

namespace drivers {
namespace {

using cmdlog::Outcome;
using cmdlog::Verdict;
using core::Errc;
using core::NodeId;
using ports::Task;

/// One process of a node: its way to the log and its proposer.
struct Process {
  Process(sim::SimWorld& world, sim::SimLogStore& store, NodeId node)
      : timers(world), log(world, store, world.executor(node)) {
    const ProposerOptions options{
        .snapshot_entries = 40, .kept_entries = 5, .seed = core::raw(node)};
    proposer = std::make_unique<Proposer>(world.executor(node), log, timers, options);
  }

  sim::SimTimers timers;
  sim::SimLog log;
  std::unique_ptr<Proposer> proposer;
};

/// What clients of three nodes were told about the streams they created, over a log that refuses,
/// loses requests and answers, and is late; nodes die and come back.
class FaultyLog {
 public:
  explicit FaultyLog(std::uint64_t seed) : world_(seed) {
    for (const NodeId node : kNodes) start(node);
    const Outcome registered = world_.run(NodeId{1}, register_node());
    life_ = core::Life{.node = NodeId{1}, .epoch = core::Epoch{registered.value}};
  }
  ~FaultyLog() {
    for (const NodeId node : kNodes) world_.kill(node);
  }

  void run() {
    for (auto& [node, process] : processes_) break_log(process->log);
    for (int round = 0; round < 30; ++round) {
      for (const NodeId node : kNodes) propose(node);
      world_.run_for(std::chrono::milliseconds(world_.random().below(40)));
      if (world_.random().chance(10)) restart(NodeId{2});
    }
    for (auto& [node, process] : processes_) process->log.faults() = {};
    world_.run_for(std::chrono::minutes(1));
  }

  void check() {
    const stream::ViewPtr view = processes_.at(NodeId{1})->proposer->view();
    EXPECT_EQ(stream::broken_invariant(*view), "");
    for (const auto& [node, process] : processes_) EXPECT_EQ(*process->proposer->view(), *view);
    for (const auto& [name, result] : told_) {
      const core::StreamId* id = view->names.find(name);
      if (result) {
        ASSERT_NE(id, nullptr) << name << " was acknowledged";
        EXPECT_EQ(result->value, core::raw(*id)) << name;
        EXPECT_EQ(result->verdict, Verdict::applied) << name;
      } else if (result.error().code != Errc::unknown) {
        EXPECT_EQ(id, nullptr) << name << " was refused: " << result.error().context;
      }
    }
    EXPECT_GT(acknowledged_, 10u);
  }

 private:
  static constexpr NodeId kNodes[] = {NodeId{1}, NodeId{2}, NodeId{3}};

  void start(NodeId node) {
    processes_[node] = std::make_unique<Process>(world_, store_, node);
    world_.spawn(node, keep_running(*processes_[node]->proposer));
  }

  void restart(NodeId node) {
    world_.kill(node);
    world_.run_for(core::Time(1));
    start(node);
    break_log(processes_.at(node)->log);
  }

  static Task<void> keep_running(Proposer& proposer) {
    for (bool is_started = false; !is_started;) {
      const auto started = co_await proposer.start();
      is_started = started.has_value();
    }
    const auto ended = co_await proposer.run();
    EXPECT_TRUE(ended) << ended.error().context;
  }

  Task<Outcome> register_node() {
    stream::Command command =
        cluster::RegisterNode{.node = NodeId{1}, .address = "http://a", .token = 1};
    Proposer& proposer = *processes_.at(NodeId{1})->proposer;
    const auto outcome = co_await proposer.propose(std::move(command));
    co_return outcome ? *outcome : Outcome{.verdict = Verdict::invalid};
  }

  void break_log(sim::SimLog& log) {
    log.faults().unavailable = world_.random().below(20);
    log.faults().lost_requests = world_.random().below(15);
    log.faults().lost_answers = world_.random().below(30);
    log.faults().late_requests = world_.random().below(15);
  }

  void propose(NodeId node) {
    std::string name = "s" + std::to_string(next_name_++);
    stream::Command create = stream::CreateStream{.life = life_, .name = name};
    ports::asio::co_spawn(world_.executor(node),
                          processes_.at(node)->proposer->propose(std::move(create)),
                          [this, name](std::exception_ptr error, core::Result<Outcome> result) {
                            if (error) return;
                            acknowledged_ += result ? 1 : 0;
                            told_.emplace(name, std::move(result));
                          });
  }

  sim::SimWorld world_;
  sim::SimLogStore store_;
  std::map<NodeId, std::unique_ptr<Process>> processes_;
  core::Life life_{};
  std::map<std::string, core::Result<Outcome>> told_;
  std::uint64_t next_name_ = 0;
  std::uint64_t acknowledged_ = 0;
};

TEST(ProposerFaultsTest, WhatNodesAreToldIsWhatTheLogHolds) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    FaultyLog history(seed);
    history.run();
    history.check();
  }
}

}  // namespace
}  // namespace drivers
