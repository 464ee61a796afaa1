#include "app/command_line.h"

#include <gtest/gtest.h>

namespace app {
namespace {

Parsed parse(const std::vector<std::string>& words) {
  static const auto kCommands = all_commands();
  return parse_command_line(kCommands, words);
}

std::string refusal(const std::vector<std::string>& words) {
  const Parsed parsed = parse(words);
  EXPECT_EQ(parsed.command, nullptr);
  EXPECT_EQ(parsed.status, kUsage);
  EXPECT_EQ(parsed.output.find('\n'), parsed.output.size() - 1) << parsed.output;
  return parsed.output;
}

TEST(CommandLineTest, WordsChooseACommandAndItsFlags) {
  const Parsed parsed = parse({"stream", "read", "orders", "--offset", "x"});
  ASSERT_NE(parsed.command, nullptr);
  EXPECT_EQ(parsed.command->path, "stream read");
  EXPECT_EQ(parsed.arguments, std::vector<std::string>{"orders"});
  EXPECT_EQ(parsed.given, (std::map<std::string, std::string>{{"offset", "x"}}));
}

TEST(CommandLineTest, ASwitchTakesNoValue) {
  const Parsed parsed = parse({"serve", "--no-kafka", "--listen=127.0.0.1:0"});
  ASSERT_NE(parsed.command, nullptr);
  EXPECT_EQ(parsed.given,
            (std::map<std::string, std::string>{{"no-kafka", "true"}, {"listen", "127.0.0.1:0"}}));
}

TEST(CommandLineTest, AnOffsetOfMinusOneIsAValue) {
  EXPECT_EQ(parse({"stream", "read", "a", "--offset", "-1"}).given.at("offset"), "-1");
  EXPECT_EQ(parse({"stream", "read", "a", "--offset=-1"}).given.at("offset"), "-1");
}

TEST(CommandLineTest, UnknownFlagsAreOneLineThatNamesThem) {
  EXPECT_EQ(refusal({"serve", "--lissten", "x"}),
            "clouduler serve: unknown flag --lissten; see clouduler serve --help\n");
  EXPECT_NE(refusal({"stream", "read", "a", "-z"}).find("-z"), std::string::npos);
  EXPECT_NE(refusal({"--nothing"}).find("--nothing"), std::string::npos);
}

TEST(CommandLineTest, MissingAndSurplusWordsAreOneLine) {
  EXPECT_NE(refusal({}).find("which command?"), std::string::npos);
  EXPECT_NE(refusal({"stream"}).find("clouduler stream: which command?"), std::string::npos);
  EXPECT_NE(refusal({"stream", "read"}).find("NAME"), std::string::npos);
  EXPECT_NE(refusal({"stream", "head", "a", "b"}).find("unexpected argument b"), std::string::npos);
  EXPECT_NE(refusal({"sreve"}).find("unknown command sreve"), std::string::npos);
  EXPECT_NE(refusal({"serve", "--listen"}).find("--listen"), std::string::npos);
}

TEST(CommandLineTest, EveryCommandsHelpHasExamplesAndItsFlagsWithTheirVariables) {
  for (const CommandSpec& command : all_commands()) {
    std::vector<std::string> words;
    const auto space = command.path.find(' ');
    words.push_back(command.path.substr(0, space));
    if (space != std::string::npos) words.push_back(command.path.substr(space + 1));
    words.push_back("--help");
    const Parsed parsed = parse(words);
    EXPECT_EQ(parsed.status, kDone);
    EXPECT_NE(parsed.output.find("Examples:"), std::string::npos) << command.path;
    EXPECT_NE(parsed.output.find("clouduler " + command.path), std::string::npos) << command.path;
    for (const FlagSpec& flag : command.flags) {
      EXPECT_NE(parsed.output.find("--" + flag.name), std::string::npos) << flag.name;
      EXPECT_NE(parsed.output.find(env_name(flag.name)), std::string::npos) << flag.name;
    }
  }
}

TEST(CommandLineTest, TheVersionIsPrinted) {
  const Parsed parsed = parse({"--version"});
  EXPECT_EQ(parsed.output, std::string("clouduler ") + kVersion + "\n");
  EXPECT_EQ(parsed.status, kDone);
}

TEST(CommandLineTest, CompletionKnowsEveryCommandAndFlag) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const auto script = completion_script(all_commands(), shell);
    ASSERT_TRUE(script.has_value());
    for (const CommandSpec& command : all_commands()) {
      EXPECT_NE(script->find(command.path.substr(command.path.find(' ') + 1)), std::string::npos);
      for (const FlagSpec& flag : command.flags) {
        EXPECT_NE(script->find(flag.name), std::string::npos) << shell << " " << flag.name;
      }
    }
  }
  EXPECT_FALSE(completion_script(all_commands(), "tcsh").has_value());
}

}  // namespace
}  // namespace app
