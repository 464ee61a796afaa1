#include <algorithm>
#include <memory>

#include "drivers/serve/live_reads.h"
#include "durable/answer.h"
#include "durable/body.h"
#include "durable/cursor.h"

namespace drivers {
namespace {

enum class Waited : std::uint8_t { news, timeout, ending, peer_gone };

ports::Task<Waited> wait_for_news(ServeThread& thread, ports::HttpExchange& exchange, Feed& feed,
                                  core::Offset position, core::Time deadline) {
  while (!feed.has_news(position)) {
    if (thread.ending) co_return Waited::ending;
    const core::Time left = deadline - thread.clock.now();
    if (left <= core::Time::zero()) co_return Waited::timeout;
    const ports::HttpWake wake = co_await exchange.wait(left);
    if (wake == ports::HttpWake::peer_gone) co_return Waited::peer_gone;
  }
  co_return thread.ending ? Waited::ending : Waited::news;
}

std::uint64_t cursor_for(ServeThread& thread, const durable::ReadQuery& query) {
  return durable::next_cursor(query.cursor, thread.clock.wall_now(), thread.random);
}

core::HttpResponse answer_found(ServeThread& thread, const durable::ReadQuery& query,
                                const stream::ReadReply& reply) {
  auto body = durable::join_body(reply.facts.config.content_type, reply.slices);
  if (!body) return durable::answer_error(body.error());
  thread.charge(*body);
  return durable::answer_read(query, reply, std::move(*body), cursor_for(thread, query));
}

}  // namespace

ports::Task<core::HttpResponse> long_poll(ServeThread& thread, ports::HttpExchange& exchange,
                                          std::string name, durable::ReadQuery query) {
  const GaugeHold hold(thread.metrics.long_polls);
  const core::Time deadline = thread.clock.now() + thread.options.long_poll_timeout;
  std::unique_ptr<FeedSeat> seat;
  stream::ReadRequest request;
  request.name = name;
  request.from = query.from;
  request.offset = query.offset;
  for (;;) {
    if (thread.is_full()) co_return durable::answer_unavailable("too many answers wait to be read");
    request.at_ms = thread.clock.wall_now();
    request.max_bytes = thread.allowance(thread.options.read_chunk);
    const auto reply = co_await thread.read(request);
    if (!reply) co_return durable::answer_error(reply.error());
    if (reply->status != stream::ReadStatus::ok) co_return durable::answer_unreadable(*reply);
    if (reply->next > reply->start) co_return answer_found(thread, query, *reply);
    const core::Offset tail = reply->next;
    const bool is_over = seat && seat->feed().gone();  // Of a stream that is there again: ask anew.
    if (reply->at_end() || is_over) {
      co_return durable::answer_nothing_new(tail, reply->at_end(), cursor_for(thread, query));
    }
    request.from = stream::ReadStart::offset;
    request.offset = tail;
    if (!seat) seat = std::make_unique<FeedSeat>(thread.feeds, name, exchange);
    const Waited waited = co_await wait_for_news(thread, exchange, seat->feed(), tail, deadline);
    if (waited == Waited::ending) co_return durable::answer_unavailable("this node is stopping");
    if (waited == Waited::timeout || waited == Waited::peer_gone) {
      co_return durable::answer_nothing_new(tail, false, cursor_for(thread, query));
    }
  }
}

}  // namespace drivers
