#include "app/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>

namespace app {
namespace {

constexpr const char* kAbout =
    "clouduler: durable event streams over HTTP, in one binary.\n"
    "Start a node with `clouduler serve`, then talk to it with `clouduler stream` or curl.";

constexpr const char* kFirstSteps =
    "Examples:\n"
    "  clouduler serve                                    a complete node under ./data\n"
    "  clouduler stream create orders\n"
    "  echo '{\"id\":1}' | clouduler stream append orders\n"
    "  clouduler stream tail orders --from-beginning\n"
    "  clouduler COMMAND --help                           what a command takes, with examples\n";

/// One CLI11 subcommand with the places where it puts what it read.
struct Leaf {
  CLI::App* app = nullptr;
  const CommandSpec* command = nullptr;
  std::vector<std::string> arguments;
  std::map<std::string, std::string> values;
  std::map<std::string, bool> switches;
};

struct Tree {
  CLI::App root{kAbout, "clouduler"};
  std::map<std::string, CLI::App*> groups;
  std::vector<std::unique_ptr<Leaf>> leaves;
  bool version = false;
};

void add_flag(Leaf& leaf, const FlagSpec& flag) {
  std::string help = flag.help;
  if (!flag.fallback.empty()) help += " [" + flag.fallback + "]";
  help += " (" + env_name(flag.name) + ")";
  if (flag.value.empty()) {
    leaf.app->add_flag("--" + flag.name, leaf.switches[flag.name], help);
  } else {
    leaf.app->add_option("--" + flag.name, leaf.values[flag.name], help)->type_name(flag.value);
  }
}

void add_leaf(Tree& tree, const CommandSpec& command) {
  auto leaf = std::make_unique<Leaf>();
  leaf->command = &command;
  CLI::App* parent = &tree.root;
  std::string name = command.path;
  if (const auto space = name.find(' '); space != std::string::npos) {
    parent = tree.groups.at(name.substr(0, space));
    name = name.substr(space + 1);
  }
  leaf->app = parent->add_subcommand(name, command.summary);
  if (!command.examples.empty()) leaf->app->footer("Examples:\n" + command.examples);
  leaf->arguments.resize(command.arguments.size());
  for (std::size_t i = 0; i < command.arguments.size(); ++i) {
    std::string argument = command.arguments[i];
    const bool optional = argument.ends_with('?');
    if (optional) argument.pop_back();
    leaf->app->add_option(argument, leaf->arguments[i])->required(!optional);
  }
  for (const FlagSpec& flag : command.flags) add_flag(*leaf, flag);
  tree.leaves.push_back(std::move(leaf));
}

void build(Tree& tree, const std::vector<CommandSpec>& commands) {
  tree.root.require_subcommand(1);
  tree.root.footer(kFirstSteps);
  tree.root.add_flag("--version", tree.version, "Print the version");
  for (const GroupSpec& group : groups()) {
    tree.groups[group.name] = tree.root.add_subcommand(group.name, group.summary);
    tree.groups[group.name]->require_subcommand(1);
  }
  for (const CommandSpec& command : commands) add_leaf(tree, command);
}

/// The command (or group, or the program) that the words got to.
const CLI::App* deepest(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? &app : deepest(*chosen.front());
}

std::string full_name(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  return parent == nullptr ? app.get_name() : full_name(*parent) + " " + app.get_name();
}

std::string one_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  for (char& c : text) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

Parsed wrong(const CLI::App& at, const std::string& what) {
  const std::string name = full_name(at);
  Parsed parsed;
  parsed.output = fmt::format("{}: {}; see {} --help\n", name, one_line(what), name);
  parsed.status = kUsage;
  return parsed;
}

/// Words that belong to nothing, or CLI11's own explanation if there are none.
std::string explain(const CLI::App& root, const CLI::App& at, const CLI::ParseError& error) {
  const bool group = !at.get_subcommands({}).empty();
  const std::vector<std::string> left_over = root.remaining(true);
  const auto flag = std::find_if(left_over.begin(), left_over.end(),
                                 [](const std::string& word) { return word.starts_with('-'); });
  if (flag != left_over.end()) return "unknown flag " + *flag;
  if (!left_over.empty()) {
    return (group ? "unknown command " : "unexpected argument ") + left_over.front();
  }
  if (group && dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) return "which command?";
  return error.what();
}

}  // namespace

Parsed parse_command_line(const std::vector<CommandSpec>& commands,
                          const std::vector<std::string>& words) {
  Tree tree;
  build(tree, commands);
  try {
    tree.root.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::CallForHelp&) {
    Parsed parsed;
    parsed.output = deepest(tree.root)->help();
    return parsed;
  } catch (const CLI::ParseError& error) {
    if (tree.version) {
      Parsed parsed;
      parsed.output = fmt::format("clouduler {}\n", kVersion);
      return parsed;
    }
    const CLI::App* at = deepest(tree.root);
    return wrong(*at, explain(tree.root, *at, error));
  }
  Parsed parsed;
  if (tree.version) {
    parsed.output = fmt::format("clouduler {}\n", kVersion);
    return parsed;
  }
  for (const auto& leaf : tree.leaves) {
    if (!leaf->app->parsed()) continue;
    parsed.command = leaf->command;
    parsed.arguments = leaf->arguments;
    for (const FlagSpec& flag : leaf->command->flags) {
      if (leaf->app->count("--" + flag.name) == 0) continue;
      parsed.given[flag.name] = flag.value.empty() ? "true" : leaf->values[flag.name];
    }
  }
  return parsed;
}

int complain(const std::string& command, const std::string& line, int status) {
  fmt::print(stderr, "clouduler {}: {}\n", command, one_line(line));
  return status;
}

int complain(const std::string& command, const core::Error& error) {
  return complain(command, error.context, error.code == core::Errc::invalid ? kUsage : kFailed);
}

int run_command_line(const std::vector<std::string>& words) {
  const std::vector<CommandSpec> commands = all_commands();
  const Parsed parsed = parse_command_line(commands, words);
  if (parsed.command == nullptr) {
    std::fputs(parsed.output.c_str(), parsed.status == kDone ? stdout : stderr);
    return parsed.status;
  }
  const Environment environment = [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr || *value == '\0') return std::nullopt;
    return value;
  };
  const Invocation invocation{parsed.arguments,
                              Flags(parsed.command->flags, parsed.given, environment)};
  return parsed.command->run(invocation);
}

}  // namespace app
