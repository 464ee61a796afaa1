#include "drivers/serve/admin_handler.h"

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <nlohmann/json.hpp>

#include "durable/target.h"
#include "stream/offset_text.h"

namespace drivers {
namespace {

namespace asio = boost::asio;
using Json = nlohmann::ordered_json;
constexpr std::string_view kStreams = "/admin/streams/";

core::HttpResponse text_answer(unsigned status, std::string_view type, std::string text) {
  core::HttpResponse response;
  response.status = status;
  response.headers.add("Content-Type", type);
  response.headers.add("Cache-Control", "no-store");
  response.headers.add("X-Content-Type-Options", "nosniff");
  response.body.emplace_back(std::move(text));
  return response;
}

core::HttpResponse json_answer(unsigned status, const Json& json) {
  return text_answer(status, "application/json",
                     json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

core::HttpResponse error_answer(unsigned status, std::string_view code, std::string message) {
  return json_answer(status, Json{{"error", code}, {"message", std::move(message)}});
}

Json id_or_null(const std::optional<core::NodeId>& node) {
  return node ? Json(core::raw(*node)) : Json(nullptr);
}

core::HttpResponse ready_answer(const Readiness& ready) {
  Json json{{"ready", ready.ready}, {"fenced", ready.fenced}};
  if (!ready.reason.empty()) json["reason"] = ready.reason;
  return json_answer(ready.ready ? 200 : 503, json);
}

Json cluster_json(const ClusterFacts& facts) {
  return Json{{"cluster_id", facts.cluster_id},
              {"node_id", core::raw(facts.life.node)},
              {"node_epoch", core::raw(facts.life.epoch)},
              {"applied_index", core::raw(facts.applied)},
              {"lease_holder", id_or_null(facts.lease_holder)},
              {"nodes", facts.nodes},
              {"streams", facts.streams},
              {"objects", facts.objects},
              {"object_bytes", facts.object_bytes},
              {"pending_transfers", facts.pending_transfers},
              {"backlog_records", facts.backlog_records},
              {"backlog_bytes", facts.backlog_bytes}};
}

Json nodes_json(const std::vector<NodeFacts>& nodes) {
  Json list = Json::array();
  for (const NodeFacts& node : nodes) {
    list.push_back(Json{{"id", core::raw(node.id)},
                        {"epoch", core::raw(node.epoch)},
                        {"address", node.address},
                        {"slots", node.slots},
                        {"streams", node.streams},
                        {"open_streams", node.open_streams},
                        {"heartbeats", node.heartbeats},
                        {"fenced", node.fenced},
                        {"local", node.local},
                        {"lease_holder", node.lease_holder}});
  }
  return Json{{"nodes", std::move(list)}};
}

core::HttpResponse stream_answer(const std::optional<StreamPlace>& place, const std::string& name) {
  if (!place) return error_answer(404, "not_found", fmt::format("there is no stream '{}'", name));
  return json_answer(200, Json{{"name", place->name},
                               {"id", core::raw(place->id)},
                               {"owner", core::raw(place->owner)},
                               {"state", place->state},
                               {"epoch", core::raw(place->epoch)},
                               {"start_offset", stream::offset_text(place->start)},
                               {"end_offset", stream::offset_text(place->end)},
                               {"closed", place->ended},
                               {"content_type", place->content_type},
                               {"pending_transfer", id_or_null(place->transfer_to)}});
}

}  // namespace

ports::Task<void> AdminHandler::handle(ports::HttpExchange& exchange) {
  const core::HttpRequest& request = exchange.request();
  const std::string path(durable::split_target(request.target).path);
  if (request.method != core::HttpMethod::get && request.method != core::HttpMethod::head) {
    core::HttpResponse response =
        error_answer(405, "method_not_allowed", fmt::format("{} takes GET alone", path));
    response.headers.add("Allow", "GET, HEAD");
    co_return exchange.respond(std::move(response));
  }
  if (path ==
      "/health") {  // Without the logic thread: the process is up, whatever it is busy with.
    co_return exchange.respond(json_answer(200, Json{{"status", "up"}}));
  }
  auto response = co_await asio::co_spawn(logic_, answer_on_logic(path), asio::use_awaitable);
  exchange.respond(std::move(response));
}

ports::Task<core::HttpResponse> AdminHandler::answer_on_logic(std::string path) {
  co_return answer(path);
}

core::HttpResponse AdminHandler::answer(const std::string& path) {
  if (path == "/ready") return ready_answer(service_.readiness());
  if (path == "/admin/cluster") return json_answer(200, cluster_json(service_.cluster()));
  if (path == "/admin/nodes") return json_answer(200, nodes_json(service_.nodes()));
  if (path == "/metrics") {
    std::vector<Sample> samples = service_.samples();
    for (Sample& sample : samples_of(metrics_)) samples.push_back(std::move(sample));
    return text_answer(200, "text/plain; version=0.0.4; charset=utf-8", metrics_text(samples));
  }
  if (path.starts_with(kStreams) && path.size() > kStreams.size()) {
    auto name = durable::percent_decode(std::string_view(path).substr(kStreams.size()));
    if (!name) return error_answer(400, "invalid", fmt::format("'{}' is badly encoded", path));
    name->erase(0, std::min(name->find_first_not_of('/'), name->size()));
    return stream_answer(service_.stream(*name), *name);
  }
  return error_answer(404, "not_found", fmt::format("there is nothing at {}", path));
}

}  // namespace drivers
