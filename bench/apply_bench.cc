// How many commands a core applies in a second, what a stream costs in memory, and how long a
// snapshot takes. Run: build/release/apply_bench

#include <benchmark/benchmark.h>
#include <jemalloc/jemalloc.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/check.h"
#include "core/random.h"
#include "log/entry.h"
#include "log/replica.h"
#include "stream/apply.h"
#include "stream/machine.h"

namespace {

using core::Epoch;
using core::Life;
using core::NodeId;
using core::ObjectId;
using core::StreamId;
using stream::Command;
using stream::View;

constexpr Life kLife{.node = NodeId{1}, .epoch = Epoch{1}};
constexpr std::size_t kBatch = 256;
constexpr std::size_t kCommands = 50'000;

/// Writes a history as one busy node would: it knows the ends of its streams.
class History {
 public:
  explicit History(std::size_t streams) {
    run(cluster::RegisterNode{.node = NodeId{1}, .address = "http://127.0.0.1:4437"});
    for (std::size_t i = 0; i < streams; ++i) create(true);
  }

  /// Of 100 commands: 5 creations with their openings, 15 reservations, 15 commits of 8 streams
  /// each, 10 touches of 8 streams and 50 heartbeats.
  std::vector<Command> draw(std::size_t commands) {
    all_.clear();
    while (all_.size() < commands) {
      const std::uint64_t kind = random_.below(95);
      if (kind < 5) {
        create(true);
      } else if (kind < 20) {
        run(stream::ReserveObjects{.life = kLife, .at_ms = 1'700'000'000'000});
        reserved_.push_back(ObjectId{next_object_++});
      } else if (kind < 35) {
        if (!reserved_.empty()) commit();
      } else if (kind < 45) {
        touch();
      } else {
        run(cluster::Heartbeat{kLife});
      }
    }
    return std::move(all_);
  }

  const View& view() const { return view_; }

 private:
  void run(Command command) {
    const cmdlog::Outcome outcome = stream::apply(view_, command);
    CHECK(outcome.holds());
    view_.applied = next(view_.applied);
    all_.push_back(std::move(command));
  }

  void create(bool open) {
    const StreamId id = view_.next_stream;
    run(stream::CreateStream{.life = kLife,
                             .name = "tenants/acme/orders/" + std::to_string(core::raw(id)),
                             .config = {.content_type = "application/json"},
                             .at_ms = 1'700'000'000'000});
    if (open) run(stream::OpenStream{.life = kLife, .stream = id});
    ends_.push_back(0);
  }

  /// Most of what happens happens to few streams: half of the draws are of a thousand.
  StreamId draw_stream() {
    const std::uint64_t most =
        random_.chance(50) ? std::min<std::uint64_t>(ends_.size(), 1000) : ends_.size();
    return StreamId{random_.below(most) + 1};
  }

  void commit() {
    stream::CommitObject command{
        .life = kLife, .object = reserved_.back(), .bytes = 8 << 20, .streams = {}};
    reserved_.pop_back();
    std::vector<StreamId> ids;
    while (ids.size() < 8) ids.push_back(draw_stream());
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    for (const StreamId id : ids) {
      core::Offset& end = ends_[core::raw(id) - 1];
      command.streams.push_back({.stream = id,
                                 .epoch = Epoch{1},
                                 .extent = stream::Extent{.object = command.object,
                                                          .base = end,
                                                          .end = end + 100,
                                                          .position = 0,
                                                          .bytes = 1 << 20}});
      end += 100;
    }
    run(std::move(command));
    // As a compaction would, now and then: what nobody reads goes, so that extents stay few.
    for (const StreamId id : ids) {
      const stream::StreamRow& row = *view_.find(id);
      if (row.extents.size() < 16) continue;
      run(stream::TrimStream{.life = kLife, .stream = id, .start = row.end - 400});
    }
  }

  void touch() {
    stream::TouchStreams command{.life = kLife, .streams = {}, .at_ms = {}};
    for (int i = 0; i < 8; ++i) {
      command.streams.push_back(draw_stream());
      command.at_ms.push_back(1'700'000'000'001 + static_cast<core::WallMs>(all_.size()));
    }
    run(std::move(command));
  }

