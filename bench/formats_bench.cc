// What the stored formats cost by themselves: the floor under every append and read.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/crc32c.h"
#include "stream/append_check.h"
#include "stream/gather.h"
#include "stream/json_messages.h"
#include "stream/object/builder.h"
#include "stream/object/index.h"
#include "stream/record_batch.h"
#include "stream/wal/batch.h"

namespace {

constexpr core::WallMs kNow = 1700000000000;

/// Sizes of one value, and how many of them: one small append, a batch, one large append.
void value_shapes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"bytes", "values"});
  bench->Args({100, 1})->Args({100, 1000})->Args({64 << 10, 1})->Args({1 << 20, 1});
}

struct Values {
  explicit Values(const benchmark::State& state)
      : text(static_cast<std::size_t>(state.range(0)), 'v'),
        views(static_cast<std::size_t>(state.range(1)), text) {}
  std::string text;
  std::vector<std::string_view> views;
};

void count(benchmark::State& state, std::size_t bytes, std::size_t records) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(records));
}

void crc(benchmark::State& state) {
  const std::string text(static_cast<std::size_t>(state.range(0)), 'c');
  for (auto _ : state) benchmark::DoNotOptimize(core::crc32c(text));
  count(state, text.size(), 1);
}
BENCHMARK(crc)->Arg(100)->Arg(4096)->Arg(1 << 20);

void frame(benchmark::State& state) {
  const Values values(state);
  for (auto _ : state) benchmark::DoNotOptimize(stream::frame_batch(values.views, kNow, {}));
  count(state, values.text.size() * values.views.size(), values.views.size());
}
BENCHMARK(frame)->Apply(value_shapes);

void frame_with_producer(benchmark::State& state) {
  const Values values(state);
  const stream::BatchIdentity identity{.producer = stream::ProducerClaim{"writer-1", 3, 123456},
                                       .stream_seq = {}};
  for (auto _ : state) benchmark::DoNotOptimize(stream::frame_batch(values.views, kNow, identity));
  count(state, values.text.size() * values.views.size(), values.views.size());
}
BENCHMARK(frame_with_producer)->ArgNames({"bytes", "values"})->Args({100, 1});

void peek(benchmark::State& state) {
  const Values values(state);
  const std::string batch = stream::frame_batch(values.views, kNow, {}).bytes;
  for (auto _ : state) benchmark::DoNotOptimize(stream::peek_batch(batch));
  count(state, batch.size(), 1);
}
BENCHMARK(peek)->ArgNames({"bytes", "values"})->Args({100, 1});

void inspect(benchmark::State& state) {
  const Values values(state);
  const std::string batch = stream::frame_batch(values.views, kNow, {}).bytes;
  for (auto _ : state) benchmark::DoNotOptimize(stream::inspect_batch(batch));
  count(state, batch.size(), values.views.size());
}
BENCHMARK(inspect)->Apply(value_shapes);

/// About a mebibyte of batches of that shape: what a block is, and a large read's answer.
stream::BatchSlice slice_of(const Values& values) {
  std::string run;
  core::Offset end = 0;
  while (run.size() < (1u << 20)) {
    std::string batch = stream::frame_batch(values.views, kNow, {}).bytes;
    stream::set_base_offset(batch, end);
    end += values.views.size();
    run += batch;
  }
  return {.batches = core::Bytes(std::move(run)), .first = 0, .end = end};
}

void gather_copied(benchmark::State& state) {
  const stream::BatchSlice slice = slice_of(Values(state));
  std::string out;
  std::size_t bytes = 0;
  for (auto _ : state) {
    out.clear();
    benchmark::DoNotOptimize(stream::append_values(slice, stream::Join::commas, out));
    bytes = out.size();
  }
  count(state, bytes, slice.end);
}
BENCHMARK(gather_copied)->Apply(value_shapes);

void gather_shared(benchmark::State& state) {
  const stream::BatchSlice slice = slice_of(Values(state));
  std::size_t bytes = 0;
  for (auto _ : state) {
    stream::ValueGather gather(stream::Join::raw);
    benchmark::DoNotOptimize(gather.add(slice));
    bytes = gather.bytes();
    benchmark::DoNotOptimize(gather.finish());
  }
  count(state, bytes, slice.end);
}
BENCHMARK(gather_shared)->Apply(value_shapes);

