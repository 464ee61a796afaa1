#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.h"
#include "core/time.h"

namespace app {

// Readers of what people type. An error's context is the rule alone ("must be ..."); the caller
// adds which flag and value it speaks of.

/// A whole number, digits only.
core::Result<std::uint64_t> parse_count(std::string_view text);

/// Seconds with an optional fraction: `5`, `0.5`. At most a year.
core::Result<core::Time> parse_seconds(std::string_view text);

/// Bytes with an optional unit: `100`, `64k`, `10MiB`, `2G` (powers of 1024).
core::Result<std::uint64_t> parse_bytes(std::string_view text);

/// `on`, `true`, `1`, `yes` and their opposites.
core::Result<bool> parse_switch(std::string_view text);

struct HostPort {
  std::string host;  // Without the brackets of an IPv6 address.
  std::uint16_t port = 0;
  bool operator==(const HostPort&) const = default;

  /// Only this machine can reach it.
  bool is_loopback() const;
  std::string text() const;  // As one writes it in a URL.
};

/// `127.0.0.1:4437`, `[::1]:4437`, `localhost:0`. Names other than localhost are not looked up.
core::Result<HostPort> parse_listener(std::string_view text);

/// Where a client finds a server.
struct HttpUrl {
  std::string host;
  std::uint16_t port = 80;
  std::string path;  // Without a trailing slash; usually empty.
  bool operator==(const HttpUrl&) const = default;

  std::string authority() const;
  std::string text() const;
};

/// `http://HOST[:PORT][/PATH]`.
core::Result<HttpUrl> parse_http_url(std::string_view text);

}  // namespace app
