#include "stream/record_batch.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/crc32c.h"
#include "core/fixed.h"
#include "stream/record_reader.h"
#include "tests/support/golden.h"

namespace stream {
namespace {

BatchIdentity full_identity() {
  return BatchIdentity{.producer = ProducerClaim{.id = "writer/1", .epoch = 3, .sequence = 41},
                       .stream_seq = "2026-01",
                       .closes = true};
}

std::vector<std::string> values_of(std::string_view batch) {
  std::vector<std::string> values;
  auto reader = RecordReader::open(batch);
  if (!reader) return {"no batch"};
  for (Record record; reader->next(record);) values.emplace_back(record.value.value_or("null"));
  return reader->ok() ? values : std::vector<std::string>{"garbage"};
}

/// Makes a changed batch pass its checksum again.
void sign(std::string& batch) {
  core::store_be(batch.data() + 17, core::crc32c(std::string_view(batch).substr(21)));
}

TEST(RecordBatchTest, WhatIsFramedReadsBack) {
  const std::vector<std::string_view> values{"first", "", "third"};
  const FramedBatch framed = frame_batch(values, 1700000000123, full_identity());
  EXPECT_EQ(framed.records, 3u);
  const auto info = inspect_batch(framed.bytes);
  ASSERT_TRUE(info.has_value()) << info.error().context;
  EXPECT_EQ(info->base, 0u);
  EXPECT_EQ(info->end, 3u);
  EXPECT_EQ(info->size, framed.bytes.size());
  EXPECT_EQ(info->records, 3u);
  EXPECT_EQ(info->first_timestamp, 1700000000123);
  EXPECT_EQ(info->max_timestamp, 1700000000123);
  EXPECT_FALSE(info->is_compressed);
  EXPECT_EQ(info->identity, full_identity());
  EXPECT_EQ(values_of(framed.bytes), (std::vector<std::string>{"first", "", "third"}));
}

TEST(RecordBatchTest, FramingAllocatesExactlyWhatItNeeds) {
  for (const std::size_t size : {0u, 1u, 63u, 64u, 8191u, 8192u, 1u << 20}) {
    const std::string value(size, 'x');
    const std::vector<std::string_view> values(3, value);
    const FramedBatch framed = frame_batch(values, 1, full_identity());
    EXPECT_EQ(inspect_batch(framed.bytes)->size, framed.bytes.size());
  }
}

TEST(RecordBatchTest, NoValuesAreNoBytes) {
  EXPECT_EQ(frame_batch({}, 1, full_identity()), FramedBatch{});
}

TEST(RecordBatchTest, TheBaseOffsetIsOutsideTheChecksum) {
  const std::vector<std::string_view> values{"a", "b"};
  std::string batch = frame_batch(values, 1, {}).bytes;
  set_base_offset(batch, 1234567890123);
  const auto info = inspect_batch(batch);
  ASSERT_TRUE(info.has_value());
  EXPECT_EQ(info->base, 1234567890123u);
  EXPECT_EQ(info->end, 1234567890125u);
  auto reader = RecordReader::open(batch);
  Record record;
  ASSERT_TRUE(reader->next(record) && reader->next(record));
  EXPECT_EQ(record.offset, 1234567890124u);
}

TEST(RecordBatchTest, ACloseMarkIsOneEmptyRecordThatCloses) {
  const std::string mark =
      frame_close_mark(5, BatchIdentity{.producer = ProducerClaim{"p", 0, 7}, .stream_seq = {}});
  const auto info = inspect_batch(mark);
  ASSERT_TRUE(info.has_value());
  EXPECT_EQ(info->records, 1u);
  EXPECT_TRUE(info->identity.closes);
  EXPECT_EQ(info->identity.producer, (ProducerClaim{"p", 0, 7}));
}

TEST(RecordBatchTest, ConcatenatedBatchesCanBeWalkedByTheirHeaders) {
  const std::vector<std::string_view> one{"a"};
  const std::vector<std::string_view> two{"b", "c"};
  const std::string first = frame_batch(one, 1, {}).bytes;
  const std::string both = first + frame_batch(two, 2, {}).bytes;
  const auto header = peek_batch(both);
  ASSERT_TRUE(header.has_value());
  EXPECT_EQ(header->size, first.size());
  const auto second = inspect_batch(std::string_view(both).substr(header->size));
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->records, 2u);
}

TEST(RecordBatchTest, EveryFlippedByteUnderTheChecksumIsNoticed) {
  const std::vector<std::string_view> values{"some", "values"};
  const std::string good = frame_batch(values, 1700000000123, full_identity()).bytes;
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const int mask : {0x01, 0x80, 0xff}) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ mask);
      const bool outside = at < 8 || (at >= 12 && at < 16);  // Base offset, leader epoch.
      const auto info = inspect_batch(bad);
      if (!outside) {
        ASSERT_FALSE(info.has_value()) << at;
        EXPECT_EQ(info.error().code, core::Errc::corrupt);
      }
    }
  }
}

