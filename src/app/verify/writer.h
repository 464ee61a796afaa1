#pragma once

#include "app/backoff.h"
#include "app/stream_client.h"
#include "app/verify/run.h"

namespace app::verify {

/// Appends to streams drawn by lot, one append after the other, until the run says that writing
/// ends. Writers of even numbers are plain; odd ones are idempotent producers, whose appends are
/// sent again under the same sequence until there is an answer.
class Writer {
 public:
  Writer(ports::asio::any_io_executor executor, Run& run, std::uint32_t number);

  ports::Task<void> write_all();

 private:
  struct Sequence {
    std::uint64_t epoch = 0;
    std::uint64_t next = 0;
  };

  bool is_producer() const { return number_ % 2 == 1; }
  ports::Task<void> write_one();
  HeaderList headers(std::uint32_t stream) const;

  /// What an answer, or the lack of one, means for an append; none: send it again.
  std::optional<Outcome> outcome_of(const core::Result<adapters::HttpAnswer>& answer, bool again);
  void finish(std::uint32_t request, std::uint32_t stream, Outcome outcome, std::string offset);

  Run& run_;
  std::uint32_t number_;
  StreamClient client_;
  core::Random random_;
  Backoff backoff_;
  std::map<std::uint32_t, Sequence> sequences_;  // By stream.
};

}  // namespace app::verify
