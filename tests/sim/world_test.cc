#include "sim/world.h"

#include <gtest/gtest.h>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <string>

#include "sim/timers.h"

namespace sim {
namespace {

using namespace boost::asio::experimental::awaitable_operators;
using namespace std::chrono_literals;

constexpr core::NodeId kOne{1};
constexpr core::NodeId kTwo{2};

/// Counts frames that are alive.
struct Frame {
  explicit Frame(int& count) : count_(&count) { ++*count_; }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;
  ~Frame() { --*count_; }
  int* count_;
};

ports::Task<void> tick(SimWorld& world, core::Time every, std::string& out, char mark,
                       int& frames) {
  const Frame frame(frames);
  for (;;) {
    co_await world.pass(every);
    out += mark;
  }
}

TEST(SimWorldTest, TimeJumpsFromOneWakeUpToTheNext) {
  int frames = 0;  // Frames count down in the end of the world.
  SimWorld world(1);
  std::string out;
  world.spawn(kOne, tick(world, 2s, out, 'a', frames));
  world.spawn(kTwo, tick(world, 3s, out, 'b', frames));
  world.run_for(7s);
  EXPECT_EQ(out, "ababa");
  EXPECT_EQ(world.now(), 7s);
}

TEST(SimWorldTest, AKilledNodeNeverRunsAgainAndItsFramesUnwind) {
  int frames = 0;  // Frames count down in the end of the world.
  SimWorld world(1);
  std::string out;
  world.spawn(kOne, tick(world, 1s, out, 'a', frames));
  world.spawn(kTwo, tick(world, 1s, out, 'b', frames));
  world.run_for(1s);
  world.kill(kOne);
  world.run_for(1s);
  EXPECT_EQ(out, "abb");
  EXPECT_EQ(frames, 1);
  world.spawn(kOne, tick(world, 1s, out, 'c', frames));
  world.run_for(1s);
  EXPECT_EQ(out, "abbbc");
}

ports::Task<void> wait_for_timer(asio::steady_timer& timer, int& frames, bool& woke) {
  const Frame frame(frames);
  co_await timer.async_wait(asio::use_awaitable);
  woke = true;
}

TEST(SimWorldTest, AKilledNodeUnwindsFramesThatWaitOutsideOfTheWorld) {
  int frames = 0;  // Frames count down in the end of the world.
  SimWorld world(1);
  bool woke = false;
  {
    asio::steady_timer timer(world.executor(kOne), asio::steady_timer::time_point::max());
    world.spawn(kOne, wait_for_timer(timer, frames, woke));
    world.run_for(1s);
    EXPECT_EQ(frames, 1);
    world.kill(kOne);
  }
  world.run_for(1s);
  EXPECT_EQ(frames, 0);
  EXPECT_FALSE(woke);
}

ports::Task<void> kill_itself(SimWorld& world, int& frames, int& steps) {
  const Frame frame(frames);
  world.kill(kOne);
  ++steps;
  co_await world.pass(1s);
  ++steps;
}

TEST(SimWorldTest, ANodeThatKillsItselfGetsAsFarAsItsNextWait) {
  int frames = 0;  // Frames count down in the end of the world.
  SimWorld world(1);
  int steps = 0;
  world.spawn(kOne, kill_itself(world, frames, steps));
  world.run_for(5s);
  EXPECT_EQ(steps, 1);
  EXPECT_EQ(frames, 0);
}

TEST(SimWorldTest, APausedNodeCatchesUpWhenItGoesOn) {
  int frames = 0;  // Frames count down in the end of the world.
  SimWorld world(1);
  std::string out;
  world.spawn(kOne, tick(world, 1s, out, 'a', frames));
  world.run_for(2s);
  world.pause(kOne);
  world.run_for(3s);
  EXPECT_EQ(out, "aa");
  world.resume(kOne);
  world.run_for(1s);
  EXPECT_EQ(out, "aaaa");
}

ports::Task<bool> work_or_give_up(SimWorld& world, core::Time work, core::Time patience) {
  const auto first = co_await (world.pass(work) || world.pass(patience));
  co_return first.index() == 0;
}

TEST(SimWorldTest, TheLoserOfARaceIsCancelled) {
  SimWorld world(1);
  EXPECT_TRUE(world.run(kOne, work_or_give_up(world, 1s, 2s)));
  EXPECT_TRUE(world.run_until_idle());
  EXPECT_EQ(world.now(), 1s);
  EXPECT_FALSE(world.run(kOne, work_or_give_up(world, 9s, 2s)));
  EXPECT_EQ(world.now(), 3s);
}

TEST(SimWorldTest, RunUntilSaysWhetherTheFactCameTrueInTime) {
  SimWorld world(1);
  bool happened = false;
  world.at(3s, [&] { happened = true; });
  EXPECT_FALSE(world.run_until([&] { return happened; }, 2s));
  EXPECT_TRUE(world.run_until([&] { return happened; }, 2s));
}

TEST(SimWorldTest, AWorldCanEndWithCoroutinesInIt) {
  std::string out;
  int frames = 0;
  {
    SimWorld world(1);
    world.spawn(kOne, tick(world, 1s, out, 'a', frames));
    world.run_for(1s);
  }
  EXPECT_EQ(frames, 0);
}

TEST(SimTimersTest, TheWallClockCanBeSet) {
  SimWorld world(1);
  SimTimers timers(world, 1000);
  world.run_for(2s);
  EXPECT_EQ(timers.wall_now(), 3000);
  timers.set_wall(50);
  world.run_for(1s);
  EXPECT_EQ(timers.wall_now(), 1050);
  EXPECT_EQ(timers.now(), 3s);
}

}  // namespace
}  // namespace sim
