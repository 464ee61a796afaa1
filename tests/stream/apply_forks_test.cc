#include "stream/retention.h"
#include "tests/stream/apply_world.h"

namespace stream {
namespace {

class ForkTest : public ApplyTest {
 protected:
  CreateStream fork_command(const std::string& name, ForkPoint point) {
    return CreateStream{.life = kLife, .name = name, .fork = point};
  }
};

TEST_F(ForkTest, AForkBeginsWithItsParentsRecords) {
  const StreamId parent = create_open("parent");
  write(parent, 10);
  trim(parent, 3);
  const StreamId child = fork("child", parent, 7);
  EXPECT_EQ(row(child).start, 3u);
  EXPECT_EQ(row(child).end, 7u);
  EXPECT_TRUE(row(child).extents.empty());
  EXPECT_EQ(row(parent).forks, 1u);
  open(child);
  write(child, 9);
  EXPECT_EQ(row(child).extents.front().base, 7u);
}

TEST_F(ForkTest, TheForkPointMayBeBeyondWhatIsCommitted) {
  const StreamId parent = create_open("parent");
  const StreamId child = fork("child", parent, 5);
  EXPECT_EQ(row(child).end, 5u);
  remove(parent);
  write(parent, 8);  // The rest comes from the write-ahead log, for the fork.
  EXPECT_EQ(row(parent).extents.size(), 1u);
}

TEST_F(ForkTest, AForkPointOutsideTheParentIsInvalid) {
  const StreamId parent = create_open("parent");
  write(parent, 10);
  trim(parent, 5);
  EXPECT_EQ(refused(fork_command("f", {.parent = parent, .offset = 4})), Verdict::invalid);
  run(CommitObject{.life = kLife,
                   .streams = {{.stream = parent, .epoch = Epoch{1}, .ended = StreamEnd{10}}}});
  EXPECT_EQ(refused(fork_command("f", {.parent = parent, .offset = 11})), Verdict::invalid);
  fork("f", parent, 10);
}

TEST_F(ForkTest, AParentThatIsGoneIsNotFound) {
  const StreamId parent = create("parent");
  const ForkPoint point{.parent = parent};
  fork("child", parent, 0);
  remove(parent);
  EXPECT_EQ(refused(fork_command("f", point)), Verdict::not_found);
  EXPECT_EQ(refused(fork_command("f", {.parent = StreamId{9}})), Verdict::not_found);
}

TEST_F(ForkTest, TheSameForkAgainIsRedundant) {
  const StreamId parent = create_open("parent");
  write(parent, 10);
  const ForkPoint at_tail{.parent = parent, .offset = 10};
  run(fork_command("tail", at_tail));
  write(parent, 12);
  // Without an offset it is the same fork wherever the tail is now; with one, if it is that one.
  EXPECT_EQ(run(fork_command("tail", {.parent = parent, .offset = 12})).verdict,
            Verdict::redundant);
  const auto at = [&](core::Offset offset, std::uint64_t sub) {
    return ForkPoint{.parent = parent,
                     .offset = offset + sub,
                     .sub_offset = sub,
                     .explicit_offset = true,
                     .requested = offset};
  };
  EXPECT_EQ(run(fork_command("tail", at(10, 0))).verdict, Verdict::redundant);
  EXPECT_EQ(refused(fork_command("tail", at(9, 0))), Verdict::exists);
  EXPECT_EQ(run(fork_command("sub", at(4, 2))).verdict, Verdict::applied);
  EXPECT_EQ(run(fork_command("sub", at(4, 2))).verdict, Verdict::redundant);
  EXPECT_EQ(refused(fork_command("sub", at(4, 1))), Verdict::exists);
  EXPECT_EQ(refused(CreateStream{.life = kLife, .name = "sub"}), Verdict::exists);
}

TEST_F(ForkTest, ADeletedParentStaysForItsForks) {
  const StreamId parent = create_open("parent");
  const ObjectId object = write(parent, 10);
  const StreamId child = fork("child", parent, 5);
  remove(parent);
  EXPECT_TRUE(row(parent).deleted);
  EXPECT_EQ(object_state(object), ObjectState::committed);
  EXPECT_EQ(refused(CreateStream{.life = kLife, .name = "parent"}), Verdict::exists);
  EXPECT_EQ(refused(DeleteStream{.life = kLife, .stream = parent}), Verdict::redundant);
  EXPECT_EQ(refused(TrimStream{.life = kLife, .stream = parent, .start = 1}), Verdict::not_found);

  remove(child);
  EXPECT_FALSE(exists(parent));
  EXPECT_EQ(object_state(object), ObjectState::doomed);
  create("parent");
}

TEST_F(ForkTest, TheLastForkTakesAllSoftDeletedAncestorsWithIt) {
  const StreamId a = create_open("a");
  const ObjectId object = write(a, 10);
  const StreamId b = fork("b", a, 8);
  const StreamId c = fork("c", b, 6);
  remove(b);
  remove(a);
  EXPECT_TRUE(exists(a) && exists(b));
  remove(c);
  EXPECT_FALSE(exists(a) || exists(b) || exists(c));
  EXPECT_EQ(object_state(object), ObjectState::doomed);
}

TEST_F(ForkTest, ATrimmedParentKeepsWhatForksRead) {
  const StreamId parent = create_open("parent");
  const ObjectId first = write(parent, 10);
  const ObjectId second = write(parent, 20);
  const StreamId child = fork("child", parent, 5);
  trim(parent, 20);
  EXPECT_EQ(row(parent).start, 20u);
  EXPECT_EQ(row(parent).kept, 0u);
  EXPECT_EQ(row(parent).extents.size(), 2u);

  trim(child, 5);  // It no longer reads its parent.
  EXPECT_EQ(row(parent).kept, 20u);
  EXPECT_EQ(object_state(first), ObjectState::doomed);
  EXPECT_EQ(object_state(second), ObjectState::committed);  // The newest.
}

TEST_F(ForkTest, WhatIsKeptIsWhatTheNeediestForkReads) {
  const StreamId parent = create_open("parent");
  const ObjectId first = write(parent, 10);
  const ObjectId second = write(parent, 20);
  const StreamId one = fork("one", parent, 15);
  const StreamId two = fork("two", parent, 18);
  trim(one, 12);
  remove(parent);
  EXPECT_EQ(row(parent).kept, 0u);
  trim(two, 11);
  EXPECT_EQ(row(parent).kept, 11u);
  EXPECT_EQ(object_state(first), ObjectState::doomed);
  EXPECT_EQ(object_state(second), ObjectState::committed);
  remove(two);
  EXPECT_EQ(row(parent).kept, 12u);
  trim(one, 15);
  EXPECT_EQ(row(parent).kept, kNobody);
  EXPECT_EQ(object_state(second), ObjectState::doomed);
  EXPECT_TRUE(exists(parent));  // Its name stays taken as long as it has forks.
}

TEST_F(ForkTest, AForkOfAForkReachesThroughToTheFirst) {
  const StreamId a = create_open("a");
  const ObjectId object = write(a, 10);
  const StreamId b = fork("b", a, 8);
  const StreamId c = fork("c", b, 6);
  trim(a, 10);
  trim(b, 8);
  EXPECT_EQ(row(a).kept, 0u);  // For c.
  trim(c, 2);
  EXPECT_EQ(row(a).kept, 2u);
  EXPECT_EQ(row(b).kept, 2u);
  trim(c, 6);
  EXPECT_EQ(row(a).kept, 10u);
  EXPECT_EQ(object_state(object), ObjectState::committed);  // The newest.
  remove(a);
  EXPECT_EQ(object_state(object), ObjectState::doomed);
}

TEST_F(ForkTest, WhatNoForkReadsIsNotKeptWhenASoftDeletedStreamCommits) {
  const StreamId parent = create_open("parent");
  const StreamId child = fork("child", parent, 5);
  trim(child, 5);
  remove(parent);
  const ObjectId object = write(parent, 8);
  EXPECT_EQ(object_state(object), ObjectState::doomed);
  EXPECT_EQ(row(parent).end, 8u);
}

TEST_F(ForkTest, ADeletionDropsTheNewestExtentToo) {
  const StreamId parent = create_open("parent");
  const ObjectId object = write(parent, 10);
  trim(parent, 10);
  fork("child", parent, 12);  // Of records that are not committed yet.
  EXPECT_EQ(row(parent).kept, 10u);
  EXPECT_EQ(object_state(object), ObjectState::committed);
  remove(parent);
  EXPECT_EQ(row(parent).kept, 10u);
  EXPECT_EQ(object_state(object), ObjectState::doomed);
}

TEST_F(ForkTest, AForkExpiresAndTakesItsParentWithIt) {
  const StreamId parent = create("parent");
  const StreamId child = create("child", {.life = kLife,
                                          .name = "",
                                          .config = {.content_type = "", .ttl_s = 1},
                                          .fork = ForkPoint{.parent = parent}});
  remove(parent);
  EXPECT_EQ(
      run(ExpireStream{.life = kLife, .stream = child, .touched_ms = 0, .at_ms = 1000}).verdict,
      Verdict::applied);
  EXPECT_FALSE(exists(parent));
}

TEST_F(ForkTest, AnExpiredParentWithForksIsSoftDeleted) {
  const StreamId parent =
      create("parent", {.life = kLife, .name = "", .config = {.content_type = "", .ttl_s = 1}});
  fork("child", parent, 0);
  EXPECT_EQ(
      run(ExpireStream{.life = kLife, .stream = parent, .touched_ms = 0, .at_ms = 1000}).verdict,
      Verdict::applied);
  EXPECT_TRUE(row(parent).deleted);
}

}  // namespace
}  // namespace stream
