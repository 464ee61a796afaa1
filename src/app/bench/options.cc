#include "app/bench/options.h"

#include "app/client_flags.h"

namespace app::bench {

const char* name_of(Mode mode) {
  switch (mode) {
    case Mode::append: return "append";
    case Mode::read: return "read";
    case Mode::sse: return "sse";
  }
  return "append";
}

std::vector<FlagSpec> bench_flags() {
  return with_endpoint({
      {"connections", "N", "16", "So many at once"},
      {"streams", "N", "16", "Spread over so many streams (sse: 1)"},
      {"size", "BYTES", "100", "Of one record"},
      {"batch", "N", "1", "Records in one append; more than 1 makes them JSON messages"},
      {"json-streams", "", "", "JSON streams even for single records"},
      {"duration", "SECONDS", "10", "How long to measure"},
      {"records", "N", "", "Measure until so many records instead"},
      {"fill", "BYTES", "16MiB", "read: how much is in each stream"},
      {"rate", "N", "", "sse: appends a second (default: as fast as they are acknowledged)"},
      {"stream", "NAME", "", "read: this stream instead of new ones"},
      {"prefix", "NAME", "bench", "The streams are named NAME/RUN/0, NAME/RUN/1 ..."},
      {"keep", "", "", "Leave the streams there"},
      {"json", "", "", "Print the result as one JSON object"},
  });
}

core::Result<BenchOptions> parse_bench_options(const Invocation& invocation) {
  const Flags& flags = invocation.flags;
  BenchOptions options;
  const std::string& mode = invocation.arguments.at(0);
  if (mode == "read")
    options.mode = Mode::read;
  else if (mode == "sse")
    options.mode = Mode::sse;
  else if (mode != "append") {
    return core::fail(core::Errc::invalid, mode + ": must be append, read or sse");
  }
  TRY(options.endpoint, flags.http_url("endpoint"));
  TRY(const auto connections, flags.count("connections", 1, 100'000));
  TRY(const auto streams, flags.count("streams", 1, 1'000'000));
  TRY(const auto batch, flags.count("batch", 1, 1'000'000));
  options.connections = static_cast<std::uint32_t>(connections);
  options.streams = static_cast<std::uint32_t>(streams);
  if (options.mode == Mode::sse && !flags.is_set("streams")) options.streams = 1;
  options.batch = static_cast<std::uint32_t>(batch);
  TRY(options.size, flags.bytes("size", 1, 1ULL << 30));
  TRY(options.duration, flags.seconds("duration", core::Time(1)));
  if (flags.is_set("records")) {
    TRY(options.records, flags.count("records", 1, 1ULL << 40));
  }
  if (flags.is_set("rate")) {
    TRY(options.rate, flags.count("rate", 1, 1'000'000));
  }
  TRY(options.fill, flags.bytes("fill", 1, 1ULL << 40));
  options.stream = flags.text("stream");
  if (!options.stream.empty() && options.mode != Mode::read) {
    return flags.refuse("stream", "is for `bench read`; the others append to new streams");
  }
  options.prefix = flags.text("prefix");
  TRY(options.json_streams, flags.on("json-streams"));
  TRY(options.keep, flags.on("keep"));
  TRY(options.json, flags.on("json"));
  return options;
}

}  // namespace app::bench
