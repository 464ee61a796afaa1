#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "adapters/chain/chain_object.h"
#include "adapters/chain/chain_store.h"
#include "sim/store.h"
#include "sim/timers.h"
#include "tests/adapters/wal_twins.h"

namespace adapters {
namespace {

using core::Errc;
using namespace std::chrono_literals;

constexpr core::Life kLife{core::NodeId{1}, core::Epoch{7}};

class ChainWalTest : public testing::Test {
 protected:
  std::string object(std::uint64_t number) { return chain_name(kLife, number); }
  void append_all(ports::Wal& wal, const std::vector<std::string>& payloads) {
    for (const std::string& payload : payloads) ASSERT_TRUE(user_.append(wal, payload));
  }
  /// Starts appends side by side; their outcomes follow in `answers_`.
  void start(ports::Wal& wal, const std::string& payload) {
    twin_.place().start(wal.append({core::Bytes(payload)}),
                        [this, payload](const core::Result<ports::WalRecord>& result) {
                          answers_.push_back(payload + " " +
                                             (result ? std::to_string(result->sequence)
                                                     : core::name_of(result.error().code)));
                        });
  }
  void expect_answers(const std::vector<std::string>& expected) {
    twin_.place().run_until([&] { return answers_.size() == expected.size(); });
    EXPECT_EQ(answers_, expected);
    answers_.clear();
  }
  sim::StoreFaults& faults() { return twin_.objects.faults(); }

