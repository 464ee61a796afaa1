#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "adapters/memory/memory_log.h"
#include "adapters/sqlite/sqlite_log.h"
#include "ports/command_log.h"
#include "sim/log.h"
#include "tests/support/place.h"
#include "tests/support/scratch.h"

namespace {

using core::Errc;
using core::Index;
using Entries = std::vector<ports::LogEntry>;

/// A log, and where its callers run. The log goes first.
struct Twin {
  virtual ~Twin() = default;
  virtual tests::Place& place() = 0;
  virtual ports::CommandLog& log() = 0;
  /// Ends the process that uses the log, and starts another; false if the log ends with it.
  virtual bool reopen() { return false; }
};

struct MemoryTwin final : Twin {
  tests::Place& place() override { return here; }
  ports::CommandLog& log() override { return entries; }
  tests::RealPlace here;
  adapters::MemoryLog entries{here.executor()};
};

struct SimTwin final : Twin {
  tests::Place& place() override { return here; }
  ports::CommandLog& log() override { return *link; }
  bool reopen() override {
    link = std::make_unique<sim::SimLog>(here.world(), shared, here.executor());
    return true;
  }
  tests::SimPlace here;
  sim::SimLogStore shared;
  std::unique_ptr<sim::SimLog> link =
      std::make_unique<sim::SimLog>(here.world(), shared, here.executor());
};

struct SqliteTwin final : Twin {
  tests::Place& place() override { return here; }
  ports::CommandLog& log() override { return *file; }
  bool reopen() override {
    file.reset();
    file = open();
    return true;
  }
  std::unique_ptr<adapters::SqliteLog> open() {
    return std::move(*adapters::SqliteLog::open(here.executor(), scratch.path("meta.db")));
  }
  tests::Scratch scratch;
  tests::RealPlace here;
  std::unique_ptr<adapters::SqliteLog> file = open();
};

struct SqliteMemoryTwin final : Twin {
  tests::Place& place() override { return here; }
  ports::CommandLog& log() override { return *memory; }
  tests::RealPlace here;
  std::unique_ptr<adapters::SqliteLog> memory =
      std::move(*adapters::SqliteLog::open(here.executor(), ":memory:"));
};

using MakeTwin = std::unique_ptr<Twin> (*)();
template <class T>
std::unique_ptr<Twin> make_twin() {
  return std::make_unique<T>();
}

class CommandLogContract : public testing::TestWithParam<std::pair<const char*, MakeTwin>> {
 protected:
  core::Result<Index> append(std::vector<std::string> batch) {
    return run(log().append(std::move(batch)));
  }
  core::Result<Entries> read(std::uint64_t after, std::size_t limit = 1000) {
    return run(log().read(Index{after}, limit));
  }
  std::optional<ports::LogSnapshot> snapshot() {
    const auto loaded = run(log().load_snapshot());
    EXPECT_TRUE(loaded);
    return loaded ? *loaded : std::nullopt;
  }
  core::Result<void> store_snapshot(std::uint64_t index, std::string payload) {
    return run(log().store_snapshot({Index{index}, std::move(payload)}));
  }
  core::Result<void> truncate(std::uint64_t upto) { return run(log().truncate(Index{upto})); }
  template <class T>
  T run(ports::Task<T> task) {
    return twin_->place().run(std::move(task));
  }
  ports::CommandLog& log() { return twin_->log(); }

