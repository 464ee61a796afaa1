#include "drivers/engine/wal_writer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/timers.h"
#include "sim/wal.h"
#include "sim/world.h"

namespace drivers {
namespace {

using std::chrono::seconds;

constexpr core::NodeId kNode{1};
constexpr core::Life kLife{kNode, core::Epoch{1}};

/// Writes down what it hears.
class Events final : public WalWriterEvents {
 public:
  void on_durable(const stream::WalEntry& entry, const WalPlace& place) override {
    heard.push_back("durable " + std::to_string(entry.base) + " in " +
                    std::to_string(place.sequence));
  }
  void on_flushed() override { heard.push_back("flushed"); }
  void on_failed(const stream::WalEntry& entry) override {
    heard.push_back("failed " + std::to_string(entry.base));
  }
  void on_wal_lost(const core::Error&) override { heard.push_back("lost"); }

  std::vector<std::string> heard;
};

class WalWriterTest : public ::testing::Test {
 protected:
  void open(std::size_t max_in_flight) {
    wals.faults().max_in_flight = max_in_flight;
    auto wal = world.run(kNode, wals.create(kLife));
    writer = std::make_unique<WalWriter>(world.executor(kNode), timers, std::move(*wal), events);
  }

  static ports::Task<void> append_one(WalWriter& writer, core::Offset base,
                                      std::vector<std::string>& heard) {
    stream::WalEntry entry;
    entry.stream = core::StreamId{1};
    entry.base = base;
    entry.end = base + 1;
    entry.batch = core::Bytes(std::string(100, 'x'));
    const auto done = co_await writer.append(std::move(entry));
    heard.push_back((done ? "answer " : "error ") + std::to_string(base));
  }
  void append(core::Offset base) { world.spawn(kNode, append_one(*writer, base, events.heard)); }

  sim::SimWorld world{1};
  sim::SimWalStore wals{world};
  sim::SimTimers timers{world};
  Events events;
  std::unique_ptr<WalWriter> writer;
};

using Lines = std::vector<std::string>;

TEST_F(WalWriterTest, WhatComesWhileAFlushIsUnderWayGoesTogether) {
  open(1);
  append(0);
  append(1);
  append(2);
  world.run_for(seconds(1));
  EXPECT_EQ(events.heard, (Lines{"durable 0 in 0", "flushed", "answer 0", "durable 1 in 1",
                                 "durable 2 in 1", "flushed", "answer 1", "answer 2"}));
  EXPECT_EQ(writer->flush_times().count(), 2u);
  EXPECT_GT(writer->flush_times().sum(), core::Time(0));
}

TEST_F(WalWriterTest, AFailureTakesWithItWhatFollowsAndIsUndoneNewestFirst) {
  open(2);
  wals.faults().is_full = true;
  append(0);
  append(1);
  append(2);
  world.run_for(seconds(1));
  EXPECT_EQ(events.heard,
            (Lines{"failed 2", "failed 1", "failed 0", "error 0", "error 1", "error 2"}));
  EXPECT_TRUE(writer->is_idle());
}

TEST_F(WalWriterTest, AfterAFailureItGoesOnOnceThereIsRoom) {
  open(2);
  wals.faults().is_full = true;
  append(0);
  append(1);
  world.run_for(seconds(1));
  wals.faults().is_full = false;
  events.heard.clear();
  append(0);
  world.run_for(seconds(1));
  EXPECT_EQ(events.heard, (Lines{"durable 0 in 0", "flushed", "answer 0"}));
}

TEST_F(WalWriterTest, ALogThatWasTakenOverIsLostForGood) {
  open(1);
  ASSERT_TRUE(world.run(core::NodeId{2}, wals.take_over(kLife)));
  append(0);
  world.run_for(seconds(1));
  append(1);
  world.run_for(seconds(1));
  EXPECT_EQ(events.heard, (Lines{"failed 0", "lost", "error 0", "failed 1", "error 1"}));
}

}  // namespace
}  // namespace drivers
