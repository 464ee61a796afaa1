#include <fmt/format.h>

#include "app/client_flags.h"
#include "app/client_loop.h"
#include "app/stream_client.h"
#include "app/stream_commands.h"

namespace app {
namespace {

/// One request about one stream.
struct Change {
  std::string command;  // "stream create", for messages.
  HttpUrl endpoint;
  std::string name;
  core::HttpMethod method = core::HttpMethod::put;
  std::string query;
  HeaderList headers;
};

using Report = std::string (*)(const Change& change, const adapters::HttpAnswer& answer);

ports::Task<int> run_change(ports::asio::any_io_executor executor, Change change, Report report) {
  StreamClient client(executor, change.endpoint);
  const auto answer = co_await client.call(change.method, stream_target(change.name) + change.query,
                                           change.headers);
  if (!answer) co_return complain_about(change.command, change.name, answer.error());
  if (answer->status < 200 || answer->status > 299) {
    co_return complain_about(change.command, change.name, error_of(*answer));
  }
  fmt::print(stderr, "{}\n", report(change, *answer));
  co_return kDone;
}

core::Result<Change> change_of(const Invocation& invocation, const std::string& command,
                               core::HttpMethod method) {
  Change change;
  change.command = command;
  change.method = method;
  change.name = invocation.arguments.at(0);
  TRY(change.endpoint, invocation.flags.http_url("endpoint"));
  return change;
}

int carry_out(const core::Result<Change>& change, const std::string& command, Report report) {
  if (!change) return complain(command, change.error());
  return run_client([&](auto executor) { return run_change(executor, *change, report); });
}

core::Result<Change> creation(const Invocation& invocation) {
  const Flags& flags = invocation.flags;
  TRY(auto change, change_of(invocation, "stream create", core::HttpMethod::put));
  const bool fork = flags.is_set("fork-from");
  if (!fork || flags.is_set("content-type")) {
    change.headers.emplace_back("Content-Type", flags.text("content-type"));
  }
  if (flags.is_set("ttl")) {
    if (flags.is_set("expires-at")) return flags.refuse("ttl", "excludes --expires-at");
    TRY(const auto ttl, flags.count("ttl", 0, std::numeric_limits<std::int64_t>::max()));
    change.headers.emplace_back("Stream-TTL", std::to_string(ttl));
  }
  if (flags.is_set("expires-at")) {
    change.headers.emplace_back("Stream-Expires-At", flags.text("expires-at"));
  }
  for (const char* name : {"fork-offset", "fork-sub-offset"}) {
    if (flags.is_set(name) && !fork) return flags.refuse(name, "needs --fork-from");
  }
  if (fork) {
    change.headers.emplace_back("Stream-Forked-From", stream_target(flags.text("fork-from")));
  }
  if (flags.is_set("fork-offset")) {
    change.headers.emplace_back("Stream-Fork-Offset", flags.text("fork-offset"));
  }
  if (flags.is_set("fork-sub-offset")) {
    TRY(const auto sub,
        flags.count("fork-sub-offset", 0, std::numeric_limits<std::int64_t>::max()));
    change.headers.emplace_back("Stream-Fork-Sub-Offset", std::to_string(sub));
  }
  TRY(const bool closed, flags.on("closed"));
  if (closed) change.headers.emplace_back("Stream-Closed", "true");
  return change;
}

int stream_create(const Invocation& invocation) {
  return carry_out(
      creation(invocation), "stream create", [](const auto& change, const auto& answer) {
        return fmt::format("{}: {}, next offset {}", change.name,
                           answer.status == 201 ? "created" : "exists already, as asked for",
                           field_of(answer, "Stream-Next-Offset"));
      });
}

core::Result<Change> closing(const Invocation& invocation) {
  TRY(auto change, change_of(invocation, "stream close", core::HttpMethod::post));
  change.headers.emplace_back("Stream-Closed", "true");
  return change;
}

int stream_close(const Invocation& invocation) {
  return carry_out(closing(invocation), "stream close", [](const auto& change, const auto& answer) {
    return fmt::format("{}: closed at {}", change.name, field_of(answer, "Stream-Next-Offset"));
  });
}

int stream_delete(const Invocation& invocation) {
  return carry_out(
      change_of(invocation, "stream delete", core::HttpMethod::remove), "stream delete",
      [](const auto& change, const auto&) { return fmt::format("{}: deleted", change.name); });
}

core::Result<Change> trimming(const Invocation& invocation) {
  TRY(auto change, change_of(invocation, "stream trim", core::HttpMethod::post));
  const std::string& before = invocation.flags.text("before");
  if (before.empty()) {
    return core::fail(core::Errc::invalid, "--before OFFSET: must say what to keep from");
  }
  change.query = "?trim_before=" + escaped(before);
  return change;
}

int stream_trim(const Invocation& invocation) {
  return carry_out(trimming(invocation), "stream trim", [](const auto& change, const auto&) {
    return fmt::format("{}: trimmed", change.name);
  });
}

}  // namespace

CommandSpec stream_create_command() {
  return CommandSpec{
      .path = "stream create",
      .summary = "Create a stream",
      .arguments = {"NAME"},
      .flags = with_endpoint({
          {"content-type", "TYPE", "text/plain",
           "What is in it; application/json keeps messages apart"},
          {"ttl", "SECONDS", "", "Delete it when nobody used it for so long"},
          {"expires-at", "TIME", "", "Delete it then (RFC 3339: 2030-01-31T12:00:00Z)"},
          {"fork-from", "NAME", "", "Begin with what is in another stream, without copying it"},
          {"fork-offset", "OFFSET", "", "Up to here (default: its tail)"},
          {"fork-sub-offset", "N", "", "And so many bytes, or JSON messages, of the next append"},
          {"closed", "", "", "Closed from the beginning"},
      }),
      .examples =
          "  clouduler stream create notes\n"
          "  clouduler stream create orders/eu --content-type application/json\n"
          "  clouduler stream create scratch --ttl 3600\n"
          "  clouduler stream create what-if --fork-from orders/eu\n"
          "Creating a stream again in the same way is no error.\n",
      .run = stream_create};
}

CommandSpec stream_close_command() {
  return CommandSpec{.path = "stream close",
                     .summary = "End a stream: nothing can be appended any more",
                     .arguments = {"NAME"},
                     .flags = with_endpoint({}),
                     .examples = "  clouduler stream close orders\n",
                     .run = stream_close};
}

CommandSpec stream_delete_command() {
  return CommandSpec{.path = "stream delete",
                     .summary = "Delete a stream and what is in it",
                     .arguments = {"NAME"},
                     .flags = with_endpoint({}),
                     .examples = "  clouduler stream delete orders\n",
                     .run = stream_delete};
}

CommandSpec stream_trim_command() {
  return CommandSpec{
      .path = "stream trim",
      .summary = "Forget the oldest records of a stream",
      .arguments = {"NAME"},
      .flags = with_endpoint({{"before", "OFFSET", "", "Keep what is from here on"}}),
      .examples = "  clouduler stream trim orders --before 0000000000000000_0000000000001000\n",
      .run = stream_trim};
}

}  // namespace app
