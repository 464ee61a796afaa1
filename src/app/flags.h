#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/quantity.h"
#include "core/result.h"

namespace app {

/// A flag as its command declares it. Every flag can also be set by the variable env_name(name).
struct FlagSpec {
  std::string name;      // Without the dashes.
  std::string value;     // What stands for its value in help; empty: a switch.
  std::string fallback;  // Its value when nobody sets it; empty: none.
  std::string help;
};

/// `meta-url` -> `CLOUDULER_META_URL`.
std::string env_name(const std::string& flag);

using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// What a command was given: flags first, then the environment, then the defaults. Readers return
/// `invalid` with one line that names the flag (or variable), its value and the rule.
class Flags {
 public:
  Flags(const std::vector<FlagSpec>& specs, const std::map<std::string, std::string>& given,
        const Environment& environment);

  /// Given by a flag or a variable, rather than by default.
  bool is_set(const std::string& name) const;
  const std::string& text(const std::string& name) const;
  core::Result<bool> on(const std::string& name) const;
  core::Result<std::uint64_t> count(const std::string& name, std::uint64_t least,
                                    std::uint64_t most) const;
  core::Result<std::uint64_t> bytes(const std::string& name, std::uint64_t least,
                                    std::uint64_t most) const;
  core::Result<core::Time> seconds(const std::string& name, core::Time least) const;
  core::Result<HostPort> listener(const std::string& name) const;
  core::Result<HttpUrl> http_url(const std::string& name) const;

  /// The error that says why `name` cannot have the value it has.
  tl::unexpected<core::Error> refuse(const std::string& name, const std::string& rule) const;

 private:
  struct Value {
    std::string text;
    std::string shown;  // `--wal x://y` or `CLOUDULER_WAL=x://y`.
    bool set = false;
  };
  const Value& value(const std::string& name) const;

  std::map<std::string, Value> values_;
};

}  // namespace app
