#include "app/bench/run.h"

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <charconv>
#include <memory>

#include "app/client_loop.h"
#include "app/stream_reader.h"

namespace app::bench {

namespace asio = ports::asio;

void Run::failed(const core::Error& error) {
  if (over) return;
  if (result.errors++ == 0) result.first_error = error.context;
}

void Run::count(std::uint64_t records, std::uint64_t bytes, Clock::duration latency) {
  ++result.requests;
  result.records += records;
  result.bytes += bytes;
  result.latency_us.add(static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(latency).count()));
  if (options.records > 0 && result.records >= options.records) over = true;
}

std::string make_body(const Run& run, std::uint64_t stamp) {
  if (!run.is_json()) return std::string(run.options.size, 'x');
  std::string message = fmt::format(R"({{"t":{},"x":"")", stamp);
  message.pop_back();
  const std::size_t around = message.size() + 2;
  if (run.options.size > around) message.append(run.options.size - around, 'x');
  message += "\"}";
  if (run.options.batch == 1) return message;
  std::string body = "[";
  body.reserve(run.options.batch * (message.size() + 1) + 1);
  for (std::uint32_t i = 0; i < run.options.batch; ++i) {
    if (i > 0) body += ',';
    body += message;
  }
  return body + "]";
}

std::vector<std::uint64_t> stamps_in(std::string_view text) {
  constexpr std::string_view kMark = "\"t\":";
  std::vector<std::uint64_t> stamps;
  for (auto at = text.find(kMark); at != std::string_view::npos; at = text.find(kMark, at)) {
    at += kMark.size();
    std::uint64_t stamp = 0;
    std::from_chars(text.data() + at, text.data() + text.size(), stamp);
    stamps.push_back(stamp);
  }
  return stamps;
}

namespace {

std::uint64_t now_stamp() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(Clock::now().time_since_epoch())
          .count());
}

/// One connection's work; ends with the run.
ports::Task<void> append_loop(asio::any_io_executor executor, Run& run, std::string name,
                              bool counted, std::uint64_t rate) {
  StreamClient client(executor, run.options.endpoint);
  const std::string target = stream_target(name);
  const HeaderList headers{{"Content-Type", run.content_type()}};
  auto next_at = Clock::now();
  const std::string same = make_body(run, 0);
  while (!run.over) {
    const auto sent_at = Clock::now();
    std::string body = counted ? same : make_body(run, now_stamp());
    const std::size_t bytes = body.size();
    const auto answer =
        co_await client.call(core::HttpMethod::post, target, headers, std::move(body));
    if (!answer || answer->status > 299) {
      run.failed(answer ? error_of(*answer) : answer.error());
      if (!run.over) co_await pause_for(std::chrono::milliseconds(100));
    } else if (counted && !run.over) {
      run.count(run.options.batch, bytes, Clock::now() - sent_at);
    }
    if (rate > 0) {
      next_at += std::chrono::microseconds(1'000'000 / rate);
      const auto wait = std::chrono::duration_cast<core::Time>(next_at - Clock::now());
      if (wait > core::Time(0) && !run.over) co_await pause_for(wait);
    }
  }
  --run.running;
}

ports::Task<void> read_loop(StreamClient& client, Run& run, std::string name) {
  while (!run.over) {
    StreamReader reader(client, name, ReadMode::catch_up, "-1");
    for (bool more = true; more && !run.over;) {
      const auto asked_at = Clock::now();
      const auto chunk = co_await reader.next();
      if (!chunk) {
        run.failed(chunk.error());
        if (!run.over) co_await pause_for(std::chrono::milliseconds(100));
        break;
      }
      std::uint64_t bytes = 0;
      for (const std::string& piece : chunk->pieces) bytes += piece.size();
      if (!run.over) run.count(bytes / run.options.size, bytes, Clock::now() - asked_at);
      more = !chunk->up_to_date && !chunk->closed;
    }
  }
  --run.running;
}

