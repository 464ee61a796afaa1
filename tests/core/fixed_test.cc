#include "core/fixed.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace core {
namespace {

TEST(FixedTest, BytesLieInTheStatedOrder) {
  std::string out;
  put_le(out, std::uint32_t{0x01020304});
  put_be(out, std::int16_t{-2});
  EXPECT_EQ(out, std::string("\x04\x03\x02\x01\xff\xfe"));
  ByteReader reader(out);
  EXPECT_EQ(reader.le<std::uint32_t>(), 0x01020304u);
  EXPECT_EQ(reader.be<std::int16_t>(), -2);
  EXPECT_TRUE(reader.at_end());
}

TEST(FixedTest, UvarintsRoundTripAndHaveTheSizeTheySay) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  for (unsigned bits = 0; bits <= 64; ++bits) {
    const std::uint64_t value = bits == 64 ? kMax : (std::uint64_t{1} << bits) - 1;
    for (const std::uint64_t near : {value, value + 1}) {
      std::string out;
      put_uvarint(out, near);
      EXPECT_EQ(out.size(), uvarint_size(near));
      ByteReader reader(out);
      EXPECT_EQ(reader.uvarint(), near);
      EXPECT_TRUE(reader.at_end());
    }
  }
}

TEST(FixedTest, ZigzagKeepsEveryNumber) {
  for (const std::int64_t value :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{63},
        std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}) {
    EXPECT_EQ(unzigzag(zigzag(value)), value);
  }
  EXPECT_EQ(zigzag(-1), 1u);
  EXPECT_EQ(zigzag(1), 2u);
}

TEST(FixedTest, AReadBeyondTheEndGivesZeroAndIsRemembered) {
  ByteReader reader("abc");
  EXPECT_EQ(reader.le<std::uint32_t>(), 0u);
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.le<std::uint8_t>(), 0);
  EXPECT_EQ(reader.bytes(0), "");
  EXPECT_FALSE(reader.at_end());
}

TEST(FixedTest, AUvarintThatDoesNotEndOrOverflowsIsRefused) {
  ByteReader endless(std::string_view("\x80\x80\x80"));
  endless.uvarint();
  EXPECT_FALSE(endless.ok());
  const std::string over = std::string(9, '\xff') + "\x02";
  ByteReader overflowing(over);
  overflowing.uvarint();
  EXPECT_FALSE(overflowing.ok());
}

TEST(FixedTest, ALengthThatIsLargerThanMemoryIsRefused) {
  ByteReader reader("abc");
  EXPECT_EQ(reader.bytes(std::numeric_limits<std::uint64_t>::max()), "");
  EXPECT_FALSE(reader.ok());
}

}  // namespace
}  // namespace core
