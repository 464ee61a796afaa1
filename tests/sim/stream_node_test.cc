#include "sim/stream_node.h"

#include <gtest/gtest.h>

#include <string>

#include "drivers/engine/block_reader.h"
#include "sim/store.h"
#include "sim/timers.h"
#include "sim/wal.h"
#include "stream/check_view.h"
#include "stream/record_batch.h"
#include "stream/record_reader.h"

// Each of these was found by a random run of engine_sim_test.cc; here it is told as a story.

namespace sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using stream::AppendStatus;

constexpr core::NodeId kNode{1};
constexpr core::NodeId kClient{1000};

class StreamNodeTest : public ::testing::Test {
 protected:
  StreamNodeTest() : node(StreamNodePorts{world, log, store, wals, timers}, kNode, options()) {
    node.start();
    wait_until_up();
  }

  static StreamNodeOptions options() {
    StreamNodeOptions options;
    options.engine.upload_interval = milliseconds(100);
    options.engine.sweep_interval = milliseconds(200);
    options.engine.orphan_interval = seconds(2);
    options.proposer.resolve_for = milliseconds(300);
    return options;
  }

  void wait_until_up() {
    ASSERT_TRUE(world.run_until([this] { return node.is_up(); }, seconds(30)));
  }
  void crash_and_restart() {
    node.crash();
    node.start();
    wait_until_up();
  }
  bool stop(core::Time limit = seconds(30)) {
    node.stop();
    return world.run_until([this] { return node.state() == StreamNode::State::down; }, limit);
  }

  core::Result<stream::CreateReply> create(const std::string& name,
                                           std::optional<std::uint64_t> ttl_s = std::nullopt) {
    stream::CreateRequest request;
    request.name = name;
    request.config.content_type = "text/plain";
    request.config.ttl_s = ttl_s;
    request.at_ms = timers.wall_now();
    return world.run(kClient, node.create(request));
  }

  stream::AppendRequest request(const std::string& name, const std::string& text,
                                std::optional<stream::ProducerClaim> producer = std::nullopt) {
    const std::string_view value = text;
    stream::AppendRequest append;
    append.name = name;
    append.content_type = "text/plain";
    append.producer = producer;
    append.batch = stream::frame_batch({&value, 1}, 0, {producer, std::nullopt, false});
    append.at_ms = timers.wall_now();
    return append;
  }
  core::Result<stream::AppendReply> append(const stream::AppendRequest& request) {
    return world.run(kClient, node.append(request));
  }
  core::Result<stream::AppendReply> append(const std::string& name, const std::string& text) {
    return append(request(name, text));
  }
  core::Result<stream::AppendReply> close(const std::string& name) {
    stream::AppendRequest close;
    close.name = name;
    close.close = true;
    close.at_ms = timers.wall_now();
    return append(close);
  }

  static ports::Task<void> send(StreamNode& node, stream::AppendRequest request,
                                std::optional<core::Errc>& failure) {
    const auto answer = co_await node.append(request);
    if (!answer) failure = answer.error().code;
  }

  core::Result<stream::ReadReply> read(const std::string& name) {
    stream::ReadRequest request;
    request.name = name;
    request.max_bytes = 1u << 20;
    request.at_ms = timers.wall_now();
    return world.run(kClient, node.read(request));
  }
  std::optional<core::Errc> error_at(const std::string& name, core::Offset offset) {
    stream::ReadRequest request;
    request.name = name;
    request.from = stream::ReadStart::offset;
    request.offset = offset;
    request.max_bytes = 1u << 20;
    request.at_ms = timers.wall_now();
    const auto reply = world.run(kClient, node.read(request));
    return reply ? std::nullopt : std::optional(reply.error().code);
  }
  /// All there is, records separated by spaces; or the status.
  std::string text(const std::string& name) {
    const auto reply = read(name);
    if (!reply) return "error: " + reply.error().context;
    if (reply->status != stream::ReadStatus::ok) {
      return "status " + std::to_string(static_cast<int>(reply->status));
    }
    std::string all;
    for (const stream::BatchSlice& slice : reply->slices) {
      for (std::string_view rest = slice.batches.view(); !rest.empty();) {
        const auto header = stream::peek_batch(rest);
        auto reader = stream::RecordReader::open(rest);
        for (stream::Record record; reader->next(record);) {
          if (record.offset < slice.first || record.offset >= slice.end) continue;
          all += std::string(all.empty() ? "" : " ") + std::string(record.value.value_or(""));
        }
        rest.remove_prefix(header->size);
      }
    }
    return all;
  }

  const stream::View& view() { return *node.proposer()->view(); }

  SimWorld world{1};
  SimLogStore log;
  SimStore store{world};
  SimWalStore wals{world};
  SimTimers timers{world};
  StreamNode node;
};

