#include "sim/stream_clients.h"

#include <fmt/format.h>

#include <algorithm>

#include "stream/content_type.h"

namespace sim {

using stream::AppendStatus;

namespace {

bool is_json(const std::string& name) {
  return name.starts_with("/json");
}

std::vector<std::string_view> views_of(const std::vector<std::string>& values) {
  return {values.begin(), values.end()};
}

bool did(const core::Result<stream::AppendReply>& answer) {
  return answer &&
         (answer->status == AppendStatus::appended || answer->status == AppendStatus::duplicate);
}

}  // namespace

// ---- all of them -----------------------------------------------------------------------------

void TailSpy::on_tail(std::shared_ptr<const stream::TailUpdate> update) {
  if (is_gone) return history_.fail(name_ + ": an update after the stream was gone");
  if (!has_begun && !update->slices.empty()) {
    return history_.fail(name_ + ": the first update has records");
  }
  if (is_closed && !update->gone && update->tail != tail) {
    return history_.fail(name_ + ": an update after the end");
  }
  if (has_begun && !update->gone) history_.saw_slices(id, update->slices, tail, update->tail);
  has_begun = true;
  tail = update->tail;
  is_closed = is_closed || update->closed;
  is_gone = update->gone;
}

void StreamClients::start() {
  for (std::size_t i = 0; i < options_.streams; ++i) {
    const std::string name = fmt::format("/{}/{}", i % 2 == 0 ? "json" : "bytes", i);
    spawn(run_keeper(name));
    start_stream(name, options_.producers);
  }
  for (std::size_t i = 0; i < options_.ttl_streams; ++i) {
    const std::string name = fmt::format("/bytes/ttl{}", i);
    history_.name(name).may_expire = true;
    spawn(run_ttl(name));
  }
}

void StreamClients::start_stream(const std::string& name, std::size_t producers) {
  names_.push_back(name);
  for (std::size_t i = 0; i < producers; ++i) spawn(run_producer(name, fmt::format("p{}", i)));
  spawn(run_window(name, "w"));
  spawn(run_plain(name));
  spawn(run_sequencer(name));
  spawn(run_comparer(name));
  spawn(run_reader(name));
  spawn(run_follower(name));
}

ports::Task<void> StreamClients::count(ports::Task<void> task) {
  co_await std::move(task);
  active_ -= 1;
}

void StreamClients::spawn(ports::Task<void> task) {
  active_ += 1;
  world_.spawn(kHome, count(std::move(task)));
}

ports::Task<void> StreamClients::pause() {
  const auto most = static_cast<std::uint64_t>(options_.most_pause.count());
  return world_.pass(core::Time(static_cast<std::int64_t>(world_.random().below(most) + 1)));
}

std::uint64_t StreamClients::new_append(const std::string& name) {
  core::Random& random = world_.random();
  const auto records =
      is_json(name) ? static_cast<std::uint32_t>(1 + random.below(options_.most_records)) : 1;
  std::size_t padding = random.below(options_.most_padding + 1);
  if (random.chance(3)) padding *= 20;
  return history_.new_append(name, records, padding);
}

stream::FramedBatch StreamClients::frame(std::uint64_t append,
                                         const stream::BatchIdentity& identity) const {
  const std::vector<std::string> values = history_.values(append);
  return stream::frame_batch(views_of(values), timers_.wall_now(), identity);
}

stream::AppendRequest StreamClients::request_for(std::uint64_t append,
                                                 stream::BatchIdentity identity) const {
  stream::AppendRequest request;
  request.name = history_.appends()[append].stream;
  request.content_type = is_json(request.name) ? "application/json" : "text/plain";
  if (history_.appends()[append].records > 0) request.batch = frame(append, identity);
  request.producer = identity.producer;
  request.stream_seq = identity.stream_seq;
  request.close = identity.closes;
  return request;
}

/// Resends until an answer says what became of it: a status of the stream, not an error.
ports::Task<AppendStatus> StreamClients::send_until_known(std::uint64_t append,
                                                          stream::AppendRequest request) {
  for (;;) {
    request.at_ms = timers_.wall_now();
    const History::Moment moment = history_.begin(request.name);
    const auto answer = co_await node_.append(request);
    history_.end_append(moment, append, request, answer);
    if (answer) co_return answer->status;
    co_await pause();
  }
}

// ---- those who append ------------------------------------------------------------------------

/// A stream that was made anew knows no producers: they begin at 0, in an epoch of their own.
void StreamClients::begin_session(const std::string& name, stream::ProducerClaim& claim,
                                  std::uint64_t& session) {
  const std::uint64_t generation = history_.name(name).generation;
  if (generation != session) claim = stream::ProducerClaim{claim.id, claim.epoch + 1, 0};
  session = generation;
}

/// An idempotent producer: one request at a time, each resent until it is known.
ports::Task<void> StreamClients::run_producer(std::string name, std::string id) {
  stream::ProducerClaim claim{id, 0, 0};
  std::uint64_t session = 0;
  while (!is_finishing_) {
    co_await pause();
    begin_session(name, claim, session);
    const std::uint64_t append = new_append(name);
    history_.append(append).is_resent = true;
    history_.append(append).producer = id;
    history_.append(append).first_generation = session;
    const stream::BatchIdentity identity{claim, std::nullopt, false};
    const stream::AppendRequest request = request_for(append, identity);
    const AppendStatus status = co_await send_until_known(append, request);
    const bool accepted = status == AppendStatus::appended || status == AppendStatus::duplicate;
    // Not if it went into a stream that was deleted meanwhile.
    const History::Append& sent = history_.append(append);
    if (accepted && sent.is_certain) {
      last_[{name, id}] = Last{request, sent.generation};
      if (chance(10)) co_await resend(name, request);
    }
    claim.sequence += 1;
    if (!accepted || chance(3)) claim = stream::ProducerClaim{id, claim.epoch + 1, 0};
  }
}

ports::Task<void> StreamClients::resend(std::string name, stream::AppendRequest request) {
  request.at_ms = timers_.wall_now();
  const History::Moment moment = history_.begin(name);
  const auto answer = co_await node_.append(request);
  const History::Name& now = history_.name(name);
  const bool is_current = moment.exists && now.exists && now.generation == moment.generation;
  if (!is_current || !answer) co_return;
  if (answer->status != AppendStatus::duplicate && answer->status != AppendStatus::already_closed) {
    history_.fail(fmt::format("{}: a repeat by {} is not known, status {}", name,
                              request.producer->id, static_cast<int>(answer->status)));
  }
}

ports::Task<core::Result<bool>> StreamClients::repeat_last() {
  for (const auto& [whose, last] : last_) {
    const History::Name& name = history_.name(whose.first);
    if (!name.exists || name.generation != last.generation) continue;
    const std::string stream = whose.first;
    const stream::AppendRequest request = last.request;
    co_await resend(stream, request);
  }
  co_return true;
}

ports::Task<void> StreamClients::send_once(std::uint64_t append, stream::AppendRequest request,
                                           std::shared_ptr<std::size_t> left,
                                           std::shared_ptr<ports::Signal> done) {
  request.at_ms = timers_.wall_now();
  const History::Moment moment = history_.begin(request.name);
  const auto answer = co_await node_.append(request);
  // When an earlier one of the window failed, a gap is what this one must be told.
  const bool is_gap = answer && answer->status == AppendStatus::gap;
  if (!is_gap) history_.end_append(moment, append, request, answer);
  *left -= 1;
  done->notify_all();
}

/// An idempotent producer that keeps several requests under way.
ports::Task<void> StreamClients::run_window(std::string name, std::string id) {
  stream::ProducerClaim claim{id, 0, 0};
  std::uint64_t session = 0;
  while (!is_finishing_) {
    co_await pause();
    co_await pause();
    begin_session(name, claim, session);
    std::vector<std::pair<std::uint64_t, stream::AppendRequest>> window;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint64_t append = new_append(name);
      history_.append(append).is_resent = true;
      history_.append(append).producer = id;
      history_.append(append).first_generation = session;
      window.emplace_back(append, request_for(append, {claim, std::nullopt, false}));
      claim.sequence += 1;
    }
    auto left = std::make_shared<std::size_t>(window.size());
    auto done = std::make_shared<ports::Signal>(world_.executor(kHome));
    for (const auto& [append, request] : window) {
      world_.spawn(kHome, send_once(append, request, left, done));
    }
    while (*left > 0) co_await done->wait();
    bool lost_track = false;
    for (const auto& [append, request] : window) {
      if (history_.append(append).fate == History::Fate::accepted || lost_track) continue;
      const AppendStatus status = co_await send_until_known(append, request);
      lost_track = status != AppendStatus::appended && status != AppendStatus::duplicate;
    }
    if (lost_track) claim = stream::ProducerClaim{id, claim.epoch + 1, 0};
  }
}

