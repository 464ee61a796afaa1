#include "tests/support/random_commands.h"

#include <algorithm>
#include <string>
#include <vector>

namespace tests {
namespace {

using core::Epoch;
using core::Life;
using core::NodeId;
using core::ObjectId;
using core::StreamId;
using stream::Command;
using stream::StreamRow;
using stream::View;

/// Makes commands that fit `view`, and spoils some of them.
class Proposer {
 public:
  Proposer(core::Random& random, const View& view) : random_(random), view_(view) {}

  Command draw() {
    switch (random_.below(24)) {
      case 0: return node_command();
      case 1:
      case 2:
      case 3:
      case 4: return create();
      case 5:
      case 6:
      case 7: return stream::OpenStream{.life = owner_of(stream()), .stream = stream_};
      case 8: return close();
      case 9:
      case 10: return stream::ReserveObjects{.life = life(), .count = small(3), .at_ms = time()};
      case 11:
      case 12:
      case 13:
      case 14:
      case 15: return commit();
      case 16: return compact();
      case 17:
      case 18: return trim();
      case 19: return stream::DeleteStream{.life = life(), .stream = stream()};
      case 20: return expire();
      case 21: return touch();
      case 22: return stream::AbandonObjects{.life = life(), .objects = {object(), object()}};
      default: return forget();
    }
  }

