#include "app/json_lines.h"

#include <algorithm>

#include "stream/json_messages.h"

namespace app {

core::Result<std::vector<std::string>> split_json_array(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] != '[') {
    return core::fail(core::Errc::invalid, "the answer is not a JSON array");
  }
  stream::JsonSplitter splitter;
  std::vector<std::string_view> messages;
  TRY_VOID(splitter.split(text, messages));
  std::vector<std::string> lines(messages.begin(), messages.end());
  for (std::string& line : lines) {
    // A line break can only be white space between tokens: inside a string it would be escaped.
    std::erase_if(line, [](char c) { return c == '\n' || c == '\r'; });
  }
  return lines;
}

core::Result<void> check_json(std::string_view text) {
  stream::JsonSplitter splitter;
  std::vector<std::string_view> messages;
  return splitter.split(text, messages);
}

}  // namespace app
