#include "stream/json_messages.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace stream {
namespace {

/// The messages of `body`, from memory that ends where the text ends, so that a sanitizer sees
/// every read beyond it; or the error.
std::vector<std::string> messages_of(std::string_view body) {
  JsonSplitter splitter;
  const std::vector<char> exact(body.begin(), body.end());
  std::vector<std::string_view> messages;
  const auto done = splitter.split(std::string_view(exact.data(), exact.size()), messages);
  if (!done) return {"error: " + done.error().context};
  return {messages.begin(), messages.end()};
}

bool is_accepted(std::string_view body) {
  const auto messages = messages_of(body);
  return messages.size() != 1 || !messages[0].starts_with("error: ");
}

using Texts = std::vector<std::string>;

TEST(JsonMessagesTest, AnArrayIsFlattenedOneLevel) {
  EXPECT_EQ(messages_of("[1,2]"), (Texts{"1", "2"}));
  EXPECT_EQ(messages_of("[[1,2],[3,4]]"), (Texts{"[1,2]", "[3,4]"}));
  EXPECT_EQ(messages_of("[[[1,2,3]]]"), Texts{"[[1,2,3]]"});
  EXPECT_EQ(messages_of("[{\"a\":[1,{}]},null]"), (Texts{"{\"a\":[1,{}]}", "null"}));
}

TEST(JsonMessagesTest, AnyOtherValueIsOneMessage) {
  for (const char* text :
       {"null", "true", "false", "0", "-1.5e+10", "\"x\"", "{}", "{\"a\":[1,2]}"}) {
    EXPECT_EQ(messages_of(text), Texts{text});
  }
}

TEST(JsonMessagesTest, AnEmptyArrayGivesNoMessages) {
  EXPECT_EQ(messages_of("[]"), Texts{});
  EXPECT_EQ(messages_of(" [ \n ] "), Texts{});
  EXPECT_EQ(messages_of("[[]]"), Texts{"[]"});
}

TEST(JsonMessagesTest, TheTextIsKeptWithoutTheSpaceAroundIt) {
  EXPECT_EQ(messages_of(" \t[ 1 ,\r\n{ \"a\" : 1.50 } , \"x \" ] \n"),
            (Texts{"1", "{ \"a\" : 1.50 }", "\"x \""}));
  EXPECT_EQ(messages_of("  {\"a\": 1}\n"), Texts{"{\"a\": 1}"});
}

TEST(JsonMessagesTest, NumbersOfAnySizeAreKeptAsTheyAre) {
  const Texts numbers{"123456789012345678901234567890", "1e999", "-0",
                      "0.1000000000000000055511151"};
  std::string body = "[";
  for (const std::string& number : numbers) body += number + ",";
  body.back() = ']';
  EXPECT_EQ(messages_of(body), numbers);
}

TEST(JsonMessagesTest, WhatIsNoJsonIsRefused) {
  for (const char* text : {"",
                           " ",
                           "[",
                           "]",
                           "{",
                           "}",
                           "[1",
                           "[1,",
                           "[1,]",
                           "[,1]",
                           "[1 2]",
                           "1 2",
                           "[1][2]",
                           "[1]x",
                           "{\"a\"}",
                           "{\"a\":}",
                           "{\"a\":1,}",
                           "{a:1}",
                           "{1:1}",
                           "{\"a\":1 \"b\":2}",
                           "{,}",
                           "[:]",
                           "{\"a\"::1}",
                           "nul",
                           "nulll",
                           "True",
                           "truefalse",
                           "[true1]",
                           "01",
                           "-",
                           "+1",
                           ".5",
                           "1.",
                           "1e",
                           "1e+",
                           "0x10",
                           "1\"a\"",
                           "\"a\"1",
                           "\"a\"\"b\"",
                           "NaN",
                           "Infinity",
                           "'a'",
                           "\"a",
                           "\"",
                           "\"\\\"",
                           "\"\\x\"",
                           "\"\\u12\"",
                           "\"\\u12g4\"",
                           "[\"\\u12\",\"34\"]",
                           "\\\"a\"",
                           "[\"a\"\\]",
                           "\"a\nb\"",
                           "\"a\x01\"",
                           "[1}",
                           "{\"a\":1]",
                           "[{]}",
                           "\xef\xbb\xbf[1]",
                           "[1],",
                           "/**/1",
                           "[1,\f2]",
                           "[1\xc2\xa0]"}) {
    EXPECT_FALSE(is_accepted(text)) << text;
  }
  EXPECT_FALSE(is_accepted(std::string_view("1\0", 2)));
  EXPECT_FALSE(is_accepted(std::string_view("\0", 1)));
  EXPECT_FALSE(is_accepted(std::string_view("[1\0]", 4)));
}

TEST(JsonMessagesTest, TextMustBeUtf8) {
  EXPECT_TRUE(is_accepted("\"gr\xc3\xbc\xc3\x9f\xe2\x82\xac\xf0\x9f\x98\x80\""));
  for (const char* text : {"\"\xc3\"", "\"\xff\"", "\"\xed\xa0\x80\"", "\"\xc0\xaf\"",
                           "\"\xf4\x90\x80\x80\"", "\"\x80\""}) {
    EXPECT_FALSE(is_accepted(text)) << text;
  }
}

TEST(JsonMessagesTest, EscapesAreCheckedAndKept) {
  const char* text = R"("\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00\\")";
  EXPECT_EQ(messages_of(text), Texts{text});
  EXPECT_EQ(messages_of(R"(["a\\","b\"],c"])"), (Texts{R"("a\\")", R"("b\"],c")"}));
  EXPECT_TRUE(is_accepted(R"({"a\n":"\u0000"})"));
  EXPECT_FALSE(is_accepted(R"({"a\q":1})"));
}

TEST(JsonMessagesTest, DepthIsBounded) {
  const std::size_t most = JsonSplitter::kMaxDepth;
  EXPECT_TRUE(is_accepted(std::string(most, '[') + std::string(most, ']')));
  EXPECT_FALSE(is_accepted(std::string(most + 1, '[') + std::string(most + 1, ']')));
  EXPECT_FALSE(is_accepted(std::string(1'000'000, '[')));
}

TEST(JsonMessagesTest, TheErrorSaysWhatAndWhere) {
  EXPECT_EQ(messages_of("[1,}")[0], "error: the body is not JSON: expected a value at byte 3");
  EXPECT_EQ(messages_of("{\"a\" 1}")[0],
            "error: the body is not JSON: expected a colon after the key at byte 5");
  EXPECT_EQ(messages_of("\"\xff\"")[0], "error: the body is not JSON: it is not UTF-8");
}

// Every text of up to four characters of this alphabet, held against a second opinion.
TEST(JsonMessagesTest, AcceptsWhatAnotherParserAccepts) {
  const std::string alphabet = "[]{},:\"\\ 01-e.an";
  std::size_t accepted = 0;
  for (std::size_t length = 1; length <= 4; ++length) {
    std::vector<std::size_t> digits(length, 0);
    for (bool more = true; more;) {
      std::string text;
      for (const std::size_t digit : digits) text += alphabet[digit];
      const bool expected = nlohmann::json::accept(text);
      ASSERT_EQ(is_accepted(text), expected) << text;
      accepted += expected;
      more = false;
      for (std::size_t i = 0; i < length && !more; ++i) {
        digits[i] = (digits[i] + 1) % alphabet.size();
        more = digits[i] != 0;
      }
    }
  }
  EXPECT_GT(accepted, 100u);
}

TEST(JsonMessagesTest, AThousandMessagesAndMoreWorkingMemoryThanBeforeAreFine) {
  JsonSplitter splitter;
  std::vector<std::string_view> messages;
  for (const std::size_t count : {10u, 1000u, 100'000u, 10u}) {
    std::string body = "[";
    for (std::size_t i = 0; i < count; ++i) body += "{\"n\":" + std::to_string(i) + "}, ";
    body += "0]";
    ASSERT_TRUE(splitter.split(body, messages).has_value());
    ASSERT_EQ(messages.size(), count + 1);
    EXPECT_EQ(messages[count - 1], "{\"n\":" + std::to_string(count - 1) + "}");
    EXPECT_EQ(messages.back(), "0");
  }
}

}  // namespace
}  // namespace stream
