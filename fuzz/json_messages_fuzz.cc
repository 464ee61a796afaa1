// JSON bodies: whatever the bytes are, splitting ends and stays within them; each message is JSON
// by itself, and nothing that another parser takes for JSON is refused.

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/check.h"
#include "stream/json_messages.h"

namespace {

/// How deep brackets are within each other at most, those in strings included.
std::size_t deepest(std::string_view text) {
  std::size_t depth = 0;
  std::size_t most = 0;
  for (const char c : text) {
    if (c == '[' || c == '{') most = std::max(most, ++depth);
    if ((c == ']' || c == '}') && depth > 0) --depth;
  }
  return most;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static stream::JsonSplitter splitter;
  static stream::JsonSplitter inner_splitter;
  const std::vector<char> exact(data, data + size);  // Nothing readable after the end.
  const std::string_view body(exact.data(), exact.size());

  std::vector<std::string_view> messages;
  const bool accepted = splitter.split(body, messages).has_value();
  if (!accepted) {
    // The other parser skips a byte order mark and stops at a zero byte; JSON knows neither.
    const bool is_beyond_it =
        body.starts_with("\xef\xbb\xbf") || body.find('\0') != std::string_view::npos;
    CHECK(is_beyond_it || deepest(body) > stream::JsonSplitter::kMaxDepth ||
          !nlohmann::json::accept(body));
    return 0;
  }
  const char* from = body.data();
  std::string joined = "[";
  for (const std::string_view message : messages) {
    CHECK(message.data() >= from && !message.empty());
    from = message.data() + message.size();
    joined += joined.size() > 1 ? "," : "";
    joined += message;
  }
  CHECK(from <= body.data() + body.size());
  std::vector<std::string_view> again;
  CHECK(inner_splitter.split(joined + "]", again).has_value());
  return 0;
}
