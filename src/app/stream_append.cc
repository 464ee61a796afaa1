#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "app/append_input.h"
#include "app/backoff.h"
#include "app/client_flags.h"
#include "app/client_loop.h"
#include "app/stream_client.h"
#include "app/stream_commands.h"

namespace app {
namespace {

using Clock = std::chrono::steady_clock;

struct AppendWish {
  HttpUrl endpoint;
  std::string name;
  std::string content_type;  // Empty: the stream's own.
  std::string file;          // Not empty: one append with all of it.
  std::string producer;      // Not empty: appends are numbered and may be repeated.
  std::uint64_t producer_epoch = 0;
  std::uint64_t batch = 0;  // Lines in one append; 0: many for JSON, one for others.
  bool close = false;
  core::Time patience{};
};

core::Result<std::string> read_all(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return core::fail(core::Errc::invalid,
                      fmt::format("--file {}: {}", path, std::strerror(errno)));
  }
  std::string text;
  char block[1 << 16];
  ssize_t got = 0;
  while ((got = ::read(file, block, sizeof block)) > 0) {
    text.append(block, static_cast<std::size_t>(got));
  }
  const int why = errno;
  ::close(file);
  if (got < 0) {
    return core::fail(core::Errc::invalid, fmt::format("--file {}: {}", path, std::strerror(why)));
  }
  return text;
}

/// Appends one after the other, each until it is acknowledged or refused.
class Appender {
 public:
  Appender(ports::asio::any_io_executor executor, AppendWish wish)
      : wish_(std::move(wish)), client_(executor, wish_.endpoint) {}

  ports::Task<int> run() {
    const auto done = co_await append_all();
    if (done || requests_ > 0) {
      fmt::print(stderr, "{}: appended {} records in {} requests{}, next offset {}\n", wish_.name,
                 records_, requests_,
                 repeated_ > 0 ? fmt::format(" ({} were there already)", repeated_) : "",
                 next_offset_);
    }
    if (!done) co_return complain_about("stream append", wish_.name, done.error());
    co_return kDone;
  }

 private:
  ports::Task<core::Result<void>> append_all() {
    CO_TRY(const auto head,
           co_await client_.call(core::HttpMethod::head, stream_target(wish_.name)));
    if (head.status != 200) co_return tl::unexpected<core::Error>(error_of(head));
    next_offset_ = field_of(head, "Stream-Next-Offset");
    if (wish_.content_type.empty()) wish_.content_type = field_of(head, "Content-Type");
    if (wish_.file.empty()) {
      CO_TRY_VOID(co_await append_lines());
    } else {
      CO_TRY(auto text, read_all(wish_.file));
      AppendBatch whole_file{std::move(text), 1};
      CO_TRY_VOID(co_await append_one(std::move(whole_file)));
    }
    AppendBatch nothing_more;
    if (wish_.close) CO_TRY_VOID(co_await append_one(std::move(nothing_more)));
    co_return core::Result<void>{};
  }

  ports::Task<core::Result<void>> append_lines() {
    const bool json = wish_.content_type.starts_with("application/json");
    AppendInput input(json, wish_.batch);
    char block[1 << 16];
    bool more = true;
    while (more) {
      // Blocking is fine: until there is a line there is nothing to do.
      const ssize_t got = ::read(STDIN_FILENO, block, sizeof block);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0)
        co_return core::fail(core::Errc::invalid, fmt::format("stdin: {}", std::strerror(errno)));
      more = got > 0;
      auto batches = more ? input.feed({block, static_cast<std::size_t>(got)}) : input.finish();
      for (AppendBatch& batch : batches) CO_TRY_VOID(co_await append_one(std::move(batch)));
      CO_TRY_VOID(input.error());
    }
    co_return core::Result<void>{};
  }

  HeaderList headers(bool close_only) const {
    HeaderList headers{{"Content-Type", wish_.content_type}};
    if (close_only) headers.emplace_back("Stream-Closed", "true");
    if (!wish_.producer.empty()) {
      headers.emplace_back("Producer-Id", wish_.producer);
      headers.emplace_back("Producer-Epoch", std::to_string(wish_.producer_epoch));
      headers.emplace_back("Producer-Seq", std::to_string(sequence_));
    }
    return headers;
  }

