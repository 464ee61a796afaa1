#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>

#include "adapters/files/file_store.h"
#include "ports/object_store.h"
#include "sim/store.h"
#include "tests/support/place.h"
#include "tests/support/scratch.h"

namespace {

using core::Errc;
using Info = ports::ObjectInfo;

/// A store, and where its callers run. The store goes first.
struct Twin {
  virtual ~Twin() = default;
  virtual tests::Place& place() = 0;
  virtual ports::ObjectStore& store() = 0;
};

struct SimTwin final : Twin {
  tests::Place& place() override { return here; }
  ports::ObjectStore& store() override { return objects; }
  tests::SimPlace here;
  sim::SimStore objects{here.world()};
};

struct FileTwin final : Twin {
  tests::Place& place() override { return here; }
  ports::ObjectStore& store() override { return *objects; }
  tests::Scratch scratch;
  tests::RealPlace here;
  std::unique_ptr<adapters::FileStore> objects =
      std::move(*adapters::FileStore::open(scratch.path("objects")));
};

using MakeTwin = std::unique_ptr<Twin> (*)();
template <class T>
std::unique_ptr<Twin> make_twin() {
  return std::make_unique<T>();
}

class ObjectStoreContract : public testing::TestWithParam<std::pair<const char*, MakeTwin>> {
 protected:
  core::Result<void> put(const std::string& name, const std::string& content) {
    return run(store().put_if_absent(name, {core::Bytes(content)}));
  }
  std::string get(const std::string& name, std::uint64_t position = 0,
                  std::uint64_t length = 1 << 20) {
    const auto bytes = run(store().get_range(name, position, length));
    return bytes ? std::string(bytes->view()) : core::name_of(bytes.error().code);
  }
  template <class T>
  T run(ports::Task<T> task) {
    return twin_->place().run(std::move(task));
  }
  ports::ObjectStore& store() { return twin_->store(); }