  tests::SimChainTwin twin_;
  tests::WalUser user_{twin_};
  std::vector<std::string> answers_;
};

TEST_F(ChainWalTest, AnAnswerThatWasLostIsResolvedByLooking) {
  const auto wal = user_.create(kLife);
  faults().lost_answers = 100;
  start(*wal, "a");
  twin_.here.world().run_for(10ms);
  faults() = {};
  expect_answers({"a 0"});
  EXPECT_EQ(twin_.objects.counters().conflicts, 1u);
  EXPECT_EQ(user_.content(kLife), "0:a");
}

TEST_F(ChainWalTest, WhileAnAppendIsNotResolvedThoseBehindItWait) {
  const auto wal = user_.create(kLife);
  faults().lost_requests = 100;
  start(*wal, "a");
  twin_.here.world().run_for(3ms);
  faults() = {};
  start(*wal, "b");
  start(*wal, "c");
  expect_answers({"a 0", "b 1", "c 2"});
}

TEST_F(ChainWalTest, AnUnavailableStoreIsTriedAgainThenGivenUp) {
  const auto wal = user_.create(kLife);
  faults().is_down = true;
  start(*wal, "a");
  twin_.here.world().run_for(2s);
  faults() = {};
  expect_answers({"a 0"});
  faults().is_down = true;
  start(*wal, "b");
  expect_answers({"b unavailable"});
  faults() = {};
  start(*wal, "c");
  expect_answers({"c 1"});
  EXPECT_EQ(user_.content(kLife), "0:a 1:c");
}

TEST_F(ChainWalTest, WhatFollowsAFailedAppendFailsThoughItsObjectIsThere) {
  const auto wal = user_.create(kLife);
  ASSERT_TRUE(user_.append(*wal, "a"));
  // Only the first of three finds the store full.
  faults().least_latency = faults().most_latency = 10ms;
  faults().is_full = true;
  start(*wal, "b");
  twin_.here.world().run_for(6ms);
  faults().is_full = false;
  start(*wal, "c");
  start(*wal, "d");
  expect_answers({"b full", "c full", "d full"});
  EXPECT_TRUE(twin_.objects.find(object(2)));
  EXPECT_TRUE(twin_.objects.find(object(3)));
  start(*wal, "e");
  start(*wal, "f");
  expect_answers({"e 1", "f 2"});
  EXPECT_EQ(user_.content(kLife), "0:a 1:e 2:f");
}

TEST_F(ChainWalTest, TheSealStandsWhereTheWriterWouldGoOn) {
  const auto wal = user_.create(kLife);
  faults().is_full = true;
  start(*wal, "a");
  start(*wal, "b");
  expect_answers({"a full", "b full"});
  faults().is_full = false;
  ASSERT_TRUE(user_.append(*wal, "c"));  // Number 0; 1 is void.
  ASSERT_TRUE(user_.run(twin_.store().take_over(kLife)));
  EXPECT_TRUE(twin_.objects.find(object(2)));
  EXPECT_EQ(user_.append(*wal, "d").error().code, Errc::fenced);
  EXPECT_EQ(user_.content(kLife), "0:c");
}

TEST_F(ChainWalTest, AWriterThatIsFasterThanItsTakeoverIsStoppedAllTheSame) {
  const auto wal = user_.create(kLife);
  bool stopped = false;
  int acknowledged = 0;
  twin_.here.world().spawn(core::NodeId{1},
                           [](ports::Wal& log, bool& stop, int& count) -> ports::Task<void> {
                             std::vector<core::Bytes> parts = {core::Bytes(std::string("x"))};
                             while (co_await log.append(parts)) count += 1;
                             stop = true;
                           }(*wal, stopped, acknowledged));
  twin_.here.world().run_until([&] { return acknowledged == 50; });
  faults().least_latency = faults().most_latency = 1ms;
  ASSERT_TRUE(twin_.here.world().run(core::NodeId{2}, twin_.store().take_over(kLife)));
  EXPECT_TRUE(twin_.here.world().run_until([&] { return stopped; }));
  EXPECT_EQ(user_.replay(kLife)->size(), static_cast<std::size_t>(acknowledged));
}

TEST_F(ChainWalTest, AMissingObjectInsideTheChainIsNamed) {
  const auto wal = user_.create(kLife);
  append_all(*wal, {"a", "b", "c", "d"});
  twin_.objects.erase(object(1));
  const auto result = user_.run(twin_.store().take_over(kLife));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::corrupt);
  EXPECT_NE(result.error().context.find(object(1) + " is missing"), std::string::npos);
}

TEST_F(ChainWalTest, AMissingObjectAtTheFrontIsNamedToo) {
  const auto wal = user_.create(kLife);
  append_all(*wal, {"a", "b", "c", "d"});
  twin_.objects.erase(object(0));
  EXPECT_EQ(user_.content(kLife), "take_over: corrupt");
}

TEST_F(ChainWalTest, AnObjectBehindAGapThatNobodyAcknowledgedIsNoPartOfTheChain) {
  const auto wal = user_.create(kLife);
  ASSERT_TRUE(user_.append(*wal, "a"));
  faults().lost_requests = 100;
  start(*wal, "b");
  twin_.here.world().run_for(2ms);
  faults() = {};
  start(*wal, "c");
  twin_.place().run_until([&] { return twin_.objects.find(object(2)).has_value(); });
  EXPECT_FALSE(twin_.objects.find(object(1)));
  faults().is_down = true;  // For the writer: it never gets through again.
  twin_.here.world().kill(core::NodeId{1});
  faults() = {};
  twin_.reopen();
  EXPECT_EQ(user_.content(kLife), "0:a");
}

TEST_F(ChainWalTest, NoSingleFlippedByteShortensTheChainOrChangesARecord) {
  const auto wal = user_.create(kLife);
  const std::vector<std::string> payloads = {"aaa", std::string(300, 'b'), "ccc"};
  append_all(*wal, payloads);
  ASSERT_TRUE(user_.run(twin_.store().take_over(kLife)));
  for (std::uint64_t number = 0; number < 4; ++number) {
    const std::size_t size = twin_.objects.find(object(number))->size();
    for (std::size_t at = 0; at < size; at += 3) {
      twin_.objects.flip(object(number), at);
      twin_.reopen();
      ASSERT_TRUE(user_.run(twin_.store().take_over(kLife))) << number << " " << at;
      const auto records = user_.replay(kLife);
      ASSERT_TRUE(records) << number << " " << at << ": " << records.error().context;
      ASSERT_EQ(records->size(), 3u);
      for (std::size_t i = 0; i < 3; ++i) {
        const auto& record = (*records)[i];
        ASSERT_TRUE(record.damage.empty() ? record.payload.view() == payloads[i] : i == number);
      }
      twin_.objects.flip(object(number), at);
    }
  }
}

TEST_F(ChainWalTest, AnObjectOfAnotherPlaceIsNoticed) {
  const auto wal = user_.create(kLife);
  append_all(*wal, {"a", "b", "c"});
  const std::string moved(twin_.objects.find(object(0))->view());
  twin_.objects.erase(object(1));
  ASSERT_TRUE(user_.run(twin_.objects.put_if_absent(object(1), {core::Bytes(moved)})));
  const auto result = user_.run(twin_.store().take_over(kLife));
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().context.find("wrong place"), std::string::npos);
}

