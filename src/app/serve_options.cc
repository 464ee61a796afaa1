#include "app/serve_options.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <string_view>

namespace app {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kGiB = 1ULL << 30;
constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::string_view kWithTheCluster = "arrives with the cluster; ";

bool has_scheme(const std::string& url, std::string_view scheme) {
  return url.starts_with(scheme);
}

/// The directory or file behind a scheme; only plain paths.
core::Result<std::string> path_of(const Flags& flags, const std::string& name,
                                  std::string_view scheme) {
  const std::string path = flags.text(name).substr(scheme.size());
  if (path.empty()) return flags.refuse(name, "must name a path after " + std::string(scheme));
  for (const char letter : path) {
    const auto c = static_cast<unsigned char>(letter);
    if (std::iscntrl(c) != 0 || c == '?' || c == '#') {
      return flags.refuse(name, "a path takes no ?options, #fragment or control characters");
    }
  }
  return path;
}

core::Result<MetaUrl> parse_meta(const Flags& flags, const std::string& data_dir) {
  if (!flags.is_set("meta-url")) return MetaUrl{.in_memory = false, .path = data_dir + "/meta.db"};
  const std::string& url = flags.text("meta-url");
  if (has_scheme(url, "postgres://") || has_scheme(url, "postgresql://")) {
    return flags.refuse("meta-url", std::string(kWithTheCluster) +
                                        "one node keeps its log in "
                                        "sqlite:PATH");
  }
  if (url == "sqlite::memory:") return MetaUrl{.in_memory = true, .path = {}};
  if (!has_scheme(url, "sqlite:")) {
    return flags.refuse("meta-url", "must be sqlite:PATH or sqlite::memory:");
  }
  TRY(auto path, path_of(flags, "meta-url", "sqlite:"));
  return MetaUrl{.in_memory = false, .path = std::move(path)};
}

core::Result<std::string> parse_storage(const Flags& flags, const std::string& data_dir) {
  if (!flags.is_set("storage")) return data_dir + "/objects";
  const std::string& url = flags.text("storage");
  if (has_scheme(url, "s3://")) {
    return flags.refuse("storage", std::string(kWithTheCluster) +
                                       "one node keeps its objects in "
                                       "file://DIR");
  }
  if (!has_scheme(url, "file://")) return flags.refuse("storage", "must be file://DIR");
  return path_of(flags, "storage", "file://");
}

core::Result<WalUrl> parse_wal(const Flags& flags, const std::string& data_dir) {
  if (!flags.is_set("wal")) return WalUrl{.kind = WalKind::local, .path = data_dir + "/wal"};
  const std::string& url = flags.text("wal");
  const std::string choices = "file://DIR or chain+file://DIR";
  if (has_scheme(url, "s3://") || has_scheme(url, "postgres://") ||
      has_scheme(url, "postgresql://")) {
    return flags.refuse("wal", std::string(kWithTheCluster) + "one node writes to " + choices);
  }
  if (has_scheme(url, "chain+file://")) {
    TRY(auto path, path_of(flags, "wal", "chain+file://"));
    return WalUrl{.kind = WalKind::chain, .path = std::move(path)};
  }
  if (!has_scheme(url, "file://")) return flags.refuse("wal", "must be " + choices);
  TRY(auto path, path_of(flags, "wal", "file://"));
  return WalUrl{.kind = WalKind::local, .path = std::move(path)};
}

core::Result<void> parse_stores(const Flags& flags, ServeOptions& options) {
  TRY(const auto data_dir, path_of(flags, "data-dir", ""));
  TRY(options.meta, parse_meta(flags, data_dir));
  TRY(options.storage_path, parse_storage(flags, data_dir));
  TRY(options.wal, parse_wal(flags, data_dir));
  if (options.wal.path == options.storage_path) {
    return flags.refuse("wal", "must not be the directory of --storage");
  }
  return {};
}

core::Result<void> parse_listeners(const Flags& flags, ServeOptions& options) {
  TRY(options.listen, flags.listener("listen"));
  TRY(options.admin_listen, flags.listener("admin-listen"));
  TRY(const bool remote_allowed, flags.on("insecure-allow-remote"));
  for (const auto* name : {"listen", "admin-listen"}) {
    const bool loopback =
        (name == std::string_view("listen") ? options.listen : options.admin_listen).is_loopback();
    if (!loopback && !remote_allowed) {
      return flags.refuse(name,
                          "reaches beyond this machine, where nobody is asked who they are; "
                          "--insecure-allow-remote permits that");
    }
  }
  if (options.listen == options.admin_listen && options.listen.port != 0) {
    return flags.refuse("admin-listen", "must differ from --listen");
  }
  if (flags.is_set("http-address")) {
    TRY(options.http_address, flags.http_url("http-address"));
  }
  for (const auto* name : {"kafka-listen", "kafka-advertise"}) {
    if (flags.is_set(name)) {
      return flags.refuse(name, "the Kafka protocol is not served by this version; leave it out");
    }
  }
  TRY_VOID(flags.on("no-kafka").map([](bool) {}));
  return {};
}

core::Result<void> parse_times(const Flags& flags, ServeOptions& options) {
  TRY(options.heartbeat_interval, flags.seconds("heartbeat-interval-sec", 10ms));
  TRY(options.node_timeout, flags.seconds("node-timeout-sec", 10ms));
  if (options.node_timeout <= options.heartbeat_interval) {
    return flags.refuse("node-timeout-sec", "must be greater than --heartbeat-interval-sec (" +
                                                flags.text("heartbeat-interval-sec") + ")");
  }
  TRY(options.shutdown_drain, flags.seconds("shutdown-drain-sec", 0s));
  TRY(options.shutdown_timeout, flags.seconds("shutdown-timeout-sec", 0s));
  TRY(options.long_poll_timeout, flags.seconds("long-poll-timeout-sec", 1us));
  TRY(options.sse_max_duration, flags.seconds("sse-max-duration-sec", 1us));
  return {};
}

core::Result<void> parse_limits(const Flags& flags, ServeOptions& options) {
  if (!flags.text("network-threads").empty()) {
    TRY(options.network_threads, flags.count("network-threads", 0, 256));
  }
  TRY(options.max_body_bytes, flags.bytes("max-body-bytes", 1, kGiB));
  TRY(options.log_cache_bytes, flags.bytes("log-cache-bytes", 1 << 20, kMost));
  TRY(options.block_cache_bytes, flags.bytes("block-cache-bytes", 1 << 20, kMost));
  TRY(options.upload_bytes, flags.bytes("upload-bytes", 1, kMost));
  TRY(options.upload_interval, flags.seconds("upload-interval-sec", 10ms));
  options.log_level = flags.text("log-level");
  constexpr std::array<std::string_view, 5> kLevels{"trace", "debug", "info", "warn", "error"};
  if (std::find(kLevels.begin(), kLevels.end(), options.log_level) == kLevels.end()) {
    return flags.refuse("log-level", "must be trace, debug, info, warn or error");
  }
  return {};
}

core::Result<std::string> parse_cluster_id(const Flags& flags) {
  const std::string& id = flags.text("cluster-id");
  const bool plain = std::all_of(id.begin(), id.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
  });
  if (id.empty() || id.size() > 64 || !plain) {
    return flags.refuse("cluster-id", "must be 1 to 64 letters, digits, dots, dashes, underscores");
  }
  return id;
}

}  // namespace

