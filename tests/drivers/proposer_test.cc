#include "drivers/proposer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <optional>

#include "adapters/memory/memory_log.h"
#include "sim/timers.h"
#include "sim/world.h"

namespace drivers {
namespace {

using cmdlog::Outcome;
using cmdlog::Verdict;
using core::Errc;
using core::NodeId;
using ports::Task;

constexpr NodeId kNode{1};

/// A log whose answers a test decides; what it does not decide goes through.
class MoodyLog final : public ports::CommandLog {
 public:
  explicit MoodyLog(ports::CommandLog& under) : under_(under) {}

  std::optional<Errc> next_append_error;
  bool loses_answer = false;  // The append that fails happens nevertheless.
  bool is_down = false;
  std::size_t appends = 0;
  std::size_t reads = 0;

  Task<core::Result<core::Index>> append(std::vector<std::string> batch) override {
    ++appends;
    if (is_down) co_return core::fail(Errc::unavailable, "down");
    const auto error = std::exchange(next_append_error, std::nullopt);
    if (error && !loses_answer) co_return core::fail(*error, "moody");
    const auto first = co_await under_.append(std::move(batch));
    if (error) co_return core::fail(*error, "moody");
    co_return first;
  }
  Task<core::Result<std::vector<ports::LogEntry>>> read(core::Index after,
                                                        std::size_t limit) override {
    ++reads;
    if (is_down) co_return core::fail(Errc::unavailable, "down");
    co_return co_await under_.read(after, limit);
  }
  Task<core::Result<void>> wait(core::Index after) override { return under_.wait(after); }
  Task<core::Result<std::optional<ports::LogSnapshot>>> load_snapshot() override {
    return under_.load_snapshot();
  }
  Task<core::Result<void>> store_snapshot(ports::LogSnapshot snapshot) override {
    return under_.store_snapshot(std::move(snapshot));
  }
  Task<core::Result<void>> truncate(core::Index upto) override { return under_.truncate(upto); }

 private:
  ports::CommandLog& under_;
};

class ProposerTest : public testing::Test {
 protected:
  ~ProposerTest() override { world_.kill(kNode); }

  void start(Proposer& proposer, NodeId node = kNode) {
    const auto started = world_.run(node, proposer.start());
    ASSERT_TRUE(started) << started.error().context;
    keep_running(proposer, node);
  }

  void keep_running(Proposer& proposer, NodeId node) {
    ports::asio::co_spawn(world_.executor(node), proposer.run(),
                          [this](std::exception_ptr error, core::Result<void> result) {
                            if (error) std::rethrow_exception(error);
                            if (!result) run_error_ = result.error();
                          });
  }

  core::Result<Outcome> propose(stream::Command command) {
    return world_.run(kNode, proposer_.propose(std::move(command)));
  }

  core::Life register_node() {
    const auto outcome = propose(cluster::RegisterNode{.node = kNode, .address = "a", .token = 7});
    EXPECT_TRUE(outcome && outcome->verdict == Verdict::applied);
    return core::Life{kNode, core::Epoch{outcome->value}};
  }

