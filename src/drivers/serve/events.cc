#include <algorithm>
#include <memory>
#include <optional>

#include "drivers/serve/live_reads.h"
#include "durable/answer.h"
#include "durable/cursor.h"
#include "durable/sse.h"

namespace drivers {
namespace {

/// Events that are sent at once to a reader who lags a little.
constexpr std::size_t kEventsAtOnce = 16;

/// One reader of an event stream.
struct Session {
  std::string name;
  std::string content_type;
  core::Offset position = 0;
  std::optional<std::uint64_t> cursor;  // None: the present interval, as nearly everybody.
  core::Time deadline{};
  bool ended = false;  // The stream's end was sent.
};

enum class Step : std::uint8_t { sent, stop, wait };

std::uint64_t cursor_of(const ServeThread& thread, const Session& session) {
  return session.cursor.value_or(durable::cursor_interval(thread.clock.wall_now()));
}

/// Sends what one read found: its records, and always where that leaves the reader.
ports::Task<bool> send_reply(ServeThread& thread, ports::HttpExchange& exchange, Session& session,
                             const stream::ReadReply& reply) {
  std::vector<core::Bytes> parts;
  if (reply.next > reply.start) {
    auto data = durable::data_event(session.content_type, reply.slices);
    if (!data) {
      exchange.abort();
      co_return false;
    }
    parts.emplace_back(std::move(*data));
    thread.metrics.events_sent.add();
  }
  durable::Control control;
  control.next = reply.next;
  control.cursor = cursor_of(thread, session);
  control.up_to_date = reply.up_to_date();
  control.closed = reply.at_end();
  parts.emplace_back(durable::control_event(control));
  session.position = reply.next;
  session.ended = control.closed;
  thread.charge(parts);
  co_return co_await exchange.write(std::move(parts));
}

/// The reader is not where the feed is: read on from where it is.
ports::Task<bool> catch_up(ServeThread& thread, ports::HttpExchange& exchange, Session& session) {
  if (thread.is_full()) co_return false;  // It comes back, and goes on from where it was.
  thread.metrics.feed_fallbacks.add();
  stream::ReadRequest request;
  request.name = session.name;
  request.from = stream::ReadStart::offset;
  request.offset = session.position;
  request.max_bytes = thread.allowance(thread.options.sse_chunk);
  request.at_ms = thread.clock.wall_now();
  const auto reply = co_await thread.read(std::move(request));
  if (!reply || reply->status != stream::ReadStatus::ok) co_return false;
  co_return co_await send_reply(thread, exchange, session, *reply);
}

/// Takes what the feed has for the reader; nothing if it has to read from the service.
core::Result<std::vector<core::Bytes>> take_events(ServeThread& thread, Session& session,
                                                   Feed& feed) {
  std::vector<core::Bytes> parts;
  const std::uint64_t cursor = cursor_of(thread, session);
  for (std::size_t i = 0; i < kEventsAtOnce && feed.tail() > session.position; ++i) {
    TRY(auto event, feed.event_at(session.position, session.content_type, cursor));
    if (!event) break;
    session.position = event->next;
    session.ended = event->closes;
    parts.push_back(std::move(event->data));
    parts.push_back(std::move(event->control));
    thread.metrics.events_sent.add();
  }
  if (parts.empty() && feed.closed() && feed.tail() == session.position) {
    parts.push_back(feed.end_event());
    session.ended = true;
  }
  return parts;
}

ports::Task<void> follow(ServeThread& thread, ports::HttpExchange& exchange, Session& session) {
  FeedSeat seat(thread.feeds, session.name, exchange);
  Feed& feed = seat.feed();
  while (!session.ended && !thread.ending) {
    const core::Time left = session.deadline - thread.clock.now();
    if (left <= core::Time::zero()) co_return;
    if (!feed.has_news(session.position)) {
      const ports::HttpWake wake = co_await exchange.wait(left);
      if (wake == ports::HttpWake::peer_gone) co_return;
      continue;
    }
    if (feed.gone()) co_return;
    auto parts = take_events(thread, session, feed);
    if (!parts) co_return exchange.abort();
    bool sent = false;
    if (parts->empty()) {
      sent = co_await catch_up(thread, exchange, session);
    } else {
      thread.charge(*parts);
      sent = co_await exchange.write(std::move(*parts));
    }
    if (!sent) co_return;
  }
}

/// Reads for the first time. Responds, and returns the status, if that is the whole answer.
ports::Task<unsigned> begin(ServeThread& thread, ports::HttpExchange& exchange, Session& session,
                            durable::ReadQuery query) {
  if (thread.is_full()) {
    exchange.respond(durable::answer_unavailable("too many answers wait to be read"));
    co_return 503;
  }
  stream::ReadRequest request;
  request.name = session.name;
  request.from = query.from;
  request.offset = query.offset;
  request.max_bytes = thread.allowance(thread.options.sse_chunk);
  request.at_ms = thread.clock.wall_now();
  const auto reply = co_await thread.read(std::move(request));
  if (!reply || reply->status != stream::ReadStatus::ok || thread.ending) {
    core::HttpResponse response = !reply ? durable::answer_error(reply.error())
                                  : thread.ending
                                      ? durable::answer_unavailable("this node is stopping")
                                      : durable::answer_unreadable(*reply);
    const unsigned status = response.status;
    exchange.respond(std::move(response));
    co_return status;
  }
  session.content_type = reply->facts.config.content_type;
  const core::WallMs now = thread.clock.wall_now();
  const std::uint64_t cursor = durable::next_cursor(query.cursor, now, thread.random);
  if (cursor != durable::cursor_interval(now)) session.cursor = cursor;
  exchange.begin(durable::begin_sse(session.content_type));
  const bool sent = co_await send_reply(thread, exchange, session, *reply);
  session.ended = session.ended || !sent;
  co_return 0;
}

}  // namespace

ports::Task<unsigned> stream_events(ServeThread& thread, ports::HttpExchange& exchange,
                                    std::string name, durable::ReadQuery query) {
  const GaugeHold hold(thread.metrics.sse_readers);
  Session session;
  session.name = std::move(name);
  session.deadline = thread.clock.now() + thread.options.sse_max_duration;
  const unsigned refused = co_await begin(thread, exchange, session, std::move(query));
  if (refused != 0) co_return refused;
  exchange.request() = core::HttpRequest();  // It may be a long time: keep nothing.
  co_await follow(thread, exchange, session);
  co_return 200;
}

}  // namespace drivers