  std::unique_ptr<Twin> twin_ = GetParam().second();
};

TEST_P(CommandLogContract, AnEmptyLogHasNothing) {
  EXPECT_EQ(read(0), Entries());
  EXPECT_EQ(snapshot(), std::nullopt);
}

TEST_P(CommandLogContract, BatchesLieInTheOrderOfTheirAppends) {
  EXPECT_EQ(append({"a", "b"}), Index{1});
  EXPECT_EQ(append({"c"}), Index{3});
  EXPECT_EQ(read(0), (Entries{{Index{1}, "a"}, {Index{2}, "b"}, {Index{3}, "c"}}));
}

TEST_P(CommandLogContract, EntriesAreAnyBytes) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<char>(i));
  ASSERT_TRUE(append({bytes, "", std::string(100'000, 'x')}));
  const auto entries = read(0);
  ASSERT_TRUE(entries);
  EXPECT_EQ((*entries)[0].payload, bytes);
  EXPECT_EQ((*entries)[1].payload, "");
  EXPECT_EQ((*entries)[2].payload.size(), 100'000u);
}

TEST_P(CommandLogContract, ReadsBeginAfterAnIndexAndHaveALimit) {
  ASSERT_TRUE(append({"a", "b", "c", "d"}));
  EXPECT_EQ(read(1, 2), (Entries{{Index{2}, "b"}, {Index{3}, "c"}}));
  EXPECT_EQ(read(4), Entries());
  EXPECT_EQ(read(9), Entries());
}

TEST_P(CommandLogContract, OverlappingAppendsDoNotMix) {
  constexpr int kBatches = 20;
  int done = 0;
  for (int i = 0; i < kBatches; ++i) {
    const std::string mark = std::to_string(i);
    twin_->place().start(log().append({mark, mark, mark}), [&](const core::Result<Index>& first) {
      EXPECT_TRUE(first);
      ++done;
    });
  }
  ASSERT_TRUE(twin_->place().run_until([&] { return done == kBatches; }));
  const auto entries = read(0);
  ASSERT_TRUE(entries);
  ASSERT_EQ(entries->size(), 3u * kBatches);
  for (std::size_t i = 0; i < entries->size(); i += 3) {
    EXPECT_EQ((*entries)[i].payload, (*entries)[i + 1].payload);
    EXPECT_EQ((*entries)[i].payload, (*entries)[i + 2].payload);
  }
}

TEST_P(CommandLogContract, AWaiterWakesWhenThereIsMore) {
  bool woken = false;
  twin_->place().start(log().wait(Index{0}), [&](const core::Result<void>&) { woken = true; });
  ASSERT_TRUE(append({"a"}));
  EXPECT_TRUE(twin_->place().run_until([&] { return woken; }));
  EXPECT_TRUE(run(log().wait(Index{0})));
}

TEST_P(CommandLogContract, TheNewestSnapshotCounts) {
  ASSERT_TRUE(append({"a", "b", "c"}));
  ASSERT_TRUE(store_snapshot(2, "as of 2"));
  ASSERT_TRUE(store_snapshot(1, "as of 1"));
  EXPECT_EQ(snapshot(), (ports::LogSnapshot{Index{2}, "as of 2"}));
  ASSERT_TRUE(store_snapshot(3, "as of 3"));
  EXPECT_EQ(snapshot(), (ports::LogSnapshot{Index{3}, "as of 3"}));
}

TEST_P(CommandLogContract, WhatWasTruncatedIsNotFound) {
  ASSERT_TRUE(append({"a", "b", "c"}));
  ASSERT_TRUE(store_snapshot(2, "s"));
  ASSERT_TRUE(truncate(2));
  EXPECT_EQ(read(0).error().code, Errc::not_found);
  EXPECT_EQ(read(1).error().code, Errc::not_found);
  EXPECT_EQ(read(2), (Entries{{Index{3}, "c"}}));
}

TEST_P(CommandLogContract, NothingBeyondTheSnapshotCanBeTruncated) {
  ASSERT_TRUE(append({"a", "b", "c"}));
  EXPECT_EQ(truncate(1).error().code, Errc::invalid);
  ASSERT_TRUE(store_snapshot(2, "s"));
  EXPECT_EQ(truncate(3).error().code, Errc::invalid);
  EXPECT_EQ(read(0)->size(), 3u);
}

TEST_P(CommandLogContract, IndexesGoOnAfterEverythingWasTruncated) {
  ASSERT_TRUE(append({"a", "b"}));
  ASSERT_TRUE(store_snapshot(2, "s"));
  ASSERT_TRUE(truncate(2));
  twin_->reopen();
  EXPECT_EQ(append({"c"}), Index{3});
  EXPECT_EQ(read(2), (Entries{{Index{3}, "c"}}));
}

TEST_P(CommandLogContract, ManyEntriesAreTruncated) {
  for (int i = 0; i < 12; ++i) ASSERT_TRUE(append(std::vector<std::string>(1000, "x")));
  ASSERT_TRUE(store_snapshot(11'900, "s"));
  ASSERT_TRUE(truncate(11'900));
  EXPECT_EQ(read(11'899).error().code, Errc::not_found);
  EXPECT_EQ(read(11'900)->size(), 100u);
}

TEST_P(CommandLogContract, EverythingIsThereForTheNextProcess) {
  ASSERT_TRUE(append({"a", "b", "c"}));
  ASSERT_TRUE(store_snapshot(2, "s"));
  ASSERT_TRUE(truncate(1));
  if (!twin_->reopen()) GTEST_SKIP() << "this log ends with its process";
  EXPECT_EQ(read(1), (Entries{{Index{2}, "b"}, {Index{3}, "c"}}));
  EXPECT_EQ(snapshot(), (ports::LogSnapshot{Index{2}, "s"}));
  EXPECT_EQ(append({"d"}), Index{4});
}

INSTANTIATE_TEST_SUITE_P(Logs, CommandLogContract,
                         testing::Values(std::pair("memory", &make_twin<MemoryTwin>),
                                         std::pair("sim", &make_twin<SimTwin>),
                                         std::pair("sqlite", &make_twin<SqliteTwin>),
                                         std::pair("sqlite_memory", &make_twin<SqliteMemoryTwin>)),
                         [](const auto& param) { return std::string(param.param.first); });

}  // namespace
