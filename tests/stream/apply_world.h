#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "stream/apply.h"
#include "stream/check_view.h"

namespace stream {

using cmdlog::Outcome;
using cmdlog::Verdict;
using core::Epoch;
using core::Life;
using core::NodeId;
using core::ObjectId;
using core::StreamId;

constexpr Life kLife{.node = NodeId{1}, .epoch = Epoch{1}};
constexpr Life kEnded{.node = NodeId{1}, .epoch = Epoch{0}};
constexpr Life kOther{.node = NodeId{2}, .epoch = Epoch{1}};

/// A state with two live nodes, and the short forms that the tests of apply are written in. After
/// each test the state must keep its invariants.
class ApplyTest : public testing::Test {
 protected:
  ApplyTest() {
    for (const NodeId node : {NodeId{1}, NodeId{2}}) {
      EXPECT_TRUE(apply(state, cluster::RegisterNode{.node = node, .address = "http://n"}).holds());
    }
  }
  ~ApplyTest() override { EXPECT_EQ(broken_invariant(state), ""); }

  Outcome run(const Command& command) { return apply(state, command); }

  /// For commands that must be refused: they leave no trace.
  Verdict refused(const Command& command) {
    const View before = state;
    const Verdict verdict = apply(state, command).verdict;
    EXPECT_EQ(state, before) << "a refused command changed the state";
    return verdict;
  }

  StreamId create(const std::string& name, CreateStream command = {.life = kLife, .name = ""}) {
    command.name = name;
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.verdict, Verdict::applied);
    return StreamId{outcome.value};
  }
  StreamId create_open(const std::string& name) {
    const StreamId id = create(name);
    open(id);
    return id;
  }
  StreamId fork(const std::string& name, StreamId parent, core::Offset offset) {
    return create(
        name, {.life = kLife, .name = name, .fork = ForkPoint{.parent = parent, .offset = offset}});
  }
  void open(StreamId id) { EXPECT_TRUE(run(OpenStream{.life = kLife, .stream = id}).holds()); }
  ObjectId reserve() { return ObjectId{run(ReserveObjects{.life = kLife, .at_ms = 5}).value}; }
  /// Ten bytes of records [base, end) of one stream in `object`.
  CommitObject commit_of(StreamId id, ObjectId object, core::Offset base, core::Offset end) {
    const Extent extent{.object = object, .base = base, .end = end, .position = 0, .bytes = 10};
    return CommitObject{
        .life = kLife,
        .object = object,
        .bytes = 10,
        .streams = {StreamCommit{.stream = id, .epoch = row(id).epoch, .extent = extent}}};
  }
  /// Puts records up to `end` into an object of their own.
  ObjectId write(StreamId id, core::Offset end) {
    const ObjectId object = reserve();
    EXPECT_EQ(run(commit_of(id, object, row(id).end, end)).verdict, Verdict::applied);
    return object;
  }
  void trim(StreamId id, core::Offset start) {
    EXPECT_EQ(run(TrimStream{.life = kLife, .stream = id, .start = start}).verdict,
              Verdict::applied);
  }
  void remove(StreamId id) {
    EXPECT_EQ(run(DeleteStream{.life = kLife, .stream = id}).verdict, Verdict::applied);
  }

  const StreamRow& row(StreamId id) { return *state.find(id); }
  bool exists(StreamId id) { return state.find(id) != nullptr; }
  ObjectState object_state(ObjectId id) { return state.objects.find(id)->state; }

  View state;
};

}  // namespace stream
