#include "drivers/engine/active_streams.h"

#include <gtest/gtest.h>

namespace drivers {
namespace {

constexpr core::StreamId kId{7};
constexpr core::Life kLife{core::NodeId{1}, core::Epoch{3}};

stream::StreamRow row_at(core::Offset end) {
  stream::StreamRow row;
  row.name = "/a";
  row.end = end;
  return row;
}

CachedBatch batch(core::Offset base, core::Offset end, std::uint64_t sequence,
                  std::size_t bytes = 100) {
  CachedBatch one;
  one.base = base;
  one.end = end;
  one.bytes = core::Bytes(std::string(bytes, 'x'));
  one.life = kLife;
  one.place.sequence = sequence;
  one.place.location.length = bytes;
  return one;
}

TEST(ActiveStreamsTest, AStreamBeginsAsItsRowSays) {
  ActiveStreams streams(1000);
  stream::StreamRow row = row_at(5);
  row.ended = stream::StreamEnd{.offset = 5};
  const ActiveStream& one = streams.get(kId, row);
  EXPECT_EQ(one.assigned, 5u);
  EXPECT_EQ(one.durable, 5u);
  EXPECT_TRUE(one.ended.has_value());
  EXPECT_FALSE(one.is_dirty());
}

TEST(ActiveStreamsTest, TheLogIsNeededFromTheFirstBatchThatIsNotUploaded) {
  ActiveStreams streams(1000);
  ActiveStream& one = streams.get(kId, row_at(0));
  streams.add(one, batch(0, 2, 4));
  streams.add(one, batch(2, 3, 4));
  streams.add(one, batch(3, 4, 9));
  EXPECT_EQ(streams.first_needed(kLife), 4u);
  streams.mark_uploaded(one, 2, false);
  EXPECT_EQ(streams.first_needed(kLife), 4u);
  streams.mark_uploaded(one, 3, false);
  EXPECT_EQ(streams.first_needed(kLife), 9u);
  EXPECT_EQ(streams.dirty().count(kId), 1u);
  streams.mark_uploaded(one, 4, false);
  EXPECT_EQ(streams.first_needed(kLife), std::nullopt);
  EXPECT_TRUE(streams.dirty().empty());
  EXPECT_EQ(streams.dirty_bytes(), 0u);
}

TEST(ActiveStreamsTest, ACloseIsNeededUntilTheCommandLogKnowsTheEnd) {
  ActiveStreams streams(1000);
  ActiveStream& one = streams.get(kId, row_at(0));
  CachedBatch last = batch(0, 2, 4);
  last.kind = stream::WalEntryKind::append_close;
  one.ended = stream::StreamEnd{.offset = 2};
  streams.add(one, std::move(last));
  streams.mark_uploaded(one, 2, false);
  EXPECT_EQ(streams.first_needed(kLife), 4u);
  EXPECT_EQ(streams.dirty().count(kId), 1u);
  streams.mark_uploaded(one, 2, true);
  EXPECT_EQ(streams.first_needed(kLife), std::nullopt);
}

TEST(ActiveStreamsTest, TheOldestBytesGoFirstAndTheirPlaceStays) {
  ActiveStreams streams(250);
  ActiveStream& one = streams.get(kId, row_at(0));
  for (core::Offset base = 0; base < 3; ++base) streams.add(one, batch(base, base + 1, base));
  ASSERT_EQ(one.batches->size(), 3u);
  EXPECT_TRUE(one.batches->at(0).bytes.empty());
  EXPECT_FALSE(one.batches->at(1).bytes.empty());
  EXPECT_EQ(streams.cached_bytes(), 200u);
  EXPECT_EQ(streams.first_needed(kLife), 0u);
}

TEST(ActiveStreamsTest, WhatIsUploadedIsKeptOnlyForThoseWhoFollow) {
  ActiveStreams streams(1000);
  ActiveStream& one = streams.get(kId, row_at(0));
  streams.add(one, batch(0, 1, 0));
  streams.mark_uploaded(one, 1, false);
  EXPECT_EQ(one.batches, nullptr);
  one.listeners = std::make_unique<std::vector<std::weak_ptr<TailListener>>>();
  streams.add(one, batch(1, 2, 1));
  streams.mark_uploaded(one, 2, false);
  ASSERT_NE(one.batches, nullptr);
  EXPECT_EQ(one.batches->size(), 1u);
}

TEST(ActiveStreamsTest, ADeletedStreamNeedsNothing) {
  ActiveStreams streams(1000);
  streams.add(streams.get(kId, row_at(0)), batch(0, 1, 0));
  streams.erase(kId);
  EXPECT_EQ(streams.first_needed(kLife), std::nullopt);
  EXPECT_EQ(streams.cached_bytes(), 0u);
  EXPECT_EQ(streams.dirty_bytes(), 0u);
  EXPECT_EQ(streams.find(kId), nullptr);
}

TEST(ActiveStreamsTest, ADamagedRecordIsNeededForEver) {
  ActiveStreams streams(1000);
  streams.keep_for_ever(kLife, 3);
  EXPECT_EQ(streams.first_needed(kLife), 3u);
}

}  // namespace
}  // namespace drivers