TEST_F(ChainWalTest, ALateArrivalBelowTheFirstNeededObjectIsNotLookedAt) {
  const auto wal = user_.create(kLife);
  append_all(*wal, {"a", "b", "c", "d"});
  const std::string old(twin_.objects.find(object(1))->view());
  ASSERT_TRUE(user_.run(wal->trim(4)));
  append_all(*wal, {"e"});
  ASSERT_TRUE(user_.run(wal->trim(4)));
  EXPECT_FALSE(twin_.objects.find(object(1)));
  EXPECT_TRUE(twin_.objects.find(object(4)));
  ASSERT_TRUE(user_.run(twin_.objects.put_if_absent(object(1), {core::Bytes(old)})));
  EXPECT_EQ(user_.content(kLife), "4:e");
}

TEST_F(ChainWalTest, TheNewestDurableObjectAndTheSealStay) {
  const auto wal = user_.create(kLife);
  append_all(*wal, {"a", "b"});
  ASSERT_TRUE(user_.run(wal->trim(2)));
  EXPECT_EQ(twin_.objects.names().size(), 2u);
  ASSERT_TRUE(user_.run(twin_.store().take_over(kLife)));
  ASSERT_TRUE(user_.run(twin_.store().remove(kLife)));
  EXPECT_EQ(twin_.objects.names(),
            (std::vector<std::string>{object(2), chain_folder(kLife) + "removed"}));
  EXPECT_EQ(user_.append(*wal, "late").error().code, Errc::fenced);
  EXPECT_EQ(user_.content(kLife), "");
}

TEST_F(ChainWalTest, ANewerFormatIsRefusedWithItsVersion) {
  const auto wal = user_.create(kLife);
  ASSERT_TRUE(user_.append(*wal, "a"));
  std::string newer(twin_.objects.find(object(0))->view());
  newer[4] = newer[newer.size() - kChainHeader + 4] = 9;
  twin_.objects.erase(object(0));
  ASSERT_TRUE(user_.run(twin_.objects.put_if_absent(object(0), {core::Bytes(newer)})));
  const auto result = user_.run(twin_.store().take_over(kLife));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::invalid);
  EXPECT_NE(result.error().context.find("version 9"), std::string::npos);
}

TEST_F(ChainWalTest, TheProbeRefusesAStoreThatOverwritesOrListsLate) {
  EXPECT_TRUE(user_.run(twin_.logs->probe()));
  EXPECT_TRUE(twin_.objects.names().empty());
  faults().ignores_if_absent = true;
  EXPECT_EQ(user_.run(twin_.logs->probe()).error().code, Errc::invalid);
  faults() = {};
  faults().list_lag = 1h;
  EXPECT_EQ(user_.run(twin_.logs->probe()).error().code, Errc::invalid);
}

// ---- a writer, a store that misbehaves in every way, and a takeover at any time
// --------------------

struct Told {
  int under_way = 0;  // Here, because appends outlive the frame of their writer.
  std::vector<std::string> acknowledged;
  std::vector<std::string> refused;
};

