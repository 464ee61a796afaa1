#include "stream/gather.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "stream/record_batch.h"

namespace stream {
namespace {

std::string batch_of(std::vector<std::string_view> values, core::Offset base) {
  std::string batch = frame_batch(values, 1, {}).bytes;
  set_base_offset(batch, base);
  return batch;
}

/// Records "10" to "15", in three batches of two.
core::Bytes six_records() {
  return core::Bytes(batch_of({"10", "11"}, 10) + batch_of({"12", "13"}, 12) +
                     batch_of({"14", "15"}, 14));
}

std::string text_of(const std::vector<core::Bytes>& parts) {
  std::string text;
  for (const core::Bytes& part : parts) text += part.view();
  return text;
}

TEST(GatherTest, ASliceMayBeginAndEndInsideBatches) {
  std::string out;
  const BatchSlice slice{.batches = six_records(), .first = 11, .end = 15};
  EXPECT_EQ(append_values(slice, Join::commas, out), 4u);
  EXPECT_EQ(out, "11,12,13,14");
  EXPECT_EQ(append_values(slice, Join::raw, out), 4u);
  EXPECT_EQ(out, "11,12,13,1411121314");
}

TEST(GatherTest, AnEmptySliceGivesNothing) {
  std::string out;
  EXPECT_EQ(append_values(BatchSlice{six_records(), 16, 16}, Join::commas, out), 0u);
  EXPECT_EQ(append_values(BatchSlice{}, Join::raw, out), 0u);
  EXPECT_EQ(out, "");
}

TEST(GatherTest, AJsonArrayStaysOneWhateverTheValues) {
  std::string out;
  const BatchSlice slice{core::Bytes(batch_of({"1", "", "3"}, 0)), 0, 3};
  EXPECT_EQ(append_values(slice, Join::commas, out), 3u);
  EXPECT_EQ(out, "1,null,3");
}

TEST(GatherTest, LargeValuesAreSharedAndSmallOnesCopiedTogether) {
  const std::string large(10'000, 'L');
  const core::Bytes batches(batch_of({"a", "b", large, "c"}, 0));
  ValueGather gather(Join::commas);
  gather.add_text("[");
  ASSERT_TRUE(gather.add(BatchSlice{batches, 0, 4}).has_value());
  ASSERT_TRUE(gather.add(BatchSlice{batches, 0, 1}).has_value());
  gather.add_text("]");
  EXPECT_EQ(gather.values(), 5u);
  const std::string expected = "[a,b," + large + ",c,a]";
  EXPECT_EQ(gather.bytes(), expected.size());
  const auto parts = gather.finish();
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(text_of(parts), expected);
  EXPECT_GE(parts[1].data(), batches.data());
  EXPECT_LT(parts[1].data(), batches.data() + batches.size());
  EXPECT_EQ(gather.bytes(), 0u);
}

TEST(GatherTest, WhatDoesNotFitIntoOnePieceGoesOnInTheNext) {
  std::vector<std::string> texts;
  for (std::size_t size = 0; size < 2'000; ++size) {
    texts.emplace_back(size, static_cast<char>('a' + size % 26));
  }
  const std::vector<std::string_view> values(texts.begin(), texts.end());
  const core::Bytes batches(batch_of(values, 0));
  ValueGather gather(Join::raw);
  ASSERT_TRUE(gather.add(BatchSlice{batches, 0, values.size()}).has_value());
  std::string expected;
  for (const std::string& text : texts) expected += text;
  EXPECT_EQ(gather.bytes(), expected.size());
  const auto parts = gather.finish();
  EXPECT_GT(parts.size(), 1u);
  EXPECT_EQ(text_of(parts), expected);
}

TEST(GatherTest, ASharedValueOutlivesTheGatherAndTheSlice) {
  std::vector<core::Bytes> parts;
  {
    ValueGather gather(Join::raw, 1);
    const BatchSlice slice{core::Bytes(batch_of({"kept", ""}, 0)), 0, 2};
    ASSERT_TRUE(gather.add(slice).has_value());
    parts = gather.finish();
  }
  EXPECT_EQ(text_of(parts), "kept");
}

TEST(GatherTest, GarbageIsAnErrorNotAShorterAnswer) {
  std::string bytes = batch_of({"10", "11"}, 10);
  bytes[61] = 0x7f;  // Length of the first record.
  std::string out;
  const auto count = append_values(BatchSlice{core::Bytes(bytes), 10, 12}, Join::raw, out);
  ASSERT_FALSE(count.has_value());
  EXPECT_EQ(count.error().code, core::Errc::corrupt);
  const core::Bytes cut = six_records().slice(0, 100);
  EXPECT_FALSE(append_values(BatchSlice{cut, 10, 16}, Join::raw, out).has_value());
}

}  // namespace
}  // namespace stream
