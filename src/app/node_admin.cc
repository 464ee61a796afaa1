#include "app/node_admin.h"

#include <string>

namespace app {

ports::Task<void> NodeAdmin::handle(ports::HttpExchange& exchange) {
  core::HttpResponse response;
  const bool ready = !is_stopping_;
  response.status = ready ? 200 : 503;
  response.headers.add("Content-Type", "application/json");
  response.body.emplace_back(std::string(ready ? R"({"ready":true,"fenced":false})"
                                               : R"({"ready":false,"fenced":false})"));
  exchange.respond(std::move(response));
  co_return;
}

}  // namespace app
