#include "app/verify/judge.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace app::verify {
namespace {

constexpr std::uint32_t kJson = 0;

/// A stream with three writers' appends in it, as a server that does all right would keep it. Each
/// test then lets one thing go wrong.
class JudgeTest : public ::testing::Test {
 protected:
  JudgeTest() {
    ledger_.add_stream({StreamKind::json, "a"});
    ledger_.add_stream({StreamKind::text, "b"});
    final_.how = "";
    final_.final = true;
    final_.whole = true;
  }

  static std::string offset(std::size_t n) { return fmt::format("0000000000000000_{:016}", n); }

  /// Sends an append, and has it acknowledged and kept.
  std::uint32_t append(std::uint32_t writer, std::uint32_t count) {
    const std::uint32_t number = send(writer, count);
    keep(writer, number);
    ledger_.answer(writer, number, Outcome::acknowledged, offset(final_.seen.size()));
    return number;
  }

  std::uint32_t send(std::uint32_t writer, std::uint32_t count) {
    const std::uint32_t number = next_[writer]++;
    const RequestBody body = make_request(StreamKind::json, "run", writer, number, count, 10);
    ledger_.send(writer, kJson, count, body.hash);
    bodies_[{writer, number}] = body.text;
    return number;
  }

  void keep(std::uint32_t writer, std::uint32_t number) {
    RecordDecoder decoder(StreamKind::json, "run");
    const std::string text = bodies_[{writer, number}];
    const std::string array = text.starts_with('[') ? text : "[" + text + "]";
    const std::string start = final_.chunks.empty() ? "-1" : final_.chunks.back().next;
    for (Seen& seen : decoder.feed(array)) final_.seen.push_back(std::move(seen));
    final_.chunks.push_back({start, offset(final_.seen.size()), final_.seen.size(), true});
  }

  /// Four appends: 0: w0.r0 (1), 1..3: w1.r0 (3), 4: w0.r1 (1), 5: w2.r0 (1).
  void four_appends() {
    append(0, 1);
    append(1, 3);
    append(0, 1);
    append(2, 1);
  }

  /// The same as one chunk: only acknowledgements and times can then tell about order.
  Reading in_one_chunk() const {
    Reading reading = final_;
    reading.chunks = {{"-1", final_.chunks.back().next, reading.seen.size(), true}};
    return reading;
  }

  Reading reader() const {
    Reading reading = in_one_chunk();
    reading.final = false;
    reading.how = "sse";
    return reading;
  }

  static void drop(Reading& reading, std::size_t at) {
    reading.seen.erase(reading.seen.begin() + static_cast<std::ptrdiff_t>(at));
    reading.chunks.back().end = reading.seen.size();
  }
  static void insert(Reading& reading, std::size_t at, Seen seen) {
    reading.seen.insert(reading.seen.begin() + static_cast<std::ptrdiff_t>(at), std::move(seen));
    reading.chunks.back().end = reading.seen.size();
  }

  Judgement judge_all(std::vector<Reading> readings) const { return judge(ledger_, readings); }

  static std::uint64_t count(const Judgement& judgement, Fault fault) {
    return judgement.counts[static_cast<std::size_t>(fault)];
  }

  /// Exactly one fault, of that kind.
  static void expect_one(const Judgement& judgement, Fault fault, const std::string& says) {
    EXPECT_EQ(judgement.faults(), 1U);
    EXPECT_EQ(count(judgement, fault), 1U);
    ASSERT_FALSE(judgement.first.empty());
    EXPECT_NE(judgement.first.front().what.find(says), std::string::npos)
        << judgement.first.front().what;
  }

  Ledger ledger_{"run"};
  Reading final_;
  std::map<std::uint32_t, std::uint32_t> next_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> bodies_;
};

TEST_F(JudgeTest, WhatWasKeptAsAcknowledgedIsGood) {
  four_appends();
  const Judgement judgement = judge_all({final_, reader()});
  EXPECT_TRUE(judgement.good());
  EXPECT_EQ(judgement.requests_acknowledged, 4U);
  EXPECT_EQ(judgement.records_acknowledged, 6U);
  EXPECT_EQ(judgement.records_read, 12U);
}

TEST_F(JudgeTest, AnAcknowledgedRecordThatIsNotThereIsLost) {
  four_appends();
  Reading bad = in_one_chunk();
  drop(bad, 4);
  expect_one(judge_all({bad}), Fault::lost, "w0.r1 with 1 records, acknowledged at");
}

TEST_F(JudgeTest, AStreamThatIsGoneHasLostEverything) {
  four_appends();
  EXPECT_EQ(count(judge_all({}), Fault::lost), 4U);
}

TEST_F(JudgeTest, ARecordThatIsThereTwiceIsDuplicated) {
  four_appends();
  Reading bad = in_one_chunk();
  insert(bad, 1, bad.seen[0]);
  expect_one(judge_all({bad}), Fault::duplicated, "w0.r0.0 is there again");
}

TEST_F(JudgeTest, AnAppendThatIsThereTwiceIsDuplicatedRecordByRecord) {
  four_appends();
  Reading bad = in_one_chunk();
  const std::vector<Seen> batch(bad.seen.begin() + 1, bad.seen.begin() + 4);
  for (const Seen& seen : batch) insert(bad, bad.seen.size(), seen);
  EXPECT_EQ(count(judge_all({bad}), Fault::duplicated), 3U);
  EXPECT_EQ(judge_all({bad}).faults(), 3U);
}

TEST_F(JudgeTest, AppendsThatChangedPlacesAreReordered) {
  four_appends();
  Reading bad = in_one_chunk();
  std::swap(bad.seen[4], bad.seen[5]);
  expect_one(judge_all({bad}), Fault::reordered, "w0.r1");
}

TEST_F(JudgeTest, AppendsThatOverlappedInTimeAreOrderedByTheirOffsets) {
  const auto first = send(0, 1);
  const auto second = send(1, 1);
  keep(0, first);
  keep(1, second);
  ledger_.answer(1, second, Outcome::acknowledged, offset(2));
  ledger_.answer(0, first, Outcome::acknowledged, offset(1));
  EXPECT_TRUE(judge_all({in_one_chunk()}).good());
  Reading bad = in_one_chunk();
  std::swap(bad.seen[0], bad.seen[1]);
  expect_one(judge_all({bad}), Fault::reordered, "w0.r0");
}

TEST_F(JudgeTest, TwoAcknowledgementsOfOneOffsetAreReordered) {
  const auto first = send(0, 1);
  const auto second = send(1, 1);
  keep(0, first);
  keep(1, second);
  ledger_.answer(0, first, Outcome::acknowledged, offset(2));
  ledger_.answer(1, second, Outcome::acknowledged, offset(2));
  EXPECT_EQ(count(judge_all({in_one_chunk()}), Fault::reordered), 1U);
}

TEST_F(JudgeTest, ARecordReadAtAnotherOffsetThanAcknowledgedIsReordered) {
  const auto number = send(0, 1);
  keep(0, number);
  ledger_.answer(0, number, Outcome::acknowledged, offset(7));
  expect_one(judge_all({final_}), Fault::reordered, "was read between -1 and");
}

TEST_F(JudgeTest, AnAppendWithAPieceMissingIsTorn) {
  four_appends();
  Reading bad = in_one_chunk();
  drop(bad, 2);
  expect_one(judge_all({bad}), Fault::torn, "2 of the 3 records of append w1.r0");
}

TEST_F(JudgeTest, AnAppendWithAnotherInsideIsTorn) {
  four_appends();
  Reading bad = in_one_chunk();
  std::swap(bad.seen[3], bad.seen[4]);
  EXPECT_EQ(count(judge_all({bad}), Fault::torn), 1U);
}

TEST_F(JudgeTest, MixedUpRecordsOfOneAppendAreReordered) {
  four_appends();
  Reading bad = in_one_chunk();
  std::swap(bad.seen[1], bad.seen[2]);
  expect_one(judge_all({bad}), Fault::reordered, "mixed up");
}

TEST_F(JudgeTest, ARecordThatMakesNoSenseIsTornAndWhatItWasIsLost) {
  four_appends();
  Reading bad = in_one_chunk();
  bad.seen[4] = Seen{};
  bad.seen[4].damage = "{\"run\":";
  const Judgement judgement = judge_all({bad});
  EXPECT_EQ(count(judgement, Fault::torn), 1U);
  EXPECT_EQ(count(judgement, Fault::lost), 1U);
}

TEST_F(JudgeTest, AStreamThatEndsInsideARecordIsTorn) {
  four_appends();
  Reading bad = final_;
  bad.rest = "#1 run 0";
  expect_one(judge_all({bad}), Fault::torn, "ends inside a record");
}

TEST_F(JudgeTest, ARecordThatNobodySentIsAPhantom) {
  four_appends();
  Reading bad = in_one_chunk();
  Seen stranger = bad.seen[0];
  stranger.key.request = 99;
  insert(bad, 6, stranger);
  expect_one(judge_all({bad}), Fault::phantom, "w0.r99.0 was never sent");
}

TEST_F(JudgeTest, ARecordOfAnotherStreamIsAPhantom) {
  four_appends();
  const auto body = make_request(StreamKind::text, "run", 0, 2, 1, 10);
  ledger_.send(0, 1, 1, body.hash);
  Reading bad = in_one_chunk();
  Seen stranger = bad.seen[0];
  stranger.key.request = 2;
  insert(bad, 6, stranger);
  expect_one(judge_all({bad}), Fault::phantom, "was sent to b");
}

TEST_F(JudgeTest, ARefusedAppendThatIsThereIsAPhantom) {
  const auto number = send(0, 1);
  keep(0, number);
  ledger_.answer(0, number, Outcome::refused, "");
  expect_one(judge_all({final_}), Fault::phantom, "refused");
}

TEST_F(JudgeTest, ContentThatIsWholeButNotWhatWasSentIsAPhantom) {
  four_appends();
  Reading bad = in_one_chunk();
  bad.seen[0].hash ^= 1;
  expect_one(judge_all({bad}), Fault::phantom, "other content");
}

TEST_F(JudgeTest, ALostAnswerLeavesBothOutcomesOpen) {
  const auto there = send(0, 1);
  keep(0, there);
  ledger_.answer(0, there, Outcome::maybe, "");
  ledger_.answer(0, send(0, 1), Outcome::maybe, "");
  append(0, 1);
  const Judgement judgement = judge_all({final_});
  EXPECT_TRUE(judgement.good());
  EXPECT_EQ(judgement.requests_maybe, 2U);
  EXPECT_EQ(judgement.requests_maybe_there, 1U);
}

TEST_F(JudgeTest, ALostAnswerMayBeWrittenLateButNotEarly) {
  append(0, 1);
  const auto late = send(1, 1);
  ledger_.answer(1, late, Outcome::maybe, "");
  append(0, 1);
  keep(1, late);
  EXPECT_TRUE(judge_all({final_}).good());
  Reading bad = in_one_chunk();
  std::swap(bad.seen[0], bad.seen[2]);
  EXPECT_GE(count(judge_all({bad}), Fault::reordered), 1U);
}

TEST_F(JudgeTest, ARepeatedAppendMayHaveBeenWrittenBeforeItsOffset) {
  const auto number = send(0, 1);
  keep(0, number);
  append(1, 1);
  ledger_.answer(0, number, Outcome::repeated, offset(2));
  EXPECT_TRUE(judge_all({final_}).good());
}

TEST_F(JudgeTest, AReaderThatMissesARecordLostIt) {
  four_appends();
  Reading bad = reader();
  drop(bad, 4);
  expect_one(judge_all({final_, bad}), Fault::lost, "w0.r1.0 was never shown");
}

TEST_F(JudgeTest, AReaderThatStopsEarlyHasMissedNothing) {
  four_appends();
  Reading early = reader();
  early.whole = false;
  drop(early, 5);
  EXPECT_TRUE(judge_all({final_, early}).good());
}

TEST_F(JudgeTest, AReaderThatGetsARecordTwiceWasShownADuplicate) {
  four_appends();
  Reading bad = reader();
  insert(bad, 5, bad.seen[4]);
  expect_one(judge_all({final_, bad}), Fault::duplicated, "shown again (sse)");
}

TEST_F(JudgeTest, AReaderThatSeesAnotherOrderWasShownAReorder) {
  four_appends();
  Reading bad = reader();
  std::swap(bad.seen[4], bad.seen[5]);
  expect_one(judge_all({final_, bad}), Fault::reordered, "w0.r1.0");
}

TEST_F(JudgeTest, ARecordThatAReaderSawAndThatIsGoneIsLost) {
  append(0, 1);
  const auto number = send(0, 1);
  ledger_.answer(0, number, Outcome::maybe, "");
  const Reading before = final_;
  keep(0, number);
  const Reading seer = reader();
  expect_one(judge_all({before, seer}), Fault::lost, "was shown to this reader and is not there");
}

TEST_F(JudgeTest, AReaderThatBeginsAtAnAcknowledgedOffsetGetsWhatFollowsIt) {
  four_appends();
  Reading from_middle = reader();
  from_middle.seen.erase(from_middle.seen.begin(), from_middle.seen.begin() + 4);
  from_middle.from = offset(4);
  from_middle.chunks = {{offset(4), offset(6), 2, true}};
  EXPECT_TRUE(judge_all({final_, from_middle}).good());
  from_middle.from = offset(1);
  EXPECT_EQ(count(judge_all({final_, from_middle}), Fault::lost), 3U);
}

TEST_F(JudgeTest, AReaderThatIsUpToDateInsideAnAppendWasShownATornOne) {
  four_appends();
  Reading bad = reader();
  bad.chunks.insert(bad.chunks.begin(), {"-1", offset(2), 2, true});
  expect_one(judge_all({final_, bad}), Fault::torn, "up to record 1 of 3");
}

TEST_F(JudgeTest, OnlyTheFirstTenFaultsAreShownButAllAreCounted) {
  for (int i = 0; i < 25; ++i) append(0, 1);
  const Judgement judgement = judge_all({});
  EXPECT_EQ(judgement.faults(), 25U);
  EXPECT_EQ(judgement.first.size(), kShownFindings);
}

}  // namespace
}  // namespace app::verify
