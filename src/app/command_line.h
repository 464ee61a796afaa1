#pragma once

#include <string>
#include <vector>

#include "app/command.h"

namespace app {

constexpr const char* kVersion = "0.1.0";

/// What a command line comes to, before anything is done.
struct Parsed {
  const CommandSpec* command = nullptr;  // Null: print `output` and leave with `status`.
  std::vector<std::string> arguments;
  std::map<std::string, std::string> given;  // Flags.
  std::string output;  // Help or version (status 0); one line about what is wrong (status 2).
  int status = kDone;
};

/// Pure: reads the words after the program's name.
Parsed parse_command_line(const std::vector<CommandSpec>& commands,
                          const std::vector<std::string>& words);

/// A completion script for `bash`, `zsh` or `fish`, made from the tree of commands.
/// invalid: another shell.
core::Result<std::string> completion_script(const std::vector<CommandSpec>& commands,
                                            const std::string& shell);

/// Everything main does.
int run_command_line(const std::vector<std::string>& words);

}  // namespace app
