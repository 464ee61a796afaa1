#include <fmt/format.h>

#include <map>
#include <set>

#include "app/command_line.h"

namespace app {
namespace {

/// What may follow a path of commands ("" is the program): subcommands, then flags.
struct Choice {
  std::string word;
  std::string help;
};
using Choices = std::map<std::string, std::vector<Choice>>;

Choices choices_of(const std::vector<CommandSpec>& commands) {
  Choices choices;
  for (const GroupSpec& group : groups()) choices[""].push_back({group.name, group.summary});
  for (const CommandSpec& command : commands) {
    const auto space = command.path.find(' ');
    const bool grouped = space != std::string::npos;
    choices[grouped ? command.path.substr(0, space) : ""].push_back(
        {grouped ? command.path.substr(space + 1) : command.path, command.summary});
    auto& flags = choices[command.path];
    for (const FlagSpec& flag : command.flags) flags.push_back({"--" + flag.name, flag.help});
    if (command.path == "completion") {
      for (const char* shell : {"bash", "zsh", "fish"}) flags.push_back({shell, "For this shell"});
    }
  }
  for (auto& [path, list] : choices) list.push_back({"--help", "Show help"});
  choices[""].push_back({"--version", "Print the version"});
  return choices;
}

std::string words_of(const std::vector<Choice>& list) {
  std::string words;
  for (const Choice& choice : list) words += (words.empty() ? "" : " ") + choice.word;
  return words;
}

/// Inside single quotes of a shell.
std::string quoted(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out;
}

std::string bash_script(const Choices& choices) {
  std::string cases;
  for (const auto& [path, list] : choices) {
    cases += fmt::format("    '{}') words='{}' ;;\n", path, words_of(list));
  }
  return "# bash completion of clouduler: source <(clouduler completion bash)\n"
         "_clouduler() {\n"
         "  local path='' word words='' i\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "    word=${COMP_WORDS[i]}\n"
         "    case \"${path:+$path }$word\" in\n" +
         [&] {
           std::string known;
           for (const auto& [path, list] : choices) {
             if (!path.empty()) known += (known.empty() ? "" : "|") + ("'" + path + "'");
           }
           return fmt::format("      {}) path=${{path:+$path }}$word ;;\n", known);
         }() +
         "    esac\n"
         "  done\n"
         "  case \"$path\" in\n" +
         cases +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\"))\n"
         "}\n"
         "complete -o default -F _clouduler clouduler\n";
}

std::string zsh_script(const Choices& choices) {
  return "#compdef clouduler\n"
         "# zsh completion of clouduler: source <(clouduler completion zsh)\n"
         "autoload -Uz compinit bashcompinit\n"
         "(( $+functions[compdef] )) || compinit\n"
         "bashcompinit\n" +
         bash_script(choices);
}

std::string fish_script(const Choices& choices) {
  std::string script =
      "# fish completion of clouduler: clouduler completion fish | source\n"
      "complete -c clouduler -f\n";
  for (const auto& [path, list] : choices) {
    const auto space = path.find(' ');
    std::string when = "__fish_use_subcommand";
    if (!path.empty()) when = "__fish_seen_subcommand_from " + path.substr(0, space);
    if (space != std::string::npos) {
      when += "; and __fish_seen_subcommand_from " + path.substr(space + 1);
    }
    for (const Choice& choice : list) {
      const bool flag = choice.word.starts_with("--");
      script +=
          fmt::format("complete -c clouduler -n '{}' {} {} -d '{}'\n", when, flag ? "-l" : "-a",
                      flag ? choice.word.substr(2) : choice.word, quoted(choice.help));
    }
  }
  return script;
}

int print_completion(const Invocation& invocation) {
  const auto script = completion_script(all_commands(), invocation.arguments.at(0));
  if (!script) return complain("completion", script.error());
  std::fputs(script->c_str(), stdout);
  return kDone;
}

}  // namespace

core::Result<std::string> completion_script(const std::vector<CommandSpec>& commands,
                                            const std::string& shell) {
  const Choices choices = choices_of(commands);
  if (shell == "bash") return bash_script(choices);
  if (shell == "zsh") return zsh_script(choices);
  if (shell == "fish") return fish_script(choices);
  return core::fail(core::Errc::invalid, shell + ": the shell must be bash, zsh or fish");
}

CommandSpec completion_command() {
  return CommandSpec{.path = "completion",
                     .summary = "Print a completion script for bash, zsh or fish",
                     .arguments = {"SHELL"},
                     .flags = {},
                     .examples =
                         "  source <(clouduler completion bash)\n"
                         "  clouduler completion fish | source\n",
                     .run = print_completion};
}

}  // namespace app
