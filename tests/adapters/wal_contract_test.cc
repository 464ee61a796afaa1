#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "ports/wal.h"
#include "tests/adapters/wal_twins.h"

namespace {

using core::Epoch;
using core::Errc;
using core::Life;
using core::NodeId;

constexpr Life kOne{NodeId{1}, Epoch{1}};
constexpr Life kTwo{NodeId{1}, Epoch{2}};
constexpr Life kTen{NodeId{1}, Epoch{10}};
constexpr Life kOther{NodeId{2}, Epoch{1}};

using MakeTwin = std::unique_ptr<tests::WalTwin> (*)();
template <class T>
std::unique_ptr<tests::WalTwin> make_twin() {
  return std::make_unique<T>();
}

class WalContract : public testing::TestWithParam<std::pair<const char*, MakeTwin>> {
 protected:
  ports::WalStore& store() { return twin_->store(); }

  std::unique_ptr<tests::WalTwin> twin_ = GetParam().second();
  tests::WalUser user_{*twin_};
};

TEST_P(WalContract, RecordsAreNumberedInOrderAndComeBack) {
  const auto wal = user_.create(kOne);
  EXPECT_EQ(user_.append(*wal, "a")->sequence, 0u);
  EXPECT_EQ(user_.append(*wal, "")->sequence, 1u);
  std::vector<core::Bytes> parts = {core::Bytes(std::string("c")), core::Bytes(),
                                    core::Bytes(std::string("d"))};
  EXPECT_EQ(user_.run(wal->append(parts))->sequence, 2u);
  EXPECT_EQ(user_.content(kOne), "0:a 1: 2:cd");
}

TEST_P(WalContract, AnAppendSaysWhereItsPayloadLies) {
  const auto wal = user_.create(kOne);
  ASSERT_TRUE(user_.append(*wal, "before"));
  const auto record = user_.append(*wal, "0123456789");
  ASSERT_TRUE(record);
  EXPECT_EQ(record->location.length, 10u);
  EXPECT_EQ(user_.read(kOne, {record->location}), "0123456789");
  ports::WalLocation part = record->location;
  part.position += 3;
  part.length = 4;
  EXPECT_EQ(user_.read(kOne, {part}), "3456");
  ASSERT_TRUE(user_.run(store().take_over(kOne)));
  const auto replayed = user_.replay(kOne);
  ASSERT_EQ(replayed->size(), 2u);
  EXPECT_EQ((*replayed)[1].location, record->location);
  EXPECT_EQ(user_.read(kOne, {part}), "3456");
}

TEST_P(WalContract, ManyPlacesAreReadAtOnceInTheOrderAsked) {
  const auto wal = user_.create(kOne);
  std::vector<ports::WalLocation> places;
  for (const char* payload : {"first", "second", "third"}) {
    places.push_back(user_.append(*wal, payload)->location);
  }
  EXPECT_EQ(user_.read(kOne, places), "firstsecondthird");
  std::swap(places[0], places[2]);
  EXPECT_EQ(user_.read(kOne, places), "thirdsecondfirst");
  EXPECT_EQ(user_.read(kOne, {}), "");
  ASSERT_TRUE(user_.run(store().take_over(kOne)));
  EXPECT_EQ(user_.read(kOne, places), "thirdsecondfirst");
}

TEST_P(WalContract, AsManyAsAreAllowedMayBeUnderWayAndReturnInOrder) {
  const auto wal = user_.create(kOne);
  std::vector<std::uint64_t> answers;
  const std::size_t count = wal->max_in_flight();
  for (std::size_t i = 0; i < count; ++i) {
    twin_->place().start(wal->append({core::Bytes(std::to_string(i))}),
                         [&answers](const core::Result<ports::WalRecord>& result) {
                           answers.push_back(result ? result->sequence : 999);
                         });
  }
  ASSERT_TRUE(twin_->place().run_until([&] { return answers.size() == count; }));
  for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(answers[i], i);
}

TEST_P(WalContract, ALifeHasOneLog) {
  const auto wal = user_.create(kOne);
  ASSERT_TRUE(user_.append(*wal, "a"));
  EXPECT_EQ(user_.run(store().create(kOne)).error().code, Errc::conflict);
  EXPECT_TRUE(user_.run(store().create(kTwo)));
}

TEST_P(WalContract, TheLivesOfANodeAreListedOldestFirst) {
  EXPECT_TRUE(user_.run(store().lives(NodeId{1}))->empty());
  for (const Life life : {kTen, kOne, kOther, kTwo}) {
    ASSERT_TRUE(user_.append(*user_.create(life), "a"));
  }
  twin_->reopen();
  EXPECT_EQ(*user_.run(store().lives(NodeId{1})), (std::vector{kOne, kTwo, kTen}));
  EXPECT_EQ(*user_.run(store().lives(NodeId{2})), (std::vector{kOther}));
}

TEST_P(WalContract, ALogOutlivesItsProcess) {
  {
    const auto wal = user_.create(kOne);
    ASSERT_TRUE(user_.append(*wal, "a"));
    ASSERT_TRUE(user_.append(*wal, "b"));
  }
  twin_->reopen();
  EXPECT_EQ(user_.content(kOne), "0:a 1:b");
  const auto wal = user_.create(kTwo);
  EXPECT_EQ(user_.append(*wal, "c")->sequence, 0u);
  EXPECT_EQ(user_.content(kOne), "0:a 1:b");
}

TEST_P(WalContract, ReplayGoesOnWhereItIsTold) {
  {
    const auto wal = user_.create(kOne);
    for (const char* payload : {"a", "bb", "ccc", "dddd"}) {
      ASSERT_TRUE(user_.append(*wal, payload));
    }
  }
  EXPECT_EQ(user_.content(kOne, 0, 1), "0:a 1:bb 2:ccc 3:dddd");
  EXPECT_EQ(user_.content(kOne, 2), "2:ccc 3:dddd");
  EXPECT_EQ(user_.content(kOne, 1, 5), "1:bb 2:ccc 3:dddd");
  EXPECT_EQ(user_.content(kOne, 4), "");
  EXPECT_EQ(user_.content(kOne, 400), "");
  EXPECT_EQ(user_.run(store().replay(kOne, 0, 3))->size(), 2u);
  EXPECT_EQ(user_.run(store().replay(kOne, 0, 3))->size(), 2u);
}

TEST_P(WalContract, AfterATakeoverNoAppendSucceeds) {
  const auto wal = user_.create(kOne);
  ASSERT_TRUE(user_.append(*wal, "a"));
  ASSERT_TRUE(user_.run(store().take_over(kOne)));
  EXPECT_EQ(user_.append(*wal, "b").error().code, Errc::fenced);
  EXPECT_EQ(user_.append(*wal, "c").error().code, Errc::fenced);
  ASSERT_TRUE(user_.run(store().take_over(kOne)));
  EXPECT_EQ(user_.content(kOne), "0:a");
}

TEST_P(WalContract, OnlyATakenOverLogIsReplayedOrRemoved) {
  const auto wal = user_.create(kOne);
  ASSERT_TRUE(user_.append(*wal, "a"));
  EXPECT_EQ(user_.run(store().replay(kOne, 0, 10)).error().code, Errc::invalid);
  EXPECT_EQ(user_.run(store().remove(kOne)).error().code, Errc::invalid);
}

TEST_P(WalContract, ALifeThatNeverWroteCanBeTakenOver) {
  const auto wal = user_.create(kOne);
  EXPECT_EQ(user_.content(kOne), "");
  EXPECT_EQ(user_.append(*wal, "late").error().code, Errc::fenced);
  EXPECT_EQ(user_.content(kTwo), "");  // Was registered and died before it had a log.
  EXPECT_EQ(user_.run(store().create(kTwo)).error().code, Errc::conflict);
}

TEST_P(WalContract, ARemovedLogIsNotListed) {
  ASSERT_TRUE(user_.append(*user_.create(kOne), "a"));
  ASSERT_TRUE(user_.append(*user_.create(kTwo), "a"));
  ASSERT_TRUE(user_.run(store().take_over(kOne)));
  ASSERT_TRUE(user_.run(store().remove(kOne)));
  ASSERT_TRUE(user_.run(store().remove(kOne)));
  EXPECT_EQ(*user_.run(store().lives(NodeId{1})), (std::vector{kTwo}));
  twin_->reopen();
  EXPECT_EQ(*user_.run(store().lives(NodeId{1})), (std::vector{kTwo}));
}

TEST_P(WalContract, TrimKeepsWhatIsNeeded) {
  const auto wal = user_.create(kOne);
  const std::string payload(10'000, 'x');
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(user_.append(*wal, payload));
  ASSERT_TRUE(user_.run(wal->trim(0)));
  ASSERT_TRUE(user_.run(wal->trim(20)));
  ASSERT_TRUE(user_.append(*wal, payload));
  ASSERT_TRUE(user_.run(store().take_over(kOne)));
  const auto records = user_.replay(kOne, 0, 50'000);
  ASSERT_TRUE(records) << records.error().context;
  ASSERT_FALSE(records->empty());
  EXPECT_GT(records->front().sequence, 0u);
  EXPECT_LE(records->front().sequence, 20u);
  EXPECT_EQ(records->back().sequence, 30u);
  std::uint64_t expected = records->front().sequence;
  for (const auto& record : *records) {
    EXPECT_EQ(record.sequence, expected++);
    EXPECT_EQ(record.damage, "");
    EXPECT_TRUE(record.payload.view() == payload);
  }
  EXPECT_EQ(user_.replay(kOne, 25, 50'000)->size(), 6u);
}

TEST_P(WalContract, AllMayBeTrimmedAndTheLogGoesOn) {
  const auto wal = user_.create(kOne);
  for (int i = 0; i < 40; ++i) ASSERT_TRUE(user_.append(*wal, std::string(5'000, 'x')));
  ASSERT_TRUE(user_.run(wal->trim(40)));
  EXPECT_EQ(user_.append(*wal, "last")->sequence, 40u);
  EXPECT_EQ(user_.content(kOne, 40), "40:last");
}

TEST_P(WalContract, RecordsOfAllSizesComeBack) {
  std::vector<std::string> payloads;
  core::Random random(5);
  for (const std::size_t size :
       {1u, 4031u, 4032u, 3968u, 3969u, 8064u, 70'000u, 100u, 65'408u, 3'000'000u}) {
    std::string payload(size, '\0');
    for (char& byte : payload) byte = static_cast<char>(random.next());
    payloads.push_back(payload);
  }
  {
    const auto wal = user_.create(kOne);
    for (const std::string& payload : payloads) ASSERT_TRUE(user_.append(*wal, payload));
  }
  ASSERT_TRUE(user_.run(store().take_over(kOne)));
  const auto records = user_.replay(kOne, 0, 1 << 20);
  ASSERT_TRUE(records) << records.error().context;
  ASSERT_EQ(records->size(), payloads.size());
  for (std::size_t i = 0; i < payloads.size(); ++i) {
    EXPECT_EQ((*records)[i].damage, "");
    EXPECT_TRUE((*records)[i].payload.view() == payloads[i]) << i;
  }
}

TEST_P(WalContract, DamageIsReportedInItsRecordAndTheOthersComeBack) {
  std::vector<ports::WalRecord> appended;
  {
    const auto wal = user_.create(kOne);
    for (const char* payload : {"aaa", "bbb", "ccc"}) {
      appended.push_back(*user_.append(*wal, payload));
    }
  }
  twin_->damage(kOne, appended[1]);
  EXPECT_EQ(user_.content(kOne), "0:aaa 1:! 2:ccc");
  const auto records = user_.replay(kOne);
  EXPECT_NE((*records)[1].damage.find("record 1"), std::string::npos) << (*records)[1].damage;
}

INSTANTIATE_TEST_SUITE_P(
    , WalContract,
    testing::Values(std::pair("Simulated", MakeTwin(make_twin<tests::SimWalTwin>)),
                    std::pair("Files", MakeTwin(make_twin<tests::FileWalTwin>)),
                    std::pair("SimulatedChain", MakeTwin(make_twin<tests::SimChainTwin>)),
                    std::pair("FileChain", MakeTwin(make_twin<tests::FileChainTwin>))),
    [](const auto& param) { return std::string(param.param.first); });

}  // namespace
