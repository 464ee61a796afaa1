#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/bytes.h"
#include "core/ids.h"
#include "core/result.h"
#include "drivers/stream_service.h"
#include "durable/sse.h"
#include "ports/http.h"

namespace drivers {

/// One stream's news on one network thread, shared by all who follow it there.
///
/// It keeps the newest updates, a bounded window, and formats each at most once, so a thousand
/// readers at the tail cost a thousand writes of the same bytes. It keeps nothing for anybody in
/// particular: a reader whose position has left the window reads from the service again.
class Feed : public std::enable_shared_from_this<Feed> {
 public:
  struct Event {
    core::Bytes data;
    core::Bytes control;
    core::Offset next = 0;
    bool closes = false;
  };

  explicit Feed(std::size_t window_bytes) : window_bytes_(window_bytes) {}

  /// Subscribes; the first update, with the present state, arrives some time later.
  void follow(StreamService& service, boost::asio::any_io_executor logic,
              boost::asio::any_io_executor network, std::string name);

  bool is_known() const { return known_; }  // The first update is here.
  core::Offset tail() const { return tail_; }
  bool closed() const { return closed_; }
  bool gone() const { return gone_; }
  bool has_news(core::Offset position) const {
    return known_ && (gone_ || closed_ || tail_ > position);
  }

  /// The event with what follows `position`. None: that is not in the window, though it exists.
  /// corrupt: what was stored cannot be shown. Only if tail() > position.
  core::Result<std::optional<Event>> event_at(core::Offset position, std::string_view content_type,
                                              std::uint64_t cursor);

  /// The control event alone that says that the stream has ended.
  core::Bytes end_event() const;

  void update(const stream::TailUpdate& news);

  std::unordered_set<ports::HttpExchange*> waiters;

 private:
  struct Chunk {
    core::Offset base = 0;
    core::Offset end = 0;
    std::vector<stream::BatchSlice> slices;
    std::size_t bytes = 0;
    core::Bytes data;     // Formatted when the first reader wants it.
    core::Bytes control;  // For readers at the tail, or behind it; see control_cursor.
    std::uint64_t control_cursor = 0;
    bool control_at_tail = false;
  };

  void trim();

  const std::size_t window_bytes_;
  bool known_ = false;
  bool closed_ = false;
  bool gone_ = false;
  core::Offset tail_ = 0;
  std::deque<Chunk> chunks_;  // Consecutive, ending at tail_.
  std::size_t bytes_ = 0;
  std::shared_ptr<TailListener> listener_;
};

/// The feeds of one network thread. A feed lives while somebody has a seat in it.
class FeedTable {
 public:
  FeedTable(StreamService& service, boost::asio::any_io_executor logic,
            boost::asio::any_io_executor network, std::size_t window_bytes)
      : service_(service),
        logic_(std::move(logic)),
        network_(std::move(network)),
        window_bytes_(window_bytes) {}

  /// Wakes everybody who waits.
  void wake_all();

 private:
  friend class FeedSeat;
  std::shared_ptr<Feed> enter(const std::string& name);
  void leave(const std::string& name, const std::shared_ptr<Feed>& feed);

  StreamService& service_;
  boost::asio::any_io_executor logic_;
  boost::asio::any_io_executor network_;
  std::size_t window_bytes_;
  std::unordered_map<std::string, std::shared_ptr<Feed>> feeds_;
};

/// One exchange's place among those that a feed wakes.
class FeedSeat {
 public:
  FeedSeat(FeedTable& table, std::string name, ports::HttpExchange& exchange);
  ~FeedSeat();
  FeedSeat(const FeedSeat&) = delete;
  FeedSeat& operator=(const FeedSeat&) = delete;

  Feed& feed() { return *feed_; }

 private:
  FeedTable& table_;
  std::string name_;
  ports::HttpExchange& exchange_;
  std::shared_ptr<Feed> feed_;
};

}  // namespace drivers