  sim::SimWorld world_{1};
  sim::SimTimers timers_{world_};
  adapters::MemoryLog memory_{world_.executor(kNode)};
  MoodyLog log_{memory_};
  ProposerOptions options_{.snapshot_entries = 50, .kept_entries = 10};
  Proposer proposer_{world_.executor(kNode), log_, timers_, options_};
  std::optional<core::Error> run_error_;
};

TEST_F(ProposerTest, AProposalReturnsOnceTheViewShowsIt) {
  start(proposer_);
  const core::Life life = register_node();
  EXPECT_TRUE(proposer_.view()->nodes.is_live(life));
}

TEST_F(ProposerTest, PublishedViewsStayAsTheyAre) {
  start(proposer_);
  const stream::ViewPtr before = proposer_.view();
  const core::Life life = register_node();
  EXPECT_FALSE(before->nodes.is_live(life));
}

TEST_F(ProposerTest, ProposalsThatComeWhileAnAppendIsUnderWayGoTogether) {
  start(proposer_);
  const core::Life life = register_node();
  const std::size_t before = log_.appends;
  int done = 0;
  for (int i = 0; i < 100; ++i) {
    stream::Command beat = cluster::Heartbeat{.life = life};
    ports::asio::co_spawn(world_.executor(kNode), proposer_.propose(std::move(beat)),
                          [&done](std::exception_ptr, core::Result<Outcome> outcome) {
                            if (outcome) ++done;
                          });
  }
  EXPECT_TRUE(world_.run_until([&] { return done == 100; }));
  EXPECT_LE(log_.appends - before, 2u);
  EXPECT_EQ(proposer_.view()->nodes.find(kNode)->beats, 100u);
}

TEST_F(ProposerTest, CommandsProposedTogetherHaveTheirOutcomesInOrder) {
  start(proposer_);
  const core::Life life = register_node();
  std::vector<stream::Command> commands;
  commands.push_back(stream::CreateStream{.life = life, .name = "a"});
  commands.push_back(stream::CreateStream{.life = life, .name = "b"});
  commands.push_back(stream::CreateStream{.life = life, .name = "a"});
  const auto outcomes = world_.run(kNode, proposer_.propose_all(std::move(commands)));
  ASSERT_TRUE(outcomes);
  EXPECT_EQ(*outcomes, (std::vector<Outcome>{
                           {Verdict::applied, 1}, {Verdict::applied, 2}, {Verdict::redundant, 1}}));
}

TEST_F(ProposerTest, WhatTheLogRefusedDidNotHappen) {
  start(proposer_);
  const core::Life life = register_node();
  log_.next_append_error = Errc::full;
  const auto outcome = propose(stream::CreateStream{.life = life, .name = "a"});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Errc::full);
  EXPECT_EQ(proposer_.view()->find("a"), nullptr);
}

TEST_F(ProposerTest, ALostAnswerIsFoundInTheLog) {
  start(proposer_);
  const core::Life life = register_node();
  log_.next_append_error = Errc::unknown;
  log_.loses_answer = true;
  const auto outcome = propose(stream::CreateStream{.life = life, .name = "a"});
  EXPECT_EQ(outcome, (Outcome{Verdict::applied, 1}));
}

TEST_F(ProposerTest, AnAppendThatGotLostStaysUnknown) {
  start(proposer_);
  const core::Life life = register_node();
  log_.next_append_error = Errc::unknown;
  const auto outcome = propose(stream::CreateStream{.life = life, .name = "a"});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Errc::unknown);
}

TEST_F(ProposerTest, TheNodesOwnProposalsOutlastAnOutage) {
  start(proposer_);
  const core::Life life = register_node();
  log_.is_down = true;
  world_.at(world_.now() + std::chrono::seconds(30), [this] { log_.is_down = false; });
  stream::Command command = stream::CreateStream{.life = life, .name = "a"};
  const auto outcome = world_.run(kNode, proposer_.propose_until_known(std::move(command)));
  EXPECT_EQ(outcome, (Outcome{Verdict::applied, 1}));
  EXPECT_LT(log_.appends, 60u);  // It backs off.
}

TEST_F(ProposerTest, EntriesOfOtherNodesAreFollowed) {
  start(proposer_);
  const core::Life life = register_node();
  Proposer other(world_.executor(kNode), memory_, timers_);
  start(other);
  EXPECT_TRUE(other.view()->nodes.is_live(life));
  propose(stream::CreateStream{.life = life, .name = "a"});
  world_.run_for(std::chrono::milliseconds(1));
  EXPECT_NE(other.view()->find("a"), nullptr);
  EXPECT_EQ(*other.view(), *proposer_.view());
}

