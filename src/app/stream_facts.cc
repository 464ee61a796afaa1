#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/client_flags.h"
#include "app/client_loop.h"
#include "app/stream_client.h"
#include "app/stream_commands.h"

namespace app {
namespace {

struct Fact {
  const char* header;
  const char* shown;
};

constexpr Fact kFacts[] = {
    {"Content-Type", "content-type"},    {"Stream-Next-Offset", "next-offset"},
    {"Stream-Closed", "closed"},         {"Stream-TTL", "ttl"},
    {"Stream-Expires-At", "expires-at"},
};

ports::Task<int> run_head(ports::asio::any_io_executor executor, HttpUrl endpoint, std::string name,
                          bool json) {
  StreamClient client(executor, endpoint);
  const auto answer = co_await client.call(core::HttpMethod::head, stream_target(name));
  if (!answer) co_return complain_about("stream head", name, answer.error());
  if (answer->status != 200) co_return complain_about("stream head", name, error_of(*answer));
  nlohmann::ordered_json object{{"name", name}};
  std::string table = fmt::format("{:<14}{}\n", "name", name);
  for (const Fact& fact : kFacts) {
    const std::string value = field_of(*answer, fact.header);
    if (value.empty()) continue;
    object[fact.shown] = value;
    table += fmt::format("{:<14}{}\n", fact.shown, value);
  }
  const std::string line = object.dump() + "\n";
  print(json ? line : table);
  co_return kDone;
}

int stream_head(const Invocation& invocation) {
  const auto endpoint = invocation.flags.http_url("endpoint");
  if (!endpoint) return complain("stream head", endpoint.error());
  const auto json = invocation.flags.on("json");
  if (!json) return complain("stream head", json.error());
  return run_client([&](auto executor) {
    return run_head(executor, *endpoint, invocation.arguments.at(0), *json);
  });
}

struct ListWish {
  HttpUrl endpoint;
  std::string prefix;
  std::uint64_t limit = 0;
  bool json = false;
};

core::Result<ListWish> list_wish(const Invocation& invocation) {
  ListWish wish;
  TRY(wish.endpoint, invocation.flags.http_url("endpoint"));
  TRY(wish.json, invocation.flags.on("json"));
  wish.limit = std::numeric_limits<std::uint64_t>::max();
  if (invocation.flags.is_set("limit")) {
    TRY(wish.limit, invocation.flags.count("limit", 1, wish.limit));
  }
  wish.prefix = invocation.flags.text("prefix");
  while (wish.prefix.starts_with('/')) wish.prefix.erase(0, 1);
  return wish;
}

/// Page by page, so that a million streams are no more trouble than ten.
ports::Task<int> run_list(ports::asio::any_io_executor executor, ListWish wish) {
  constexpr std::uint64_t kPage = 1000;
  StreamClient client(executor, wish.endpoint);
  std::string after;
  for (std::uint64_t left = wish.limit; left > 0;) {
    const std::uint64_t page = std::min(left, kPage);
    const std::string target = fmt::format("/v1/stream/?limit={}&prefix={}&start_after={}", page,
                                           escaped(wish.prefix), escaped(after));
    const auto answer = co_await client.call(core::HttpMethod::get, target);
    if (!answer) co_return complain("stream ls", answer.error().context, kFailed);
    if (answer->status != 200) co_return complain("stream ls", describe(*answer), kFailed);
    const auto body = nlohmann::ordered_json::parse(answer->body, nullptr, false);
    if (!body.is_object() || !body.contains("streams") || !body["streams"].is_array()) {
      co_return complain("stream ls", "the answer is not a list of streams", kFailed);
    }
    std::string text;
    for (const auto& stream : body["streams"]) {
      after = stream.is_object() ? stream.value("name", std::string()) : std::string();
      text += (wish.json ? stream.dump() : after) + "\n";
    }
    if (!print(text)) co_return kDone;
    left -= std::min<std::uint64_t>(left, body["streams"].size());
    if (body["streams"].size() < page || after.empty()) break;
  }
  co_return kDone;
}

int stream_ls(const Invocation& invocation) {
  const auto wish = list_wish(invocation);
  if (!wish) return complain("stream ls", wish.error());
  return run_client([&](auto executor) { return run_list(executor, *wish); });
}

}  // namespace

CommandSpec stream_head_command() {
  return CommandSpec{.path = "stream head",
                     .summary = "Print the facts of a stream",
                     .arguments = {"NAME"},
                     .flags = with_endpoint({{"json", "", "", "As one JSON object"}}),
                     .examples =
                         "  clouduler stream head orders\n"
                         "  clouduler stream head orders --json\n",
                     .run = stream_head};
}

CommandSpec stream_ls_command() {
  return CommandSpec{
      .path = "stream ls",
      .summary = "List streams by name",
      .arguments = {},
      .flags = with_endpoint({
          {"prefix", "PREFIX", "", "Only names that begin like this"},
          {"limit", "N", "", "At most so many (default: all)"},
          {"json", "", "", "One JSON object on each line, with the facts of each stream"},
      }),
      .examples =
          "  clouduler stream ls\n"
          "  clouduler stream ls --prefix orders/\n"
          "  clouduler stream ls --json --limit 10\n",
      .run = stream_ls};
}

}  // namespace app