const std::vector<FlagSpec>& serve_flags() {
  static const std::vector<FlagSpec> flags{
      {"node-id", "N", "1", "Which node this is; unique in the cluster"},
      {"cluster-id", "NAME", "clouduler", "Names the cluster; a node refuses another one's data"},
      {"slots", "N", "1", "This node's share of the streams, relative to others"},
      {"listen", "ADDRESS:PORT", "127.0.0.1:4437", "Where clients reach the streams over HTTP"},
      {"admin-listen", "ADDRESS:PORT", "127.0.0.1:9090", "Where /health, /metrics and /admin are"},
      {"http-address", "URL", "", "Where other nodes send clients to (default: --listen)"},
      {"data-dir", "DIR", "./data", "Where the three below lie unless they say otherwise"},
      {"meta-url", "URL", "", "The command log: sqlite:PATH or sqlite::memory:"},
      {"storage", "URL", "", "The object store: file://DIR"},
      {"wal", "URL", "", "The write-ahead log: file://DIR or chain+file://DIR"},
      {"heartbeat-interval-sec", "SECONDS", "5", "How often the node says that it lives"},
      {"node-timeout-sec", "SECONDS", "30", "Silence after which a node counts as dead"},
      {"shutdown-drain-sec", "SECONDS", "0",
       "How long a stopping node is unready but still serves"},
      {"shutdown-timeout-sec", "SECONDS", "30", "How long a stop waits for requests in flight"},
      {"long-poll-timeout-sec", "SECONDS", "25", "How long a long poll waits for data"},
      {"sse-max-duration-sec", "SECONDS", "55",
       "After how long an SSE client is asked to reconnect"},
      {"network-threads", "N", "",
       "Threads for connections alone (default: cores - 1, or 0 with two cores or fewer)"},
      {"max-body-bytes", "BYTES", "10MiB", "Largest request body; above it the answer is 413"},
      {"log-cache-bytes", "BYTES", "256MiB", "Memory for records that are not in objects yet"},
      {"block-cache-bytes", "BYTES", "256MiB", "Memory for blocks read back from objects"},
      {"upload-bytes", "BYTES", "16MiB", "Records are packed into an object when so many wait"},
      {"upload-interval-sec", "SECONDS", "5", "Or when the oldest has waited so long"},
      {"log-level", "LEVEL", "info", "trace, debug, info, warn or error; the log goes to stderr"},
      {"insecure-allow-remote", "", "", "Permit listeners that other machines can reach"},
      {"no-kafka", "", "", "Serve HTTP alone"},
      {"kafka-listen", "ADDRESS:PORT", "", "Refused: Kafka is not served by this version"},
      {"kafka-advertise", "HOST:PORT", "", "Refused: Kafka is not served by this version"},
  };
  return flags;
}

core::Result<ServeOptions> parse_serve_options(const Flags& flags) {
  ServeOptions options;
  TRY(const auto node_id, flags.count("node-id", 1, std::numeric_limits<std::uint32_t>::max()));
  options.node_id = core::NodeId{static_cast<std::uint32_t>(node_id)};
  TRY(options.cluster_id, parse_cluster_id(flags));
  TRY(options.slots, flags.count("slots", 1, 1'000'000));
  TRY_VOID(parse_listeners(flags, options));
  TRY_VOID(parse_stores(flags, options));
  TRY_VOID(parse_times(flags, options));
  TRY_VOID(parse_limits(flags, options));
  return options;
}

}  // namespace app
