#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "stream/object/builder.h"
#include "stream/object/index.h"
#include "stream/record_batch.h"
#include "tests/support/golden.h"

namespace stream {
namespace {

constexpr core::ObjectId kObject{0x1234};
constexpr core::WallMs kNow = 1700000000000;

core::Bytes batch_of(std::vector<std::string_view> values, core::Offset base,
                     core::WallMs at_ms = kNow) {
  std::string batch = frame_batch(values, at_ms, {}).bytes;
  set_base_offset(batch, base);
  return core::Bytes(std::move(batch));
}

ProducerTable one_producer() {
  ProducerTable table;
  table.apply(BatchIdentity{.producer = ProducerClaim{"p", 3, 8}, .stream_seq = "s"});
  return table;
}

/// An object as its reader sees it: bytes first, then footer and index from them.
struct Opened {
  std::string bytes;
  BuiltObject built;
  ObjectFooter footer;
  ObjectIndex index;
};

core::Result<ObjectIndex> open_index(const std::string& bytes) {
  TRY(const ObjectFooter footer, parse_footer(kObject, bytes, bytes.size()));
  return parse_index(footer, core::Bytes(bytes.substr(footer.index_position, footer.index_length)));
}

Opened open(ObjectBuilder builder) {
  Opened opened;
  opened.built = builder.finish();
  for (const core::Bytes& part : opened.built.parts) opened.bytes += part.view();
  const auto footer = parse_footer(kObject, opened.bytes, opened.bytes.size());
  EXPECT_TRUE(footer.has_value());
  if (footer) opened.footer = *footer;
  auto index = open_index(opened.bytes);
  EXPECT_TRUE(index.has_value()) << index.error().context;
  if (index) opened.index = std::move(*index);
  return opened;
}

void add(ObjectBuilder& builder, std::uint64_t stream, const std::vector<core::Bytes>& batches,
         const ProducerTable& producers = {}) {
  const auto added = builder.add(core::StreamId{stream}, core::Epoch{2}, batches, producers);
  ASSERT_TRUE(added.has_value()) << added.error().context;
}

/// Two streams with little, one of them with producers.
Opened small_object() {
  ObjectBuilder builder(kObject);
  add(builder, 3, {batch_of({"a", "b"}, 10), batch_of({"c"}, 12, kNow + 5)}, one_producer());
  add(builder, 900, {batch_of({"d"}, 0, kNow - 1000)});
  return open(std::move(builder));
}

TEST(ObjectTest, EachStreamIsFoundWithItsNumbers) {
  const Opened object = small_object();
  EXPECT_EQ(object.built.size, object.bytes.size());
  ASSERT_EQ(object.index.streams().size(), 2u);
  const ObjectStream* stream = object.index.find(core::StreamId{3});
  ASSERT_NE(stream, nullptr);
  EXPECT_EQ(stream->epoch, core::Epoch{2});
  EXPECT_EQ(stream->base, 10u);
  EXPECT_EQ(stream->end, 13u);
  const auto& [id, extent] = object.built.extents.at(0);
  EXPECT_EQ(id, core::StreamId{3});
  EXPECT_EQ(extent, (Extent{.object = kObject,
                            .base = 10,
                            .end = 13,
                            .position = stream->position,
                            .bytes = stream->bytes}));
  EXPECT_EQ(object.index.find(core::StreamId{4}), nullptr);
  EXPECT_EQ(object.index.find(core::StreamId{901}), nullptr);
}

TEST(ObjectTest, ABlockHoldsWhatWasAdded) {
  const Opened object = small_object();
  const BlockInfo* block = object.index.find_block(core::StreamId{3}, 12);
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(block->max_timestamp, kNow + 5);
  const std::string bytes = object.bytes.substr(block->position, block->length);
  EXPECT_TRUE(check_block(kObject, *block, bytes).has_value());
  EXPECT_EQ(bytes, std::string(batch_of({"a", "b"}, 10).view()) +
                       std::string(batch_of({"c"}, 12, kNow + 5).view()));
  EXPECT_EQ(object.index.find_block(core::StreamId{3}, 9), nullptr);
  EXPECT_EQ(object.index.find_block(core::StreamId{3}, 13), nullptr);
  EXPECT_EQ(object.index.find_block(core::StreamId{4}, 0), nullptr);
}

TEST(ObjectTest, TheProducersOfAStreamComeWithIt) {
  const Opened object = small_object();
  EXPECT_EQ(object.index.producers(*object.index.find(core::StreamId{3})), one_producer());
  EXPECT_EQ(object.index.producers(*object.index.find(core::StreamId{900})), ProducerTable());
}

TEST(ObjectTest, BlocksNeverSplitABatchAndStayBelowTheTarget) {
  const std::string value(300'000, 'v');
  std::vector<core::Bytes> batches;
  std::string run;
  for (core::Offset base = 0; base < 8; base += 2) {
    batches.push_back(batch_of({value, "x"}, base));
    run += batches.back().view();
  }
  batches.push_back(batch_of({std::string(2'000'000, 'h')}, 8));
  batches.push_back(batch_of({"last"}, 9));
  const std::vector<core::Bytes> in_runs{core::Bytes(run), batches[4], batches[5]};

  ObjectBuilder one_by_one(kObject);
  add(one_by_one, 1, batches);
  ObjectBuilder by_runs(kObject);
  add(by_runs, 1, in_runs);
  const Opened object = open(std::move(one_by_one));
  EXPECT_EQ(object.bytes, open(std::move(by_runs)).bytes);

  std::vector<std::pair<core::Offset, core::Offset>> ranges;
  for (const BlockInfo& block : object.index.blocks(object.index.streams()[0])) {
    ranges.emplace_back(block.base, block.end);
    const auto bytes = std::string_view(object.bytes).substr(block.position, block.length);
    EXPECT_TRUE(check_block(kObject, block, bytes).has_value());
    EXPECT_EQ(peek_batch(bytes)->base, block.base);
  }
  EXPECT_EQ(ranges,
            (std::vector<std::pair<core::Offset, core::Offset>>{{0, 6}, {6, 8}, {8, 9}, {9, 10}}));
  EXPECT_EQ(object.index.find_block(core::StreamId{1}, 7)->base, 6u);
  EXPECT_EQ(object.index.find_block(core::StreamId{1}, 8)->length, batches[4].size());
}

TEST(ObjectTest, BatchesAreNotCopied) {
  const core::Bytes batch = batch_of({"a"}, 0);
  ObjectBuilder builder(kObject);
  add(builder, 1, {batch});
  EXPECT_EQ(builder.finish().parts.at(1).data(), batch.data());
}

TEST(ObjectTest, AGapOrGarbageAmongBatchesIsRefused) {
  const std::vector<std::vector<core::Bytes>> bad{
      {},
      {core::Bytes(std::string("garbage"))},
      {batch_of({"a"}, 0), batch_of({"b"}, 2)},
      {batch_of({"a"}, 0), batch_of({"b"}, 0)},
      {batch_of({"a"}, 0).slice(0, 60)},
  };
  for (const auto& batches : bad) {
    ObjectBuilder builder(kObject);
    const auto added = builder.add(core::StreamId{1}, core::Epoch{1}, batches, {});
    ASSERT_FALSE(added.has_value());
    EXPECT_EQ(added.error().code, core::Errc::corrupt);
  }
}

TEST(ObjectTest, ManyTinyStreamsCostLittle) {
  ObjectBuilder builder(kObject);
  constexpr std::uint64_t kStreams = 5000;
  for (std::uint64_t stream = 1; stream <= kStreams; ++stream) {
    add(builder, stream * 3, {batch_of({"tiny"}, stream * 1000, kNow + 7)});
  }
  const Opened object = open(std::move(builder));
  EXPECT_LT(object.footer.index_length, kStreams * 20);
  EXPECT_EQ(object.index.find_block(core::StreamId{2999 * 3}, 2'999'000)->end, 2'999'001u);
}

TEST(ObjectTest, TimestampsMayBeAsFarApartAsTheyLike) {
  constexpr core::WallMs kFar = std::numeric_limits<core::WallMs>::max();
  ObjectBuilder builder(kObject);
  add(builder, 1, {batch_of({"a"}, 0, -kFar - 1)});
  add(builder, 2, {batch_of({"a"}, 0, kFar)});
  const Opened object = open(std::move(builder));
  EXPECT_EQ(object.index.find_block(core::StreamId{1}, 0)->max_timestamp, -kFar - 1);
  EXPECT_EQ(object.index.find_block(core::StreamId{2}, 0)->max_timestamp, kFar);
}

/// What a reader that checks everything says: empty if nothing is wrong, else the first error and
/// the streams that are whole nevertheless.
struct Findings {
  std::string error;
  std::vector<std::uint64_t> whole;
};

Findings examine(const std::string& bytes) {
  Findings findings;
  if (const auto head = check_object_header(kObject, bytes); !head) {
    findings.error = head.error().context;
  }
  const auto index = open_index(bytes);
  if (!index) return Findings{.error = index.error().context, .whole = {}};
  for (const ObjectStream& stream : index->streams()) {
    bool is_whole = true;
    for (const BlockInfo& block : index->blocks(stream)) {
      const auto part = std::string_view(bytes).substr(block.position, block.length);
      const auto checked = check_block(kObject, block, part);
      if (!checked) findings.error = checked.error().context;
      is_whole = is_whole && checked.has_value();
    }
    if (is_whole) findings.whole.push_back(raw(stream.id));
  }
  return findings;
}

TEST(ObjectTest, EveryFlippedByteIsNoticedAndBlocksSpoilOnlyTheirStream) {
  const Opened object = small_object();
  ASSERT_EQ(examine(object.bytes).error, "");
  const std::uint64_t second = object.index.streams()[1].position;
  for (std::size_t at = 0; at < object.bytes.size(); ++at) {
    for (const int mask : {0x01, 0x80, 0xff}) {
      std::string bad = object.bytes;
      bad[at] = static_cast<char>(bad[at] ^ mask);
      const Findings findings = examine(bad);
      EXPECT_TRUE(findings.error.starts_with("data object 0000000000001234 at byte ")) << at;
      if (at >= object.footer.index_position) continue;
      const std::vector<std::uint64_t> expected = at < kObjectHeaderSize
                                                      ? std::vector<std::uint64_t>{3, 900}
                                                  : at < second ? std::vector<std::uint64_t>{900}
                                                                : std::vector<std::uint64_t>{3};
      EXPECT_EQ(findings.whole, expected) << at;
    }
  }
}

TEST(ObjectTest, EveryCutIsNoticed) {
  const Opened object = small_object();
  for (std::size_t size = 0; size < object.bytes.size(); ++size) {
    EXPECT_FALSE(open_index(object.bytes.substr(0, size)).has_value()) << size;
  }
}

TEST(ObjectTest, AnObjectUnderAnotherNameIsRefused) {
  const Opened object = small_object();
  const core::ObjectId other{99};
  EXPECT_FALSE(parse_footer(other, object.bytes, object.bytes.size()).has_value());
  EXPECT_FALSE(check_object_header(other, object.bytes).has_value());
}

TEST(ObjectTest, ABlockErrorNamesObjectAndPosition) {
  const Opened object = small_object();
  const BlockInfo& block = *object.index.find_block(core::StreamId{3}, 10);
  const auto checked = check_block(kObject, block, std::string(block.length, 'x'));
  ASSERT_FALSE(checked.has_value());
  EXPECT_EQ(checked.error().code, core::Errc::corrupt);
  EXPECT_TRUE(checked.error().context.starts_with("data object 0000000000001234 at byte 24: block"))
      << checked.error().context;
}

TEST(ObjectTest, TodaysFormatIsTheGoldenOne) {
  const Opened object = small_object();
  const std::string stored = tests::golden("data_object_1.bin", object.bytes);
  EXPECT_EQ(object.bytes, stored);
  const Findings findings = examine(stored);
  EXPECT_EQ(findings.error, "");
  EXPECT_EQ(findings.whole, (std::vector<std::uint64_t>{3, 900}));
}

}  // namespace
}  // namespace stream
