#pragma once

#include <string>

#include "app/backoff.h"
#include "app/stream_reader.h"
#include "app/verify/run.h"

namespace app::verify {

/// One reader of one stream, in one of the three ways, and what it got. Goes on through restarts of
/// the node until it reaches its goal.
class Reader {
 public:
  /// `from`: "-1" or an offset.
  Reader(ports::asio::any_io_executor executor, Run& run, std::uint32_t stream, ReadMode mode,
         std::string from);

  /// Returns when the reader is done, for whatever reason.
  ports::Task<void> read_all();

  /// From now on it is done when it has got to this offset. Ends a wait if it has already.
  void set_goal(const std::string& offset);

  /// Ends it where it is. `whole`: what it did not get it should have got.
  void stop(bool whole);

  bool done() const { return done_; }
  Reading& reading() { return reading_; }

 private:
  bool at_goal() const;
  void take(const ReadChunk& chunk);
  ports::Task<bool> after_error(core::Error error);

  Run& run_;
  ReadMode mode_;
  StreamClient client_;
  StreamReader reader_;
  RecordDecoder decoder_;
  Backoff backoff_;
  Reading reading_;
  std::string goal_;
  bool idle_ = false;        // It has all that there was.
  bool up_to_date_ = false;  // As the last answer said.
  bool stopped_ = false;
  bool done_ = false;
};

}  // namespace app::verify
