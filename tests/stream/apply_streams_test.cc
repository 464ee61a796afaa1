#include "tests/stream/apply_world.h"

namespace stream {
namespace {

// ---- CreateStream ----------------------------------------------------------------------------

TEST_F(ApplyTest, ANewStreamBelongsToItsCreator) {
  const CreateStream command{.life = kLife,
                             .name = "orders",
                             .config = {.content_type = "text/plain", .ttl_s = 60},
                             .at_ms = 1000};
  EXPECT_EQ(run(command), (Outcome{Verdict::applied, 1}));
  EXPECT_EQ(*state.find("orders"), (StreamRow{.name = "orders",
                                              .config = {.content_type = "text/plain", .ttl_s = 60},
                                              .owner = kLife,
                                              .created_ms = 1000,
                                              .touched_ms = 1000}));
}

TEST_F(ApplyTest, IdsAreNeverUsedTwice) {
  const StreamId first = create("a");
  remove(first);
  EXPECT_GT(create("a"), first);
}

TEST_F(ApplyTest, TheSameCreationAgainIsRedundant) {
  CreateStream command{
      .life = kLife, .name = "a", .config = {.content_type = "application/JSON; charset=utf-8"}};
  const Outcome first = run(command);
  command.config.content_type = "application/json";
  command.life = kOther;
  command.at_ms = 99;
  EXPECT_EQ(run(command), (Outcome{Verdict::redundant, first.value}));
}

TEST_F(ApplyTest, AnotherConfigIsRefused) {
  const StreamId id = create("a");
  const auto with = [](StreamConfig config) {
    return CreateStream{.life = kLife, .name = "a", .config = std::move(config)};
  };
  EXPECT_EQ(refused(with({.content_type = "text/plain"})), Verdict::exists);
  EXPECT_EQ(refused(with({.content_type = "", .ttl_s = 1})), Verdict::exists);
  EXPECT_EQ(refused(with({.content_type = "", .expires_at = "2030-01-01T00:00:00Z"})),
            Verdict::exists);
  EXPECT_EQ(run(with({.content_type = "x/y"})).value, core::raw(id));
}

TEST_F(ApplyTest, NamesHaveALength) {
  EXPECT_EQ(refused(CreateStream{.life = kLife, .name = ""}), Verdict::invalid);
  EXPECT_EQ(refused(CreateStream{.life = kLife, .name = std::string(kMaxNameBytes + 1, 'x')}),
            Verdict::invalid);
  create(std::string(kMaxNameBytes, 'x'));
}

TEST_F(ApplyTest, AStreamCanBeCreatedAtItsEnd) {
  const StreamId id = create("a", {.life = kLife, .name = "", .closed = true});
  EXPECT_EQ(*row(id).ended, StreamEnd{.offset = 0});
}

TEST_F(ApplyTest, WithContentToComeTheEndIsNotKnownYet) {
  const StreamId id =
      create("a", {.life = kLife, .name = "", .closed = true, .awaits_content = true});
  EXPECT_FALSE(row(id).ended);
  EXPECT_TRUE(row(id).awaits_content);
  open(id);
  write(id, 1);
  EXPECT_FALSE(row(id).awaits_content);
}

TEST_F(ApplyTest, WhoIsNotLiveSaysNothing) {
  const StreamId id = create_open("a");
  const std::vector<Command> commands = {
      CreateStream{.life = kEnded, .name = "b"},
      OpenStream{.life = kEnded, .stream = id},
      AdoptLife{.from = kLife, .to = {.node = NodeId{1}, .epoch = Epoch{2}}},
      CloseStream{.life = kEnded, .stream = id, .epoch = Epoch{1}},
      ReserveObjects{.life = kEnded},
      CommitObject{.life = kEnded, .streams = {}},
      CompactObjects{.life = kEnded, .streams = {}},
      TrimStream{.life = kEnded, .stream = id, .start = 0},
      DeleteStream{.life = kEnded, .stream = id},
      ExpireStream{.life = kEnded, .stream = id},
      TouchStreams{.life = kEnded, .streams = {id}, .at_ms = {5}},
      AbandonObjects{.life = kEnded, .objects = {}},
      ForgetObjects{.life = kEnded, .objects = {}}};
  for (const Command& command : commands) EXPECT_EQ(refused(command), Verdict::not_live);
}

// ---- OpenStream, CloseStream, AdoptLife ------------------------------------------------------

TEST_F(ApplyTest, OpeningRaisesTheEpoch) {
  const StreamId id = create("a");
  EXPECT_EQ(run(OpenStream{.life = kLife, .stream = id}), (Outcome{Verdict::applied, 1}));
  EXPECT_TRUE(row(id).open);
  EXPECT_EQ(run(OpenStream{.life = kLife, .stream = id}), (Outcome{Verdict::redundant, 1}));
  EXPECT_EQ(run(CloseStream{.life = kLife, .stream = id, .epoch = Epoch{1}}).verdict,
            Verdict::applied);
  EXPECT_FALSE(row(id).open);
  EXPECT_EQ(run(OpenStream{.life = kLife, .stream = id}), (Outcome{Verdict::applied, 2}));
}

TEST_F(ApplyTest, OnlyTheOwnerOpens) {
  const StreamId id = create("a");
  EXPECT_EQ(refused(OpenStream{.life = kOther, .stream = id}), Verdict::changed_since);
  EXPECT_EQ(refused(OpenStream{.life = kLife, .stream = StreamId{9}}), Verdict::not_found);
}

TEST_F(ApplyTest, ASoftDeletedStreamIsNotOpened) {
  const StreamId id = create("a");
  fork("b", id, 0);
  remove(id);
  EXPECT_EQ(refused(OpenStream{.life = kLife, .stream = id}), Verdict::not_found);
}

TEST_F(ApplyTest, AStreamIsClosedAtTheEpochItWasOpenedAt) {
  const StreamId id = create_open("a");
  const auto close = [&](Life life, std::uint64_t epoch) {
    return CloseStream{.life = life, .stream = id, .epoch = Epoch{epoch}};
  };
  EXPECT_EQ(refused(close(kLife, 2)), Verdict::changed_since);
  EXPECT_EQ(refused(close(kOther, 1)), Verdict::changed_since);
  EXPECT_EQ(run(close(kLife, 1)).verdict, Verdict::applied);
  EXPECT_EQ(refused(close(kLife, 1)), Verdict::redundant);
  EXPECT_EQ(refused(CloseStream{.life = kLife, .stream = StreamId{9}}), Verdict::not_found);
}

TEST_F(ApplyTest, ANewLifeAdoptsWhatTheLastOneOwned) {
  const StreamId open_one = create_open("open");
  const StreamId closed_one = create("closed");
  const StreamId foreign = create("foreign", {.life = kOther, .name = ""});
  run(cluster::RegisterNode{.node = NodeId{1}, .address = "http://n"});
  const Life now{.node = NodeId{1}, .epoch = Epoch{2}};

  EXPECT_EQ(run(AdoptLife{.from = kLife, .to = now}).verdict, Verdict::applied);
  EXPECT_EQ(row(open_one).owner, now);
  EXPECT_TRUE(row(open_one).open);
  EXPECT_EQ(row(closed_one).owner, now);
  EXPECT_EQ(row(foreign).owner, kOther);
  EXPECT_EQ(refused(AdoptLife{.from = kLife, .to = now}), Verdict::redundant);
  // What was open is opened again by the new life, once, at the next epoch.
  EXPECT_EQ(run(OpenStream{.life = now, .stream = open_one}), (Outcome{Verdict::applied, 2}));
  EXPECT_EQ(run(OpenStream{.life = now, .stream = open_one}), (Outcome{Verdict::redundant, 2}));
}

TEST_F(ApplyTest, OnlyAnEarlierLifeOfTheSameNodeIsAdopted) {
  create("a");
  EXPECT_EQ(refused(AdoptLife{.from = kLife, .to = kOther}), Verdict::invalid);
  EXPECT_EQ(refused(AdoptLife{.from = kLife, .to = kLife}), Verdict::invalid);
}

// ---- TrimStream, DeleteStream, ExpireStream, TouchStreams ------------------------------------

TEST_F(ApplyTest, ATrimDropsExtentsThatLieBeforeIt) {
  const StreamId id = create_open("a");
  const ObjectId first = write(id, 10);
  const ObjectId second = write(id, 20);
  EXPECT_EQ(run(TrimStream{.life = kLife, .stream = id, .start = 15}),
            (Outcome{Verdict::applied, 15}));
  EXPECT_EQ(row(id).start, 15u);
  EXPECT_EQ(row(id).extents.size(), 1u);
  EXPECT_EQ(object_state(first), ObjectState::doomed);
  EXPECT_EQ(object_state(second), ObjectState::committed);
}

TEST_F(ApplyTest, TheNewestExtentStaysForTheProducersInIt) {
  const StreamId id = create_open("a");
  const ObjectId first = write(id, 10);
  const ObjectId second = write(id, 20);
  trim(id, 20);
  EXPECT_EQ(object_state(first), ObjectState::doomed);
  EXPECT_EQ(object_state(second), ObjectState::committed);
  EXPECT_EQ(row(id).end, 20u);
  const ObjectId third = write(id, 30);
  EXPECT_EQ(object_state(second), ObjectState::doomed);
  remove(id);
  EXPECT_EQ(object_state(third), ObjectState::doomed);
}

TEST_F(ApplyTest, ATrimNeverGoesBackNorBeyondTheEnd) {
  const StreamId id = create_open("a");
  write(id, 10);
  trim(id, 5);
  EXPECT_EQ(refused(TrimStream{.life = kLife, .stream = id, .start = 4}), Verdict::redundant);
  EXPECT_EQ(refused(TrimStream{.life = kLife, .stream = id, .start = 11}), Verdict::invalid);
  EXPECT_EQ(refused(TrimStream{.life = kLife, .stream = StreamId{9}}), Verdict::not_found);
}

TEST_F(ApplyTest, ADeletedStreamIsGoneWithItsData) {
  const StreamId id = create_open("a");
  const ObjectId object = write(id, 10);
  remove(id);
  EXPECT_FALSE(exists(id));
  EXPECT_EQ(state.find("a"), nullptr);
  EXPECT_EQ(object_state(object), ObjectState::doomed);
}

TEST_F(ApplyTest, ADeletionAgainIsRedundant) {
  const StreamId id = create("a");
  remove(id);
  EXPECT_EQ(refused(DeleteStream{.life = kLife, .stream = id}), Verdict::redundant);
  EXPECT_EQ(refused(DeleteStream{.life = kLife, .stream = StreamId{9}}), Verdict::not_found);
  EXPECT_EQ(refused(DeleteStream{.life = kLife, .stream = StreamId{0}}), Verdict::not_found);
}

TEST_F(ApplyTest, AStreamExpiresAfterItsTtl) {
  const StreamId id = create(
      "a", {.life = kLife, .name = "", .config = {.content_type = "", .ttl_s = 2}, .at_ms = 1000});
  const auto expire = [&](core::WallMs touched, core::WallMs at) {
    return ExpireStream{.life = kLife, .stream = id, .touched_ms = touched, .at_ms = at};
  };
  EXPECT_EQ(refused(expire(1000, 2999)), Verdict::invalid);
  EXPECT_EQ(refused(expire(999, 3000)), Verdict::changed_since);
  EXPECT_EQ(refused(expire(1000, -5)), Verdict::invalid);
  EXPECT_EQ(run(expire(1000, 3000)).verdict, Verdict::applied);
  EXPECT_EQ(refused(expire(1000, 3000)), Verdict::redundant);
}

TEST_F(ApplyTest, ATouchPutsExpiryOff) {
  const StreamId id = create(
      "a", {.life = kLife, .name = "", .config = {.content_type = "", .ttl_s = 2}, .at_ms = 1000});
  EXPECT_EQ(run(TouchStreams{.life = kLife, .streams = {id}, .at_ms = {2500}}).verdict,
            Verdict::applied);
  EXPECT_EQ(refused(ExpireStream{.life = kLife, .stream = id, .touched_ms = 1000, .at_ms = 3000}),
            Verdict::changed_since);
  EXPECT_EQ(refused(ExpireStream{.life = kLife, .stream = id, .touched_ms = 2500, .at_ms = 4499}),
            Verdict::invalid);
}

TEST_F(ApplyTest, AStreamExpiresAtItsTime) {
  const StreamId id =
      create("a", {.life = kLife,
                   .name = "",
                   .config = {.content_type = "", .expires_at = "x", .expires_at_ms = 5000}});
  const auto expire = [&](core::WallMs at) {
    return ExpireStream{.life = kLife, .stream = id, .touched_ms = 0, .at_ms = at};
  };
  EXPECT_EQ(refused(expire(4999)), Verdict::invalid);
  EXPECT_EQ(run(expire(5000)).verdict, Verdict::applied);
}

TEST_F(ApplyTest, AStreamWithoutExpiryNeverExpires) {
  const StreamId id = create("a");
  EXPECT_EQ(refused(ExpireStream{.life = kLife, .stream = id, .touched_ms = 0, .at_ms = INT64_MAX}),
            Verdict::invalid);
}

TEST_F(ApplyTest, ATouchNeverMovesTimeBackwards) {
  const StreamId a = create("a", {.life = kLife, .name = "", .at_ms = 100});
  const StreamId b = create("b", {.life = kLife, .name = "", .at_ms = 100});
  const TouchStreams command{.life = kLife, .streams = {a, StreamId{9}, b}, .at_ms = {50, 60, 200}};
  EXPECT_EQ(run(command).verdict, Verdict::applied);
  EXPECT_EQ(row(a).touched_ms, 100);
  EXPECT_EQ(row(b).touched_ms, 200);
  EXPECT_EQ(refused(command), Verdict::redundant);
  EXPECT_EQ(refused(TouchStreams{.life = kLife, .streams = {a}, .at_ms = {}}), Verdict::invalid);
}

}  // namespace
}  // namespace stream
