#include "app/verify/run.h"

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "app/client_loop.h"
#include "app/verify/journal.h"
#include "app/verify/reader.h"
#include "app/verify/writer.h"

namespace app::verify {
namespace {

namespace asio = ports::asio;
using std::chrono::milliseconds;

constexpr auto kTick = milliseconds(20);
constexpr ReadMode kModes[] = {ReadMode::catch_up, ReadMode::long_poll, ReadMode::sse};
constexpr int kProbes = 3;  // Reads of each stream that begin at an acknowledged offset.

/// Calls until there is an answer that is one, for as long as the run's patience lasts.
ports::Task<core::Result<adapters::HttpAnswer>> call_patiently(StreamClient& client, Run& run,
                                                               core::HttpMethod method,
                                                               std::string target,
                                                               HeaderList headers) {
  Backoff backoff(1, kLongestPause);
  const auto give_up_at = Clock::now() + run.options.patience;
  for (;;) {
    auto answer = co_await client.call(method, target, headers);
    const bool passing = answer ? answer->status == 429 || answer->status == 503
                                : answer.error().code == core::Errc::unavailable ||
                                      answer.error().code == core::Errc::unknown;
    if (!passing || Clock::now() >= give_up_at) co_return answer;
    co_await pause_for(backoff.next());
  }
}

ports::Task<core::Result<void>> create_streams(StreamClient& client, Run& run) {
  for (const StreamFact& stream : run.ledger.streams()) {
    HeaderList headers{{"Content-Type", content_type_of(stream.kind)}};
    CO_TRY(const auto answer,
           co_await call_patiently(client, run, core::HttpMethod::put, stream_target(stream.name),
                                   std::move(headers)));
    if (answer.status != 200 && answer.status != 201) {
      co_return core::fail(core::Errc::unavailable,
                           fmt::format("{}: {}", stream.name, describe(answer)));
    }
  }
  co_return core::Result<void>{};
}

/// Where each stream ends; empty for one that is not there.
ports::Task<core::Result<std::vector<std::string>>> tails(StreamClient& client, Run& run) {
  std::vector<std::string> offsets;
  for (const StreamFact& stream : run.ledger.streams()) {
    CO_TRY(const auto answer, co_await call_patiently(client, run, core::HttpMethod::head,
                                                      stream_target(stream.name), HeaderList()));
    if (answer.status != 200) {
      fmt::print(stderr, "{}: {}\n", stream.name, describe(answer));
    }
    offsets.push_back(answer.status == 200 ? field_of(answer, "Stream-Next-Offset") : "");
  }
  co_return offsets;
}

/// Waits until the readers are done. Those that stay behind though the node answers others are
/// stopped, and what they did not get counts as not shown to them.
ports::Task<void> await_readers(Run& run, std::vector<std::unique_ptr<Reader>>& readers) {
  std::uint64_t seen = run.records_read;
  auto give_up_at = Clock::now() + run.options.patience;
  for (;;) {
    bool all = true;
    for (const auto& reader : readers) all = all && reader->done();
    if (all) co_return;
    if (run.records_read != seen) {
      seen = run.records_read;
      give_up_at = Clock::now() + run.options.patience;
    }
    if (Clock::now() >= give_up_at || !run.gave_up.empty()) {
      for (const auto& reader : readers) reader->stop(true);
    }
    co_await pause_for(kTick);
  }
}

void start(asio::any_io_executor executor, Reader& reader) {
  asio::co_spawn(executor, reader.read_all(), asio::detached);
}

/// Some acknowledged offsets of a stream, spread over its writers.
std::vector<std::string> acknowledged_offsets(const Run& run, std::uint32_t stream) {
  std::vector<std::string> all;
  for (const auto& requests : run.ledger.writers()) {
    for (const SentRequest& sent : requests) {
      if (sent.stream != stream || sent.outcome != Outcome::acknowledged) continue;
      if (!sent.offset.empty()) all.push_back(sent.offset);
    }
  }
  std::vector<std::string> chosen;
  for (int i = 0; i < kProbes && !all.empty(); ++i) {
    chosen.push_back(all[all.size() * static_cast<std::size_t>(i) / kProbes]);
  }
  return chosen;
}

/// After everything else: each stream from its beginning, and from some acknowledged offsets.
ports::Task<void> read_after(asio::any_io_executor executor, Run& run,
                             const std::vector<std::string>& goals,
                             std::vector<Reading>& readings) {
  for (std::uint32_t stream = 0; stream < goals.size(); ++stream) {
    if (goals[stream].empty()) continue;
    std::vector<std::unique_ptr<Reader>> readers;
    readers.push_back(std::make_unique<Reader>(executor, run, stream, ReadMode::catch_up, "-1"));
    readers.back()->reading().final = true;
    readers.back()->reading().how.clear();
    for (const std::string& offset : acknowledged_offsets(run, stream)) {
      readers.push_back(
          std::make_unique<Reader>(executor, run, stream, ReadMode::catch_up, offset));
      readers.back()->reading().how = "from an acknowledged offset";
    }
    for (auto& reader : readers) {
      reader->set_goal(goals[stream]);
      start(executor, *reader);
    }
    co_await await_readers(run, readers);
    for (auto& reader : readers) {
      const bool reached = reader->reading().whole;
      if (!reached && !reader->reading().final) continue;
      readings.push_back(std::move(reader->reading()));
    }
  }
}

ports::Task<void> write_for_a_while(asio::any_io_executor executor, Run& run) {
  std::vector<std::unique_ptr<Writer>> writers;
  for (std::uint32_t i = 0; i < run.options.writers; ++i) {
    writers.push_back(std::make_unique<Writer>(executor, run, i));
    ++run.writers_running;
    asio::co_spawn(executor, writers.back()->write_all(), asio::detached);
  }
  const auto end_at = Clock::now() + run.options.duration;
  auto tell_at = Clock::now() + std::chrono::seconds(1);
  while (run.writers_running > 0) {
    if (run.options.requests == 0 && Clock::now() >= end_at) run.writing_ends = true;
    if (Clock::now() >= tell_at) {
      tell_at += std::chrono::seconds(1);
      fmt::print(stderr,
                 "{} appends acknowledged, {} maybe, {} refused, {} tries again; {} records read\n",
                 run.acknowledged, run.maybe, run.refused, run.reconnects, run.records_read);
    }
    co_await pause_for(kTick);
  }
}

ports::Task<void> delete_streams(StreamClient& client, Run& run) {
  for (const StreamFact& stream : run.ledger.streams()) {
    co_await call_patiently(client, run, core::HttpMethod::remove, stream_target(stream.name),
                            HeaderList());
  }
}

}  // namespace

ports::Task<core::Result<Judgement>> verify(asio::any_io_executor executor, Run& run) {
  StreamClient client(executor, run.options.endpoint);
  const bool writes = run.options.check.empty();
  if (writes) CO_TRY_VOID(co_await create_streams(client, run));

  std::vector<std::unique_ptr<Reader>> live;
  for (std::uint32_t stream = 0; stream < run.ledger.streams().size(); ++stream) {
    for (const ReadMode mode : kModes) {
      live.push_back(std::make_unique<Reader>(executor, run, stream, mode, "-1"));
      start(executor, *live.back());
    }
  }
  if (writes) co_await write_for_a_while(executor, run);
  if (!run.gave_up.empty()) {
    co_await await_readers(run, live);
    co_return core::fail(core::Errc::unavailable, "gave up: " + run.gave_up);
  }

  auto goals = co_await tails(client, run);
  std::vector<Reading> readings;
  if (goals) {
    for (const auto& reader : live) {
      const std::string& goal = (*goals)[reader->reading().stream];
      if (goal.empty())
        reader->stop(false);
      else
        reader->set_goal(goal);
    }
  } else {
    run.gave_up = goals.error().context;
  }
  co_await await_readers(run, live);
  if (!goals) co_return core::fail(core::Errc::unavailable, "gave up: " + run.gave_up);

  co_await read_after(executor, run, *goals, readings);
  for (const auto& reader : live) readings.push_back(std::move(reader->reading()));
  if (!run.gave_up.empty()) {
    co_return core::fail(core::Errc::unavailable, "gave up: " + run.gave_up);
  }
  const Judgement judgement = judge(run.ledger, readings);
  const bool keep = run.options.keep || !writes || run.journal.is_open() || !judgement.good();
  if (!keep) co_await delete_streams(client, run);
  co_return judgement;
}

}  // namespace app::verify
