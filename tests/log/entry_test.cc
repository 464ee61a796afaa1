#include "log/entry.h"

#include <gtest/gtest.h>

#include "cluster/command.h"

namespace cmdlog {
namespace {

using cluster::Heartbeat;

const Heartbeat kBeat{.life = {.node = core::NodeId{1}, .epoch = core::Epoch{2}}};

TEST(EntryTest, CommandsComeBackAsTheyWere) {
  EXPECT_EQ(decode_entry<Heartbeat>(encode_entry(kBeat)), kBeat);
}

TEST(EntryTest, EveryFlippedBitIsNoticed) {
  const std::string good = encode_entry(kBeat);
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_FALSE(decode_entry<Heartbeat>(bad)) << bit;
  }
}

TEST(EntryTest, ATornEntryIsNoticed) {
  const std::string good = encode_entry(kBeat);
  for (std::size_t length = 0; length < good.size(); ++length) {
    EXPECT_FALSE(decode_entry<Heartbeat>(good.substr(0, length))) << length;
  }
}

TEST(EntryTest, ANewerFormatIsRefusedByItsNumber) {
  const auto read = decode_entry<Heartbeat>(seal(9, "whatever it means"));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().context,
            "format version 9 is newer than 1, the newest that this program reads: run the program "
            "that wrote it, or a later one");
}

}  // namespace
}  // namespace cmdlog