  std::unique_ptr<Twin> twin_ = GetParam().second();
};

TEST_P(ObjectStoreContract, WhatWasPutComesBack) {
  std::vector<core::Bytes> parts = {core::Bytes(std::string("one")), core::Bytes(),
                                    core::Bytes(std::string("two"))};
  ASSERT_TRUE(run(store().put_if_absent("a/b.c/d-e_f", parts)));
  EXPECT_EQ(get("a/b.c/d-e_f"), "onetwo");
  EXPECT_EQ(*run(store().head("a/b.c/d-e_f")), (Info{"a/b.c/d-e_f", 6}));
}

TEST_P(ObjectStoreContract, AnObjectCanBeEmpty) {
  ASSERT_TRUE(put("empty", ""));
  EXPECT_EQ(get("empty"), "");
  EXPECT_EQ(run(store().head("empty"))->size, 0u);
}

TEST_P(ObjectStoreContract, AnObjectNeverChanges) {
  ASSERT_TRUE(put("a", "first"));
  EXPECT_EQ(put("a", "second").error().code, Errc::conflict);
  EXPECT_EQ(put("a", "first").error().code, Errc::conflict);
  EXPECT_EQ(get("a"), "first");
}

TEST_P(ObjectStoreContract, OfRacingPutsExactlyOneWins) {
  constexpr int kRacers = 16;
  int won = 0;
  int done = 0;
  std::string winner;
  for (int i = 0; i < kRacers; ++i) {
    const std::string content = std::to_string(i);
    twin_->place().start(store().put_if_absent("deep/race", {core::Bytes(content)}),
                         [&, content](const core::Result<void>& result) {
                           done += 1;
                           won += result ? 1 : 0;
                           if (result) winner = content;
                         });
  }
  ASSERT_TRUE(twin_->place().run_until([&] { return done == kRacers; }));
  EXPECT_EQ(won, 1);
  EXPECT_EQ(get("deep/race"), winner);
}

TEST_P(ObjectStoreContract, ARangeEndsWithTheObject) {
  ASSERT_TRUE(put("a", "0123456789"));
  EXPECT_EQ(get("a", 2, 3), "234");
  EXPECT_EQ(get("a", 8, 100), "89");
  EXPECT_EQ(get("a", 10, 5), "");
  EXPECT_EQ(get("a", 1000, 5), "");
}

TEST_P(ObjectStoreContract, WhatIsAbsentIsNotFound) {
  EXPECT_EQ(get("nothing"), "not_found");
  EXPECT_EQ(get("no/such/folder"), "not_found");
  EXPECT_EQ(run(store().head("nothing")).error().code, Errc::not_found);
  ASSERT_TRUE(put("a/b", "x"));
  EXPECT_EQ(get("a"), "not_found");
}

TEST_P(ObjectStoreContract, AListIsSortedByNameAndHasAllThatStartsSo) {
  for (const char* name : {"b/2", "b/10", "b-/x", "a", "b/1/z", "c", "bb"}) {
    ASSERT_TRUE(put(name, name));
  }
  const auto names = [&](const std::string& prefix) {
    std::string joined;
    const auto found = run(store().list(prefix));
    for (const Info& info : *found) joined += info.name + " ";
    return joined;
  };
  EXPECT_EQ(names(""), "a b-/x b/1/z b/10 b/2 bb c ");
  EXPECT_EQ(names("b"), "b-/x b/1/z b/10 b/2 bb ");
  EXPECT_EQ(names("b/"), "b/1/z b/10 b/2 ");
  EXPECT_EQ(names("b/1"), "b/1/z b/10 ");
  EXPECT_EQ(names("b/1/"), "b/1/z ");
  EXPECT_EQ(names("zz/"), "");
  EXPECT_EQ(run(store().list("b/10"))->at(0), (Info{"b/10", 4}));
}

TEST_P(ObjectStoreContract, WhatWasRemovedIsGoneAndRemovingIsRepeatable) {
  ASSERT_TRUE(put("a/b", "x"));
  EXPECT_TRUE(run(store().remove("a/b")));
  EXPECT_TRUE(run(store().remove("a/b")));
  EXPECT_TRUE(run(store().remove("no/such")));
  EXPECT_EQ(get("a/b"), "not_found");
  EXPECT_EQ(run(store().list(""))->size(), 0u);
  EXPECT_TRUE(put("a/b", "y"));
  EXPECT_EQ(get("a/b"), "y");
}

TEST_P(ObjectStoreContract, NamesThatNoStoreCanKeepAreInvalid) {
  for (const std::string& name :
       {std::string(""), std::string("/a"), std::string("a/"), std::string("a//b"),
        std::string("a/../b"), std::string("."), std::string("a b"), std::string("~tmp/x"),
        std::string("a\n"), std::string(513, 'a'), std::string(201, 'a')}) {
    EXPECT_EQ(put(name, "x").error().code, Errc::invalid) << name;
    EXPECT_EQ(get(name), "invalid") << name;
    EXPECT_EQ(run(store().remove(name)).error().code, Errc::invalid) << name;
  }
  EXPECT_TRUE(put("..a/...", "x"));
}

TEST_P(ObjectStoreContract, ALargeObjectIsReadInParts) {
  std::string large(3 << 20, 'x');
  for (std::size_t i = 0; i < large.size(); i += 4096) large[i] = static_cast<char>(i / 4096);
  ASSERT_TRUE(put("large", large));
  std::string all;
  for (std::size_t at = 0; at < large.size(); at += 1000000) all += get("large", at, 1000000);
  EXPECT_TRUE(all == large);
}

INSTANTIATE_TEST_SUITE_P(, ObjectStoreContract,
                         testing::Values(std::pair("Simulated", MakeTwin(make_twin<SimTwin>)),
                                         std::pair("Files", MakeTwin(make_twin<FileTwin>))),
                         [](const auto& param) { return std::string(param.param.first); });

}  // namespace
