#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/admin_table.h"
#include "app/client_flags.h"
#include "app/client_loop.h"
#include "app/command.h"
#include "app/stream_client.h"

namespace app {
namespace {

/// One question to the admin listener.
struct Question {
  std::string command;  // "admin nodes".
  std::string target;
  HttpUrl endpoint;
  bool json = false;
};

ports::Task<int> run_admin(ports::asio::any_io_executor executor, Question question) {
  adapters::HttpClient client(executor, question.endpoint.host,
                              std::to_string(question.endpoint.port));
  adapters::HttpCall call;
  call.target = question.endpoint.path + question.target;
  const auto answer = co_await client.request(std::move(call));
  if (!answer) co_return complain(question.command, answer.error().context, kFailed);
  const auto body = nlohmann::ordered_json::parse(answer->body, nullptr, false);
  if (answer->status != 200) {
    const std::string why = body.is_object() ? body.value("message", std::string()) : "";
    co_return complain(question.command,
                       fmt::format("{} {}{}{}", answer->status, core::http_reason(answer->status),
                                   why.empty() ? "" : ": ", why),
                       kFailed);
  }
  if (body.is_discarded()) {
    co_return complain(question.command, "the answer is not JSON: is this the admin listener?",
                       kFailed);
  }
  print(question.json ? body.dump(2) + "\n" : admin_table(body));
  co_return kDone;
}

int ask(const Invocation& invocation, const std::string& command, const std::string& target) {
  const auto endpoint = invocation.flags.http_url("admin-endpoint");
  if (!endpoint) return complain(command, endpoint.error());
  const auto json = invocation.flags.on("json");
  if (!json) return complain(command, json.error());
  const Question question{command, target, *endpoint, *json};
  return run_client([&](auto executor) { return run_admin(executor, question); });
}

std::vector<FlagSpec> admin_flags() {
  return {{"admin-endpoint", "URL", "http://127.0.0.1:9090", "The node's admin listener"},
          {"json", "", "", "The answer as it came"}};
}

}  // namespace

std::vector<CommandSpec> admin_commands() {
  std::vector<CommandSpec> commands;
  commands.push_back({.path = "admin cluster",
                      .summary = "Print what a node knows of its cluster",
                      .arguments = {},
                      .flags = admin_flags(),
                      .examples = "  clouduler admin cluster\n  clouduler admin cluster --json\n",
                      .run = [](const Invocation& invocation) {
                        return ask(invocation, "admin cluster", "/admin/cluster");
                      }});
  commands.push_back({.path = "admin nodes",
                      .summary = "List the nodes: epochs, addresses, heartbeats, streams",
                      .arguments = {},
                      .flags = admin_flags(),
                      .examples = "  clouduler admin nodes\n",
                      .run = [](const Invocation& invocation) {
                        return ask(invocation, "admin nodes", "/admin/nodes");
                      }});
  commands.push_back({.path = "admin stream",
                      .summary = "Print who owns a stream, its state and its offsets",
                      .arguments = {"NAME"},
                      .flags = admin_flags(),
                      .examples = "  clouduler admin stream orders/eu\n",
                      .run = [](const Invocation& invocation) {
                        std::string name = invocation.arguments.at(0);
                        while (name.starts_with('/')) name.erase(0, 1);
                        return ask(invocation, "admin stream",
                                   "/admin/streams/" + escaped_path(name));
                      }});
  return commands;
}

}  // namespace app
