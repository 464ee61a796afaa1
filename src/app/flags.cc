#include "app/flags.h"

#include <cctype>

#include "core/check.h"

namespace app {

std::string env_name(const std::string& flag) {
  std::string name = "CLOUDULER_";
  for (const char c : flag) {
    name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return name;
}

Flags::Flags(const std::vector<FlagSpec>& specs, const std::map<std::string, std::string>& given,
             const Environment& environment) {
  for (const FlagSpec& spec : specs) {
    Value value{spec.fallback, "--" + spec.name + " " + spec.fallback, false};
    const auto flag = given.find(spec.name);
    if (flag != given.end()) {
      value = {flag->second, "--" + spec.name + " " + flag->second, true};
      if (spec.value.empty()) value.shown = "--" + spec.name;
    } else if (const auto variable = environment(env_name(spec.name))) {
      value = {*variable, env_name(spec.name) + "=" + *variable, true};
    }
    values_[spec.name] = value;
  }
}

const Flags::Value& Flags::value(const std::string& name) const {
  const auto it = values_.find(name);
  CHECK(it != values_.end());
  return it->second;
}

bool Flags::is_set(const std::string& name) const {
  return value(name).set;
}
const std::string& Flags::text(const std::string& name) const {
  return value(name).text;
}

tl::unexpected<core::Error> Flags::refuse(const std::string& name, const std::string& rule) const {
  return core::fail(core::Errc::invalid, value(name).shown + ": " + rule);
}

core::Result<bool> Flags::on(const std::string& name) const {
  if (!is_set(name)) return false;
  const auto parsed = parse_switch(text(name));
  if (!parsed) return refuse(name, parsed.error().context);
  return *parsed;
}

core::Result<std::uint64_t> Flags::count(const std::string& name, std::uint64_t least,
                                         std::uint64_t most) const {
  const auto parsed = parse_count(text(name));
  if (!parsed) return refuse(name, parsed.error().context);
  if (*parsed < least) return refuse(name, "must be at least " + std::to_string(least));
  if (*parsed > most) return refuse(name, "must be at most " + std::to_string(most));
  return *parsed;
}

core::Result<std::uint64_t> Flags::bytes(const std::string& name, std::uint64_t least,
                                         std::uint64_t most) const {
  const auto parsed = parse_bytes(text(name));
  if (!parsed) return refuse(name, parsed.error().context);
  if (*parsed < least) return refuse(name, "must be at least " + std::to_string(least) + " bytes");
  if (*parsed > most) return refuse(name, "must be at most " + std::to_string(most) + " bytes");
  return *parsed;
}

core::Result<core::Time> Flags::seconds(const std::string& name, core::Time least) const {
  const auto parsed = parse_seconds(text(name));
  if (!parsed) return refuse(name, parsed.error().context);
  if (*parsed < least) {
    return refuse(name, least == core::Time(1)
                            ? "must be greater than 0"
                            : "must be at least " + std::to_string(least.count() / 1000) + " ms");
  }
  return *parsed;
}

core::Result<HostPort> Flags::listener(const std::string& name) const {
  auto parsed = parse_listener(text(name));
  if (!parsed) return refuse(name, parsed.error().context);
  return *parsed;
}

core::Result<HttpUrl> Flags::http_url(const std::string& name) const {
  auto parsed = parse_http_url(text(name));
  if (!parsed) return refuse(name, parsed.error().context);
  return *parsed;
}

}  // namespace app
