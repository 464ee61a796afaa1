#include "app/verify/writer.h"

#include <fmt/format.h>

#include "app/client_loop.h"
#include "app/verify/journal.h"

namespace app::verify {

void Run::note(const std::string& line) {
  const auto written = journal.append(line);
  if (!written && gave_up.empty()) gave_up = "--journal " + written.error().context;
}

Writer::Writer(ports::asio::any_io_executor executor, Run& run, std::uint32_t number)
    : run_(run),
      number_(number),
      client_(executor, run.options.endpoint),
      random_(std::hash<std::string>{}(run.ledger.run()) + number),
      backoff_(random_.next(), kLongestPause) {}

ports::Task<void> Writer::write_all() {
  auto next_at = Clock::now();
  while (!run_.writing_ends && run_.gave_up.empty()) {
    if (run_.options.requests > 0 && run_.requests >= run_.options.requests) break;
    co_await write_one();
    if (run_.options.rate > 0) {
      next_at += std::chrono::microseconds(1'000'000 / run_.options.rate);
      const auto wait = std::chrono::duration_cast<core::Time>(next_at - Clock::now());
      if (wait > core::Time(0)) co_await pause_for(wait);
    }
  }
  --run_.writers_running;
}

HeaderList Writer::headers(std::uint32_t stream) const {
  HeaderList headers{{"Content-Type", content_type_of(run_.ledger.streams()[stream].kind)}};
  if (is_producer()) {
    const auto it = sequences_.find(stream);
    const Sequence at = it == sequences_.end() ? Sequence{} : it->second;
    headers.emplace_back("Producer-Id", fmt::format("verify-{}-{}", run_.ledger.run(), number_));
    headers.emplace_back("Producer-Epoch", std::to_string(at.epoch));
    headers.emplace_back("Producer-Seq", std::to_string(at.next));
  }
  return headers;
}

std::optional<Outcome> Writer::outcome_of(const core::Result<adapters::HttpAnswer>& answer,
                                          bool again) {
  if (answer && answer->status >= 200 && answer->status <= 299) {
    const bool known = is_producer() && answer->status == 204;
    return known ? Outcome::repeated : Outcome::acknowledged;
  }
  const core::Error error = answer ? error_of(*answer) : answer.error();
  const bool not_done = answer ? answer->status == 429 || answer->status == 507
                               : error.code == core::Errc::unavailable;
  if (not_done) return std::nullopt;
  const bool lost = error.code == core::Errc::unavailable || error.code == core::Errc::unknown;
  if (lost && is_producer()) return std::nullopt;
  if (lost) return Outcome::maybe;
  // A refusal of a repeat says nothing about the try before it.
  return again ? Outcome::maybe : Outcome::refused;
}

ports::Task<void> Writer::write_one() {
  const auto stream = static_cast<std::uint32_t>(random_.below(run_.ledger.streams().size()));
  const StreamFact& fact = run_.ledger.streams()[stream];
  const auto most = run_.options.batch;
  const auto count = random_.chance(50) ? 1 : static_cast<std::uint32_t>(1 + random_.below(most));
  const auto& mine = run_.ledger.writers();
  const auto request = static_cast<std::uint32_t>(number_ < mine.size() ? mine[number_].size() : 0);
  const RequestBody body =
      make_request(fact.kind, run_.ledger.run(), number_, request, count, run_.options.size);
  run_.ledger.send(number_, stream, count, body.hash);
  ++run_.requests;
  run_.note(send_line(number_, request, *run_.ledger.find(number_, request)));

  const auto give_up_at = Clock::now() + run_.options.patience;
  bool again = false;  // An earlier try of this append may have been written.
  for (;;) {
    const std::string target = stream_target(fact.name);
    const auto answer =
        co_await client_.call(core::HttpMethod::post, target, headers(stream), body.text);
    if (const auto outcome = outcome_of(answer, again)) {
      finish(request, stream, *outcome, answer ? field_of(*answer, "Stream-Next-Offset") : "");
      if (*outcome == Outcome::refused || *outcome == Outcome::maybe) {
        co_await pause_for(backoff_.next());
      } else {
        backoff_.reset();
      }
      co_return;
    }
    ++run_.reconnects;
    const bool not_done = answer ? answer->status == 429 || answer->status == 507
                                 : answer.error().code == core::Errc::unavailable;
    again = again || !not_done;
    if (Clock::now() >= give_up_at || !run_.gave_up.empty()) {
      if (run_.gave_up.empty()) {
        run_.gave_up =
            fmt::format("{}: {}", fact.name, answer ? describe(*answer) : answer.error().context);
      }
      finish(request, stream, again ? Outcome::maybe : Outcome::refused, "");
      co_return;
    }
    co_await pause_for(backoff_.next());
  }
}

void Writer::finish(std::uint32_t request, std::uint32_t stream, Outcome outcome,
                    std::string offset) {
  run_.note(answer_line(number_, request, outcome, offset));
  run_.ledger.answer(number_, request, outcome, std::move(offset));
  Sequence& sequence = sequences_[stream];
  if (outcome == Outcome::acknowledged || outcome == Outcome::repeated) {
    ++run_.acknowledged;
    ++sequence.next;
  } else {
    ++(outcome == Outcome::maybe ? run_.maybe : run_.refused);
    // The node and we disagree about the sequence: begin a new one, and let the judge say why.
    ++sequence.epoch;
    sequence.next = 0;
  }
}

}  // namespace app::verify
