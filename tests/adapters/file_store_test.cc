#include "adapters/files/file_store.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <filesystem>
#include <string>

#include "adapters/clock/asio_timers.h"
#include "adapters/files/directory_lock.h"
#include "adapters/files/file.h"
#include "tests/support/place.h"
#include "tests/support/scratch.h"

namespace adapters {
namespace {

using core::Errc;
namespace fs = std::filesystem;
using namespace boost::asio::experimental::awaitable_operators;

class FileStoreTest : public testing::Test {
 protected:
  std::unique_ptr<FileStore> open() { return std::move(*FileStore::open(root_)); }
  core::Result<void> put(FileStore& store, const std::string& name, const std::string& content) {
    return place_.run(store.put_if_absent(name, {core::Bytes(content)}));
  }
  core::Result<core::Bytes> get(FileStore& store, const std::string& name) {
    return place_.run(store.get_range(name, 0, 1000));
  }

  tests::Scratch scratch_;
  tests::RealPlace place_;
  std::string root_ = scratch_.path("deep/objects");
};

TEST_F(FileStoreTest, ObjectsOutliveTheStore) {
  {
    auto store = open();
    ASSERT_TRUE(put(*store, "a/b", "x"));
  }
  auto store = open();
  EXPECT_EQ(get(*store, "a/b")->view(), "x");
  EXPECT_EQ(put(*store, "a/b", "y").error().code, Errc::conflict);
}

TEST_F(FileStoreTest, TwoStoresShareADirectory) {
  auto one = open();
  auto two = open();
  ASSERT_TRUE(put(*one, "a/b", "x"));
  EXPECT_EQ(put(*two, "a/b", "y").error().code, Errc::conflict);
  EXPECT_EQ(get(*two, "a/b")->view(), "x");
}

TEST_F(FileStoreTest, WhatADeadProcessLeftHalfWrittenIsRemovedAndWhatALiveOneWritesIsNot) {
  (void)open();
  tests::write_file(root_ + "/~tmp/1-0", "half");
  tests::write_file(root_ + "/~tmp/1-1", "half");
  const File live = File::open(root_ + "/~tmp/1-1", O_RDONLY);
  ASSERT_EQ(::flock(live.fd(), LOCK_EX | LOCK_NB), 0);
  auto store = open();
  EXPECT_FALSE(fs::exists(root_ + "/~tmp/1-0"));
  EXPECT_TRUE(fs::exists(root_ + "/~tmp/1-1"));
  EXPECT_TRUE(place_.run(store->list(""))->empty());
}

TEST_F(FileStoreTest, NoTemporaryFileStays) {
  auto store = open();
  ASSERT_TRUE(put(*store, "a", "x"));
  ASSERT_FALSE(put(*store, "a", "x"));
  EXPECT_TRUE(fs::is_empty(root_ + "/~tmp"));
}

TEST_F(FileStoreTest, AVanishedDirectoryIsNamedAndWorksAgainWhenItIsBack) {
  auto store = open();
  ASSERT_TRUE(put(*store, "a/b", "x"));
  fs::rename(root_, root_ + "-away");
  const auto refused = put(*store, "a/c", "x");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::unavailable);
  EXPECT_NE(refused.error().context.find(root_), std::string::npos);
  EXPECT_EQ(get(*store, "a/b").error().code, Errc::unavailable);
  EXPECT_EQ(place_.run(store->list("")).error().code, Errc::unavailable);
  EXPECT_EQ(place_.run(store->remove("a/b")).error().code, Errc::unavailable);
  fs::create_directory(root_);  // As a mount point looks when its disk is not mounted.
  EXPECT_EQ(put(*store, "a/c", "x").error().code, Errc::unavailable);
  EXPECT_EQ(get(*store, "a/b").error().code, Errc::unavailable);
  fs::remove(root_);
  fs::rename(root_ + "-away", root_);
  EXPECT_EQ(get(*store, "a/b")->view(), "x");
  EXPECT_TRUE(put(*store, "a/c", "x"));
}

TEST_F(FileStoreTest, AFolderThatSomebodyRemovedIsMadeAgain) {
  auto store = open();
  ASSERT_TRUE(put(*store, "a/b", "x"));
  fs::remove_all(root_ + "/a");
  EXPECT_EQ(put(*store, "a/c", "x").error().code, Errc::unavailable);
  EXPECT_TRUE(put(*store, "a/c", "x"));
}

TEST_F(FileStoreTest, APathThatIsNoDirectoryIsRefusedWithItsName) {
  fs::create_directories(scratch_.path("deep"));
  tests::write_file(root_, "a file");
  const auto store = FileStore::open(root_);
  ASSERT_FALSE(store);
  EXPECT_NE(store.error().context.find(root_), std::string::npos);
}

TEST_F(FileStoreTest, ANameThatIsAlreadyAFolderIsInvalid) {
  auto store = open();
  ASSERT_TRUE(put(*store, "a", "x"));
  EXPECT_EQ(put(*store, "a/b", "x").error().code, Errc::invalid);
}

ports::Task<bool> race(FileStore& store, AsioTimers& timers) {
  const core::Time late = timers.now() + std::chrono::hours(1);
  const auto first = co_await (store.get_range("a", 0, 10) || timers.sleep_until(late));
  const auto second = co_await (timers.sleep_until(timers.now()) || store.get_range("a", 0, 10));
  co_return first.index() == 0 && second.index() < 2;
}

TEST_F(FileStoreTest, OperationsAndTimersCanBeRacedAgainstEachOther) {
  auto store = open();
  ASSERT_TRUE(put(*store, "a", "x"));
  AsioTimers timers;
  EXPECT_TRUE(place_.run(race(*store, timers)));
}

TEST(DirectoryLockTest, OneDirectoryHasOneUser) {
  const tests::Scratch scratch;
  const std::string directory = scratch.path("data");
  {
    const auto first = DirectoryLock::take(directory);
    ASSERT_TRUE(first);
    const auto second = DirectoryLock::take(directory);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, Errc::conflict);
    EXPECT_NE(second.error().context.find(directory), std::string::npos);
    EXPECT_NE(second.error().context.find("process " + std::to_string(::getpid())),
              std::string::npos);
  }
  EXPECT_TRUE(DirectoryLock::take(directory));
}

TEST(DirectoryLockTest, ADirectoryThatCannotBeMadeIsNamed) {
  const tests::Scratch scratch;
  tests::write_file(scratch.path("file"), "x");
  const auto lock = DirectoryLock::take(scratch.path("file/data"));
  ASSERT_FALSE(lock);
  EXPECT_NE(lock.error().context.find("file/data"), std::string::npos);
}

}  // namespace
}  // namespace adapters