 private:
  std::uint32_t small(std::uint64_t n) { return static_cast<std::uint32_t>(random_.below(n)); }
  core::WallMs time() { return static_cast<core::WallMs>(random_.below(100'000)); }
  NodeId node() { return NodeId{small(3) + 1}; }

  Life life() { return life_of(node()); }
  Life life_of(NodeId id) {
    const cluster::NodeRow* row = view_.nodes.find(id);
    const Epoch epoch = row == nullptr ? Epoch{1} : row->epoch;
    return {.node = id, .epoch = random_.chance(3) ? Epoch{core::raw(epoch) - 1} : epoch};
  }

  /// One of the streams there are, or sometimes one that is not.
  StreamId stream() {
    const std::uint64_t most = core::raw(view_.next_stream) + (random_.chance(2) ? 2 : 0);
    const auto found = view_.streams.from(StreamId{random_.below(most + 1)});
    stream_ = found == view_.streams.end() ? StreamId{random_.below(most + 1)} : (*found).key;
    return stream_;
  }
  ObjectId object() { return ObjectId{random_.below(core::raw(view_.next_object) + 1)}; }

  Life owner_of(StreamId id) {
    const StreamRow* row = view_.find(id);
    return row == nullptr || random_.chance(3) ? life() : row->owner;
  }

  Command node_command() {
    const NodeId id = node();
    switch (random_.below(8)) {
      case 0: return cluster::FenceSelf{life_of(id)};
      case 1: return cluster::FenceNode{.life = life_of(id), .beats = random_.below(3)};
      case 2: return cluster::SetSlots{.node = id, .slots = small(3)};
      case 3: return stream::AdoptLife{.from = {id, Epoch{random_.below(4)}}, .to = life_of(id)};
      case 4:
      case 5: return cluster::Heartbeat{life_of(id)};
      default:
        return cluster::RegisterNode{
            .node = id, .address = "http://n", .slots = small(4) + 1, .token = random_.below(9)};
    }
  }

  Command create() {
    stream::CreateStream command{.life = life(),
                                 .name = "s" + std::to_string(random_.below(40)),
                                 .closed = random_.chance(10),
                                 .awaits_content = random_.chance(20),
                                 .at_ms = time()};
    command.config.content_type = random_.chance(90) ? "text/plain" : "application/json";
    if (random_.chance(20)) command.config.ttl_s = random_.below(60);
    if (random_.chance(60)) command.fork = fork_point();
    return command;
  }

  std::optional<stream::ForkPoint> fork_point() {
    stream::ForkPoint point{.parent = stream()};
    const StreamRow* row = view_.find(point.parent);
    if (row != nullptr) point.offset = row->start + random_.below(row->end - row->start + 3);
    point.explicit_offset = random_.chance(50);
    point.requested = point.offset;
    return point;
  }

  Command close() {
    const StreamId id = stream();
    const StreamRow* row = view_.find(id);
    return stream::CloseStream{
        .life = owner_of(id), .stream = id, .epoch = row == nullptr ? Epoch{1} : row->epoch};
  }

  Command commit() {
    const ObjectId id = object();
    const stream::ObjectRow* row = view_.objects.find(id);
    stream::CommitObject command{.life = row == nullptr ? life() : row->life,
                                 .object = random_.chance(90) ? id : ObjectId{0},
                                 .bytes = 100,
                                 .streams = {}};
    for (std::uint32_t i = small(4) + 1; i > 0; --i) {
      const StreamId wanted = stream();
      const StreamRow* stream_row = view_.find(wanted);
      if (stream_row == nullptr && random_.chance(70)) continue;
      if (stream_row != nullptr && stream_row->owner != command.life && random_.chance(95)) {
        continue;
      }
      command.streams.push_back(stream_commit(wanted, command.object));
    }
    return command;
  }

  stream::StreamCommit stream_commit(StreamId id, ObjectId object) {
    const StreamRow* row = view_.find(id);
    stream::StreamCommit commit{.stream = id};
    commit.epoch = row == nullptr ? Epoch{1} : row->epoch;
    core::Offset end = row == nullptr ? 0 : row->end;
    if (object != ObjectId{0}) {
      const core::Offset base = random_.chance(98) ? end : end + 1;
      end = base + random_.below(10) + (random_.chance(98) ? 1 : 0);
      commit.extent = stream::Extent{
          .object = object, .base = base, .end = end, .position = 0, .bytes = small(101)};
    }
    if (random_.chance(10)) commit.ended = stream::StreamEnd{.offset = end};
    return commit;
  }

  Command compact() {
    const ObjectId id = object();
    const stream::ObjectRow* row = view_.objects.find(id);
    stream::CompactObjects command{
        .life = row == nullptr ? life() : row->life, .object = id, .bytes = 100, .streams = {}};
    for (std::uint32_t i = small(3) + 1; i > 0; --i) {
      const StreamRow* stream_row = view_.find(stream());
      if (stream_row == nullptr || stream_row->extents.empty()) continue;
      const auto& extents = stream_row->extents;
      const auto first = static_cast<std::ptrdiff_t>(random_.below(extents.size()));
      const auto count = static_cast<std::ptrdiff_t>(
          random_.below(extents.size() - static_cast<std::size_t>(first)) + 1);
      stream::StreamRewrite rewrite{.stream = stream_, .from = {}, .to = {}};
      rewrite.from.assign(extents.begin() + first, extents.begin() + first + count);
      rewrite.to = {.object = id,
                    .base = rewrite.from.front().base,
                    .end = rewrite.from.back().end,
                    .position = 0,
                    .bytes = 50};
      command.streams.push_back(std::move(rewrite));
    }
    return command;
  }

  Command trim() {
    const StreamId id = stream();
    const StreamRow* row = view_.find(id);
    const core::Offset start = row == nullptr ? 0 : row->start + random_.below(12);
    return stream::TrimStream{.life = life(), .stream = id, .start = start};
  }

  Command expire() {
    const StreamId id = stream();
    const StreamRow* row = view_.find(id);
    return stream::ExpireStream{.life = life(),
                                .stream = id,
                                .touched_ms = row == nullptr ? 0 : row->touched_ms,
                                .at_ms = time()};
  }

  Command touch() {
    stream::TouchStreams command{.life = life(), .streams = {}, .at_ms = {}};
    for (std::uint32_t i = small(4); i > 0; --i) {
      command.streams.push_back(stream());
      command.at_ms.push_back(time());
    }
    if (random_.chance(5)) command.at_ms.push_back(time());
    return command;
  }

  Command forget() {
    stream::ForgetObjects command{.life = life(), .objects = {}};
    for (std::uint32_t i = small(4); i > 0; --i) {
      const ObjectId id = object();
      const stream::ObjectRow* row = view_.objects.find(id);
      const bool is_doomed = row != nullptr && row->state == stream::ObjectState::doomed;
      if (is_doomed || random_.chance(5)) command.objects.push_back(id);
    }
    return command;
  }

  core::Random& random_;
  const View& view_;
  StreamId stream_{};
};

}  // namespace

Command random_command(core::Random& random, const View& view) {
  return Proposer(random, view).draw();
}

}  // namespace tests
