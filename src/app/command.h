#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/flags.h"

namespace app {

/// What the user typed after the command's name.
struct Invocation {
  std::vector<std::string> arguments;  // As many as CommandSpec::arguments.
  Flags flags;
};

/// Exit statuses of every command.
constexpr int kDone = 0;
constexpr int kFailed = 1;  // Tried, and it did not work; verify found a fault.
constexpr int kUsage = 2;   // What was asked makes no sense, or cannot be started here.

/// One command as a user sees it. The CLI11 tree, help and completion are made of these.
struct CommandSpec {
  std::string path;  // "serve", "stream append".
  std::string summary;
  std::vector<std::string> arguments;  // Names of the positional ones; one ending in ? is optional.
  std::vector<FlagSpec> flags;
  std::string examples;  // Shown below the help.
  std::function<int(const Invocation&)> run;
};

/// Groups such as "stream", with their one line of help.
struct GroupSpec {
  std::string name;
  std::string summary;
};

const std::vector<GroupSpec>& groups();

/// All commands, in the order in which help lists them.
std::vector<CommandSpec> all_commands();

CommandSpec serve_command();
std::vector<CommandSpec> stream_commands();
std::vector<CommandSpec> admin_commands();
CommandSpec bench_command();
CommandSpec verify_command();
CommandSpec completion_command();

/// One line on stderr: what went wrong, in which command. Returns `status`.
int complain(const std::string& command, const std::string& line, int status);

/// Complains about an error of this kind: kUsage if it is `invalid`, else kFailed.
int complain(const std::string& command, const core::Error& error);

}  // namespace app
