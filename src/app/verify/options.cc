#include "app/verify/options.h"

#include "app/client_flags.h"

namespace app::verify {

std::vector<FlagSpec> verify_flags() {
  return with_endpoint({
      {"duration", "SECONDS", "10", "How long to append"},
      {"requests", "N", "", "Stop after so many appends, all writers together"},
      {"rate", "N", "", "At most so many appends a second of each writer"},
      {"streams", "N", "6", "To so many streams: JSON, text and bytes in turn"},
      {"writers", "N", "8", "From so many writers: plain and idempotent ones in turn"},
      {"batch", "N", "10", "Up to so many records in one append"},
      {"size", "BYTES", "100", "Of each record, about"},
      {"prefix", "NAME", "verify", "The streams are named NAME/RUN/0, NAME/RUN/1 ..."},
      {"patience", "SECONDS", "60", "How long the node may be away before this gives up"},
      {"journal", "FILE", "", "Write down what was sent and answered, to be judged later"},
      {"check", "FILE", "", "Append nothing: judge what this journal says against what is there"},
      {"keep", "", "", "Leave the streams there (as --journal does, and as a fault does)"},
      {"json", "", "", "Print the report as one JSON object"},
  });
}

core::Result<VerifyOptions> parse_verify_options(const Flags& flags) {
  VerifyOptions options;
  TRY(options.endpoint, flags.http_url("endpoint"));
  TRY(options.duration, flags.seconds("duration", core::Time(0)));
  if (flags.is_set("requests")) {
    TRY(options.requests, flags.count("requests", 1, 1'000'000'000));
  }
  if (flags.is_set("rate")) {
    TRY(options.rate, flags.count("rate", 1, 1'000'000));
  }
  TRY(const auto streams, flags.count("streams", 1, 10'000));
  TRY(const auto writers, flags.count("writers", 1, 10'000));
  TRY(const auto batch, flags.count("batch", 1, 10'000));
  options.streams = static_cast<std::uint32_t>(streams);
  options.writers = static_cast<std::uint32_t>(writers);
  options.batch = static_cast<std::uint32_t>(batch);
  TRY(options.size, flags.bytes("size", 0, 1 << 20));
  TRY(options.patience, flags.seconds("patience", core::Time(0)));
  options.prefix = flags.text("prefix");
  if (options.prefix.empty()) return flags.refuse("prefix", "must not be empty");
  options.journal = flags.text("journal");
  options.check = flags.text("check");
  if (!options.check.empty()) {
    for (const char* name : {"journal", "duration", "requests", "rate", "streams", "writers",
                             "batch", "size", "prefix"}) {
      if (flags.is_set(name)) return flags.refuse(name, "makes no sense with --check");
    }
  }
  TRY(options.keep, flags.on("keep"));
  TRY(options.json, flags.on("json"));
  return options;
}

}  // namespace app::verify