TEST_F(StreamNodeTest, WhatWasAppendedIsThereAfterACrashAndAfterACleanStop) {
  ASSERT_TRUE(create("/a"));
  ASSERT_TRUE(append("/a", "one"));
  crash_and_restart();
  ASSERT_TRUE(append("/a", "two"));
  EXPECT_EQ(text("/a"), "one two");
  ASSERT_TRUE(stop());
  node.start();
  wait_until_up();
  EXPECT_EQ(node.engine()->context().stats.replayed_records, 0u);
  EXPECT_EQ(text("/a"), "one two");
  EXPECT_EQ(stream::broken_invariant(view()), "");
}

/// An upload while an append is under way must not store that append's producer as having done it.
TEST_F(StreamNodeTest, AnAppendThatACrashTookIsNotADuplicateWhenItIsSentAgain) {
  ASSERT_TRUE(create("/a"));
  ASSERT_TRUE(append(request("/a", "one", stream::ProducerClaim{"p", 0, 0})));
  const WalFaults quick = wals.faults();
  wals.faults().least_latency = wals.faults().most_latency = seconds(20);
  wals.faults().lost_on_crash = 100;
  const auto second = request("/a", "two", stream::ProducerClaim{"p", 0, 1});
  std::optional<core::Errc> failure;
  world.spawn(kClient, send(node, second, failure));
  ASSERT_TRUE(world.run_until([this] { return node.engine()->context().active.dirty().empty(); },
                              seconds(15)));
  node.crash();
  wals.faults() = quick;
  node.start();
  wait_until_up();
  const auto again = append(second);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->status, AppendStatus::appended);
  EXPECT_EQ(text("/a"), "one two");
}

TEST_F(StreamNodeTest, WhatACreationBringsAlongComesBeforeWhatOthersAppend) {
  stream::CreateRequest creation;
  creation.name = "/a";
  creation.config.content_type = "text/plain";
  const std::string_view value = "first";
  creation.content = stream::frame_batch({&value, 1}, 0, {});
  // The creator hears of its stream late, the log's answer being lost.
  LogFaults deaf;
  deaf.lost_answers = 100;
  node.set_log_faults(deaf);
  world.spawn(kClient, [](StreamNode& on, stream::CreateRequest what) -> ports::Task<void> {
    (void)co_await on.create(what);
  }(node, creation));
  ASSERT_TRUE(world.run_until([this] { return view().find(std::string_view("/a")) != nullptr; },
                              seconds(5)));
  node.set_log_faults(LogFaults{});
  EXPECT_TRUE(append("/a", "second"));
  EXPECT_EQ(text("/a"), "first second");
}

/// Both streams are in the log alone when it changes under the running node.
TEST_F(StreamNodeTest, WhatTheLogCannotGiveBackCostsItsStreamAloneAndTheNodeStops) {
  ASSERT_TRUE(create("/a"));
  ASSERT_TRUE(create("/b"));
  store.faults().is_down = true;
  ASSERT_TRUE(append("/a", "good"));
  ASSERT_TRUE(append("/a", "bad"));
  ASSERT_TRUE(append("/b", "fine"));
  crash_and_restart();
  const core::Life before{kNode, core::Epoch{1}};
  wals.flip(before, 1, 80);  // In the batch, between the two tables.
  EXPECT_EQ(text("/a"), "good");
  EXPECT_EQ(error_at("/a", 1), core::Errc::corrupt);

  store.faults().is_down = false;
  ASSERT_TRUE(world.run_until([this] { return node.engine()->context().active.dirty().empty(); },
                              seconds(60)));
  EXPECT_EQ(text("/a"), "good");
  EXPECT_EQ(error_at("/a", 1), core::Errc::corrupt);
  EXPECT_FALSE(append("/a", "more"));
  EXPECT_TRUE(append("/b", "more"));
  EXPECT_TRUE(stop());
  EXPECT_GT(wals.count(before), 0u) << "the damaged record is the only trace of what it held";

  node.start();
  wait_until_up();
  EXPECT_EQ(text("/b"), "fine more");
  EXPECT_EQ(text("/a"), "good");
  EXPECT_EQ(error_at("/a", 1), core::Errc::corrupt);
}

TEST_F(StreamNodeTest, AStopEndsAlthoughTheLastFlushFailed) {
  ASSERT_TRUE(create("/a"));
  ASSERT_TRUE(append("/a", "one"));
  wals.faults().is_full = true;
  std::optional<core::Errc> failure;
  world.spawn(kClient, send(node, request("/a", "lost"), failure));
  world.run_for(core::Time(20));  // It is under way.
  EXPECT_TRUE(stop());
  EXPECT_EQ(failure, core::Errc::full);
}

