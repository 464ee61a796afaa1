#include "drivers/serve/feed.h"

#include <algorithm>
#include <boost/asio/post.hpp>

namespace drivers {
namespace {

namespace asio = boost::asio;

/// Carries news from the logic thread to the feed's network thread.
class PostingListener : public TailListener {
 public:
  PostingListener(asio::any_io_executor network, std::weak_ptr<Feed> feed)
      : network_(std::move(network)), feed_(std::move(feed)) {}

  void on_tail(std::shared_ptr<const stream::TailUpdate> update) override {
    asio::post(network_, [feed = feed_, update = std::move(update)] {
      if (const auto alive = feed.lock()) alive->update(*update);
    });
  }

 private:
  asio::any_io_executor network_;
  std::weak_ptr<Feed> feed_;
};

std::size_t size_of(const std::vector<stream::BatchSlice>& slices) {
  std::size_t size = 0;
  for (const stream::BatchSlice& slice : slices) size += slice.batches.size();
  return size;
}

}  // namespace

void Feed::follow(StreamService& service, asio::any_io_executor logic,
                  asio::any_io_executor network, std::string name) {
  listener_ = std::make_shared<PostingListener>(std::move(network), weak_from_this());
  asio::post(logic, [&service, name = std::move(name), weak = std::weak_ptr(listener_)] {
    service.follow(name, weak);
  });
}

void Feed::update(const stream::TailUpdate& news) {
  known_ = true;
  closed_ = closed_ || news.closed;
  gone_ = gone_ || news.gone;
  if (!news.slices.empty()) {
    Chunk chunk;
    chunk.base = news.slices.front().first;
    chunk.end = news.tail;
    chunk.slices = news.slices;
    chunk.bytes = size_of(news.slices);
    if (chunk.base != tail_) {
      chunks_.clear();
      bytes_ = 0;
    }
    bytes_ += chunk.bytes;
    chunks_.push_back(std::move(chunk));
    trim();
  }
  if (!news.gone) tail_ = news.tail;
  for (ports::HttpExchange* waiter : waiters) waiter->wake();
}

/// The newest chunk stays however large it is: everybody at the tail is about to send it.
void Feed::trim() {
  while (chunks_.size() > 1 && bytes_ > window_bytes_) {
    bytes_ -= chunks_.front().bytes;
    chunks_.pop_front();
  }
}

core::Result<std::optional<Feed::Event>> Feed::event_at(core::Offset position,
                                                        std::string_view content_type,
                                                        std::uint64_t cursor) {
  const auto found =
      std::lower_bound(chunks_.begin(), chunks_.end(), position,
                       [](const Chunk& chunk, core::Offset wanted) { return chunk.base < wanted; });
  if (found == chunks_.end() || found->base != position) return std::optional<Event>();
  Chunk& chunk = *found;
  if (chunk.data.empty()) {
    TRY(std::string text, durable::data_event(content_type, chunk.slices));
    chunk.data = core::Bytes(std::move(text));
    chunk.slices.clear();
  }
  const bool at_tail = chunk.end == tail_;
  const bool closes = at_tail && closed_;
  if (closes) return std::optional<Event>(Event{chunk.data, end_event(), chunk.end, true});
  if (chunk.control.empty() || chunk.control_cursor != cursor || chunk.control_at_tail != at_tail) {
    durable::Control control;
    control.next = chunk.end;
    control.cursor = cursor;
    control.up_to_date = at_tail;
    chunk.control = core::Bytes(durable::control_event(control));
    chunk.control_cursor = cursor;
    chunk.control_at_tail = at_tail;
  }
  return std::optional<Event>(Event{chunk.data, chunk.control, chunk.end, false});
}

core::Bytes Feed::end_event() const {
  durable::Control control;
  control.next = tail_;
  control.up_to_date = true;
  control.closed = true;
  return core::Bytes(durable::control_event(control));
}

void FeedTable::wake_all() {
  for (auto& [name, feed] : feeds_) {
    for (ports::HttpExchange* waiter : feed->waiters) waiter->wake();
  }
}

std::shared_ptr<Feed> FeedTable::enter(const std::string& name) {
  std::shared_ptr<Feed>& feed = feeds_[name];
  if (!feed || feed->gone()) {
    feed = std::make_shared<Feed>(window_bytes_);
    feed->follow(service_, logic_, network_, name);
  }
  return feed;
}

void FeedTable::leave(const std::string& name, const std::shared_ptr<Feed>& feed) {
  if (!feed->waiters.empty()) return;
  const auto found = feeds_.find(name);
  if (found != feeds_.end() && found->second == feed) feeds_.erase(found);
}

FeedSeat::FeedSeat(FeedTable& table, std::string name, ports::HttpExchange& exchange)
    : table_(table), name_(std::move(name)), exchange_(exchange), feed_(table.enter(name_)) {
  feed_->waiters.insert(&exchange_);
}

FeedSeat::~FeedSeat() {
  feed_->waiters.erase(&exchange_);
  table_.leave(name_, feed_);
}

}  // namespace drivers
