#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "log/entry.h"
#include "stream/apply.h"
#include "stream/machine.h"
#include "tests/support/golden.h"

namespace stream {
namespace {

using core::Epoch;
using core::Life;
using core::NodeId;
using core::ObjectId;
using core::StreamId;

constexpr Life kLife{.node = NodeId{1}, .epoch = Epoch{3}};
constexpr Life kNext{.node = NodeId{1}, .epoch = Epoch{4}};
constexpr Extent kExtent{
    .object = ObjectId{70'000}, .base = 1, .end = 300, .position = 16, .bytes = 5'000'000'000};

/// One of each kind of command, with nothing left at its default.
std::vector<Command> one_of_each() {
  const StreamEnd end{.offset = 300, .by = ProducerClaim{.id = "p", .epoch = 2, .sequence = 9}};
  const ForkPoint fork{.parent = StreamId{2},
                       .offset = 12,
                       .sub_offset = 2,
                       .explicit_offset = true,
                       .requested = 10};
  const StreamConfig config{.content_type = "text/plain",
                            .ttl_s = 60,
                            .expires_at = "2030-01-01T00:00:00Z",
                            .expires_at_ms = 1'893'456'000'000};
  return {
      cluster::RegisterNode{
          .node = NodeId{1}, .address = "http://127.0.0.1:4437", .slots = 2, .token = ~0ULL},
      cluster::Heartbeat{kLife},
      cluster::FenceNode{.life = kLife, .beats = 77},
      cluster::FenceSelf{kLife},
      cluster::SetSlots{.node = NodeId{1}, .slots = 3},
      CreateStream{.life = kLife,
                   .name = "orders/eu",
                   .config = config,
                   .fork = fork,
                   .closed = true,
                   .awaits_content = true,
                   .at_ms = -5},
      OpenStream{.life = kLife, .stream = StreamId{7}},
      AdoptLife{.from = kLife, .to = kNext},
      CloseStream{.life = kLife, .stream = StreamId{7}, .epoch = Epoch{2}},
      ReserveObjects{.life = kLife, .count = 4, .at_ms = 1'700'000'000'000},
      CommitObject{
          .life = kLife,
          .object = ObjectId{70'000},
          .bytes = 6'000'000'000,
          .streams = {{.stream = StreamId{7}, .epoch = Epoch{2}, .extent = kExtent, .ended = end},
                      {.stream = StreamId{8}, .epoch = Epoch{1}}}},
      CompactObjects{.life = kLife,
                     .object = ObjectId{70'000},
                     .bytes = 6'000'000'000,
                     .streams = {{.stream = StreamId{7}, .from = {kExtent}, .to = kExtent}}},
      TrimStream{.life = kLife, .stream = StreamId{7}, .start = 200},
      DeleteStream{.life = kLife, .stream = StreamId{7}},
      ExpireStream{.life = kLife, .stream = StreamId{7}, .touched_ms = 1, .at_ms = 2},
      TouchStreams{.life = kLife, .streams = {StreamId{7}, StreamId{8}}, .at_ms = {1, 2}},
      AbandonObjects{.life = kLife, .objects = {ObjectId{1}, ObjectId{2}}},
      ForgetObjects{.life = kLife, .objects = {ObjectId{3}}},
  };
}

/// Each entry behind its length, four bytes, lowest first.
std::string file_of(const std::vector<Command>& commands) {
  std::string file;
  for (const Command& command : commands) {
    const std::string entry = cmdlog::encode_entry(command);
    for (int shift = 0; shift < 32; shift += 8) {
      file.push_back(static_cast<char>(entry.size() >> shift));
    }
    file += entry;
  }
  return file;
}

std::vector<std::string> entries_in(const std::string& file) {
  std::vector<std::string> entries;
  for (std::size_t at = 0; at + 4 <= file.size();) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      length |= static_cast<std::size_t>(static_cast<unsigned char>(file[at + i])) << (8 * i);
    }
    entries.push_back(file.substr(at + 4, length));
    at += 4 + length;
  }
  return entries;
}

View some_view() {
  View view;
  const auto run = [&view](const Command& command) {
    EXPECT_TRUE(apply(view, command).holds());
    view.applied = next(view.applied);
  };
  const Life life{.node = NodeId{1}, .epoch = Epoch{1}};
  run(cluster::RegisterNode{.node = NodeId{1}, .address = "http://127.0.0.1:4437", .token = 5});
  run(cluster::Heartbeat{life});
  run(CreateStream{.life = life,
                   .name = "orders",
                   .config = {.content_type = "application/json", .ttl_s = 3600},
                   .at_ms = 1'700'000'000'000});
  run(OpenStream{.life = life, .stream = StreamId{1}});
  run(ReserveObjects{.life = life, .count = 3, .at_ms = 1'700'000'000'001});
  const auto commit = [&](std::uint64_t object, core::Offset base, core::Offset end) {
    const Extent extent{
        .object = ObjectId{object}, .base = base, .end = end, .position = 0, .bytes = 900};
    return CommitObject{.life = life,
                        .object = ObjectId{object},
                        .bytes = 1000,
                        .streams = {{.stream = StreamId{1}, .epoch = Epoch{1}, .extent = extent}}};
  };
  run(commit(1, 0, 40));
  run(commit(2, 40, 70));
  run(CreateStream{
      .life = life,
      .name = "orders/fork",
      .config = {.content_type = "application/json"},
      .fork =
          ForkPoint{.parent = StreamId{1}, .offset = 50, .explicit_offset = true, .requested = 50},
      .awaits_content = true,
      .at_ms = 1'700'000'000'002});
  run(CreateStream{.life = life, .name = "done", .closed = true, .at_ms = 1'700'000'000'003});
  run(TrimStream{.life = life, .stream = StreamId{2}, .start = 45});
  run(DeleteStream{.life = life, .stream = StreamId{1}});
  return view;
}

std::string snapshot_of(const View& view) {
  SnapshotWriter writer(std::make_shared<const View>(view));
  while (!writer.step(2)) {
  }
  return std::move(writer).finish();
}

TEST(StoredLogTest, CommandsAreReadAndWrittenAsInTheFirstVersion) {
  const std::vector<Command> commands = one_of_each();
  ASSERT_EQ(commands.size(), std::variant_size_v<Command>);
  const std::string stored = tests::golden("commands_1.bin", file_of(commands));
  EXPECT_EQ(stored, file_of(commands));

  const std::vector<std::string> entries = entries_in(stored);
  ASSERT_EQ(entries.size(), commands.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto command = cmdlog::decode_entry<Command>(entries[i]);
    ASSERT_TRUE(command) << command.error().context;
    EXPECT_EQ(*command, commands[i]) << "kind " << i;
  }
}

TEST(StoredLogTest, SnapshotsAreReadAndWrittenAsInTheFirstVersion) {
  const View view = some_view();
  const std::string stored = tests::golden("snapshot_1.bin", snapshot_of(view));
  EXPECT_EQ(stored, snapshot_of(view));
  const auto read = decode_snapshot(stored);
  ASSERT_TRUE(read) << read.error().context;
  EXPECT_EQ(*read, view);
}

TEST(StoredLogTest, ACommandOfALaterVersionIsRefusedAsSuch) {
  core::CborWriter out;
  out.begin_array(2);
  out.put_unsigned(std::variant_size_v<Command>);
  out.begin_array(0);
  const auto read = cmdlog::decode_entry<Command>(cmdlog::seal(1, out.bytes()));
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().context, testing::HasSubstr("a newer version wrote this"));
}

TEST(StoredLogTest, ASnapshotThatContradictsItselfIsRefused) {
  View view = some_view();
  view.objects.mutate(ObjectId{2}).extents = 5;
  const auto read = decode_snapshot(snapshot_of(view));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().context, "it contradicts itself: object 2 counts 5 extents and has 1");
}

TEST(StoredLogTest, EveryFlippedBitOfASnapshotIsNoticed) {
  const std::string good = snapshot_of(some_view());
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_FALSE(decode_snapshot(bad)) << bit;
  }
}

}  // namespace
}  // namespace stream
