#include "drivers/heartbeat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <optional>

#include "sim/log.h"
#include "sim/timers.h"
#include "sim/world.h"

namespace drivers {
namespace {

using core::Epoch;
using core::Errc;
using core::Life;
using core::NodeId;
using std::chrono::seconds;

constexpr NodeId kNode{1};

class HeartbeatTest : public testing::Test {
 protected:
  HeartbeatTest() {
    EXPECT_TRUE(world_.run(kNode, proposer_.start()));
    ports::asio::co_spawn(world_.executor(kNode), proposer_.run(),
                          [](std::exception_ptr, core::Result<void>) {});
    const auto life = world_.run(kNode, heartbeat_.register_node());
    EXPECT_TRUE(life);
    ports::asio::co_spawn(world_.executor(kNode), heartbeat_.run(),
                          [this](std::exception_ptr, core::Error error) { over_ = error; });
  }
  ~HeartbeatTest() override { world_.kill(kNode); }

  const cluster::NodeRow& row() { return *proposer_.view()->nodes.find(kNode); }
  void propose(stream::Command command) {
    ASSERT_TRUE(world_.run(kNode, proposer_.propose(std::move(command))));
  }

  sim::SimWorld world_{1};
  sim::SimTimers timers_{world_};
  sim::SimLogStore store_;
  sim::SimLog log_{world_, store_, world_.executor(kNode)};
  Proposer proposer_{world_.executor(kNode), log_, timers_};
  Heartbeat heartbeat_{proposer_, timers_, {.node = kNode, .address = "http://a", .token = 5}};
  std::optional<core::Error> over_;
};

TEST_F(HeartbeatTest, ANodeBeatsEachInterval) {
  world_.run_for(seconds(51));
  EXPECT_EQ(row().beats, 10u);
  EXPECT_FALSE(over_);
}

TEST_F(HeartbeatTest, BeatsGoOnAfterTheLogWasAway) {
  log_.faults().is_cut = true;
  world_.run_for(seconds(60));
  EXPECT_EQ(row().beats, 0u);
  log_.faults().is_cut = false;
  world_.run_for(seconds(11));
  EXPECT_GE(row().beats, 2u);
  EXPECT_FALSE(over_);
}

TEST_F(HeartbeatTest, AFencedNodeNoticesAtOnce) {
  propose(cluster::FenceNode{.life = heartbeat_.life(), .beats = row().beats});
  world_.run_for(seconds(1));
  ASSERT_TRUE(over_);
  EXPECT_EQ(over_->code, Errc::fenced);
}

TEST_F(HeartbeatTest, ANodeThatIsReplacedNoticesAtOnce) {
  propose(cluster::RegisterNode{.node = kNode, .address = "http://b", .token = 6});
  world_.run_for(seconds(1));
  ASSERT_TRUE(over_);
  EXPECT_THAT(over_->context, testing::HasSubstr("registered again, at epoch 2"));
}

TEST_F(HeartbeatTest, ALifeEndsByItsOwnWord) {
  EXPECT_TRUE(world_.run(kNode, heartbeat_.fence_self()));
  EXPECT_TRUE(row().fenced);
}

TEST_F(HeartbeatTest, RegistrationOutlastsAnOutageAndHappensOnce) {
  Heartbeat next(proposer_, timers_, {.node = kNode, .address = "http://a", .token = 9});
  log_.faults().lost_answers = 100;
  world_.at(world_.now() + seconds(10), [this] { log_.faults().lost_answers = 0; });
  const auto life = world_.run(kNode, next.register_node());
  EXPECT_EQ(life, (Life{kNode, Epoch{2}}));
}

}  // namespace
}  // namespace drivers
