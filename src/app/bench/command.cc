#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <random>

#include "app/bench/run.h"
#include "app/client_flags.h"
#include "app/client_loop.h"

namespace app {
namespace {

using bench::Result;

double per_second(const Result& result, std::uint64_t count) {
  return result.seconds > 0 ? static_cast<double>(count) / result.seconds : 0;
}

std::string text_result(const Result& result) {
  const auto& latency = result.latency_us;
  std::string text = fmt::format(
      "{} records in {} requests, {:.2f} s: {:.0f} records/s, {:.0f} requests/s, {:.2f} MB/s\n"
      "latency us: p50 {}, p90 {}, p99 {}, p99.9 {}, max {}, mean {:.0f}\n",
      result.records, result.requests, result.seconds, per_second(result, result.records),
      per_second(result, result.requests), per_second(result, result.bytes) / 1e6, latency.at(0.5),
      latency.at(0.9), latency.at(0.99), latency.at(0.999), latency.max(), latency.mean());
  if (result.errors > 0) {
    text += fmt::format("{} errors, the first: {}\n", result.errors, result.first_error);
  }
  return text;
}

std::string json_result(const bench::BenchOptions& options, const Result& result) {
  const auto& latency = result.latency_us;
  const nlohmann::ordered_json object{
      {"mode", bench::name_of(options.mode)},
      {"connections", options.connections},
      {"streams", options.streams},
      {"size", options.size},
      {"batch", options.batch},
      {"seconds", result.seconds},
      {"requests", result.requests},
      {"records", result.records},
      {"bytes", result.bytes},
      {"records_per_second", per_second(result, result.records)},
      {"requests_per_second", per_second(result, result.requests)},
      {"bytes_per_second", per_second(result, result.bytes)},
      {"errors", result.errors},
      {"first_error", result.first_error},
      {"latency_us",
       {{"p50", latency.at(0.5)},
        {"p90", latency.at(0.9)},
        {"p99", latency.at(0.99)},
        {"p999", latency.at(0.999)},
        {"max", latency.max()},
        {"mean", latency.mean()}}},
  };
  return object.dump() + "\n";
}

ports::Task<int> run_bench(ports::asio::any_io_executor executor, bench::Run& run) {
  const auto done = co_await bench::measure(executor, run);
  if (!done) co_return complain("bench", done.error().context, kFailed);
  print(run.options.json ? json_result(run.options, run.result) : text_result(run.result));
  co_return run.result.records > 0 ? kDone : kFailed;
}

int bench_main(const Invocation& invocation) {
  auto options = bench::parse_bench_options(invocation);
  if (!options) return complain("bench", options.error());
  bench::Run run;
  run.options = std::move(*options);
  std::random_device device;
  const std::string name = fmt::format("{:08x}", device());
  for (std::uint32_t i = 0; i < run.options.streams; ++i) {
    run.streams.push_back(fmt::format("{}/{}/{}", run.options.prefix, name, i));
  }
  if (!run.options.stream.empty()) run.streams = {run.options.stream};
  return run_client([&](auto executor) { return run_bench(executor, run); });
}

}  // namespace

CommandSpec bench_command() {
  return CommandSpec{
      .path = "bench",
      .summary = "Measure appends, reads or live deliveries against a node",
      .arguments = {"MODE"},
      .flags = bench::bench_flags(),
      .examples =
          "  clouduler bench append --connections 32 --streams 16\n"
          "  clouduler bench append --batch 1000 --duration 30 --json\n"
          "  clouduler bench read --connections 16 --streams 1 --fill 100MiB\n"
          "  clouduler bench sse --connections 1000 --rate 100\n"
          "MODE is append, read or sse. The result goes to stdout, a line a second to stderr.\n",
      .run = bench_main};
}

}  // namespace app
