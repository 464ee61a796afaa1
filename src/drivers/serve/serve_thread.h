#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "core/random.h"
#include "core/time.h"
#include "drivers/serve/feed.h"
#include "drivers/serve/metrics.h"
#include "drivers/stream_service.h"
#include "durable/body.h"
#include "ports/timers.h"

namespace drivers {

struct ServeOptions {
  core::Time long_poll_timeout = std::chrono::seconds(25);
  core::Time sse_max_duration = std::chrono::seconds(55);
  std::size_t read_chunk = 4 * 1024 * 1024;      // Of one answer; readers loop.
  std::size_t sse_chunk = 512 * 1024;            // Of one event while a reader catches up.
  std::size_t feed_window = 256 * 1024;          // Kept of each stream that is followed.
  std::size_t max_outgoing = 256 * 1024 * 1024;  // Answers not yet sent: beyond it they get small.
  std::uint64_t seed = 0;                        // For what must not be guessed or alike.
};

/// What the handlers of one network thread share. Used on that thread only.
class ServeThread {
 public:
  ServeThread(StreamService& service, ports::asio::any_io_executor logic,
              ports::asio::any_io_executor network, const ports::Timers& with_clock,
              HttpMetrics& with_metrics, const ServeOptions& how, std::uint64_t seed,
              std::size_t max_outgoing)
      : feeds(service, logic, network, how.feed_window),
        random(seed),
        clock(with_clock),
        metrics(with_metrics),
        options(how),
        service_(service),
        logic_(std::move(logic)),
        is_logic_(logic_ == network),
        max_outgoing_(max_outgoing) {}

  /// Runs `task` on the logic thread and then goes on here. If this is the logic thread, it is a
  /// plain call.
  template <class T>
  ports::Task<T> on_logic(ports::Task<T> task) {
    if (is_logic_) return task;
    return ports::asio::co_spawn(logic_, std::move(task), ports::asio::use_awaitable);
  }

  ports::Task<core::Result<stream::ReadReply>> read(stream::ReadRequest request) {
    return on_logic(service_.read(std::move(request)));
  }

  /// How large an answer may be now: `wanted`, but less when readers are slow to take theirs.
  std::size_t allowance(std::size_t wanted) const;

  /// Answers that wait for slow readers hold all the memory they may: no more of them.
  bool is_full() const { return *outgoing_ > max_outgoing_; }

  /// Counts a large body until it is sent, by a part without bytes that knows when it is dropped.
  void charge(std::vector<core::Bytes>& body);

  durable::BodyFramer framer;
  FeedTable feeds;
  core::Random random;
  const ports::Timers& clock;
  HttpMetrics& metrics;
  const ServeOptions& options;
  bool ending = false;  // Live reads end now.

 private:
  StreamService& service_;
  ports::asio::any_io_executor logic_;
  bool is_logic_;
  std::size_t max_outgoing_;
  std::shared_ptr<std::size_t> outgoing_ = std::make_shared<std::size_t>(0);
};

}  // namespace drivers