TEST_F(StreamNodeTest, AnExpiredStreamThatWasCalledGoneStaysGoneAfterACrash) {
  ASSERT_TRUE(create("/a", 1));
  world.run_for(milliseconds(900));
  ASSERT_TRUE(append("/a", "one"));
  LogFaults cut;
  cut.is_cut = true;
  node.set_log_faults(cut);
  world.run_for(milliseconds(1200));
  const auto told = read("/a");
  EXPECT_FALSE(told) << "whether it is gone is the log's to say, and the log is away";
  node.set_log_faults(LogFaults{});
  EXPECT_EQ(text("/a"), "status 1");
  crash_and_restart();
  EXPECT_EQ(text("/a"), "status 1");
}

TEST_F(StreamNodeTest, AStreamThatWasUsedWhileTheLogWasAwayDoesNotExpireEarlyAfterACrash) {
  ASSERT_TRUE(create("/a", 2));
  LogFaults cut;
  cut.is_cut = true;
  node.set_log_faults(cut);
  for (int i = 0; i < 5; ++i) {
    world.run_for(milliseconds(1500));
    ASSERT_TRUE(read("/a")) << i;
  }
  node.set_log_faults(LogFaults{});
  crash_and_restart();
  EXPECT_EQ(text("/a"), "");
  world.run_for(milliseconds(2500));
  EXPECT_EQ(text("/a"), "status 1");
}

TEST_F(StreamNodeTest, WhatACrashLeftUnknownOfATtlIsSavedByTheNextCleanStop) {
  ASSERT_TRUE(create("/a", 2));
  world.run_for(milliseconds(1500));
  crash_and_restart();
  world.run_for(milliseconds(300));
  ASSERT_TRUE(stop());
  node.start();
  wait_until_up();
  world.run_for(milliseconds(1000));
  EXPECT_EQ(text("/a"), "");  // 2.8 s after its creation, 1.3 s after the crash.
}

TEST_F(StreamNodeTest, TheMarkOfACloseIsNoRecordOfTheDataObject) {
  ASSERT_TRUE(create("/a"));
  ASSERT_TRUE(append("/a", "one"));
  ASSERT_TRUE(close("/a"));
  world.run_for(seconds(2));
  EXPECT_TRUE(node.engine()->context().active.dirty().empty());
  crash_and_restart();
  const auto reply = read("/a");
  ASSERT_TRUE(reply);
  EXPECT_TRUE(reply->facts.closed);
  EXPECT_EQ(reply->facts.tail, 1u);
  EXPECT_EQ(text("/a"), "one");
}

TEST_F(StreamNodeTest, ARepeatIsKnownAlthoughAllRecordsWereTrimmed) {
  ASSERT_TRUE(create("/a"));
  const auto once = request("/a", "one", stream::ProducerClaim{"p", 0, 0});
  ASSERT_TRUE(append(once));
  ASSERT_TRUE(world.run(kClient, node.trim("/a", 1)));
  ASSERT_TRUE(stop());
  node.start();
  wait_until_up();
  const auto again = append(once);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->status, AppendStatus::duplicate);
}

TEST_F(StreamNodeTest, AnObjectThatArrivesAfterItWasGivenUpIsRemoved) {
  ASSERT_TRUE(create("/a"));
  store.faults().late_requests = 100;
  ASSERT_TRUE(append("/a", "one"));
  world.run_for(milliseconds(700));
  store.faults() = StoreFaults{};
  world.run_for(seconds(20));
  EXPECT_EQ(text("/a"), "one");
  for (const std::string& name : store.names()) {
    const auto object = drivers::data_object_of(name);
    ASSERT_TRUE(object) << name;
    const stream::ObjectRow* row = view().objects.find(*object);
    EXPECT_TRUE(row != nullptr && row->state == stream::ObjectState::committed) << name;
  }
}

TEST_F(StreamNodeTest, ADeletionWhoseAnswerWasLostLeavesNothingBehind) {
  ASSERT_TRUE(create("/a"));
  store.faults().is_down = true;
  ASSERT_TRUE(append("/a", "one"));
  LogFaults late;
  late.late_requests = 100;
  late.late_by = seconds(1);
  node.set_log_faults(late);
  const auto answer = world.run(kClient, node.remove("/a"));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, core::Errc::unknown);
  node.set_log_faults(LogFaults{});
  store.faults() = StoreFaults{};
  world.run_for(seconds(5));
  EXPECT_EQ(text("/a"), "status 1");
  EXPECT_EQ(node.engine()->context().active.size(), 0u);
  EXPECT_EQ(wals.count(node.life()), 0u);
  EXPECT_TRUE(stop());
}

TEST_F(StreamNodeTest, ADeadNodesAnswersNeverCome) {
  ASSERT_TRUE(create("/a"));
  std::optional<core::Errc> failure;
  world.spawn(kClient, send(node, request("/a", "perhaps"), failure));
  world.run_for(core::Time(20));
  crash_and_restart();
  EXPECT_EQ(failure, core::Errc::unknown);
}

}  // namespace
}  // namespace sim
