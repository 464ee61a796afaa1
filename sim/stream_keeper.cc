#include <fmt/format.h>

#include <algorithm>

#include "sim/stream_clients.h"

namespace sim {

using stream::AppendStatus;
using stream::CreateStatus;

namespace {

const char* type_of(const std::string& name) {
  return name.starts_with("/json") ? "application/json" : "text/plain";
}

// Uses of a stream with a TTL, in the order that is worth testing: often enough, and too late.
constexpr core::WallMs kLeastTtlMs = 1000;

}  // namespace

// ---- a stream's life -------------------------------------------------------------------------

/// Creates the stream, does to it what the others do not, deletes it, and begins anew.
ports::Task<void> StreamClients::run_keeper(std::string name) {
  bool exists = co_await create(name, std::nullopt);
  while (!is_finishing_) {
    co_await pause();
    co_await pause();
    if (!exists) {
      exists = co_await create(name, std::nullopt);
      continue;
    }
    if (chance(options_.trims)) co_await trim(name);
    if (chance(options_.forks)) co_await fork(name);
    if (chance(options_.closes)) co_await close(name);
    if (chance(options_.deletes)) {
      co_await remove(name);
      exists = false;
    }
  }
  if (!exists) (void)co_await create(name, std::nullopt);
}

ports::Task<core::Result<core::StreamId>> StreamClients::find_id(std::string name) {
  for (;;) {
    const auto facts = co_await node_.facts(name);
    if (facts && facts->deleted) co_return core::fail(core::Errc::not_found, "it is deleted");
    if (facts) co_return facts->id;
    if (facts.error().code == core::Errc::not_found) co_return tl::unexpected(facts.error());
    co_await pause();
  }
}

/// Sends the creation until an answer says that the stream is there. False: it cannot be.
ports::Task<bool> StreamClients::create(std::string name, std::optional<stream::ForkRequest> fork) {
  stream::CreateRequest request;
  request.name = name;
  request.config.content_type = type_of(name);
  request.fork = fork;
  std::optional<std::uint64_t> content;
  // Always or never, so that an empty stream that should have had content can be told.
  const auto [brings, is_new] = brings_content_.try_emplace(name, false);
  if (is_new) brings->second = chance(50);
  if (brings->second) content = new_append(name);
  if (content) {
    request.content = frame(*content, {});
    history_.append(*content).is_resent = true;
  }
  for (;;) {
    request.at_ms = timers_.wall_now();
    const History::Moment moment = history_.begin(name);
    const auto answer = co_await node_.create(request);
    history_.end_create(moment, content, request, answer);
    if (!answer) {
      co_await pause();
      continue;
    }
    if (answer->status != CreateStatus::created && answer->status != CreateStatus::existed) {
      co_return false;
    }
    if (content && answer->status == CreateStatus::existed && answer->next_offset == 0) {
      history_.fail(name + ": its creation is answered, and its content is not there");
    }
    const auto id = co_await find_id(name);
    if (!id) {
      history_.fail(name + ": was created, and is not found");
      co_return false;
    }
    history_.exists_now(name, *id);
    history_.note(fmt::format("{} is stream {}", name, raw(*id)));
    if (content && answer->status == CreateStatus::created) {
      History::Append& one = history_.append(*content);
      one.generation = history_.name(name).generation;
      one.is_certain = true;
    }
    co_return true;
  }
}

/// The last word: with content or without, by a producer or by nobody.
ports::Task<void> StreamClients::close(std::string name) {
  stream::BatchIdentity identity;
  identity.closes = true;
  const std::uint64_t append = chance(50) ? new_append(name) : history_.new_append(name, 0, 0);
  if (chance(50)) identity.producer = stream::ProducerClaim{fmt::format("c{}", append), 0, 0};
  history_.append(append).is_resent = identity.producer.has_value();
  stream::AppendRequest request = request_for(append, identity);
  history_.name(name).may_be_closed = true;
  if (identity.producer) {
    (void)co_await send_until_known(append, request);
    co_return;
  }
  request.at_ms = timers_.wall_now();
  const History::Moment moment = history_.begin(name);
  const auto answer = co_await node_.append(request);
  history_.end_append(moment, append, request, answer);
}

ports::Task<void> StreamClients::trim(std::string name) {
  History::Name& known = history_.name(name);
  if (known.tail == 0) co_return;
  const core::Offset start = chance(20) ? known.tail : world_.random().below(known.tail + 1);
  known.start_asked = std::max(known.start_asked, start);
  const History::Moment moment = history_.begin(name);
  const auto answer = co_await node_.trim(name, start);
  history_.end_trim(moment, start, answer);
}

ports::Task<void> StreamClients::remove(std::string name) {
  history_.may_go(name);
  for (;;) {
    const auto answer = co_await node_.remove(name);
    history_.note(name + (answer ? " was deleted" : " may be deleted: " + answer.error().context));
    if (answer) {
      history_.is_gone(name);
      co_return;
    }
    co_await pause();
  }
}

/// A fork, with clients of its own.
ports::Task<void> StreamClients::fork(std::string name) {
  if (forks_ >= options_.most_forks) co_return;
  const History::Name source = history_.name(name);
  const std::string fork = fmt::format("{}/fork{}", name, forks_++);
  stream::ForkRequest request;
  request.source = name;
  if (chance(60) && source.tail > source.start) {
    request.offset = source.start + world_.random().below(source.tail - source.start + 1);
    if (chance(40)) request.sub_offset = 1 + world_.random().below(3);
  }
  history_.name(fork).start_asked = history_.name(name).start_asked;
  const bool created = co_await create(fork, request);
  if (!created) co_return;
  start_stream(fork, 1);
}

// ---- a stream with a TTL ---------------------------------------------------------------------

/// False, and a line in the history, if the stream's being there or not cannot be right.
bool StreamClients::judge_ttl(const std::string& name, core::WallMs ttl_ms, const TtlUse& last,
                              core::WallMs at_ms, bool found, std::uint64_t life) {
  if (!found && at_ms < last.accepted + ttl_ms) {
    history_.fail(fmt::format("{} expired early: used at {}, TTL {} ms, gone at {}", name,
                              last.accepted, ttl_ms, at_ms));
    return false;
  }
  const bool same_life = life == last.life && node_.starts() == life;
  if (found && same_life && at_ms >= last.attempted + ttl_ms) {
    history_.fail(fmt::format("{} lives too long: used at {}, TTL {} ms, there at {}", name,
                              last.attempted, ttl_ms, at_ms));
    return false;
  }
  return true;
}

/// One use, by reading or appending. False: the stream is gone.
ports::Task<bool> StreamClients::use(std::string name, core::WallMs ttl_ms, TtlUse& last) {
  const core::WallMs at_ms = timers_.wall_now();
  const std::uint64_t life = node_.starts();
  const History::Moment moment = history_.begin(name);
  std::optional<bool> found;
  if (chance(50)) {
    const std::uint64_t append = new_append(name);
    stream::AppendRequest request = request_for(append, {});
    request.at_ms = at_ms;
    const auto answer = co_await node_.append(request);
    history_.end_append(moment, append, request, answer);
    if (answer) found = answer->status != AppendStatus::not_found;
  } else {
    stream::ReadRequest request;
    request.name = name;
    request.max_bytes = 1000;
    request.at_ms = at_ms;
    const auto answer = co_await node_.read(request);
    history_.end_read(moment, request, answer);
    if (answer) found = answer->status != stream::ReadStatus::not_found;
  }
  history_.note(fmt::format("{} used at {}: {}", name, at_ms,
                            !found   ? "no answer"
                            : *found ? "there"
                                     : "gone"));
  const bool fine = !found || judge_ttl(name, ttl_ms, last, at_ms, *found, life);
  last.attempted = std::max(last.attempted, at_ms);
  if (found && *found) last.accepted = std::max(last.accepted, at_ms);
  if (node_.starts() != last.life) last.life = 0;  // What the next life knows is less exact.
  if (found && *found && node_.starts() == life) last.life = life;
  co_return fine&& found.value_or(true);
}

ports::Task<void> StreamClients::run_ttl(std::string name) {
  while (!is_finishing_) {
    stream::CreateRequest request;
    request.name = name;
    request.config.content_type = type_of(name);
    request.config.ttl_s = 1 + world_.random().below(3);
    request.at_ms = timers_.wall_now();
    TtlUse last{request.at_ms, request.at_ms, node_.starts()};
    const auto answer = co_await node_.create(request);
    if (!answer || answer->status != CreateStatus::created) {
      co_await pause();  // One whose answer was lost is there, with another TTL: it will expire.
      continue;
    }
    const auto id = co_await find_id(name);
    if (id) history_.exists_now(name, *id);
    const auto ttl_ms = static_cast<core::WallMs>(*request.config.ttl_s) * kLeastTtlMs;
    bool is_there = id.has_value();
    while (is_there && !is_finishing_) {
      const std::uint64_t percent = chance(80) ? world_.random().below(90) : 110;
      co_await world_.pass(
          std::chrono::milliseconds(ttl_ms * static_cast<core::WallMs>(percent) / 100));
      is_there = co_await use(name, ttl_ms, last);
    }
    if (!is_there) history_.is_gone(name);
    co_await pause();
  }
}

}  // namespace sim