/// Nothing but a body, never sent again: a lost answer leaves it open whether it is there.
ports::Task<void> StreamClients::run_plain(std::string name) {
  while (!is_finishing_) {
    co_await pause();
    const std::uint64_t append = new_append(name);
    stream::AppendRequest request = request_for(append, {});
    request.at_ms = timers_.wall_now();
    const History::Moment moment = history_.begin(name);
    const auto answer = co_await node_.append(request);
    history_.end_append(moment, append, request, answer);
  }
}

/// Orders its appends by Stream-Seq, and so may send one again.
ports::Task<void> StreamClients::run_sequencer(std::string name) {
  for (std::uint64_t number = 0; !is_finishing_; ++number) {
    co_await pause();
    const std::uint64_t append = new_append(name);
    history_.append(append).is_resent = true;
    history_.append(append).producer = "seq";
    const stream::BatchIdentity identity{std::nullopt, fmt::format("{:010}", number), false};
    const stream::AppendRequest request = request_for(append, identity);
    (void)co_await send_until_known(append, request);
  }
}

/// Appends only if the tail is where it saw it.
ports::Task<void> StreamClients::run_comparer(std::string name) {
  while (!is_finishing_) {
    co_await pause();
    const History::Moment looked = history_.begin(name);
    const auto facts = co_await node_.facts(name);
    history_.end_facts(looked, facts);
    if (!facts || facts->deleted) continue;
    const std::uint64_t append = new_append(name);
    stream::AppendRequest request = request_for(append, {});
    request.expected_offset = facts->tail;
    request.at_ms = timers_.wall_now();
    const History::Moment moment = history_.begin(name);
    const auto answer = co_await node_.append(request);
    history_.end_append(moment, append, request, answer);
    if (!did(answer)) co_await pause();
  }
}

