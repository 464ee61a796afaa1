#include "tests/stream/apply_world.h"

namespace stream {
namespace {

// ---- ReserveObjects, AbandonObjects, ForgetObjects -------------------------------------------

TEST_F(ApplyTest, ObjectsAreReservedInARow) {
  EXPECT_EQ(run(ReserveObjects{.life = kLife, .count = 3, .at_ms = 7}),
            (Outcome{Verdict::applied, 1}));
  EXPECT_EQ(run(ReserveObjects{.life = kOther, .at_ms = 8}), (Outcome{Verdict::applied, 4}));
  EXPECT_EQ(*state.objects.find(ObjectId{3}), (ObjectRow{.life = kLife, .reserved_ms = 7}));
  EXPECT_EQ(*state.objects.find(ObjectId{4}), (ObjectRow{.life = kOther, .reserved_ms = 8}));
}

TEST_F(ApplyTest, AReservationHasALimit) {
  EXPECT_EQ(refused(ReserveObjects{.life = kLife, .count = 0}), Verdict::invalid);
  EXPECT_EQ(refused(ReserveObjects{.life = kLife, .count = kMaxReservation + 1}), Verdict::invalid);
}

TEST_F(ApplyTest, AReservationThatIsGivenUpCannotBeCommitted) {
  const StreamId id = create_open("a");
  const ObjectId object = reserve();
  const AbandonObjects abandon{.life = kOther, .objects = {object, ObjectId{9}}};
  EXPECT_EQ(run(abandon).verdict, Verdict::applied);
  EXPECT_EQ(object_state(object), ObjectState::doomed);
  EXPECT_EQ(refused(abandon), Verdict::redundant);
  EXPECT_EQ(refused(commit_of(id, object, 0, 1)), Verdict::not_found);
}

TEST_F(ApplyTest, ACommittedObjectIsNotGivenUp) {
  const StreamId id = create_open("a");
  const ObjectId object = write(id, 1);
  EXPECT_EQ(refused(AbandonObjects{.life = kLife, .objects = {object}}), Verdict::redundant);
}

TEST_F(ApplyTest, OnlyDoomedObjectsAreForgotten) {
  const StreamId id = create_open("a");
  const ObjectId gone = write(id, 1);
  const ObjectId kept = write(id, 2);
  trim(id, 1);
  EXPECT_EQ(refused(ForgetObjects{.life = kLife, .objects = {gone, kept}}), Verdict::changed_since);
  EXPECT_EQ(run(ForgetObjects{.life = kLife, .objects = {gone, ObjectId{9}}}).verdict,
            Verdict::applied);
  EXPECT_EQ(state.objects.find(gone), nullptr);
  EXPECT_EQ(refused(ForgetObjects{.life = kLife, .objects = {gone}}), Verdict::redundant);
}

// ---- CommitObject ----------------------------------------------------------------------------

TEST_F(ApplyTest, ACommitMovesTheEndOfEachStream) {
  const StreamId a = create_open("a");
  const StreamId b = create_open("b");
  const ObjectId object = reserve();
  const Extent in_a{.object = object, .base = 0, .end = 3, .position = 0, .bytes = 60};
  const Extent in_b{.object = object, .base = 0, .end = 1, .position = 60, .bytes = 40};
  const CommitObject command{
      .life = kLife,
      .object = object,
      .bytes = 100,
      .streams = {{.stream = b, .epoch = Epoch{1}, .extent = in_b},
                  {.stream = a, .epoch = Epoch{1}, .extent = in_a, .ended = StreamEnd{3}}}};
  EXPECT_EQ(run(command).verdict, Verdict::applied);
  EXPECT_EQ(row(a).end, 3u);
  EXPECT_EQ(row(a).extents, (std::vector<Extent>{in_a}));
  EXPECT_EQ(*row(a).ended, StreamEnd{3});
  EXPECT_EQ(row(b).end, 1u);
  EXPECT_EQ(*state.objects.find(object), (ObjectRow{.state = ObjectState::committed,
                                                    .life = kLife,
                                                    .bytes = 100,
                                                    .extents = 2,
                                                    .reserved_ms = 5}));
  EXPECT_EQ(refused(command), Verdict::redundant);
}

TEST_F(ApplyTest, ACommitIsAllOrNothing) {
  const StreamId a = create_open("a");
  const StreamId b = create_open("b");
  const ObjectId object = reserve();
  CommitObject command = commit_of(a, object, 0, 1);
  command.streams.push_back(commit_of(b, object, 1, 2).streams.front());  // b ends at 0.
  EXPECT_EQ(refused(command), Verdict::changed_since);
}

TEST_F(ApplyTest, OnlyTheOwnerCommitsAndOnlyAtTheStreamsEpoch) {
  const StreamId id = create_open("a");
  const StreamId foreign = create("foreign", {.life = kOther, .name = ""});
  const ObjectId object = reserve();
  CommitObject command = commit_of(id, object, 0, 1);
  command.streams[0].epoch = Epoch{2};
  EXPECT_EQ(refused(command), Verdict::changed_since);
  EXPECT_EQ(refused(commit_of(foreign, object, 0, 1)), Verdict::changed_since);
}

TEST_F(ApplyTest, AnAdoptedStreamIsCommittedByTheNewLife) {
  const StreamId id = create_open("a");
  run(cluster::RegisterNode{.node = NodeId{1}, .address = "http://n"});
  const Life now{.node = NodeId{1}, .epoch = Epoch{2}};
  run(AdoptLife{.from = kLife, .to = now});
  const ObjectId object{run(ReserveObjects{.life = now}).value};
  CommitObject command = commit_of(id, object, 0, 1);
  command.life = now;
  EXPECT_EQ(run(command).verdict, Verdict::applied);
}

TEST_F(ApplyTest, AnExtentBeginsAtTheCommittedEnd) {
  const StreamId id = create_open("a");
  write(id, 5);
  const ObjectId object = reserve();
  EXPECT_EQ(refused(commit_of(id, object, 4, 6)), Verdict::changed_since);
  EXPECT_EQ(refused(commit_of(id, object, 6, 7)), Verdict::changed_since);
  EXPECT_EQ(run(commit_of(id, object, 5, 7)).verdict, Verdict::applied);
}

TEST_F(ApplyTest, CommitsThatMakeNoSenseAreInvalid) {
  const StreamId id = create_open("a");
  const ObjectId object = reserve();
  const CommitObject good = commit_of(id, object, 0, 5);
  const auto with = [&](auto change) {
    CommitObject bad = good;
    change(bad);
    return refused(bad);
  };
  EXPECT_EQ(with([](auto& c) { c.streams.clear(); }), Verdict::invalid);
  EXPECT_EQ(with([](auto& c) { c.streams.push_back(c.streams[0]); }), Verdict::invalid);
  EXPECT_EQ(with([](auto& c) { c.streams[0].extent.reset(); }), Verdict::invalid);
  EXPECT_EQ(with([](auto& c) { c.streams[0].extent->end = 0; }), Verdict::invalid);
  EXPECT_EQ(with([](auto& c) { c.streams[0].extent->bytes = 0; }), Verdict::invalid);
  EXPECT_EQ(with([](auto& c) { c.streams[0].extent->bytes = 11; }), Verdict::invalid);
  EXPECT_EQ(with([](auto& c) { c.streams[0].extent->position = 1; }), Verdict::invalid);
  EXPECT_EQ(with([](auto& c) { c.streams[0].extent->position = UINT64_MAX; }), Verdict::invalid);
  EXPECT_EQ(with([](auto& c) { c.streams[0].extent->object = ObjectId{9}; }), Verdict::invalid);
  EXPECT_EQ(with([](auto& c) { c.streams[0].ended = StreamEnd{4}; }), Verdict::invalid);
  EXPECT_EQ(with([](auto& c) { c.object = ObjectId{0}; }), Verdict::invalid);
  EXPECT_EQ(run(good).verdict, Verdict::applied);
}

TEST_F(ApplyTest, AnObjectIsCommittedByWhoReservedIt) {
  const StreamId id = create_open("a");
  const ObjectId theirs{run(ReserveObjects{.life = kOther}).value};
  EXPECT_EQ(refused(commit_of(id, theirs, 0, 1)), Verdict::invalid);
  EXPECT_EQ(refused(commit_of(id, ObjectId{9}, 0, 1)), Verdict::not_found);
}

TEST_F(ApplyTest, StreamsDeletedMeanwhileArePassedOver) {
  const StreamId a = create_open("a");
  const StreamId b = create_open("b");
  const ObjectId object = reserve();
  CommitObject command = commit_of(a, object, 0, 1);
  command.streams.push_back(commit_of(b, object, 0, 1).streams.front());
  remove(a);
  EXPECT_EQ(run(command).verdict, Verdict::applied);
  EXPECT_EQ(row(b).end, 1u);
  EXPECT_EQ(state.objects.find(object)->extents, 1u);
}

TEST_F(ApplyTest, AnObjectWhoseStreamsAreAllGoneIsDoomedAtOnce) {
  const StreamId id = create_open("a");
  const ObjectId object = reserve();
  const CommitObject command = commit_of(id, object, 0, 1);
  remove(id);
  EXPECT_EQ(run(command).verdict, Verdict::applied);
  EXPECT_EQ(object_state(object), ObjectState::doomed);
}

TEST_F(ApplyTest, AnEndIsCommittedAlone) {
  const StreamId id = create_open("a");
  write(id, 4);
  const auto end_at = [&](core::Offset offset) {
    const StreamEnd end{.offset = offset,
                        .by = ProducerClaim{.id = "p", .epoch = 1, .sequence = 2}};
    return CommitObject{.life = kLife,
                        .streams = {{.stream = id, .epoch = Epoch{1}, .ended = end}}};
  };
  EXPECT_EQ(refused(end_at(3)), Verdict::changed_since);
  EXPECT_EQ(run(end_at(4)).verdict, Verdict::applied);
  EXPECT_EQ(row(id).ended->by->id, "p");
  EXPECT_EQ(refused(end_at(4)), Verdict::redundant);
  EXPECT_EQ(refused(end_at(5)), Verdict::changed_since);
  EXPECT_EQ(refused(commit_of(id, reserve(), 4, 5)), Verdict::changed_since);
}

// ---- CompactObjects --------------------------------------------------------------------------

class CompactTest : public ApplyTest {
 protected:
  CompactTest() {
    for (const core::Offset end : {10u, 20u, 30u}) objects.push_back(write(id, end));
  }
  CompactObjects compact(std::size_t first, std::size_t count) {
    const std::vector<Extent>& all = row(id).extents;
    const auto from = all.begin() + static_cast<std::ptrdiff_t>(first);
    StreamRewrite rewrite{
        .stream = id, .from = {from, from + static_cast<std::ptrdiff_t>(count)}, .to = {}};
    rewrite.to = {.object = target,
                  .base = rewrite.from.front().base,
                  .end = rewrite.from.back().end,
                  .position = 0,
                  .bytes = 25};
    return CompactObjects{.life = kLife, .object = target, .bytes = 25, .streams = {rewrite}};
  }

