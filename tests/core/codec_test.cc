#include "core/codec.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/ids.h"
#include "core/random.h"

namespace core {
namespace {

struct Small {
  std::uint8_t count = 7;
  bool operator==(const Small&) const = default;
};

struct Whole {
  bool flag = false;
  std::int64_t moment = 0;
  Epoch epoch{};
  std::string text{};
  std::optional<std::uint32_t> maybe{};
  Rare<Small> rare{};
  std::vector<Small> list{};
  std::map<NodeId, std::string> names{};
  std::variant<Small, std::string> choice{};
  bool operator==(const Whole&) const = default;
};

/// Whole, as an earlier version knew it.
struct Earlier {
  bool flag = false;
  std::int64_t moment = 0;
  bool operator==(const Earlier&) const = default;
};

Whole full() {
  return Whole{.flag = true,
               .moment = -300,
               .epoch = Epoch{70'000},
               .text = std::string("a\0b", 3),
               .maybe = 5'000'000'000 % 4'000'000'000,
               .rare = Small{1},
               .list = {Small{2}, Small{3}},
               .names = {{NodeId{1}, "one"}, {NodeId{2}, "two"}},
               .choice = std::string("second")};
}

std::string error_of(const std::string& bytes) {
  const auto result = decoded<Whole>(bytes);
  return result ? "" : result.error().context;
}

TEST(CodecTest, ValuesComeBackAsTheyWere) {
  EXPECT_EQ(decoded<Whole>(encoded(full())), full());
  EXPECT_EQ(decoded<Whole>(encoded(Whole{})), Whole{});
}

TEST(CodecTest, NumbersAtTheirLimitsComeBack) {
  for (const std::int64_t n : {INT64_MIN, std::int64_t{-1}, std::int64_t{0}, INT64_MAX}) {
    EXPECT_EQ(decoded<std::int64_t>(encoded(n)), n);
  }
  EXPECT_EQ(decoded<std::uint64_t>(encoded(UINT64_MAX)), UINT64_MAX);
}

TEST(CodecTest, TheBytesAreCborArraysOfTheFields) {
  EXPECT_EQ(encoded(Small{7}), "\x81\x07");
  EXPECT_EQ(encoded(std::vector<Small>{{1}, {2}}), "\x82\x81\x01\x81\x02");
  EXPECT_EQ(encoded(std::string("hi")), "\x42hi");
  EXPECT_EQ(encoded(std::optional<std::uint64_t>()), "\xF6");
  EXPECT_EQ(encoded(std::variant<Small, bool>(true)), "\x82\x01\xF5");
  EXPECT_EQ(encoded(std::int64_t{-300}), "\x39\x01\x2B");
}

TEST(CodecTest, FieldsThatAnEarlierVersionDidNotWriteKeepTheirDefaults) {
  const auto read = decoded<Whole>(encoded(Earlier{.flag = true, .moment = 9}));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, (Whole{.flag = true, .moment = 9}));
  EXPECT_EQ(decoded<Small>("\x80"), Small{7});
}

TEST(CodecTest, MoreFieldsThanAreKnownAreANewerVersions) {
  const auto read = decoded<Earlier>(encoded(full()));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Errc::corrupt);
  EXPECT_EQ(read.error().context,
            "more fields than this version knows (9) at byte 0: a newer version wrote this");
}

TEST(CodecTest, AnUnknownKindIsANewerVersions) {
  const auto read = decoded<std::variant<bool, Small>>("\x82\x02\xF5");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().context,
            "a kind that this version does not know (2) at byte 1: a newer version wrote this");
}

TEST(CodecTest, WhatDoesNotFitIsRefusedWithItsPosition) {
  EXPECT_EQ(error_of(""), "the bytes end inside a value at byte 0 of 0");
  EXPECT_EQ(error_of("\x81\x07"), "an item that is neither true nor false at byte 1 of 2");
  EXPECT_EQ(error_of(encoded(Earlier{}) + "x"), "bytes after the end of the value at byte 3 of 4");
  EXPECT_EQ(error_of("\x81\xFF"), "an item that is neither true nor false at byte 1 of 2");
  EXPECT_EQ(decoded<Small>("\x81\x19\x01\x01").error().context,
            "a number out of its range at byte 1 of 4");
}

TEST(CodecTest, NumbersTooLargeForTheirTypeAreRefused) {
  EXPECT_FALSE(decoded<std::uint8_t>(encoded(256u)));
  EXPECT_FALSE(decoded<std::int64_t>(encoded(UINT64_MAX)));
  EXPECT_FALSE(decoded<std::uint64_t>(encoded(-1)));
}

TEST(CodecTest, ALengthThatOutrunsTheBytesIsRefusedBeforeAnythingIsAllocated) {
  EXPECT_FALSE(decoded<std::vector<Small>>("\x9B\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF"));
  EXPECT_FALSE(decoded<std::string>("\x5B\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"));
  EXPECT_FALSE((decoded<std::map<NodeId, bool>>("\xBB\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF")));
  EXPECT_FALSE((decoded<std::vector<Small>>("\x9F\x81\x07\xFF")));  // Of unknown length.
}

TEST(CodecTest, MapKeysMustAscend) {
  EXPECT_TRUE((decoded<std::map<NodeId, bool>>("\xA2\x01\xF5\x02\xF5")));
  EXPECT_FALSE((decoded<std::map<NodeId, bool>>("\xA2\x01\xF5\x01\xF5")));
}

TEST(CodecTest, EveryPrefixAndEveryFlippedBitIsAnAnswerAndNotACrash) {
  const std::string good = encoded(full());
  for (std::size_t length = 0; length < good.size(); ++length) {
    EXPECT_FALSE(decoded<Whole>(good.substr(0, length))) << length;
  }
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    (void)decoded<Whole>(bad);
  }
  Random random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string noise(random.below(40), '\0');
    for (char& byte : noise) byte = static_cast<char>(random.next());
    (void)decoded<Whole>(noise);
  }
}

}  // namespace
}  // namespace core
