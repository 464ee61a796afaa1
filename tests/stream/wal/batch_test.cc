#include "stream/wal/batch.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

#include "stream/record_batch.h"
#include "tests/support/golden.h"

namespace stream {
namespace {

WalEntry entry(std::uint64_t stream, core::Offset base, std::string_view value,
               WalEntryKind kind = WalEntryKind::append) {
  const std::array<std::string_view, 1> values{value};
  std::string batch = frame_batch(values, 1700000000000, {}).bytes;
  set_base_offset(batch, base);
  return WalEntry{.stream = core::StreamId{stream},
                  .epoch = core::Epoch{7},
                  .kind = kind,
                  .base = base,
                  .end = base + 1,
                  .batch = core::Bytes(std::move(batch))};
}

std::vector<WalEntry> three_entries() {
  WalEntry close = entry(300, 5, "", WalEntryKind::close);
  close.end = close.base;
  return {entry(1, 1'000'000, "first"), entry(2, 0, "second", WalEntryKind::append_close), close};
}

WalPayload build(const std::vector<WalEntry>& entries) {
  WalBatchBuilder builder;
  for (const WalEntry& entry : entries) builder.add(entry);
  return builder.finish();
}

std::string text_of(const WalPayload& payload) {
  std::string text;
  for (const core::Bytes& part : payload.parts) text += part.view();
  return text;
}

TEST(WalBatchTest, WhatIsBuiltReadsBack) {
  const auto entries = three_entries();
  const WalPayload payload = build(entries);
  const std::string text = text_of(payload);
  EXPECT_EQ(payload.size, text.size());
  for (const bool damaged : {false, true}) {
    const auto parsed = parse_wal_batch(core::Bytes(text), damaged);
    ASSERT_TRUE(parsed.has_value()) << parsed.error().context;
    ASSERT_EQ(parsed->entries.size(), entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
      EXPECT_EQ(parsed->entries[i].entry, entries[i]);
      EXPECT_TRUE(parsed->entries[i].intact);
      EXPECT_EQ(parsed->entries[i].position, payload.positions[i]);
      EXPECT_EQ(text.substr(payload.positions[i], entries[i].batch.size()),
                entries[i].batch.view());
    }
  }
}

TEST(WalBatchTest, BatchesAreNotCopied) {
  const auto entries = three_entries();
  const WalPayload payload = build(entries);
  ASSERT_EQ(payload.parts.size(), entries.size() + 2);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    EXPECT_EQ(payload.parts[i + 1].data(), entries[i].batch.data());
  }
}

TEST(WalBatchTest, ABuilderMayBeUsedAgain) {
  WalBatchBuilder builder;
  for (const WalEntry& entry : three_entries()) builder.add(entry);
  const std::string once = text_of(builder.finish());
  EXPECT_TRUE(builder.empty());
  EXPECT_EQ(builder.batch_bytes(), 0u);
  for (const WalEntry& entry : three_entries()) builder.add(entry);
  EXPECT_EQ(builder.count(), 3u);
  EXPECT_EQ(text_of(builder.finish()), once);
}

TEST(WalBatchTest, OneDamagedByteHidesNoEntryAndSpoilsAtMostOne) {
  const auto entries = three_entries();
  const WalPayload payload = build(entries);
  const std::string good = text_of(payload);
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const int mask : {0x01, 0x80, 0xff}) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ mask);
      const auto parsed = parse_wal_batch(core::Bytes(bad), true);
      ASSERT_TRUE(parsed.has_value()) << at << ": " << parsed.error().context;
      ASSERT_EQ(parsed->entries.size(), entries.size());
      for (std::size_t i = 0; i < entries.size(); ++i) {
        const std::size_t start = payload.positions[i];
        const bool hit = at >= start && at < start + entries[i].batch.size();
        EXPECT_EQ(parsed->entries[i].intact, !hit) << at;
        EXPECT_EQ(parsed->entries[i].entry == entries[i], !hit) << at;
        EXPECT_EQ(parsed->entries[i].position, start);
      }
    }
  }
}

TEST(WalBatchTest, WhateverIsCutOffIsSaidToBeMissing) {
  const auto entries = three_entries();
  const WalPayload payload = build(entries);
  const std::string good = text_of(payload);
  for (std::size_t size = 0; size < good.size(); ++size) {
    const core::Bytes cut(good.substr(0, size));
    EXPECT_FALSE(parse_wal_batch(cut, false).has_value());
    const auto parsed = parse_wal_batch(cut, true);
    ASSERT_EQ(parsed.has_value(), size >= payload.parts.front().size());
    if (!parsed) continue;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const bool there = payload.positions[i] + entries[i].batch.size() <= size;
      EXPECT_EQ(parsed->entries[i].intact, there);
    }
  }
}

TEST(WalBatchTest, WithoutEitherTableItIsAnError) {
  std::string bad = text_of(build(three_entries()));
  bad[16] ^= 1;
  bad[bad.size() - 5] ^= 1;
  const auto parsed = parse_wal_batch(core::Bytes(bad), true);
  ASSERT_FALSE(parsed.has_value());
  EXPECT_EQ(parsed.error().code, core::Errc::corrupt);
}

TEST(WalBatchTest, ANewFlushOfNothingIsNothing) {
  const auto parsed = parse_wal_batch(core::Bytes(text_of(build({}))), false);
  ASSERT_TRUE(parsed.has_value());
  EXPECT_TRUE(parsed->entries.empty());
}

TEST(WalBatchTest, TodaysFormatIsTheGoldenOne) {
  const auto entries = three_entries();
  const std::string written = text_of(build(entries));
  const std::string stored = tests::golden("wal_batch_1.bin", written);
  EXPECT_EQ(written, stored);
  const auto parsed = parse_wal_batch(core::Bytes(stored), true);
  ASSERT_TRUE(parsed.has_value());
  ASSERT_EQ(parsed->entries.size(), 3u);
  EXPECT_EQ(parsed->entries[1].entry, entries[1]);
}

}  // namespace
}  // namespace stream
