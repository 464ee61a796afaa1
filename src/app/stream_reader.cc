#include "app/stream_reader.h"

#include <nlohmann/json.hpp>

namespace app {
namespace {

bool is_true(const adapters::HttpAnswer& answer, std::string_view name) {
  return core::equal_without_case(field_of(answer, name), "true");
}

}  // namespace

const char* name_of(ReadMode mode) {
  switch (mode) {
    case ReadMode::catch_up: return "catch-up";
    case ReadMode::long_poll: return "long poll";
    case ReadMode::sse: return "sse";
  }
  return "catch-up";
}

ports::Task<core::Result<ReadChunk>> StreamReader::next() {
  return mode_ == ReadMode::sse ? next_events() : next_answer();
}

ports::Task<core::Result<ReadChunk>> StreamReader::next_answer() {
  std::string target = stream_target(name_) + "?";
  if (!cursor_.empty()) target += "cursor=" + escaped(cursor_) + "&";
  if (mode_ == ReadMode::long_poll) target += "live=long-poll&";
  target += "offset=" + escaped(offset_);
  CO_TRY(auto answer, co_await client_.call(core::HttpMethod::get, std::move(target)));
  if (answer.status != 200 && answer.status != 204) {
    co_return tl::unexpected<core::Error>(error_of(answer));
  }
  ReadChunk chunk;
  chunk.start = offset_;
  chunk.next = field_of(answer, "Stream-Next-Offset");
  if (chunk.next.empty()) {
    co_return core::fail(core::Errc::corrupt, "the answer has no Stream-Next-Offset");
  }
  chunk.up_to_date = is_true(answer, "Stream-Up-To-Date");
  chunk.closed = is_true(answer, "Stream-Closed");
  if (!answer.body.empty()) chunk.pieces.push_back(std::move(answer.body));
  offset_ = chunk.next;
  cursor_ = field_of(answer, "Stream-Cursor");
  co_return chunk;
}

ports::Task<core::Result<void>> StreamReader::open_events() {
  std::string target = stream_target(name_) + "?";
  if (!cursor_.empty()) target += "cursor=" + escaped(cursor_) + "&";
  target += "live=sse&offset=" + escaped(offset_);
  CO_TRY(auto answer, co_await client_.begin(std::move(target)));
  if (answer.status != 200) {
    for (;;) {
      CO_TRY(const auto piece, co_await client_.read_some());
      if (piece.empty()) break;
      answer.body += piece;
    }
    co_return tl::unexpected<core::Error>(error_of(answer));
  }
  base64_ = core::equal_without_case(field_of(answer, "stream-sse-data-encoding"), "base64");
  parser_ = {};
  events_.clear();
  taken_ = 0;
  open_ = true;
  co_return core::Result<void>{};
}

/// True when the event completes the chunk.
core::Result<bool> StreamReader::take(const SseEvent& event, ReadChunk& chunk) {
  if (event.type == "data") {
    if (!base64_) {
      chunk.pieces.push_back(event.data);
      return false;
    }
    auto bytes = decode_base64(event.data);
    if (!bytes) return core::fail(core::Errc::corrupt, "an event that is not base64");
    chunk.pieces.push_back(std::move(*bytes));
    return false;
  }
  if (event.type != "control") return false;
  const auto control = nlohmann::json::parse(event.data, nullptr, false);
  if (!control.is_object() || !control.contains("streamNextOffset") ||
      !control["streamNextOffset"].is_string()) {
    return core::fail(core::Errc::corrupt, "a control event without an offset");
  }
  const auto flag = [&](const char* name) {
    return control.contains(name) && control[name].is_boolean() && control[name].get<bool>();
  };
  chunk.next = control["streamNextOffset"].get<std::string>();
  chunk.up_to_date = flag("upToDate");
  chunk.closed = flag("streamClosed");
  if (control.contains("streamCursor") && control["streamCursor"].is_string()) {
    cursor_ = control["streamCursor"].get<std::string>();
  }
  return true;
}

ports::Task<core::Result<ReadChunk>> StreamReader::next_events() {
  ReadChunk chunk;
  chunk.start = offset_;
  if (!open_) CO_TRY_VOID(co_await open_events());
  for (;;) {
    while (taken_ < events_.size()) {
      auto complete = take(events_[taken_++], chunk);
      if (!complete) open_ = false;
      CO_TRY(const bool done, std::move(complete));
      if (!done) continue;
      offset_ = chunk.next;
      co_return chunk;
    }
    auto piece = co_await client_.read_some();
    if (!piece || piece->empty()) open_ = false;
    if (!piece) co_return tl::unexpected<core::Error>(piece.error());
    if (piece->empty()) {
      chunk.pieces.clear();  // Without an offset after them they will come again.
      chunk.next = offset_;
      co_return chunk;
    }
    events_ = parser_.feed(*piece);
    taken_ = 0;
  }
}

}  // namespace app
