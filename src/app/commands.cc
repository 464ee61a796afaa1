#include "app/command.h"

namespace app {

const std::vector<GroupSpec>& groups() {
  static const std::vector<GroupSpec> list{
      {"stream", "Create, fill, read and follow streams"},
      {"admin", "Look at a node and its cluster"},
  };
  return list;
}

std::vector<CommandSpec> all_commands() {
  std::vector<CommandSpec> commands{serve_command()};
  for (auto& command : stream_commands()) commands.push_back(std::move(command));
  for (auto& command : admin_commands()) commands.push_back(std::move(command));
  commands.push_back(bench_command());
  commands.push_back(verify_command());
  commands.push_back(completion_command());
  return commands;
}

}  // namespace app
