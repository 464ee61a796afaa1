#include "stream/offset_text.h"

#include <gtest/gtest.h>

namespace stream {
namespace {

TEST(OffsetTextTest, TextAndNumberStandForEachOther) {
  EXPECT_EQ(offset_text(0), "0000000000000000_0000000000000000");
  EXPECT_EQ(offset_text(42), "0000000000000000_0000000000000042");
  for (const core::Offset offset :
       {core::Offset{0}, core::Offset{1}, core::Offset{9'999'999'999'999'999},
        core::Offset{10'000'000'000'000'000}, kBeyondEveryTail - 1}) {
    EXPECT_EQ(parse_offset(offset_text(offset)), offset);
  }
}

TEST(OffsetTextTest, TextIsOrderedAsTheNumbersAre) {
  EXPECT_LT(offset_text(9), offset_text(10));
  EXPECT_LT(offset_text(999), offset_text(1'000'000));
}

TEST(OffsetTextTest, OtherFormsOfDigitsAreOffsetsToo) {
  EXPECT_EQ(parse_offset("0_7"), core::Offset{7});
  EXPECT_EQ(parse_offset("000_00000000000000000000000000000007"), core::Offset{7});
}

TEST(OffsetTextTest, WhatNoStreamCanHaveIsBeyondEveryTail) {
  EXPECT_EQ(parse_offset("9999999999999999_9999999999999999"), kBeyondEveryTail);
  EXPECT_EQ(parse_offset("1_0"), kBeyondEveryTail);
  EXPECT_EQ(parse_offset("0_99999999999999999999999999"), kBeyondEveryTail);
}

TEST(OffsetTextTest, OtherTextIsNoOffset) {
  for (const char* text : {"", "_", "1", "1_", "_1", "-1", "now", "0_-1", "0_1_2", " 0_1", "0_1\n",
                           "0x_1", "0_1 ", "0_+1"}) {
    EXPECT_EQ(parse_offset(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_offset(std::string_view("0_1\0", 4)), std::nullopt);
}

}  // namespace
}  // namespace stream
