#pragma once

#include <string>

#include "app/command.h"

namespace app::bench {

enum class Mode : std::uint8_t {
  append,  // Every connection appends, one request after the other.
  read,    // Every connection reads a whole stream, again and again.
  sse,     // Every connection follows a stream that one writer appends to.
};

struct BenchOptions {
  Mode mode = Mode::append;
  HttpUrl endpoint;
  std::uint32_t connections = 0;
  std::uint32_t streams = 0;
  std::uint32_t batch = 0;  // Records in one append; more than one makes JSON streams.
  std::size_t size = 0;     // Of a record.
  core::Time duration{};
  std::uint64_t records = 0;  // Stop after so many; 0: after `duration`.
  std::uint64_t fill = 0;     // Bytes in each stream before reading begins.
  std::uint64_t rate = 0;     // Appends a second of the writer in `sse`; 0: as fast as it goes.
  std::string stream;         // Read or follow this one instead of new ones.
  std::string prefix;
  bool json_streams = false;
  bool keep = false;
  bool json = false;
};

std::vector<FlagSpec> bench_flags();
core::Result<BenchOptions> parse_bench_options(const Invocation& invocation);

const char* name_of(Mode mode);

}  // namespace app::bench