TEST_F(ProposerTest, TwoNodesThatProposeAtOnceAgree) {
  start(proposer_);
  const core::Life life = register_node();
  Proposer other(world_.executor(kNode), memory_, timers_);
  start(other);
  int done = 0;
  for (int i = 0; i < 100; ++i) {
    for (Proposer* proposer : {&proposer_, &other}) {
      stream::Command create = stream::CreateStream{.life = life, .name = std::to_string(i)};
      ports::asio::co_spawn(world_.executor(kNode), proposer->propose(std::move(create)),
                            [&done, i](std::exception_ptr, core::Result<Outcome> outcome) {
                              ASSERT_TRUE(outcome);
                              EXPECT_EQ(outcome->value, static_cast<std::uint64_t>(i + 1));
                              ++done;
                            });
    }
  }
  EXPECT_TRUE(world_.run_until([&] { return done == 200; }));
  world_.run_for(std::chrono::milliseconds(1));
  EXPECT_EQ(*other.view(), *proposer_.view());
}

TEST_F(ProposerTest, SnapshotsReplaceTheFrontOfTheLog) {
  start(proposer_);
  const core::Life life = register_node();
  for (int i = 0; i < 120; ++i) propose(cluster::Heartbeat{.life = life});
  world_.run_for(std::chrono::seconds(1));
  const auto entries = world_.run(kNode, memory_.read(core::Index{0}, 1));
  ASSERT_FALSE(entries);
  EXPECT_EQ(entries.error().code, Errc::not_found);

  Proposer restarted(world_.executor(kNode), memory_, timers_);
  start(restarted);
  EXPECT_EQ(*restarted.view(), *proposer_.view());
}

TEST_F(ProposerTest, ANodeThatIsTooFarBehindLoadsTheSnapshot) {
  start(proposer_);
  const core::Life life = register_node();
  Proposer late(world_.executor(kNode), memory_, timers_);
  ASSERT_TRUE(world_.run(kNode, late.start()));
  for (int i = 0; i < 120; ++i) propose(cluster::Heartbeat{.life = life});
  world_.run_for(std::chrono::seconds(1));
  keep_running(late, kNode);
  world_.run_for(std::chrono::seconds(1));
  EXPECT_EQ(*late.view(), *proposer_.view());
}

TEST_F(ProposerTest, AnEntryThatDoesNotDecodeStopsTheNode) {
  start(proposer_);
  register_node();
  std::vector<std::string> nonsense;
  nonsense.push_back("nonsense");
  ASSERT_TRUE(world_.run(kNode, memory_.append(std::move(nonsense))));
  world_.run_for(std::chrono::seconds(1));
  ASSERT_TRUE(run_error_);
  EXPECT_EQ(run_error_->code, Errc::corrupt);
  EXPECT_THAT(run_error_->context, testing::HasSubstr("entry 2 does not decode: "));

  Proposer restarted(world_.executor(kNode), memory_, timers_);
  const auto started = world_.run(kNode, restarted.start());
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error(), *run_error_);
}

TEST_F(ProposerTest, WaitersHearOfANewerView) {
  start(proposer_);
  bool heard = false;
  ports::asio::co_spawn(world_.executor(kNode), proposer_.changed(core::Index{0}),
                        [&heard](std::exception_ptr) { heard = true; });
  world_.run_for(std::chrono::seconds(1));
  EXPECT_FALSE(heard);
  register_node();
  world_.run_for(std::chrono::seconds(1));
  EXPECT_TRUE(heard);
}

TEST_F(ProposerTest, ListenersHearOfEachNewView) {
  std::vector<core::Index> heard;
  proposer_.on_change([&heard](const stream::ViewPtr& view) { heard.push_back(view->applied); });
  start(proposer_);
  register_node();
  EXPECT_EQ(heard, (std::vector<core::Index>{core::Index{1}}));
}

}  // namespace
}  // namespace drivers
