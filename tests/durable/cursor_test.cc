#include "durable/cursor.h"

#include <gtest/gtest.h>

namespace durable {
namespace {

constexpr core::WallMs kNow = 1728432000000 + 20'000 * 100 + 5;

TEST(CursorTest, AnIntervalIsTwentySecondsSinceTheEpochOfTheProtocol) {
  EXPECT_EQ(cursor_interval(1728432000000), 0u);
  EXPECT_EQ(cursor_interval(1728432000000 - 1), 0u);
  EXPECT_EQ(cursor_interval(kNow), 100u);
}

TEST(CursorTest, AClientThatIsBehindGetsThePresent) {
  core::Random random(1);
  for (const char* sent : {"99", "0", "abc", "", "-5", "1e9", "99999999999999999999"}) {
    EXPECT_EQ(next_cursor(sent, kNow, random), 100u) << sent;
  }
  EXPECT_EQ(next_cursor(std::nullopt, kNow, random), 100u);
}

TEST(CursorTest, AClientThatIsThereIsSentFurtherByAtMostAnHour) {
  core::Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t next = next_cursor("105", kNow, random);
    EXPECT_GT(next, 105u);
    EXPECT_LE(next, 105u + 180u);
  }
}

}  // namespace
}  // namespace durable
