#include "app/sse.h"

#include <array>

namespace app {

std::vector<SseEvent> SseParser::feed(std::string_view piece) {
  rest_ += piece;
  std::vector<SseEvent> events;
  std::size_t from = 0;
  for (std::size_t end = 0; (end = rest_.find('\n', from)) != std::string::npos; from = end + 1) {
    auto line = std::string_view(rest_).substr(from, end - from);
    if (line.ends_with('\r')) line.remove_suffix(1);
    take_line(line, events);
  }
  rest_.erase(0, from);
  return events;
}

void SseParser::take_line(std::string_view line, std::vector<SseEvent>& events) {
  if (line.empty()) {
    if (has_data_) events.push_back(std::move(event_));
    event_ = {};
    has_data_ = false;
    return;
  }
  const auto colon = line.find(':');
  const auto field = line.substr(0, colon);
  auto value = colon == std::string_view::npos ? std::string_view{} : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "event") {
    event_.type = value;
  } else if (field == "data") {
    if (has_data_) event_.data += '\n';
    event_.data += value;
    has_data_ = true;
  }
}

std::optional<std::string> decode_base64(std::string_view text) {
  static const auto kValues = [] {
    std::array<signed char, 256> values{};
    values.fill(-1);
    constexpr std::string_view kAlphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
      values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<signed char>(i);
    }
    return values;
  }();
  if (text.size() % 4 != 0) return std::nullopt;
  std::size_t padding = 0;
  while (padding < 2 && text.ends_with('=')) {
    text.remove_suffix(1);
    ++padding;
  }
  std::string bytes;
  bytes.reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  int held = 0;
  for (const char letter : text) {
    const auto c = static_cast<unsigned char>(letter);
    if (kValues[c] < 0) return std::nullopt;
    bits = (bits << 6) | static_cast<std::uint32_t>(kValues[c]);
    held += 6;
    if (held >= 8) {
      held -= 8;
      bytes += static_cast<char>((bits >> held) & 0xFF);
    }
  }
  return bytes;
}

}  // namespace app
