#include <fmt/format.h>

#include <cctype>

#include "app/backoff.h"
#include "app/client_flags.h"
#include "app/client_loop.h"
#include "app/json_lines.h"
#include "app/stream_commands.h"
#include "app/stream_reader.h"

namespace app {
namespace {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

struct ReadWish {
  HttpUrl endpoint;
  std::string name;
  std::string offset;
  ReadMode mode = ReadMode::catch_up;
  std::uint64_t messages = kNoLimit;  // Stop after so many: JSON messages, or answers of others.
};

/// Prints records as they come and counts them.
class Printer {
 public:
  explicit Printer(bool json, std::uint64_t most) : json_(json), left_(most) {}

  bool full() const { return left_ == 0; }

  /// conflict: stdout is closed.
  core::Result<void> print_chunk(const ReadChunk& chunk) {
    for (const std::string& piece : chunk.pieces) {
      if (!json_) {
        TRY_VOID(write(piece));
        continue;
      }
      TRY(const auto messages, split_json_array(piece));
      for (const std::string& message : messages) TRY_VOID(write(message + "\n"));
    }
    return {};
  }

 private:
  core::Result<void> write(const std::string& text) {
    if (left_ == 0) return {};
    if (left_ != kNoLimit) --left_;
    if (!print(text)) return core::fail(core::Errc::conflict, "stdout was closed");
    return {};
  }

  bool json_;
  std::uint64_t left_;
};

bool is_json(const std::string& content_type) {
  return core::equal_without_case(content_type.substr(0, content_type.find(';')),
                                  "application/json");
}

bool may_pass(const core::Error& error) {
  return error.code == core::Errc::unavailable || error.code == core::Errc::unknown;
}

core::Result<ReadWish> read_wish(const Invocation& invocation, ReadMode mode) {
  ReadWish wish;
  TRY(wish.endpoint, invocation.flags.http_url("endpoint"));
  wish.name = invocation.arguments.at(0);
  wish.mode = mode;
  wish.offset = invocation.flags.text("offset");
  return wish;
}

/// Follows (or reads to the tail, for catch_up) and prints; the last line on stderr says where to
/// go on.
ports::Task<int> run_read(ports::asio::any_io_executor executor, std::string command,
                          ReadWish wish) {
  StreamClient client(executor, wish.endpoint);
  const auto head = co_await client.call(core::HttpMethod::head, stream_target(wish.name));
  if (!head) co_return complain_about(command, wish.name, head.error());
  if (head->status != 200) co_return complain_about(command, wish.name, error_of(*head));

  Printer printer(is_json(field_of(*head, "Content-Type")), wish.messages);
  // What `now` means must not move while we reconnect.
  const std::string from =
      wish.offset == "now" ? field_of(*head, "Stream-Next-Offset") : wish.offset;
  StreamReader reader(client, wish.name, wish.mode, from);
  Backoff backoff(std::hash<std::string>{}(wish.name));
  bool lost = false;
  while (!printer.full()) {
    const auto chunk = co_await reader.next();
    if (!chunk) {
      if (wish.mode == ReadMode::catch_up || !may_pass(chunk.error())) {
        co_return complain_about(command, wish.name, chunk.error());
      }
      if (!lost) fmt::print(stderr, "{}: {}; reconnecting\n", wish.name, chunk.error().context);
      lost = true;
      client.close();
      co_await pause_for(backoff.next());
      continue;
    }
    lost = false;
    backoff.reset();
    const auto printed = printer.print_chunk(*chunk);
    if (!printed) {
      if (printed.error().code == core::Errc::conflict) co_return kDone;
      co_return complain_about(command, wish.name, printed.error());
    }
    if (chunk->closed || (wish.mode == ReadMode::catch_up && chunk->up_to_date)) break;
  }
  // Stopped inside an answer there is no offset to name.
  if (!printer.full()) fmt::print(stderr, "next offset {}\n", reader.offset());
  co_return kDone;
}

int stream_read(const Invocation& invocation) {
  const auto wish = read_wish(invocation, ReadMode::catch_up);
  if (!wish) return complain("stream read", wish.error());
  return run_client([&](auto executor) { return run_read(executor, "stream read", *wish); });
}

core::Result<ReadWish> tail_wish(const Invocation& invocation) {
  TRY(const bool long_poll, invocation.flags.on("long-poll"));
  TRY(const bool from_beginning, invocation.flags.on("from-beginning"));
  TRY(auto wish, read_wish(invocation, long_poll ? ReadMode::long_poll : ReadMode::sse));
  if (from_beginning && invocation.flags.is_set("offset")) {
    return invocation.flags.refuse("offset", "says where to begin, and so does --from-beginning");
  }
  if (from_beginning) wish.offset = "-1";
  if (invocation.flags.is_set("count")) {
    TRY(wish.messages, invocation.flags.count("count", 1, kNoLimit - 1));
  }
  return wish;
}

int stream_tail(const Invocation& invocation) {
  const auto wish = tail_wish(invocation);
  if (!wish) return complain("stream tail", wish.error());
  return run_client([&](auto executor) { return run_read(executor, "stream tail", *wish); });
}

}  // namespace

CommandSpec stream_read_command() {
  return CommandSpec{
      .path = "stream read",
      .summary = "Print what is in a stream, from an offset to its tail",
      .arguments = {"NAME"},
      .flags = with_endpoint({
          {"offset", "OFFSET", "-1",
           "Where to begin: -1 is the beginning, or an offset that you "
           "were told"},
      }),
      .examples =
          "  clouduler stream read orders\n"
          "  clouduler stream read orders --offset 0000000000000000_0000000000000042\n"
          "A JSON stream is printed as one message on each line, others as they are.\n"
          "The offset to go on from is printed on stderr.\n",
      .run = stream_read};
}

CommandSpec stream_tail_command() {
  return CommandSpec{
      .path = "stream tail",
      .summary = "Print what is appended to a stream, as it happens",
      .arguments = {"NAME"},
      .flags = with_endpoint({
          {"offset", "OFFSET", "now", "Where to begin"},
          {"from-beginning", "", "", "Print first what is there already"},
          {"count", "N", "", "Stop after N messages (of a JSON stream) or pieces"},
          {"long-poll", "", "", "Ask again and again instead of holding an event stream"},
      }),
      .examples =
          "  clouduler stream tail orders\n"
          "  clouduler stream tail orders --from-beginning --count 10\n"
          "Survives restarts of the node: it goes on where it was. Ends when the stream is\n"
          "closed.\n",
      .run = stream_tail};
}

}  // namespace app
