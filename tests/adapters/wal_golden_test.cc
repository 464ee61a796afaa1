#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "adapters/chain/chain_object.h"
#include "tests/adapters/wal_twins.h"
#include "tests/support/golden.h"

namespace adapters {
namespace {

constexpr core::Life kLife{core::NodeId{1}, core::Epoch{7}};

TEST(WalGoldenTest, ASegmentIsWrittenAndReadAsItAlwaysWas) {
  std::string written;
  {
    tests::FileWalTwin twin(16 << 10);
    tests::WalUser user(twin);
    const auto wal = user.create(kLife);
    for (const char* payload : {"first", "", "third"}) ASSERT_TRUE(user.append(*wal, payload));
    written = tests::read_file(twin.segment(kLife, 0));
  }
  const std::string stored = tests::golden("wal_segment_1.wal", written);
  EXPECT_TRUE(stored == written);

  tests::FileWalTwin twin;
  std::filesystem::create_directories(twin.folder(kLife));
  tests::write_file(twin.segment(kLife, 0), stored);
  EXPECT_EQ(tests::WalUser(twin).content(kLife), "0:first 1: 2:third");
}

TEST(WalGoldenTest, AChainIsWrittenAndReadAsItAlwaysWas) {
  std::string written;
  {
    tests::SimChainTwin twin;
    tests::WalUser user(twin);
    const auto wal = user.create(kLife);
    ASSERT_TRUE(user.append(*wal, "first"));
    ASSERT_TRUE(user.append(*wal, "second"));
    ASSERT_TRUE(user.run(twin.store().take_over(kLife)));
    for (std::uint64_t number = 0; number < 3; ++number) {
      written += twin.objects.find(chain_name(kLife, number))->view();
    }
  }
  const std::string stored = tests::golden("chain_objects_1.bin", written);
  EXPECT_TRUE(stored == written);

  tests::SimChainTwin twin;
  tests::WalUser user(twin);
  const core::Bytes all(stored);
  std::size_t at = 0;
  for (const std::size_t length : {std::size_t{5}, std::size_t{6}, std::size_t{0}}) {
    const std::size_t size = length + 2 * kChainHeader;
    const std::string name = chain_name(kLife, twin.objects.names().size());
    ASSERT_TRUE(user.run(twin.objects.put_if_absent(name, {all.slice(at, size)})));
    at += size;
  }
  EXPECT_EQ(at, stored.size());
  EXPECT_EQ(user.content(kLife), "0:first 1:second");
}

}  // namespace
}  // namespace adapters