ports::Task<void> follow_loop(StreamClient& client, Run& run, std::string name) {
  StreamReader reader(client, name, ReadMode::sse, "now");
  while (!run.over) {
    const auto chunk = co_await reader.next();
    if (!chunk) {
      run.failed(chunk.error());
      if (!run.over) co_await pause_for(std::chrono::milliseconds(100));
      continue;
    }
    const std::uint64_t now = now_stamp();
    for (const std::string& piece : chunk->pieces) {
      for (const std::uint64_t stamp : stamps_in(piece)) {
        if (!run.over) run.count(1, piece.size(), std::chrono::microseconds(now - stamp));
      }
    }
  }
  --run.running;
}

ports::Task<core::Result<void>> make_streams(StreamClient& client, Run& run) {
  for (const std::string& name : run.streams) {
    if (!run.options.stream.empty()) break;
    HeaderList headers{{"Content-Type", run.content_type()}};
    CO_TRY(const auto answer,
           co_await client.call(core::HttpMethod::put, stream_target(name), std::move(headers)));
    if (answer.status > 299) {
      co_return core::fail(core::Errc::unavailable, name + ": " + describe(answer));
    }
    if (run.options.mode != Mode::read) continue;
    Run filler = run;  // Big appends, whatever will be read: filling is not what is measured.
    const std::uint64_t record = run.options.size * run.options.batch;
    if (!run.is_json()) filler.options.size = std::size_t{1} << 20;
    for (std::uint64_t filled = 0; filled < run.options.fill;) {
      std::string body = make_body(filler, 0);
      filled += run.is_json() ? record : body.size();
      HeaderList type{{"Content-Type", run.content_type()}};
      CO_TRY(const auto appended, co_await client.call(core::HttpMethod::post, stream_target(name),
                                                       std::move(type), std::move(body)));
      if (appended.status > 299) {
        co_return core::fail(core::Errc::unavailable, name + ": " + describe(appended));
      }
    }
  }
  co_return core::Result<void>{};
}

void start_connections(asio::any_io_executor executor, Run& run,
                       std::vector<std::unique_ptr<StreamClient>>& clients) {
  const auto start = [&](ports::Task<void> task) {
    ++run.running;
    asio::co_spawn(executor, std::move(task), asio::detached);
  };
  for (std::uint32_t i = 0; i < run.options.connections; ++i) {
    const std::string& name = run.streams[i % run.streams.size()];
    if (run.options.mode == Mode::append) {
      start(append_loop(executor, run, name, true, 0));
      continue;
    }
    clients.push_back(std::make_unique<StreamClient>(executor, run.options.endpoint));
    start(run.options.mode == Mode::read ? read_loop(*clients.back(), run, name)
                                         : follow_loop(*clients.back(), run, name));
  }
  if (run.options.mode != Mode::sse) return;
  for (const std::string& name : run.streams) {
    start(append_loop(executor, run, name, false, run.options.rate));
  }
}

double seconds_since(Clock::time_point begun) {
  return std::chrono::duration<double>(Clock::now() - begun).count();
}

}  // namespace

ports::Task<core::Result<void>> measure(asio::any_io_executor executor, Run& run) {
  StreamClient client(executor, run.options.endpoint);
  CO_TRY_VOID(co_await make_streams(client, run));

  std::vector<std::unique_ptr<StreamClient>> clients;
  run.begun = Clock::now();
  start_connections(executor, run, clients);
  std::uint64_t told = 0;
  for (double tell_at = 1; !run.over;) {
    co_await pause_for(std::chrono::milliseconds(5));
    const double passed = seconds_since(run.begun);
    if (passed >= tell_at) {
      fmt::print(stderr, "{:.0f} s: {} records a second, p99 {} us, {} errors\n", passed,
                 run.result.records - told, run.result.latency_us.at(0.99), run.result.errors);
      told = run.result.records;
      tell_at += 1;
    }
    if (run.options.records == 0 &&
        passed >= std::chrono::duration<double>(run.options.duration).count()) {
      run.over = true;
    }
  }
  run.result.seconds = seconds_since(run.begun);
  for (auto& one : clients) one->close();
  while (run.running > 0) {
    for (auto& one : clients) one->close();
    co_await pause_for(std::chrono::milliseconds(5));
  }
  if (!run.options.keep && run.options.stream.empty()) {
    for (const std::string& name : run.streams) {
      co_await client.call(core::HttpMethod::remove, stream_target(name));
    }
  }
  co_return core::Result<void>{};
}

}  // namespace app::bench
