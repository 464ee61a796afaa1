#include "drivers/serve/stream_handler.h"

#include <boost/asio/post.hpp>
#include <utility>

#include "drivers/serve/live_reads.h"
#include "durable/answer.h"
#include "durable/append.h"
#include "durable/create.h"
#include "durable/list.h"
#include "durable/read.h"

namespace drivers {
namespace {

namespace asio = boost::asio;
using core::HttpMethod;

constexpr std::string_view kStreamMethods = "GET, HEAD, PUT, POST, DELETE, OPTIONS";

core::HttpResponse answer_reserved() {
  core::HttpResponse response = durable::answer(404);
  response.headers.add("Content-Type", "application/json");
  response.headers.add("Cache-Control", "no-store");
  response.body.emplace_back(
      std::string(R"({"error":{"code":"NOT_FOUND","message":"this server has no subscriptions"}})"
                  "\n"));
  return response;
}

}  // namespace

StreamHandler::StreamHandler(StreamService& service, asio::any_io_executor logic,
                             const std::vector<asio::any_io_executor>& threads,
                             const ports::Timers& clock, HttpMetrics& metrics, ServeOptions options)
    : service_(service), clock_(clock), metrics_(metrics), options_(options), executors_(threads) {
  core::Random seeds(options.seed);
  const std::size_t share = options.max_outgoing / threads.size();
  for (const auto& network : threads) {
    threads_.push_back(std::make_unique<ServeThread>(service_, logic, network, clock_, metrics_,
                                                     options_, seeds.next(), share));
  }
}

void StreamHandler::end_live_reads() {
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    asio::post(executors_[i], [thread = threads_[i].get()] {
      thread->ending = true;
      thread->feeds.wake_all();
    });
  }
}

void StreamHandler::finish(ports::HttpExchange& exchange, HttpMethod method, Response response) {
  metrics_.count_request(method, response.status);
  exchange.respond(std::move(response));
}

ports::Task<void> StreamHandler::handle(ports::HttpExchange& exchange) {
  ServeThread& thread = *threads_[exchange.thread()];
  const core::HttpRequest& request = exchange.request();
  const HttpMethod method = request.method;
  const durable::Target target = durable::split_target(request.target);
  metrics_.body_bytes_in.add(request.body.size());
  if (method == HttpMethod::options) co_return finish(exchange, method, durable::answer_options());
  if (target.path == durable::kStreamRoot) {
    if (method != HttpMethod::get) {
      co_return finish(exchange, method, durable::answer_method("GET, OPTIONS"));
    }
    co_return finish(exchange, method, co_await list(thread, target.query));
  }
  auto name = durable::parse_stream_name(target.path);
  if (!name) co_return finish(exchange, method, durable::answer_refusal(name.error()));
  if (durable::is_reserved(*name)) co_return finish(exchange, method, answer_reserved());
  switch (method) {
    case HttpMethod::post: {
      auto response = co_await append(thread, request, std::move(*name), target.query);
      co_return finish(exchange, method, std::move(response));
    }
    case HttpMethod::get: {
      co_await get(thread, exchange, std::move(*name), target);
      co_return;
    }
    case HttpMethod::put: {
      auto response = co_await create(thread, request, std::move(*name), target.path);
      co_return finish(exchange, method, std::move(response));
    }
    case HttpMethod::head: {
      auto response = co_await head(thread, std::move(*name));
      co_return finish(exchange, method, std::move(response));
    }
    case HttpMethod::remove: {
      auto response = co_await remove(thread, std::move(*name));
      co_return finish(exchange, method, std::move(response));
    }
    default: co_return finish(exchange, method, durable::answer_method(kStreamMethods));
  }
}

ports::Task<void> StreamHandler::get(ServeThread& thread, ports::HttpExchange& exchange,
                                     std::string name, durable::Target target) {
  auto query = durable::parse_read(target.query, exchange.request().fields);
  if (!query) {
    finish(exchange, HttpMethod::get, durable::answer_refusal(query.error()));
  } else if (query->live == durable::Live::sse) {
    const unsigned status =
        co_await stream_events(thread, exchange, std::move(name), std::move(*query));
    metrics_.count_request(HttpMethod::get, status);
  } else if (query->live == durable::Live::long_poll) {
    auto response = co_await long_poll(thread, exchange, std::move(name), std::move(*query));
    finish(exchange, HttpMethod::get, std::move(response));
  } else {
    auto response = co_await read(thread, std::move(name), std::move(*query));
    finish(exchange, HttpMethod::get, std::move(response));
  }
}