  /// A batch without records closes the stream.
  ports::Task<core::Result<void>> append_one(AppendBatch batch) {
    const bool close_only = batch.records == 0;
    const bool repeatable = !wish_.producer.empty() || close_only;
    const auto give_up_at = Clock::now() + wish_.patience;
    for (;;) {
      auto answer = co_await client_.call(core::HttpMethod::post, stream_target(wish_.name),
                                          headers(close_only), batch.body);
      core::Error error{core::Errc::unavailable, ""};
      if (answer && answer->status >= 200 && answer->status <= 299) {
        take(*answer, batch, close_only);
        co_return core::Result<void>{};
      }
      error = answer ? error_of(*answer) : answer.error();
      // 503 may come after the write was begun, so only 429 and no answer at all mean "not done".
      const bool not_done = answer ? answer->status == 429 : error.code == core::Errc::unavailable;
      const bool passing =
          error.code == core::Errc::unavailable || error.code == core::Errc::unknown;
      if (!passing || Clock::now() >= give_up_at) {
        co_return tl::unexpected<core::Error>(std::move(error));
      }
      if (!not_done && !repeatable) {
        error.context += "; it may have been written or not (--producer makes repeating safe)";
        co_return tl::unexpected<core::Error>(std::move(error));
      }
      co_await pause_for(backoff_.next());
    }
  }

  void take(const adapters::HttpAnswer& answer, const AppendBatch& batch, bool close_only) {
    backoff_.reset();
    if (answer.fields.has("Stream-Next-Offset")) {
      next_offset_ = field_of(answer, "Stream-Next-Offset");
    }
    if (!wish_.producer.empty()) {
      ++sequence_;
      if (answer.status == 204 && !close_only) repeated_ += batch.records;
    }
    records_ += batch.records;
    if (!close_only) ++requests_;
  }

  AppendWish wish_;
  StreamClient client_;
  Backoff backoff_{static_cast<std::uint64_t>(::getpid())};
  std::uint64_t sequence_ = 0;
  std::uint64_t records_ = 0;
  std::uint64_t requests_ = 0;
  std::uint64_t repeated_ = 0;
  std::string next_offset_;
};

core::Result<AppendWish> append_wish(const Invocation& invocation) {
  const Flags& flags = invocation.flags;
  AppendWish wish;
  TRY(wish.endpoint, flags.http_url("endpoint"));
  wish.name = invocation.arguments.at(0);
  wish.content_type = flags.text("content-type");
  wish.file = flags.text("file");
  wish.producer = flags.text("producer");
  TRY(wish.producer_epoch, flags.count("producer-epoch", 0, (1ULL << 53) - 1));
  if (flags.is_set("producer-epoch") && wish.producer.empty()) {
    return flags.refuse("producer-epoch", "needs --producer");
  }
  if (flags.is_set("batch")) {
    TRY(wish.batch, flags.count("batch", 1, 100'000));
  }
  TRY(wish.close, flags.on("close"));
  TRY(wish.patience, flags.seconds("patience", core::Time(0)));
  return wish;
}

ports::Task<int> run_append(ports::asio::any_io_executor executor, AppendWish wish) {
  Appender appender(executor, std::move(wish));
  co_return co_await appender.run();
}

int stream_append(const Invocation& invocation) {
  const auto wish = append_wish(invocation);
  if (!wish) return complain("stream append", wish.error());
  return run_client([&](auto executor) { return run_append(executor, *wish); });
}

}  // namespace

CommandSpec stream_append_command() {
  return CommandSpec{
      .path = "stream append",
      .summary = "Append lines from stdin to a stream",
      .arguments = {"NAME"},
      .flags = with_endpoint({
          {"file", "FILE", "", "Append all of this file at once instead"},
          {"batch", "N", "", "Lines in one append (default: JSON up to 1000, others 1)"},
          {"content-type", "TYPE", "", "What the data is (default: what the stream is)"},
          {"producer", "ID", "", "Number the appends, so that each is written exactly once"},
          {"producer-epoch", "N", "0", "Raise it to append something new as the same producer"},
          {"close", "", "", "Close the stream afterwards"},
          {"patience", "SECONDS", "30", "How long to retry one append while the node is away"},
      }),
      .examples =
          "  echo hello | clouduler stream append notes\n"
          "  clouduler stream append notes --file letter.txt\n"
          "  clouduler stream append orders < orders.ndjson      one JSON message on each line\n"
          "  clouduler stream append orders --producer import-7 < orders.ndjson\n"
          "Each line, with its newline, is one record; lines of JSON travel many at a time.\n"
          "Without --producer an append is repeated only when it certainly was not written.\n"
          "With it, the whole command can be repeated: what was written already stays as it is.\n",
      .run = stream_append};
}

}  // namespace app