  core::Random random_{1};
  View view_;
  std::vector<Command> all_;
  std::vector<core::Offset> ends_;
  std::vector<ObjectId> reserved_;
  std::uint64_t next_object_ = 1;
};

std::size_t heap_bytes() {
  std::uint64_t epoch = 1;  // Any number: asks for fresh figures.
  std::size_t size = sizeof epoch;
  CHECK(mallctl("epoch", &epoch, &size, &epoch, size) == 0);
  std::size_t allocated = 0;
  size = sizeof allocated;
  CHECK(mallctl("stats.allocated", &allocated, &size, nullptr, 0) == 0);
  return allocated;
}

/// `state.range(0)` streams; each batch is published. With range(1) somebody reads each version, so
/// that the next batch must copy what it changes.
void BM_Apply(benchmark::State& state) {
  History history(static_cast<std::size_t>(state.range(0)));
  View base = history.view();
  const std::vector<Command> commands = history.draw(kCommands);
  for (auto _ : state) {
    state.PauseTiming();
    auto view = std::make_shared<View>(base);
    std::shared_ptr<const View> reader;
    state.ResumeTiming();
    for (std::size_t i = 0; i < commands.size(); ++i) {
      if (i % kBatch == 0 && state.range(1) != 0) {
        reader = view;
        view = std::make_shared<View>(*view);
      }
      const cmdlog::Outcome outcome = stream::apply(*view, commands[i]);
      benchmark::DoNotOptimize(outcome);
    }
    state.PauseTiming();
    view.reset();
    reader.reset();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(commands.size()));
}
BENCHMARK(BM_Apply)
    ->ArgNames({"streams", "readers"})
    ->ArgsProduct({{1'000, 100'000, 1'000'000}, {0, 1}})
    ->Unit(benchmark::kMillisecond);

/// The same with what the log adds: checksum and CBOR.
void BM_DecodeAndApply(benchmark::State& state) {
  History history(static_cast<std::size_t>(state.range(0)));
  View base = history.view();
  std::vector<std::string> entries;
  for (const Command& command : history.draw(kCommands)) {
    entries.push_back(cmdlog::encode_entry(command));
  }
  for (auto _ : state) {
    View view = base;
    for (const std::string& entry : entries) {
      auto command = cmdlog::decode_entry<Command>(entry);
      const cmdlog::Outcome outcome = stream::apply(view, *command);
      benchmark::DoNotOptimize(outcome);
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(entries.size()));
}
BENCHMARK(BM_DecodeAndApply)->Arg(100'000)->Unit(benchmark::kMillisecond);

void BM_Encode(benchmark::State& state) {
  History history(1'000);
  const std::vector<Command> commands = history.draw(kCommands);
  for (auto _ : state) {
    for (const Command& command : commands) {
      benchmark::DoNotOptimize(cmdlog::encode_entry(command));
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(commands.size()));
}
BENCHMARK(BM_Encode)->Unit(benchmark::kMillisecond);

/// Bytes of heap for each stream: idle ones (created, never written), and written ones with two
/// extents each.
void BM_Memory(benchmark::State& state) {
  for (auto _ : state) {
    const std::size_t before = heap_bytes();
    View view;
    const auto run = [&view](const Command& command) {
      CHECK(stream::apply(view, command).holds());
    };
    run(cluster::RegisterNode{.node = NodeId{1}, .address = "http://127.0.0.1:4437"});
    const auto streams = static_cast<std::uint64_t>(state.range(0));
    for (std::uint64_t id = 1; id <= streams; ++id) {
      run(stream::CreateStream{.life = kLife,
                               .name = "tenants/acme/orders/" + std::to_string(id),
                               .config = {.content_type = "application/json"}});
    }
    const std::size_t idle = heap_bytes();
    for (const core::Offset base : {0u, 100u}) {
      for (std::uint64_t first = 1; first <= streams; first += 100) {
        const ObjectId object = view.next_object;
        run(stream::ReserveObjects{.life = kLife});
        stream::CommitObject command{
            .life = kLife, .object = object, .bytes = 8 << 20, .streams = {}};
        for (std::uint64_t id = first; id < first + 100; ++id) {
          command.streams.push_back({.stream = StreamId{id},
                                     .epoch = Epoch{0},
                                     .extent = stream::Extent{.object = object,
                                                              .base = base,
                                                              .end = base + 100,
                                                              .position = 0,
                                                              .bytes = 80'000}});
        }
        run(command);
      }
    }
    const double written = static_cast<double>(heap_bytes() - before);
    state.counters["idle_bytes_per_stream"] =
        static_cast<double>(idle - before) / static_cast<double>(streams);
    state.counters["written_bytes_per_stream"] = written / static_cast<double>(streams);
  }
}
BENCHMARK(BM_Memory)->Arg(100'000)->Arg(1'000'000)->Iterations(1)->Unit(benchmark::kMillisecond);

stream::ViewPtr view_of(std::size_t streams) {
  return std::make_shared<const View>(History(streams).view());
}

std::string snapshot_of(const stream::ViewPtr& view) {
  stream::SnapshotWriter writer(view);
  while (!writer.step(2'000)) {
  }
  return std::move(writer).finish();
}

void BM_EncodeSnapshot(benchmark::State& state) {
  const stream::ViewPtr view = view_of(static_cast<std::size_t>(state.range(0)));
  std::size_t bytes = 0;
  for (auto _ : state) bytes = snapshot_of(view).size();
  state.counters["bytes"] = static_cast<double>(bytes);
}
BENCHMARK(BM_EncodeSnapshot)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

void BM_DecodeSnapshot(benchmark::State& state) {
  const std::string bytes = snapshot_of(view_of(static_cast<std::size_t>(state.range(0))));
  for (auto _ : state) CHECK(stream::decode_snapshot(bytes));
}
BENCHMARK(BM_DecodeSnapshot)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace
