#include "stream/producer_table.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/golden.h"

namespace stream {
namespace {

BatchIdentity from(ProducerClaim claim, std::optional<std::string> stream_seq = std::nullopt) {
  return BatchIdentity{.producer = std::move(claim), .stream_seq = std::move(stream_seq)};
}

/// Knows producer "p", in epoch 5 at sequence 2.
ProducerTable table() {
  ProducerTable table;
  table.apply(from({"p", 5, 2}));
  return table;
}

ClaimCheck check(ProducerClaim claim) {
  return check_claim(table(), claim);
}

TEST(ProducerTableTest, ANewProducerBeginsAtZeroInAnyEpoch) {
  EXPECT_EQ(check({"new", 0, 0}), (ClaimCheck{ClaimVerdict::accept, 0, 0, 0}));
  EXPECT_EQ(check({"new", 9, 0}), (ClaimCheck{ClaimVerdict::accept, 9, 0, 0}));
  EXPECT_EQ(check({"new", 0, 3}), (ClaimCheck{ClaimVerdict::gap, 0, 0, 0}));
}

TEST(ProducerTableTest, TheNextSequenceIsAcceptedAndALaterOneIsAGap) {
  EXPECT_EQ(check({"p", 5, 3}), (ClaimCheck{ClaimVerdict::accept, 5, 3, 3}));
  EXPECT_EQ(check({"p", 5, 4}), (ClaimCheck{ClaimVerdict::gap, 5, 2, 3}));
}

TEST(ProducerTableTest, EveryEarlierSequenceIsADuplicateAndHearsTheHighest) {
  for (std::uint64_t sequence = 0; sequence <= 2; ++sequence) {
    EXPECT_EQ(check({"p", 5, sequence}), (ClaimCheck{ClaimVerdict::duplicate, 5, 2, 3}));
  }
}

TEST(ProducerTableTest, AnOlderEpochIsStaleAndHearsTheCurrentOne) {
  EXPECT_EQ(check({"p", 4, 0}).verdict, ClaimVerdict::stale_epoch);
  EXPECT_EQ(check({"p", 4, 3}).epoch, 5u);
}

TEST(ProducerTableTest, ANewerEpochBeginsAtZero) {
  EXPECT_EQ(check({"p", 6, 0}), (ClaimCheck{ClaimVerdict::accept, 6, 0, 0}));
  EXPECT_EQ(check({"p", 6, 3}).verdict, ClaimVerdict::bad_epoch_start);
}

TEST(ProducerTableTest, WhatWasAppliedCanBeTakenBackInReverse) {
  ProducerTable table;
  const ProducerUndo first = table.apply(from({"p", 1, 0}, "a"));
  const ProducerTable after_first = table;
  const ProducerUndo second = table.apply(from({"p", 2, 0}, "b"));
  const ProducerUndo third = table.apply(from({"q", 0, 0}));
  table.undo(third);
  EXPECT_EQ(table.find("q"), nullptr);
  table.undo(second);
  EXPECT_EQ(table, after_first);
  EXPECT_EQ(table.stream_seq(), "a");
  table.undo(first);
  EXPECT_TRUE(table.empty());
  EXPECT_EQ(table, ProducerTable());
}

TEST(ProducerTableTest, ABatchWithoutIdentityChangesNothing) {
  ProducerTable table;
  table.undo(table.apply(BatchIdentity{}));
  EXPECT_TRUE(table.empty());
  EXPECT_LE(sizeof table, sizeof(void*));
}

TEST(ProducerTableTest, ACopyIsIndependent) {
  ProducerTable original = table();
  ProducerTable copy = original;
  copy.apply(from({"p", 5, 3}));
  EXPECT_EQ(original.find("p")->sequence, 2u);
  original = copy;
  EXPECT_EQ(original.find("p")->sequence, 3u);
}

TEST(ProducerTableTest, ATableReadsBackFromItsBytes) {
  ProducerTable full = table();
  full.apply(from({"other \xff", (1ULL << 53) - 1, (1ULL << 53) - 1}, std::string("\0seq", 4)));
  ProducerTable only_seq;
  only_seq.apply(BatchIdentity{.producer = {}, .stream_seq = ""});
  for (const ProducerTable& written : {ProducerTable(), table(), full, only_seq}) {
    std::string bytes;
    written.encode(bytes);
    const auto read = ProducerTable::decode(bytes);
    ASSERT_TRUE(read.has_value()) << read.error().context;
    EXPECT_EQ(*read, written);
    EXPECT_EQ(bytes.size() == 1, written.empty());
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      const auto cut = ProducerTable::decode(std::string_view(bytes).substr(0, size));
      EXPECT_TRUE(!cut.has_value() || size == 1);
    }
    EXPECT_FALSE(ProducerTable::decode(bytes + "x").has_value());
  }
}

TEST(ProducerTableTest, TodaysFormatIsTheGoldenOne) {
  ProducerTable expected = table();
  expected.apply(from({"q", 300, 0}, "seq"));
  std::string written;
  expected.encode(written);
  const std::string stored = tests::golden("producer_table_1.bin", written);
  EXPECT_EQ(written, stored);
  EXPECT_EQ(ProducerTable::decode(stored), expected);
}

TEST(ProducerTableTest, ANewerFormatIsNamed) {
  const auto read = ProducerTable::decode("\x02");
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().code, core::Errc::invalid);
}

}  // namespace
}  // namespace stream
