#include "durable/date.h"

#include <gtest/gtest.h>

namespace durable {
namespace {

TEST(DateTest, ATimeIsReadWithItsZoneAndFraction) {
  EXPECT_EQ(parse_rfc3339("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(parse_rfc3339("1970-01-01t00:00:01.5z"), 1500);
  EXPECT_EQ(parse_rfc3339("2024-10-09T00:00:00.000Z"), 1728432000000);
  EXPECT_EQ(parse_rfc3339("2024-10-09T02:30:00+02:30"), 1728432000000);
  EXPECT_EQ(parse_rfc3339("2024-10-08T20:00:00-04:00"), 1728432000000);
  EXPECT_EQ(parse_rfc3339("1970-01-01T00:00:00.123456789Z"), 123);
  EXPECT_EQ(parse_rfc3339("2024-02-29T00:00:00Z"), 1709164800000);
}

TEST(DateTest, WhatIsNoTimeIsNone) {
  for (const char* bad :
       {"", "tomorrow", "2024-10-09", "2024-10-09T00:00:00", "2024-10-09T00:00Z",
        "2024-13-01T00:00:00Z", "2023-02-29T00:00:00Z", "2024-10-09T24:00:00Z",
        "2024-10-09T00:60:00Z", "2024-10-09T00:00:00.Z", "2024-10-09T00:00:00+2:00",
        "2024-10-09T00:00:00+24:00", "2024-10-09T00:00:00Zx", " 2024-10-09T00:00:00Z",
        "24-10-09T00:00:00Z", "2024-10-09T00:00:00+0200"}) {
    EXPECT_EQ(parse_rfc3339(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace durable
