#include "stream/compaction_plan.h"

#include <gtest/gtest.h>

namespace stream {
namespace {

using core::ObjectId;
using core::StreamId;

constexpr CompactionLimits kLimits{.small_bytes = 100, .count = 3, .output_bytes = 250};

void add_object(View& view, std::uint64_t id, std::uint64_t bytes, std::uint32_t extents = 1,
                ObjectState state = ObjectState::committed) {
  ObjectRow row;
  row.state = state;
  row.bytes = bytes;
  row.extents = extents;
  view.objects.put(ObjectId{id}, row);
}

Extent extent(std::uint64_t object, core::Offset base, core::Offset end) {
  return Extent{ObjectId{object}, base, end, 0, 10};
}

std::vector<ObjectId> ids(std::vector<std::uint64_t> numbers) {
  std::vector<ObjectId> found;
  for (const std::uint64_t number : numbers) found.push_back(ObjectId{number});
  return found;
}

TEST(CompactionPlanTest, FewSmallObjectsAreLeftAlone) {
  View view;
  add_object(view, 1, 10);
  add_object(view, 2, 10);
  EXPECT_EQ(plan_compaction(view, kLimits, {}), ids({}));
}

TEST(CompactionPlanTest, TheOldestSmallCommittedObjectsAreChosen) {
  View view;
  add_object(view, 1, 10);
  add_object(view, 2, 100);  // Not small.
  add_object(view, 3, 10, 0, ObjectState::reserved);
  add_object(view, 4, 10, 0, ObjectState::doomed);
  add_object(view, 5, 99);
  add_object(view, 6, 10);
  EXPECT_EQ(plan_compaction(view, kLimits, {}), ids({1, 5, 6}));
}

TEST(CompactionPlanTest, TheResultIsNotTooLarge) {
  View view;
  for (std::uint64_t id = 1; id <= 5; ++id) add_object(view, id, 80);
  EXPECT_EQ(plan_compaction(view, kLimits, {}), ids({1, 2, 3}));
}

TEST(CompactionPlanTest, WhatLedNowhereIsPassedOver) {
  View view;
  for (std::uint64_t id = 1; id <= 4; ++id) add_object(view, id, 10);
  EXPECT_EQ(plan_compaction(view, kLimits, {ObjectId{1}}), ids({2, 3, 4}));
}

TEST(CompactionPlanTest, TheLongestRunOfAStreamMoves) {
  StreamRow row;
  row.extents = {extent(1, 0, 5), extent(9, 5, 6), extent(2, 6, 8), extent(3, 8, 9)};
  const StreamRewrite rewrite = plan_rewrite(StreamId{7}, row, ids({1, 2, 3}));
  EXPECT_EQ(rewrite.stream, StreamId{7});
  EXPECT_EQ(rewrite.from, (std::vector<Extent>{extent(2, 6, 8), extent(3, 8, 9)}));
}

TEST(CompactionPlanTest, AStreamWithNothingThereHasNothingToMove) {
  StreamRow row;
  row.extents = {extent(9, 0, 5)};
  EXPECT_TRUE(plan_rewrite(StreamId{7}, row, ids({1, 2})).from.empty());
}

TEST(CompactionPlanTest, ObjectsThatKeepAnExtentAreNotEmptied) {
  View view;
  add_object(view, 1, 10, 2);  // One of its two extents moves.
  add_object(view, 2, 10);
  add_object(view, 3, 10);
  StreamRewrite rewrite;
  rewrite.stream = StreamId{7};
  rewrite.from = {extent(1, 0, 5), extent(2, 5, 6), extent(3, 6, 7)};
  EXPECT_EQ(count_emptied(view, {rewrite}), 2u);
}

}  // namespace
}  // namespace stream
