#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace app {

/// One server-sent event.
struct SseEvent {
  std::string type;
  std::string data;  // Lines joined by newlines, as they were before they were framed.
  bool operator==(const SseEvent&) const = default;
};

/// Takes an event stream apart, in pieces cut anywhere.
class SseParser {
 public:
  std::vector<SseEvent> feed(std::string_view piece);

 private:
  void take_line(std::string_view line, std::vector<SseEvent>& events);

  std::string rest_;
  SseEvent event_;
  bool has_data_ = false;
};

/// None if it is not base64 of RFC 4648, padded.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace app
