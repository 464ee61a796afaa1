#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace load {

/// `--name value` pairs; a flag that is asked for and missing ends the program.
class Flags {
 public:
  Flags(int count, char** words);

  std::string text(const std::string& name) const;
  std::string text(const std::string& name, const std::string& otherwise) const;
  std::uint64_t number(const std::string& name) const;
  std::uint64_t number(const std::string& name, std::uint64_t otherwise) const;
  std::uint16_t port() const { return static_cast<std::uint16_t>(number("port")); }

 private:
  std::map<std::string, std::string> values_;
};

/// Each subcommand prints one JSON object on stdout.
void run_fill(const Flags& flags);
void run_create(const Flags& flags);
void run_read(const Flags& flags);
void run_fan_out(const Flags& flags);
void run_idle_append(const Flags& flags);

}  // namespace load
