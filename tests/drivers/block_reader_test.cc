#include "drivers/engine/block_reader.h"

#include <gtest/gtest.h>

#include <string>

#include "sim/store.h"
#include "sim/world.h"
#include "stream/object/builder.h"
#include "stream/record_batch.h"

namespace drivers {
namespace {

constexpr core::NodeId kNode{1};
constexpr core::ObjectId kObject{5};
constexpr core::StreamId kStream{7};

core::Bytes batch_at(core::Offset base) {
  const std::string value = "value " + std::to_string(base);
  const std::string_view view = value;
  stream::FramedBatch framed = stream::frame_batch({&view, 1}, 0, {});
  stream::set_base_offset(framed.bytes, base);
  return core::Bytes(std::move(framed.bytes));
}

class BlockReaderTest : public ::testing::Test {
 protected:
  /// Stores an object with the records [0, 3) of one stream.
  BlockReaderTest() {
    stream::ObjectBuilder builder(kObject);
    const std::vector<core::Bytes> batches{batch_at(0), batch_at(1), batch_at(2)};
    EXPECT_TRUE(builder.add(kStream, core::Epoch{1}, batches, stream::ProducerTable()));
    stream::BuiltObject built = builder.finish();
    extent = built.extents.front().second;
    EXPECT_TRUE(world.run(kNode, store.put_if_absent(data_object_name(kObject), built.parts)));
  }

  core::Result<std::vector<stream::BatchSlice>> read(core::Offset from, core::Offset until) {
    return world.run(kNode, reader.read(kStream, extent, from, until, 1u << 20));
  }

  sim::SimWorld world{1};
  sim::SimStore store{world};
  BlockReader reader{world.executor(kNode), store, 1u << 20, 2};
  stream::Extent extent;
};

TEST_F(BlockReaderTest, RecordsAreCutToWhatWasAskedFor) {
  const auto slices = read(1, 2);
  ASSERT_TRUE(slices);
  ASSERT_EQ(slices->size(), 1u);
  EXPECT_EQ(slices->front().first, 1u);
  EXPECT_EQ(slices->front().end, 2u);
}

TEST_F(BlockReaderTest, ASecondReaderFindsTheBlockInMemory) {
  ASSERT_TRUE(read(0, 3));
  const std::uint64_t reads = store.counters().reads;
  ASSERT_TRUE(read(0, 3));
  EXPECT_EQ(store.counters().reads, reads);
  EXPECT_EQ(reader.stats().block_misses, 1u);
}

TEST_F(BlockReaderTest, AnObjectThatIsGoneIsNotFound) {
  store.erase(data_object_name(kObject));
  const auto slices = read(0, 3);
  ASSERT_FALSE(slices);
  EXPECT_EQ(slices.error().code, core::Errc::not_found);
}

TEST_F(BlockReaderTest, AFlippedBitIsCorruptAndNotRemembered) {
  store.flip(data_object_name(kObject), extent.position + 70);
  const auto slices = read(0, 3);
  ASSERT_FALSE(slices);
  EXPECT_EQ(slices.error().code, core::Errc::corrupt);
  store.flip(data_object_name(kObject), extent.position + 70);
  EXPECT_TRUE(read(0, 3));
}

TEST_F(BlockReaderTest, AStoreThatIsAwayIsUnavailable) {
  store.faults().is_down = true;
  const auto slices = read(0, 3);
  ASSERT_FALSE(slices);
  EXPECT_EQ(slices.error().code, core::Errc::unavailable);
  store.faults().is_down = false;
  EXPECT_TRUE(read(0, 3));
}

TEST(DataObjectNameTest, ANameSaysWhichObjectItIs) {
  EXPECT_EQ(data_object_name(core::ObjectId{0xAB}), "data/00000000000000ab");
  EXPECT_EQ(data_object_of("data/00000000000000ab"), core::ObjectId{0xAB});
  EXPECT_EQ(data_object_of("data/ab"), std::nullopt);
  EXPECT_EQ(data_object_of("data/00000000000000AB"), std::nullopt);
  EXPECT_EQ(data_object_of("wal/00000000000000ab"), std::nullopt);
}

}  // namespace
}  // namespace drivers
