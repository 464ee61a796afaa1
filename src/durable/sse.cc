#include "durable/sse.h"

#include <fmt/format.h>

#include "durable/answer.h"
#include "durable/base64.h"
#include "stream/content_type.h"
#include "stream/gather.h"
#include "stream/offset_text.h"

namespace durable {
namespace {

/// What an event stream can carry as it is.
bool is_text(std::string_view content_type) {
  const std::string type = stream::normalized_type(content_type);
  return type.substr(0, 5) == "text/" || type == "application/json";
}

/// One `data:` line for each line of `text`, whatever ends its lines, so that nothing in it can
/// begin an event of its own. No space after the colon: clients drop one, and it might be the
/// text's.
void append_lines(std::string_view text, std::string& out) {
  for (;;) {
    const std::size_t end = text.find_first_of("\r\n");
    out.append("data:").append(text.substr(0, end)).append("\n");
    if (end == std::string_view::npos) return;
    text.remove_prefix(text.substr(end, 2) == "\r\n" ? end + 2 : end + 1);
  }
}

}  // namespace

core::HttpResponse begin_sse(std::string_view content_type) {
  core::HttpResponse response = answer(200);
  response.headers.add("Content-Type", "text/event-stream");
  response.headers.add("Cache-Control", "no-cache");
  response.headers.add("X-Accel-Buffering", "no");
  if (!is_text(content_type)) response.headers.add("stream-sse-data-encoding", "base64");
  return response;
}

core::Result<std::string> data_event(std::string_view content_type,
                                     const std::vector<stream::BatchSlice>& slices) {
  const bool json = stream::is_json(content_type);
  std::string payload;
  if (json) payload += '[';
  for (const stream::BatchSlice& slice : slices) {
    if (json && payload.size() > 1) payload += ',';
    TRY_VOID(
        stream::append_values(slice, json ? stream::Join::commas : stream::Join::raw, payload));
  }
  if (json) payload += ']';
  std::string event = "event: data\n";
  event.reserve(event.size() + payload.size() + payload.size() / 2 + 16);
  if (is_text(content_type)) {
    append_lines(payload, event);
  } else {
    event += "data:";
    append_base64(payload, event);
    event += '\n';
  }
  event += '\n';
  return event;
}

std::string control_event(const Control& control) {
  std::string event = fmt::format("event: control\ndata:{{\"streamNextOffset\":\"{}\"",
                                  stream::offset_text(control.next));
  if (control.cursor && !control.closed) {
    event += fmt::format(",\"streamCursor\":\"{}\"", *control.cursor);
  }
  if (control.up_to_date) event += ",\"upToDate\":true";
  if (control.closed) event += ",\"streamClosed\":true";
  event += "}\n\n";
  return event;
}

}  // namespace durable
