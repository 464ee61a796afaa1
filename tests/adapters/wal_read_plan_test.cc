#include "adapters/wal_read_plan.h"

#include <gtest/gtest.h>

namespace adapters {
namespace {

using ports::WalLocation;

TEST(WalReadPlanTest, NothingIsReadForNothing) {
  EXPECT_TRUE(plan_wal_reads({}).empty());
}

TEST(WalReadPlanTest, WhatLiesCloseTogetherInOneFileIsReadInOneGo) {
  const auto runs = plan_wal_reads({{7, 100, 10}, {7, 110, 20}, {7, 1000, 5}});
  EXPECT_EQ(runs, (std::vector<WalReadRun>{{7, 100, 905, 0, 3}}));
}

TEST(WalReadPlanTest, AnotherFileIsAnotherRead) {
  const auto runs = plan_wal_reads({{7, 100, 10}, {8, 110, 20}});
  EXPECT_EQ(runs, (std::vector<WalReadRun>{{7, 100, 10, 0, 1}, {8, 110, 20, 1, 2}}));
}

TEST(WalReadPlanTest, AWideGapAndAStepBackAreOtherReads) {
  const auto runs = plan_wal_reads({{7, 0, 10}, {7, 10 + (16 << 10) + 1, 20}, {7, 5, 1}});
  EXPECT_EQ(runs, (std::vector<WalReadRun>{
                      {7, 0, 10, 0, 1}, {7, 10 + (16 << 10) + 1, 20, 1, 2}, {7, 5, 1, 2, 3}}));
}

TEST(WalReadPlanTest, NoReadIsLargerThanFourMebibytesUnlessOneLocationIs) {
  const auto runs = plan_wal_reads({{7, 0, 3 << 20}, {7, 3 << 20, 2 << 20}, {7, 5 << 20, 9 << 20}});
  EXPECT_EQ(runs,
            (std::vector<WalReadRun>{
                {7, 0, 3 << 20, 0, 1}, {7, 3 << 20, 2 << 20, 1, 2}, {7, 5 << 20, 9 << 20, 2, 3}}));
}

TEST(WalReadPlanTest, PartsShareWhatWasReadUnlessMostOfItIsBetweenThem) {
  const core::Bytes bytes(std::string("aa..bb"));
  std::vector<core::Bytes> parts;
  cut_wal_run({7, 10, 6, 0, 2}, {{7, 10, 2}, {7, 14, 2}}, bytes, parts);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].view(), "aa");
  EXPECT_EQ(parts[1].view(), "bb");
  EXPECT_EQ(parts[1].data(), bytes.data() + 4);

  const core::Bytes sparse(std::string("a........b"));
  parts.clear();
  cut_wal_run({7, 0, 10, 0, 2}, {{7, 0, 1}, {7, 9, 1}}, sparse, parts);
  EXPECT_EQ(parts[1].view(), "b");
  EXPECT_NE(parts[1].data(), sparse.data() + 9);
}

}  // namespace
}  // namespace adapters
