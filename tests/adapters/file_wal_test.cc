#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "adapters/files/file_wal_store.h"
#include "adapters/files/wal_segment.h"
#include "tests/adapters/wal_twins.h"

namespace adapters {
namespace {

using core::Errc;
namespace fs = std::filesystem;

constexpr core::Life kLife{core::NodeId{1}, core::Epoch{7}};

class FileWalTest : public testing::Test {
 protected:
  /// Appends and closes; returns where the records lie.
  std::vector<ports::WalRecord> write(const std::vector<std::string>& payloads) {
    const auto wal = user_.create(kLife);
    std::vector<ports::WalRecord> records;
    for (const std::string& payload : payloads) records.push_back(*user_.append(*wal, payload));
    return records;
  }
  std::string segment(std::uint64_t number) { return twin_.segment(kLife, number); }
  std::string content() {
    twin_.reopen();
    return user_.content(kLife);
  }
  void overwrite(std::size_t from, const std::string& bytes, std::uint64_t number = 0) {
    std::string file = tests::read_file(segment(number));
    file.replace(from, bytes.size(), bytes);
    tests::write_file(segment(number), file);
  }

  tests::FileWalTwin twin_;
  tests::WalUser user_{twin_};
};

TEST_F(FileWalTest, ARecordCutShortAtTheEndIsIgnoredWithOneLine) {
  const auto records = write({"aaa", "bbb", std::string(9'000, 'c')});
  fs::resize_file(segment(0), records[2].location.position + 5'000);
  EXPECT_EQ(content(), "0:aaa 1:bbb");
  EXPECT_EQ(user_.content(kLife), "0:aaa 1:bbb");
  ASSERT_EQ(twin_.reports.size(), 1u);
  EXPECT_NE(twin_.reports[0].find(segment(0)), std::string::npos);
}

TEST_F(FileWalTest, SpaceThatWasNeverUsedIsGivenBackWhenTheLogWasRead) {
  const auto records = write({"aaa", "bbb"});
  EXPECT_EQ(content(), "0:aaa 1:bbb");
  EXPECT_EQ(fs::file_size(segment(0)), records[1].location.position - kRecordHeader + 4'096);
  EXPECT_EQ(content(), "0:aaa 1:bbb");
  EXPECT_TRUE(twin_.reports.empty());
}

TEST_F(FileWalTest, ARecordWithAnUnwrittenSectorAtTheEndIsTorn) {
  const auto records = write({"aaa", std::string(9'000, 'b')});
  overwrite(records[1].location.position + 448, std::string(512, '\0'));
  EXPECT_EQ(content(), "0:aaa");
  EXPECT_EQ(twin_.reports.size(), 1u);
}

TEST_F(FileWalTest, ARecordWithoutItsLastBlockIsTorn) {
  const auto records = write({"aaa", std::string(9'000, 'b')});
  overwrite(records[1].location.position - kRecordHeader + 8'192, std::string(4'096, '\0'));
  EXPECT_EQ(content(), "0:aaa");
}

TEST_F(FileWalTest, ARecordWithoutItsFirstBlockIsTornToo) {
  // Blocks of one write reach the disk in any order.
  const auto records = write({"aaa", std::string(9'000, 'b')});
  overwrite(records[1].location.position - kRecordHeader, std::string(4'096, '\0'));
  EXPECT_EQ(content(), "0:aaa");
}

TEST_F(FileWalTest, AFlippedByteInTheLastRecordIsDamageAndNotATornTail) {
  const auto records = write({"aaa", std::string(9'000, 'b')});
  tests::flip_byte(segment(0), records[1].location.position + 5'000);
  EXPECT_EQ(content(), "0:aaa 1:!");
  EXPECT_TRUE(twin_.reports.empty());
}

TEST_F(FileWalTest, NoSingleFlippedByteShortensTheLogOrChangesARecord) {
  const std::vector<std::string> payloads = {"aaa", std::string(4'100, 'b'), "ccc"};
  write(payloads);
  twin_.reopen();
  ASSERT_TRUE(user_.run(twin_.store().take_over(kLife)));
  const std::size_t used = 4'096 * 5;
  for (std::size_t at = 0; at < used; at += at % 4'096 < 70 || at % 4'096 > 4'025 ? 3 : 97) {
    tests::flip_byte(segment(0), at);
    twin_.reopen();
    const auto records = user_.replay(kLife);
    ASSERT_TRUE(records) << at << ": " << records.error().context;
    ASSERT_EQ(records->size(), 3u) << at;
    int damaged = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      damaged += (*records)[i].damage.empty() ? 0 : 1;
      ASSERT_EQ((*records)[i].sequence, i) << at;
      ASSERT_TRUE(!(*records)[i].damage.empty() || (*records)[i].payload.view() == payloads[i]);
      if (!(*records)[i].damage.empty()) {
        ASSERT_NE((*records)[i].damage.find(segment(0)), std::string::npos);
      }
    }
    ASSERT_LE(damaged, 1) << at;
    tests::flip_byte(segment(0), at);
  }
  EXPECT_TRUE(twin_.reports.empty());
}

TEST_F(FileWalTest, ARecordThatLostBothHeadersIsDamageIfOthersFollow) {
  const auto records = write({"aaa", "bbb", "ccc"});
  overwrite(records[1].location.position - kRecordHeader, std::string(4'096, 'z'));
  EXPECT_EQ(content(), "0:aaa 1:! 2:ccc");
}

TEST_F(FileWalTest, TwoRecordsGoneInTheMiddleAreAnErrorThatNamesThePlace) {
  const auto records = write({"aaa", "bbb", "ccc", "ddd"});
  overwrite(records[1].location.position - kRecordHeader, std::string(8'192, '\0'));
  twin_.reopen();
  ASSERT_TRUE(user_.run(twin_.store().take_over(kLife)));
  std::uint64_t from = 0;
  auto replayed = user_.run(twin_.store().replay(kLife, from, 1));
  while (replayed && !replayed->empty()) {
    from = replayed->back().sequence + 1;
    replayed = user_.run(twin_.store().replay(kLife, from, 1));
  }
  ASSERT_FALSE(replayed);
  EXPECT_EQ(replayed.error().code, Errc::corrupt);
  EXPECT_NE(replayed.error().context.find(segment(0)), std::string::npos);
}

TEST_F(FileWalTest, ADamagedTailOfASegmentInTheMiddleIsNoTornTail) {
  const auto records = write({std::string(40'000, 'a'), "bbb", std::string(40'000, 'c')});
  ASSERT_EQ(records[2].location.file, 1u);
  overwrite(records[1].location.position - kRecordHeader, std::string(4'096, 'z'));
  twin_.reopen();
  ASSERT_TRUE(user_.run(twin_.store().take_over(kLife)));
  const auto replayed = user_.replay(kLife);
  ASSERT_TRUE(replayed) << replayed.error().context;
  ASSERT_EQ(replayed->size(), 3u);
  EXPECT_NE((*replayed)[1].damage, "");
  EXPECT_EQ((*replayed)[2].damage, "");
}

TEST_F(FileWalTest, AMissingSegmentInTheMiddleIsNamed) {
  write({std::string(40'000, 'a'), std::string(40'000, 'b'), std::string(40'000, 'c')});
  fs::remove(segment(1));
  twin_.reopen();
  ASSERT_TRUE(user_.run(twin_.store().take_over(kLife)));
  const auto replayed = user_.replay(kLife);
  ASSERT_FALSE(replayed);
  EXPECT_EQ(replayed.error().code, Errc::corrupt);
  EXPECT_NE(replayed.error().context.find(segment(1)), std::string::npos);
}

TEST_F(FileWalTest, ANewerFormatIsRefusedWithItsVersion) {
  write({"aaa"});
  overwrite(4, "\x09");
  overwrite(2'048 + 4, "\x09");
  twin_.reopen();
  ASSERT_TRUE(user_.run(twin_.store().take_over(kLife)));
  const auto replayed = user_.replay(kLife);
  ASSERT_FALSE(replayed);
  EXPECT_EQ(replayed.error().code, Errc::invalid);
  EXPECT_NE(replayed.error().context.find("version 9"), std::string::npos);
}

TEST_F(FileWalTest, ASegmentWhoseMakingACrashInterruptedHasNoRecords) {
  write({"aaa"});
  tests::write_file(segment(1), "");
  EXPECT_EQ(content(), "0:aaa");
  tests::write_file(segment(1), std::string(64 << 10, '\0'));
  EXPECT_EQ(content(), "0:aaa");
}

TEST_F(FileWalTest, BytesOfAClientNeverPassForARecord) {
  // A payload that holds, at a block's start, the header of a record of the same log: all but the
  // salt is easy to guess.
  SegmentHeader guessed{kLife, 0, 0};
  std::string forged(kRecordHeader, '\0');
  encode_record_header(forged.data(), guessed, RecordHeader{1, 10, 8'192, 0}, HeaderCopy::first);
  const auto records = write({std::string(4'096 - kRecordHeader, 'x') + forged, "bbb"});
  overwrite(records[0].location.position - kRecordHeader, std::string(64, 'z'));
  EXPECT_EQ(content().substr(0, 9), "0:xxxxxxx");
}

TEST_F(FileWalTest, OneProcessHasTheDirectory) {
  const auto second = FileWalStore::open(twin_.root, core::Random(2));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Errc::conflict);
  EXPECT_NE(second.error().context.find(twin_.root), std::string::npos);
}

}  // namespace
}  // namespace adapters
