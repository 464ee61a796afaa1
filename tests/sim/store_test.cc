#include "sim/store.h"

#include <gtest/gtest.h>

#include <string>

namespace sim {
namespace {

using namespace std::chrono_literals;

constexpr core::NodeId kNode{1};

class SimStoreTest : public testing::Test {
 protected:
  core::Result<void> put(const std::string& name, const std::string& content) {
    return world_.run(kNode, store_.put_if_absent(name, {core::Bytes(content)}));
  }
  std::string content(const std::string& name) {
    const auto found = store_.find(name);
    return found ? std::string(found->view()) : "absent";
  }

  SimWorld world_{7};
  SimStore store_{world_};
};

TEST_F(SimStoreTest, ALostRequestDidNotHappenAndALostAnswerDid) {
  store_.faults().lost_requests = 100;
  EXPECT_EQ(put("a", "1").error().code, core::Errc::unknown);
  EXPECT_EQ(content("a"), "absent");
  store_.faults() = {};
  store_.faults().lost_answers = 100;
  EXPECT_EQ(put("a", "1").error().code, core::Errc::unknown);
  EXPECT_EQ(content("a"), "1");
}

TEST_F(SimStoreTest, ALateRequestHappensAfterItsAnswerWasGivenUp) {
  store_.faults().late_requests = 100;
  EXPECT_EQ(put("a", "1").error().code, core::Errc::unknown);
  EXPECT_EQ(content("a"), "absent");
  world_.run_for(5s);
  EXPECT_EQ(content("a"), "1");
}

TEST_F(SimStoreTest, ADuplicateOfAPutFindsTheFirst) {
  store_.faults().duplicated = 100;
  EXPECT_TRUE(put("a", "1"));
  world_.run_for(6s);
  EXPECT_EQ(store_.counters().puts, 1u);
  EXPECT_EQ(store_.counters().conflicts, 1u);
}

TEST_F(SimStoreTest, ARequestArrivesThoughItsSenderDied) {
  world_.spawn(kNode, [](SimStore& store) -> ports::Task<void> {
    std::vector<core::Bytes> parts = {core::Bytes(std::string("1"))};
    (void)co_await store.put_if_absent("a", std::move(parts));
  }(store_));
  world_.run_for(0s);
  world_.kill(kNode);
  world_.run_for(1s);
  EXPECT_EQ(content("a"), "1");
}

TEST_F(SimStoreTest, ALyingStoreOverwrites) {
  store_.faults().ignores_if_absent = true;
  EXPECT_TRUE(put("a", "1"));
  EXPECT_TRUE(put("a", "2"));
  EXPECT_EQ(content("a"), "2");
}

TEST_F(SimStoreTest, AListMayLagBehind) {
  store_.faults().list_lag = 10s;
  ASSERT_TRUE(put("a", "1"));
  EXPECT_EQ(world_.run(kNode, store_.list(""))->size(), 0u);
  world_.run_for(10s);
  EXPECT_EQ(world_.run(kNode, store_.list(""))->size(), 1u);
}

TEST_F(SimStoreTest, AFullAndAReadOnlyStoreSaySo) {
  store_.faults().is_full = true;
  EXPECT_EQ(put("a", "1").error().code, core::Errc::full);
  store_.faults() = {};
  store_.faults().is_read_only = true;
  EXPECT_EQ(put("a", "1").error().code, core::Errc::unavailable);
  EXPECT_EQ(content("a"), "absent");
}

}  // namespace
}  // namespace sim