TEST(RecordBatchTest, EveryCutIsNoticed) {
  const std::vector<std::string_view> values{"some", "values"};
  const std::string good = frame_batch(values, 1, full_identity()).bytes;
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(inspect_batch(std::string_view(good).substr(0, size)).has_value()) << size;
  }
}

TEST(RecordBatchTest, RecordsThatLieUnderAValidChecksumAreNoticed) {
  const std::vector<std::string_view> values{"some", "values"};
  const std::string good = frame_batch(values, 1, {}).bytes;
  for (std::size_t at = 61; at < good.size(); ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string bad = good;
      bad[at] = static_cast<char>(byte);
      sign(bad);
      const auto info = inspect_batch(bad);  // Must end, within bounds; values may differ.
      if (info.has_value()) {
        EXPECT_EQ(values_of(bad).size(), 2u);
      }
    }
  }
  std::string longer = good;
  longer += "rest";
  core::store_be(longer.data() + 8, static_cast<std::int32_t>(longer.size() - 12));
  sign(longer);
  EXPECT_FALSE(inspect_batch(longer).has_value());
}

TEST(RecordBatchTest, OffsetsOfRecordsMustGoUp) {
  const std::vector<std::string_view> values{"a", "b"};
  std::string batch = frame_batch(values, 1, {}).bytes;
  const std::size_t second_delta = 61 + 8 + 3;  // One record is length + 7 bytes.
  ASSERT_EQ(batch[second_delta], 2);            // Zigzag of 1.
  batch[second_delta] = 0;
  sign(batch);
  EXPECT_FALSE(inspect_batch(batch).has_value());
}

TEST(RecordBatchTest, GapsBetweenOffsetsAreFine) {
  const std::vector<std::string_view> values{"a", "b"};
  std::string batch = frame_batch(values, 1, {}).bytes;
  set_base_offset(batch, 100);
  core::store_be(batch.data() + 23, std::int32_t{9});  // Last offset delta.
  batch[61 + 8 + 3] = 8;                               // Offset delta of the second: 4.
  sign(batch);
  const auto info = inspect_batch(batch);
  ASSERT_TRUE(info.has_value()) << info.error().context;
  EXPECT_EQ(info->records, 2u);
  EXPECT_EQ(info->end, 110u);
  auto reader = RecordReader::open(batch);
  Record record;
  ASSERT_TRUE(reader->next(record) && reader->next(record));
  EXPECT_EQ(record.offset, 104u);
  EXPECT_FALSE(reader->next(record));
  EXPECT_TRUE(reader->ok());
}

TEST(RecordBatchTest, ACompressedBatchIsOpaque) {
  const std::vector<std::string_view> values{"a", "b"};
  std::string batch = frame_batch(values, 1, full_identity()).bytes;
  batch[22] = 4;  // zstd, says the attribute; the records are not ours to read then.
  sign(batch);
  const auto info = inspect_batch(batch);
  ASSERT_TRUE(info.has_value());
  EXPECT_TRUE(info->is_compressed);
  EXPECT_EQ(info->identity, BatchIdentity{});
  const auto reader = RecordReader::open(batch);
  ASSERT_FALSE(reader.has_value());
  EXPECT_EQ(reader.error().code, core::Errc::invalid);
}

TEST(RecordBatchTest, HeadersOfOthersThatLookLikeOursAreNoClaims) {
  const std::vector<std::string_view> values{"a"};
  const BatchIdentity claimed{.producer = ProducerClaim{"p", 12, 34}, .stream_seq = {}};
  std::string batch = frame_batch(values, 1, claimed).bytes;
  const std::size_t epoch = batch.find("12");
  ASSERT_NE(epoch, std::string::npos);
  batch[epoch] = 'x';
  sign(batch);
  const auto info = inspect_batch(batch);
  ASSERT_TRUE(info.has_value());
  EXPECT_EQ(info->identity.producer, std::nullopt);
}

TEST(RecordBatchTest, TheIdentityCanBeReadAlone) {
  const std::vector<std::string_view> values{"a", "b"};
  EXPECT_EQ(read_identity(frame_batch(values, 1, full_identity()).bytes), full_identity());
  EXPECT_FALSE(read_identity("nothing").has_value());
}

TEST(RecordBatchTest, TodaysFormatIsTheGoldenOne) {
  const std::vector<std::string_view> values{"some", "", "values"};
  std::string written = frame_batch(values, 1700000000123, full_identity()).bytes;
  set_base_offset(written, 77);
  const std::string stored = tests::golden("record_batch_1.bin", written);
  EXPECT_EQ(written, stored);
  const auto info = inspect_batch(stored);
  ASSERT_TRUE(info.has_value());
  EXPECT_EQ(info->base, 77u);
  EXPECT_EQ(info->identity, full_identity());
  EXPECT_EQ(values_of(stored), (std::vector<std::string>{"some", "", "values"}));
}

}  // namespace
}  // namespace stream