ports::Task<void> append_one(ports::Wal& wal, std::string payload, Told& told) {
  std::vector<core::Bytes> parts = {core::Bytes(payload)};
  const auto result = co_await wal.append(std::move(parts));
  told.under_way -= 1;
  if (result) told.acknowledged.push_back(payload);
  if (!result && result.error().code != Errc::fenced) told.refused.push_back(payload);
}

ports::Task<void> write(sim::SimWorld& world, ports::Wal& wal, Told& told, const bool& stopped) {
  int next = 0;
  while (!stopped) {
    if (told.under_way < static_cast<int>(wal.max_in_flight())) {
      told.under_way += 1;
      world.spawn(core::NodeId{1}, append_one(wal, "r" + std::to_string(next++), told));
    }
    if (world.random().chance(10)) co_await wal.trim(0);
    co_await world.pass(core::Time(static_cast<std::int64_t>(500 + world.random().below(5'000))));
  }
}

void check_seed(std::uint64_t seed) {
  sim::SimWorld world(seed);
  sim::SimTimers timers(world);
  sim::SimStore objects(world);
  core::Random& random = world.random();
  ChainOptions options;
  options.backoff.give_up_after = random.chance(50) ? 20ms : 10s;
  ChainStore writer_logs(objects, timers, core::Random(seed), options);
  ChainStore taker_logs(objects, timers, core::Random(seed + 1));
  const auto wal = std::move(*world.run(core::NodeId{1}, writer_logs.create(kLife)));
  objects.faults().unavailable = random.below(20);
  objects.faults().lost_answers = random.below(20);
  objects.faults().lost_requests = random.below(20);
  objects.faults().late_requests = random.below(20);
  objects.faults().duplicated = random.below(20);
  objects.faults().late_by = core::Time(static_cast<std::int64_t>(1 + random.below(200'000)));

  Told told;
  bool stopped = false;
  world.spawn(core::NodeId{1}, write(world, *wal, told, stopped));
  for (int i = 0; i < 5; ++i) {
    world.run_for(core::Time(static_cast<std::int64_t>(random.below(40'000))));
    objects.faults().is_full = random.chance(20);
    if (random.chance(20)) world.pause(core::NodeId{1});
    if (random.chance(60)) world.resume(core::NodeId{1});
  }
  objects.faults().is_full = false;
  const bool dies = random.chance(50);
  if (dies) world.kill(core::NodeId{1});
  core::Result<void> taken = core::fail(Errc::unavailable, "");
  while (!taken) {
    taken = world.run(core::NodeId{2}, taker_logs.take_over(kLife));
    ASSERT_TRUE(taken || taken.error().code == Errc::unavailable ||
                taken.error().code == Errc::unknown || taken.error().code == Errc::not_found)
        << "seed " << seed << ": " << taken.error().context;
  }
  world.resume(core::NodeId{1});
  world.run_for(1s);  // The writer may go on for all it is worth.
  objects.faults() = {};
  stopped = true;
  world.run_for(30s);

  std::vector<std::string> replayed;
  const auto records = world.run(core::NodeId{2}, taker_logs.replay(kLife, 0, 1 << 30));
  ASSERT_TRUE(records) << "seed " << seed << ": " << records.error().context;
  for (const auto& record : *records) replayed.emplace_back(record.payload.view());
  // Acknowledged records are there, in order; refused ones are not; others may be.
  ASSERT_TRUE(std::includes(
      replayed.begin(), replayed.end(), told.acknowledged.begin(), told.acknowledged.end(),
      [](const auto& a, const auto& b) { return std::stoi(a.substr(1)) < std::stoi(b.substr(1)); }))
      << "seed " << seed;
  for (const std::string& refused : told.refused) {
    ASSERT_EQ(std::count(replayed.begin(), replayed.end(), refused), 0) << "seed " << seed;
  }
}

TEST(ChainSimulationTest, NothingAcknowledgedIsLostAndNothingRefusedAppears) {
  for (std::uint64_t seed = 1; seed <= 100 && !testing::Test::HasFatalFailure(); ++seed) {
    check_seed(seed);
  }
}

}  // namespace
}  // namespace adapters