  StreamId id = create_open("a");
  std::vector<ObjectId> objects;
  ObjectId target = reserve();
};

TEST_F(CompactTest, ARunOfExtentsBecomesOne) {
  const CompactObjects command = compact(0, 2);
  EXPECT_EQ(run(command).verdict, Verdict::applied);
  EXPECT_EQ(row(id).extents.size(), 2u);
  EXPECT_EQ(row(id).extents[0], command.streams[0].to);
  EXPECT_EQ(object_state(objects[0]), ObjectState::doomed);
  EXPECT_EQ(object_state(objects[1]), ObjectState::doomed);
  EXPECT_EQ(object_state(objects[2]), ObjectState::committed);
  EXPECT_EQ(object_state(target), ObjectState::committed);
  EXPECT_EQ(refused(command), Verdict::redundant);
}

TEST_F(CompactTest, StreamsThatChangedSinceArePassedOver) {
  const StreamId other = create_open("b");
  write(other, 1);
  write(other, 2);
  CompactObjects command = compact(0, 3);
  StreamRewrite second{.stream = other, .from = row(other).extents, .to = {}};
  second.to = {.object = target, .base = 0, .end = 2, .position = 5, .bytes = 5};
  command.streams.push_back(second);
  trim(id, 10);
  EXPECT_EQ(run(command).verdict, Verdict::applied);
  EXPECT_EQ(row(id).extents.size(), 2u);
  EXPECT_EQ(row(other).extents.size(), 1u);
  EXPECT_EQ(state.objects.find(target)->extents, 1u);
}

TEST_F(CompactTest, IfAllChangedNothingHappens) {
  const CompactObjects command = compact(0, 3);
  trim(id, 10);
  EXPECT_EQ(refused(command), Verdict::changed_since);
  remove(id);
  EXPECT_EQ(refused(command), Verdict::changed_since);
}

TEST_F(CompactTest, CompactionsThatMakeNoSenseAreInvalid) {
  const auto with = [&](auto change) {
    CompactObjects bad = compact(0, 2);
    change(bad);
    return refused(bad);
  };
  EXPECT_EQ(with([](auto& c) { c.streams.clear(); }), Verdict::invalid);
  EXPECT_EQ(with([](auto& c) { c.streams[0].from.clear(); }), Verdict::invalid);
  EXPECT_EQ(with([](auto& c) { c.streams[0].to.end = 21; }), Verdict::invalid);
  EXPECT_EQ(with([](auto& c) { c.streams[0].to.base = 1; }), Verdict::invalid);
  EXPECT_EQ(with([](auto& c) { c.streams[0].to.bytes = 26; }), Verdict::invalid);
  EXPECT_EQ(with([](auto& c) { c.streams[0].to.object = ObjectId{9}; }), Verdict::invalid);
  EXPECT_EQ(with([&](auto& c) { c.streams[0].from[0].object = target; }), Verdict::invalid);
}

TEST_F(CompactTest, AReservationOfItsOwnIsNeeded) {
  CompactObjects command = compact(0, 2);
  command.life = kOther;
  EXPECT_EQ(refused(command), Verdict::invalid);
  run(AbandonObjects{.life = kLife, .objects = {target}});
  EXPECT_EQ(refused(compact(0, 2)), Verdict::not_found);
}

TEST_F(CompactTest, TheSameRunTwiceInOneCommandCountsOnce) {
  CompactObjects command = compact(0, 2);
  command.streams.push_back(command.streams[0]);
  EXPECT_EQ(run(command).verdict, Verdict::applied);
  EXPECT_EQ(state.objects.find(target)->extents, 1u);
}

}  // namespace
}  // namespace stream
