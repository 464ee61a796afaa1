#include "sim/wal.h"

#include <gtest/gtest.h>

#include <string>

namespace sim {
namespace {

using namespace std::chrono_literals;

constexpr core::NodeId kNode{1};
constexpr core::Life kLife{kNode, core::Epoch{3}};

ports::Task<void> append_one(ports::Wal& wal, std::string text, std::vector<std::string>& answers) {
  std::vector<core::Bytes> parts = {core::Bytes(text)};
  const auto result = co_await wal.append(std::move(parts));
  answers.push_back(text + (result ? " ok" : std::string(" ") + name_of(result.error().code)));
}

class SimWalTest : public testing::Test {
 protected:
  void start(std::string text) {
    world_.spawn(kNode, append_one(*wal_, std::move(text), answers_));
  }

  SimWorld world_{7};
  SimWalStore store_{world_};
  std::unique_ptr<ports::Wal> wal_ = std::move(*world_.run(kNode, store_.create(kLife)));
  std::vector<std::string> answers_;
};

TEST_F(SimWalTest, AppendsUnderWayAreAcknowledgedInOrder) {
  store_.faults().max_in_flight = 4;
  for (const char* text : {"a", "b", "c", "d"}) start(text);
  world_.run_until_idle();
  EXPECT_EQ(answers_, (std::vector<std::string>{"a ok", "b ok", "c ok", "d ok"}));
}

TEST_F(SimWalTest, AFullLogFailsAllThatIsUnderWayThenWorksAgain) {
  store_.faults().is_full = true;
  start("a");
  start("b");
  world_.run_for(0s);
  world_.run_until([&] { return answers_.size() == 1; });
  store_.faults().is_full = false;
  world_.run_until_idle();
  EXPECT_EQ(answers_, (std::vector<std::string>{"a full", "b full"}));
  start("c");
  world_.run_until_idle();
  EXPECT_EQ(answers_.back(), "c ok");
  EXPECT_EQ(store_.count(kLife), 1u);
}

TEST_F(SimWalTest, AnAppendThatArrivesAfterTheTakeoverIsRefused) {
  store_.faults().lost_on_crash = 0;
  store_.faults().least_latency = store_.faults().most_latency = 1s;
  start("late");
  world_.run_for(0s);
  world_.kill(kNode);
  wal_.reset();
  store_.faults() = {};
  ASSERT_TRUE(world_.run(core::NodeId{2}, store_.take_over(kLife)));
  world_.run_for(5s);
  EXPECT_EQ(store_.count(kLife), 0u);
}

TEST_F(SimWalTest, AnAppendUnderWayMayOutliveItsWriter) {
  store_.faults().lost_on_crash = 0;
  start("late");
  world_.run_for(0s);
  world_.kill(kNode);
  wal_.reset();
  world_.run_for(1s);
  EXPECT_EQ(store_.count(kLife), 1u);
  EXPECT_TRUE(answers_.empty());
}

TEST_F(SimWalTest, DamageIsReportedInItsRecord) {
  start("aaa");
  start("bbb");
  world_.run_until_idle();
  store_.flip(kLife, 0, 1);
  ASSERT_TRUE(world_.run(kNode, store_.take_over(kLife)));
  const auto records = world_.run(kNode, store_.replay(kLife, 0, 1000));
  ASSERT_EQ(records->size(), 2u);
  EXPECT_NE((*records)[0].damage, "");
  EXPECT_EQ((*records)[1].damage, "");
  EXPECT_EQ((*records)[1].payload.view(), "bbb");
}

}  // namespace
}  // namespace sim
