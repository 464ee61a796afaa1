#include "cluster/apply.h"

#include <gtest/gtest.h>

namespace cluster {
namespace {

using cmdlog::Outcome;
using cmdlog::Verdict;
using core::Epoch;
using core::Life;
using core::NodeId;

constexpr NodeId kNode{1};
const Life kLife{.node = kNode, .epoch = Epoch{1}};

Nodes one_node() {
  Nodes nodes;
  nodes.rows[kNode] = NodeRow{.epoch = Epoch{1}, .address = "http://a", .token = 7};
  return nodes;
}

TEST(ClusterApplyTest, ANewNodeBeginsAtEpochOne) {
  Nodes nodes;
  const RegisterNode command{.node = kNode, .address = "http://a", .slots = 2, .token = 7};
  EXPECT_EQ(apply(nodes, command), (Outcome{Verdict::applied, 1}));
  EXPECT_EQ(*nodes.find(kNode),
            (NodeRow{.epoch = Epoch{1}, .address = "http://a", .slots = 2, .token = 7}));
}

TEST(ClusterApplyTest, ANewLifeStartsWithNothingOfTheLast) {
  Nodes nodes = one_node();
  nodes.rows[kNode].beats = 9;
  nodes.rows[kNode].fenced = true;
  const RegisterNode command{.node = kNode, .address = "http://b", .token = 8};
  EXPECT_EQ(apply(nodes, command), (Outcome{Verdict::applied, 2}));
  EXPECT_EQ(*nodes.find(kNode), (NodeRow{.epoch = Epoch{2}, .address = "http://b", .token = 8}));
  EXPECT_FALSE(nodes.is_live(kLife));
}

TEST(ClusterApplyTest, ARepeatedRegistrationIsAnsweredWithItsEpoch) {
  Nodes nodes = one_node();
  const RegisterNode command{.node = kNode, .address = "http://a", .token = 7};
  EXPECT_EQ(apply(nodes, command), (Outcome{Verdict::redundant, 1}));
  EXPECT_EQ(nodes, one_node());
}

TEST(ClusterApplyTest, ANodeWithoutSlotsIsInvalid) {
  Nodes nodes = one_node();
  const RegisterNode command{.node = kNode, .address = "http://a", .slots = 0, .token = 8};
  EXPECT_EQ(apply(nodes, command).verdict, Verdict::invalid);
  EXPECT_EQ(apply(nodes, SetSlots{.node = kNode, .slots = 0}).verdict, Verdict::invalid);
  EXPECT_EQ(nodes, one_node());
}

TEST(ClusterApplyTest, ABeatIsCounted) {
  Nodes nodes = one_node();
  EXPECT_EQ(apply(nodes, Heartbeat{kLife}), (Outcome{Verdict::applied, 1}));
  EXPECT_EQ(apply(nodes, Heartbeat{kLife}), (Outcome{Verdict::applied, 2}));
  EXPECT_EQ(nodes.find(kNode)->beats, 2u);
}

TEST(ClusterApplyTest, WhoIsNotLiveDoesNotBeat) {
  Nodes nodes = one_node();
  EXPECT_EQ(apply(nodes, Heartbeat{{kNode, Epoch{2}}}).verdict, Verdict::not_live);
  EXPECT_EQ(apply(nodes, Heartbeat{{NodeId{2}, Epoch{1}}}).verdict, Verdict::not_live);
  nodes.rows[kNode].fenced = true;
  EXPECT_EQ(apply(nodes, Heartbeat{kLife}).verdict, Verdict::not_live);
  EXPECT_EQ(nodes.find(kNode)->beats, 0u);
}

TEST(ClusterApplyTest, ANodeIsFencedAsItWasSeen) {
  Nodes nodes = one_node();
  EXPECT_EQ(apply(nodes, FenceNode{.life = kLife, .beats = 0}).verdict, Verdict::applied);
  EXPECT_TRUE(nodes.find(kNode)->fenced);
}

TEST(ClusterApplyTest, ANodeThatBeatOrRegisteredInBetweenIsLeftAlone) {
  Nodes nodes = one_node();
  nodes.rows[kNode].beats = 1;
  EXPECT_EQ(apply(nodes, FenceNode{.life = kLife, .beats = 0}).verdict, Verdict::changed_since);
  const Life later{kNode, Epoch{2}};
  EXPECT_EQ(apply(nodes, FenceNode{.life = later, .beats = 1}).verdict, Verdict::changed_since);
  const Life other{NodeId{2}, Epoch{1}};
  EXPECT_EQ(apply(nodes, FenceNode{.life = other, .beats = 0}).verdict, Verdict::not_found);
  EXPECT_FALSE(nodes.find(kNode)->fenced);
}

TEST(ClusterApplyTest, ANodeFencesItselfWhateverItsBeats) {
  Nodes nodes = one_node();
  nodes.rows[kNode].beats = 5;
  EXPECT_EQ(apply(nodes, FenceSelf{kLife}).verdict, Verdict::applied);
  EXPECT_TRUE(nodes.find(kNode)->fenced);
  EXPECT_EQ(apply(nodes, FenceSelf{kLife}).verdict, Verdict::redundant);
  EXPECT_EQ(apply(nodes, FenceSelf{{kNode, Epoch{2}}}).verdict, Verdict::not_live);
}

TEST(ClusterApplyTest, SlotsAreSet) {
  Nodes nodes = one_node();
  EXPECT_EQ(apply(nodes, SetSlots{.node = kNode, .slots = 4}).verdict, Verdict::applied);
  EXPECT_EQ(nodes.find(kNode)->slots, 4u);
  EXPECT_EQ(apply(nodes, SetSlots{.node = kNode, .slots = 4}).verdict, Verdict::redundant);
  EXPECT_EQ(apply(nodes, SetSlots{.node = NodeId{2}, .slots = 4}).verdict, Verdict::not_found);
}

}  // namespace
}  // namespace cluster