void split_json(benchmark::State& state) {
  std::string body = "[";
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    body +=
        R"({"id":)" + std::to_string(100'000 + i) +
        R"(,"kind":"order","at":"2026-01-02T03:04:05Z","price":12.75,"open":true,"tag":"abcdef"},)";
  }
  body.back() = ']';
  stream::JsonSplitter splitter;
  std::vector<std::string_view> messages;
  for (auto _ : state) benchmark::DoNotOptimize(splitter.split(body, messages));
  count(state, body.size(), messages.size());
}
BENCHMARK(split_json)->Arg(1)->Arg(1000);

void check(benchmark::State& state) {
  stream::ProducerTable producers;
  for (int i = 0; i < 1000; ++i) {
    const stream::ProducerClaim claim{"producer-" + std::to_string(i), 0, 41};
    producers.apply(stream::BatchIdentity{.producer = claim, .stream_seq = {}});
  }
  stream::AppendRequest request;
  request.content_type = "text/plain; charset=utf-8";
  request.batch.records = 1;
  request.producer = stream::ProducerClaim{"producer-500", 0, 42};
  const stream::AppendFacts facts{.content_type = "text/plain", .producers = &producers};
  for (auto _ : state) benchmark::DoNotOptimize(stream::check_append(facts, request));
  count(state, 0, 1);
}
BENCHMARK(check);

std::vector<stream::WalEntry> wal_entries(std::size_t entries) {
  const std::vector<std::string_view> one(1, "a value of ordinary length, one hundred bytes or so");
  const core::Bytes batch(stream::frame_batch(one, kNow, {}).bytes);
  std::vector<stream::WalEntry> list;
  for (std::size_t i = 0; i < entries; ++i) {
    list.push_back(stream::WalEntry{.stream = core::StreamId{i + 1},
                                    .epoch = core::Epoch{1},
                                    .base = 1000 * i,
                                    .end = 1000 * i + 1,
                                    .batch = batch});
  }
  return list;
}

void build_wal(benchmark::State& state) {
  const auto entries = wal_entries(static_cast<std::size_t>(state.range(0)));
  stream::WalBatchBuilder builder;
  for (auto _ : state) {
    for (const auto& entry : entries) builder.add(entry);
    benchmark::DoNotOptimize(builder.finish());
  }
  count(state, 0, entries.size());
}
BENCHMARK(build_wal)->Arg(1)->Arg(1000);

void parse_wal(benchmark::State& state) {
  stream::WalBatchBuilder builder;
  for (const auto& entry : wal_entries(1000)) builder.add(entry);
  std::string text;
  for (const core::Bytes& part : builder.finish().parts) text += part.view();
  const core::Bytes payload(std::move(text));
  const bool damaged = state.range(0) != 0;
  for (auto _ : state) benchmark::DoNotOptimize(stream::parse_wal_batch(payload, damaged));
  count(state, payload.size(), 1000);
}
BENCHMARK(parse_wal)->ArgName("damaged")->Arg(0)->Arg(1);

stream::BuiltObject build_object(std::size_t streams) {
  stream::ObjectBuilder builder(core::ObjectId{1});
  const stream::ProducerTable none;
  for (const auto& entry : wal_entries(streams)) {
    std::string batch(entry.batch.view());
    stream::set_base_offset(batch, entry.base);
    const std::vector<core::Bytes> batches{core::Bytes(std::move(batch))};
    benchmark::DoNotOptimize(builder.add(entry.stream, entry.epoch, batches, none));
  }
  return builder.finish();
}

void build_object_of_tiny_streams(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(build_object(1000));
  count(state, 0, 1000);
}
BENCHMARK(build_object_of_tiny_streams);

void parse_object_index(benchmark::State& state) {
  std::string text;
  for (const core::Bytes& part : build_object(10'000).parts) text += part.view();
  const auto footer = stream::parse_footer(core::ObjectId{1}, text, text.size());
  const core::Bytes index(text.substr(footer->index_position, footer->index_length));
  for (auto _ : state) benchmark::DoNotOptimize(stream::parse_index(*footer, index));
  count(state, index.size(), 10'000);
}
BENCHMARK(parse_object_index);

}  // namespace
