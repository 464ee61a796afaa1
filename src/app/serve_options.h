#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/flags.h"
#include "core/ids.h"
#include "core/result.h"
#include "core/time.h"

namespace app {

/// Where the command log lies.
struct MetaUrl {
  bool in_memory = false;  // Gone when the process ends.
  std::string path;        // Of the SQLite file.
  bool operator==(const MetaUrl&) const = default;
};

enum class WalKind : std::uint8_t {
  local,  // file:// segments of this machine.
  chain,  // chain+file:// numbered objects in a shared directory.
};

struct WalUrl {
  WalKind kind = WalKind::local;
  std::string path;  // A directory.
  bool operator==(const WalUrl&) const = default;
};

/// Everything `clouduler serve` was told, checked.
struct ServeOptions {
  core::NodeId node_id{};
  std::string cluster_id;
  std::uint64_t slots = 1;

  HostPort listen;
  HostPort admin_listen;
  std::optional<HttpUrl> http_address;  // None: where it listens.

  MetaUrl meta;
  std::string storage_path;  // Of the object directory.
  WalUrl wal;

  core::Time heartbeat_interval{};
  core::Time node_timeout{};
  core::Time shutdown_drain{};
  core::Time shutdown_timeout{};
  core::Time long_poll_timeout{};
  core::Time sse_max_duration{};

  std::optional<std::size_t> network_threads;  // None: see network_threads() in stream_node.cc.
  std::size_t max_body_bytes = 0;
  std::size_t log_cache_bytes = 0;
  std::size_t block_cache_bytes = 0;
  std::size_t upload_bytes = 0;  // Records wait for so many of their kind...
  core::Time upload_interval{};  // ...or so long, before they are packed into an object.
  std::string log_level;         // trace, debug, info, warn or error.
  bool operator==(const ServeOptions&) const = default;
};

const std::vector<FlagSpec>& serve_flags();

/// invalid: one line that names the flag, its value and the rule.
core::Result<ServeOptions> parse_serve_options(const Flags& flags);

}  // namespace app
