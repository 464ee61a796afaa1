// The load that wrk cannot make, for bench/compare/run.py. One subcommand, one JSON object.

#include <fmt/format.h>

#include <cerrno>
#include <functional>
#include <string_view>

#include "bench/load/flags.h"
#include "bench/load/http.h"

namespace load {

Flags::Flags(int count, char** words) {
  for (int i = 0; i + 1 < count; i += 2) {
    const std::string_view name = words[i];
    if (!name.starts_with("--")) fail(fmt::format("{} is not a flag", name));
    values_[std::string(name.substr(2))] = words[i + 1];
  }
}

std::string Flags::text(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) fail("--" + name + " is needed");
  return found->second;
}

std::string Flags::text(const std::string& name, const std::string& otherwise) const {
  return values_.contains(name) ? text(name) : otherwise;
}

std::uint64_t Flags::number(const std::string& name) const {
  return std::stoull(text(name));
}

std::uint64_t Flags::number(const std::string& name, std::uint64_t otherwise) const {
  return values_.contains(name) ? number(name) : otherwise;
}

}  // namespace load

int main(int count, char** words) {
  const std::map<std::string_view, std::function<void(const load::Flags&)>> commands = {
      {"fill", load::run_fill},
      {"create", load::run_create},
      {"read", load::run_read},
      {"fan-out", load::run_fan_out},
      {"idle-append", load::run_idle_append}};
  const auto found = commands.find(count > 1 ? words[1] : "");
  errno = 0;
  if (found == commands.end()) load::fail("fill, create, read, fan-out or idle-append?");
  found->second(load::Flags(count - 2, words + 2));
  return 0;
}
