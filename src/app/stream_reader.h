#pragma once

#include <string>
#include <vector>

#include "app/sse.h"
#include "app/stream_client.h"

namespace app {

enum class ReadMode : std::uint8_t { catch_up, long_poll, sse };

const char* name_of(ReadMode mode);

/// What came between two offsets.
struct ReadChunk {
  std::vector<std::string> pieces;  // Of a JSON stream: whole arrays. Else: bytes, in order.
  std::string start;
  std::string next;
  bool up_to_date = false;
  bool closed = false;  // The stream has ended here.
};

/// Reads a stream from an offset on, in any of the three ways. What was handed out once is never
/// handed out again: after an error the next call resumes where the last whole chunk ended.
class StreamReader {
 public:
  StreamReader(StreamClient& client, std::string name, ReadMode mode, std::string offset)
      : client_(client), name_(std::move(name)), mode_(mode), offset_(std::move(offset)) {}

  /// catch_up: what is there now. long_poll: waits a while for it; may be empty.
  /// sse: waits until there is something, or the server wishes a new connection (empty then).
  ///
  /// unavailable, unknown: the connection or the node went away; call again. Others are final.
  ports::Task<core::Result<ReadChunk>> next();

  const std::string& offset() const { return offset_; }

 private:
  ports::Task<core::Result<ReadChunk>> next_answer();
  ports::Task<core::Result<ReadChunk>> next_events();
  ports::Task<core::Result<void>> open_events();
  core::Result<bool> take(const SseEvent& event, ReadChunk& chunk);

  StreamClient& client_;
  std::string name_;
  ReadMode mode_;
  std::string offset_;
  std::string cursor_;

  bool open_ = false;  // An event stream is being read.
  bool base64_ = false;
  SseParser parser_;
  std::vector<SseEvent> events_;  // Parsed and not handed out yet.
  std::size_t taken_ = 0;
};

}  // namespace app