ports::Task<core::HttpResponse> StreamHandler::read(ServeThread& thread, std::string name,
                                                    durable::ReadQuery query) {
  if (thread.is_full()) co_return durable::answer_unavailable("too many answers wait to be read");
  stream::ReadRequest request;
  request.name = std::move(name);
  request.from = query.from;
  request.offset = query.offset;
  request.max_bytes = thread.allowance(options_.read_chunk);
  request.at_ms = clock_.wall_now();
  const auto reply = co_await thread.read(std::move(request));
  if (!reply) co_return durable::answer_error(reply.error());
  if (reply->status != stream::ReadStatus::ok) co_return durable::answer_unreadable(*reply);
  auto body = durable::join_body(reply->facts.config.content_type, reply->slices);
  if (!body) co_return durable::answer_error(body.error());
  thread.charge(*body);
  co_return durable::answer_read(query, *reply, std::move(*body), std::nullopt);
}

ports::Task<core::HttpResponse> StreamHandler::append(ServeThread& thread,
                                                      const core::HttpRequest& request,
                                                      std::string name, std::string_view query) {
  const auto before = durable::parse_trim(query, request);
  if (!before) co_return durable::answer_refusal(before.error());
  if (*before) co_return co_await trim(thread, std::move(name), **before);
  auto append = durable::parse_append(std::move(name), request, thread.framer, clock_.wall_now());
  if (!append) co_return durable::answer_refusal(append.error());
  const durable::AppendEcho echo = durable::echo_of(*append);
  const auto reply = co_await thread.on_logic(service_.append(std::move(*append)));
  if (!reply) co_return durable::answer_error(reply.error());
  co_return durable::answer_append(echo, *reply);
}

ports::Task<core::HttpResponse> StreamHandler::create(ServeThread& thread,
                                                      const core::HttpRequest& request,
                                                      std::string name, std::string_view path) {
  auto create = durable::parse_create(std::move(name), request, clock_.wall_now());
  if (!create) co_return durable::answer_refusal(create.error());
  if (durable::needs_source_type(*create, request)) {
    const auto source = co_await thread.on_logic(service_.facts(create->fork->source));
    if (!source) co_return durable::answer_error(source.error());
    create->config.content_type = source->config.content_type;
  }
  const auto framed = durable::add_content(*create, request.body, thread.framer);
  if (!framed) co_return durable::answer_refusal(framed.error());
  const auto reply = co_await thread.on_logic(service_.create(std::move(*create)));
  if (!reply) co_return durable::answer_error(reply.error());
  co_return durable::answer_create(*reply, durable::location_of(path, request.fields));
}

ports::Task<core::HttpResponse> StreamHandler::trim(ServeThread& thread, std::string name,
                                                    core::Offset before) {
  const auto status = co_await thread.on_logic(service_.trim(std::move(name), before));
  if (!status) co_return durable::answer_error(status.error());
  switch (*status) {
    case TrimStatus::done: co_return durable::answer(204);
    case TrimStatus::deleted: co_return durable::answer_text(410, "the stream was deleted");
    case TrimStatus::beyond_tail:
      co_return durable::answer_text(400, "trim_before is beyond the stream's tail");
    default: co_return durable::answer_text(404, "there is no such stream");
  }
}

ports::Task<core::HttpResponse> StreamHandler::head(ServeThread& thread, std::string name) {
  const auto facts = co_await thread.on_logic(service_.facts(std::move(name)));
  if (!facts) co_return durable::answer_error(facts.error());
  co_return durable::answer_facts(*facts);
}

ports::Task<core::HttpResponse> StreamHandler::remove(ServeThread& thread, std::string name) {
  const auto status = co_await thread.on_logic(service_.remove(std::move(name)));
  if (!status) co_return durable::answer_error(status.error());
  switch (*status) {
    case DeleteStatus::done: co_return durable::answer(204);
    case DeleteStatus::deleted: co_return durable::answer_text(410, "the stream was deleted");
    default: co_return durable::answer_text(404, "there is no such stream");
  }
}

ports::Task<core::HttpResponse> StreamHandler::list(ServeThread& thread, std::string_view query) {
  const auto wanted = durable::parse_list(query);
  if (!wanted) co_return durable::answer_refusal(wanted.error());
  ListRequest request;
  request.prefix = wanted->prefix;
  request.start_after = wanted->start_after;
  request.limit = wanted->limit;
  auto listed = co_await thread.on_logic(service_.list(std::move(request)));
  if (!listed) co_return durable::answer_error(listed.error());
  std::vector<durable::ListItem> items;
  for (ListedStream& one : *listed) items.push_back({std::move(one.name), std::move(one.facts)});
  co_return durable::answer_list(*wanted, items);
}

}  // namespace drivers
