#include "cluster/heartbeat_clock.h"

#include <gtest/gtest.h>

namespace cluster {
namespace {

using core::Epoch;
using core::NodeId;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr NodeId kSelf{1};
constexpr NodeId kOther{2};

Nodes nodes(core::Beats self, core::Beats other, Epoch self_epoch = Epoch{1},
            Epoch other_epoch = Epoch{1}) {
  Nodes all;
  all.rows[kSelf] = NodeRow{.epoch = self_epoch, .beats = self, .address = ""};
  all.rows[kOther] = NodeRow{.epoch = other_epoch, .beats = other, .address = ""};
  return all;
}

TEST(HeartbeatClockTest, SilenceIsCountedInTheObserversOwnBeats) {
  HeartbeatClock clock(kSelf);
  clock.observe(nodes(10, 3));
  EXPECT_EQ(clock.silence(kOther), 0u);
  clock.observe(nodes(14, 3));
  EXPECT_EQ(clock.silence(kOther), 4u);
}

TEST(HeartbeatClockTest, ProgressEndsSilence) {
  HeartbeatClock clock(kSelf);
  clock.observe(nodes(10, 3));
  clock.observe(nodes(14, 4));
  EXPECT_EQ(clock.silence(kOther), 0u);
  clock.observe(nodes(15, 4));
  EXPECT_EQ(clock.silence(kOther), 1u);
}

TEST(HeartbeatClockTest, AnObserverWhoseBeatsStandStillSeesNobodyGrowSilent) {
  HeartbeatClock clock(kSelf);
  for (int i = 0; i < 100; ++i) clock.observe(nodes(10, 3));
  EXPECT_EQ(clock.silence(kOther), 0u);
}

TEST(HeartbeatClockTest, ANodeThatRegistersAgainStartsAnew) {
  HeartbeatClock clock(kSelf);
  clock.observe(nodes(10, 3));
  clock.observe(nodes(14, 3));
  clock.observe(nodes(14, 0, Epoch{1}, Epoch{2}));
  EXPECT_EQ(clock.silence(kOther), 0u);
}

TEST(HeartbeatClockTest, ANewLifeOfTheObserverWatchesForAFullTimeoutAgain) {
  HeartbeatClock clock(kSelf);
  clock.observe(nodes(10, 3));
  clock.observe(nodes(14, 3));
  clock.observe(nodes(0, 3, Epoch{2}));
  EXPECT_EQ(clock.silence(kOther), 0u);
}

TEST(HeartbeatClockTest, ANodeNeverSeenIsNotSilent) {
  HeartbeatClock clock(kSelf);
  EXPECT_EQ(clock.silence(kOther), 0u);
}

TEST(HeartbeatClockTest, TheLimitIsTheTimeoutInWholeBeatsRoundedUp) {
  EXPECT_EQ(silence_limit(seconds(30), seconds(5)), 6u);
  EXPECT_EQ(silence_limit(seconds(31), seconds(5)), 7u);
  EXPECT_EQ(silence_limit(milliseconds(1500), milliseconds(500)), 3u);
}

}  // namespace
}  // namespace cluster
