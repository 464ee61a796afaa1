#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "adapters/sqlite/log_table.h"
#include "tests/support/scratch.h"

namespace adapters {
namespace {

using core::Errc;
using core::Index;
using testing::HasSubstr;

class SqliteLogTest : public testing::Test {
 protected:
  void execute(const std::string& statement) {
    SQLite::Database(path_, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec(statement);
  }
  core::Error open_error() {
    const auto table = LogTable::open(path_);
    return table ? core::Error{} : table.error();
  }

  tests::Scratch scratch_;
  std::string path_ = scratch_.path("meta.db");
};

TEST_F(SqliteLogTest, ANewerFormatIsRefusedByItsNumber) {
  ASSERT_TRUE(LogTable::open(path_));
  execute("PRAGMA user_version = 9");
  const core::Error error = open_error();
  EXPECT_EQ(error.code, Errc::invalid);
  EXPECT_THAT(error.context, HasSubstr(path_ + " has format 9, and this program knows formats up "
                                               "to 1"));
}

TEST_F(SqliteLogTest, AnotherProgramsFileIsRefusedAndLeftAsItIs) {
  execute("CREATE TABLE theirs (a)");
  EXPECT_EQ(open_error().code, Errc::invalid);
  EXPECT_THAT(open_error().context, HasSubstr("no command log of this program"));
  execute("INSERT INTO theirs VALUES (1)");
}

TEST_F(SqliteLogTest, AFileThatIsNoDatabaseIsCorrupt) {
  std::ofstream(path_) << std::string(10'000, 'x');
  const core::Error error = open_error();
  EXPECT_EQ(error.code, Errc::corrupt);
  EXPECT_THAT(error.context, HasSubstr(path_));
}

TEST_F(SqliteLogTest, AMissingFolderIsNamed) {
  const auto table = LogTable::open(scratch_.path("no/such/meta.db"));
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().code, Errc::invalid);
  EXPECT_THAT(table.error().context, HasSubstr("no/such/meta.db"));
  EXPECT_THAT(table.error().context, HasSubstr("its folder must exist"));
}

TEST_F(SqliteLogTest, ASecondUserIsRefused) {
  auto first = LogTable::open(path_);
  ASSERT_TRUE(first);
  const core::Error error = open_error();
  EXPECT_EQ(error.code, Errc::unavailable);
  EXPECT_THAT(error.context, HasSubstr("one process at a time may use it"));
  EXPECT_EQ(first->append({"a"}), Index{1});
}

}  // namespace
}  // namespace adapters