// ---- those who read --------------------------------------------------------------------------

ports::Task<void> StreamClients::run_reader(std::string name) {
  core::Offset offset = 0;
  while (!is_finishing_) {
    co_await pause();
    stream::ReadRequest request;
    request.name = name;
    request.from = stream::ReadStart::offset;
    request.offset = offset;
    if (chance(10)) request.from = stream::ReadStart::beginning;
    if (chance(5)) request.from = stream::ReadStart::now;
    request.max_bytes = chance(30) ? 1 : chance(50) ? 700 : std::size_t{1} << 20;
    request.at_ms = timers_.wall_now();
    const History::Moment moment = history_.begin(name);
    const auto answer = co_await node_.read(request);
    history_.end_read(moment, request, answer);
    if (!answer) continue;
    offset = answer->next;
    if (answer->status == stream::ReadStatus::trimmed) offset = answer->facts.start;
    if (answer->status != stream::ReadStatus::ok) continue;
    if (answer->up_to_date() && chance(30)) offset = answer->facts.start;
  }
}

/// Follows the tail, in each life of the node and each creation of the stream anew.
ports::Task<void> StreamClients::run_follower(std::string name) {
  std::shared_ptr<TailSpy> spy;
  while (!is_finishing_) {
    co_await pause();
    if (spy && spy->life == node_.starts() && !spy->is_gone && !chance(2)) continue;
    if (spy) std::erase(spies_, spy);
    spy = std::make_shared<TailSpy>(history_, name);
    spies_.push_back(spy);
    spy->life = node_.starts();
    const std::function<void(core::StreamId)> found = [mine = spy](core::StreamId id) {
      mine->id = id;
    };
    const std::weak_ptr<drivers::TailListener> listener = spy;
    const auto following = co_await node_.follow(name, listener, found);
    if (following) continue;
    std::erase(spies_, spy);
    spy.reset();
  }
}

}  // namespace sim
