#include "app/bench/histogram.h"

#include <gtest/gtest.h>

#include "app/bench/run.h"

namespace app::bench {
namespace {

TEST(HistogramTest, SmallValuesAreExact) {
  Histogram histogram;
  for (std::uint64_t i = 1; i <= 50; ++i) histogram.add(i);
  EXPECT_EQ(histogram.at(0.5), 25U);
  EXPECT_EQ(histogram.at(1.0), 50U);
  EXPECT_EQ(histogram.max(), 50U);
  EXPECT_DOUBLE_EQ(histogram.mean(), 25.5);
}

TEST(HistogramTest, LargeValuesAreWithinAThirtySecond) {
  for (std::uint64_t value = 1; value < (1ULL << 60); value = value * 3 + 1) {
    Histogram histogram;
    histogram.add(value);
    histogram.add(value * 2);
    const std::uint64_t found = histogram.at(0.5);
    EXPECT_GE(found, value);
    EXPECT_LE(found, value + value / 32 + 1);
  }
}

TEST(HistogramTest, HistogramsAddUp) {
  Histogram a;
  Histogram b;
  a.add(10);
  b.add(1000);
  a.add_all(b);
  EXPECT_EQ(a.count(), 2U);
  EXPECT_EQ(a.at(0.5), 10U);
  EXPECT_EQ(a.at(1), 1000U);
}

TEST(HistogramTest, AnEmptyOneIsZero) {
  EXPECT_EQ(Histogram().at(0.99), 0U);
  EXPECT_EQ(Histogram().max(), 0U);
}

TEST(BenchBodyTest, MessagesAreAsLargeAsAskedAndCarryTheirStamp) {
  bench::Run run;
  run.options.size = 100;
  run.options.batch = 1;
  EXPECT_EQ(make_body(run, 5), std::string(100, 'x'));
  run.options.batch = 3;
  const std::string body = make_body(run, 123456);
  EXPECT_EQ(body.size(), 3 * 100 + 2 + 2U);
  EXPECT_EQ(stamps_in(body), (std::vector<std::uint64_t>{123456, 123456, 123456}));
}

}  // namespace
}  // namespace app::bench
