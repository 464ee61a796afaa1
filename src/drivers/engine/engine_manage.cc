#include <algorithm>
#include <utility>

#include "drivers/engine/engine.h"
#include "drivers/engine/uploader.h"

namespace drivers {

std::optional<Engine::Found> Engine::find(const stream::View& view, const std::string& name,
                                          core::WallMs now) const {
  const core::StreamId* id = view.names.find(name);
  if (id == nullptr) return std::nullopt;
  const stream::StreamRow* row = view.find(*id);
  if (row == nullptr) return std::nullopt;
  return Found{*id, row, !row->deleted && context_.expiry.is_expired(*id, *row, now)};
}

stream::StreamFacts Engine::facts_of(const Found& found) {
  stream::StreamFacts facts;
  facts.id = found.id;
  facts.config = found.row->config;
  facts.start = found.row->start;
  facts.deleted = found.row->deleted;
  const ActiveStream* stream = context_.active.find(found.id);
  facts.tail = stream != nullptr ? stream->durable : found.row->end;
  facts.closed = stream != nullptr ? stream->ended.has_value() : found.row->ended.has_value();
  facts.damaged = stream != nullptr && !stream->damage.empty();
  return facts;
}

ports::Task<core::Result<stream::StreamFacts>> Engine::facts(std::string name) {
  for (;;) {
    const stream::ViewPtr view = context_.view();
    const core::WallMs now = context_.ports.timers.wall_now();
    const std::optional<Found> found = find(*view, name, now);
    if (!found) co_return core::fail(core::Errc::not_found, "no stream named " + name);
    if (found->is_expired) {
      CO_TRY_VOID(co_await expire(*found, now));
      continue;
    }
    const stream::StreamFacts facts = facts_of(*found);
    if (!facts.damaged) co_return facts;
    co_return core::fail(core::Errc::corrupt, context_.active.find(found->id)->damage);
  }
}

ports::Task<core::Result<std::vector<ListedStream>>> Engine::list(ListRequest request) {
  const stream::ViewPtr view = context_.view();
  const core::WallMs now = context_.ports.timers.wall_now();
  std::vector<ListedStream> listed;
  const std::string& from = std::max(request.prefix, request.start_after);
  for (auto at = view->names.from(from); at != std::default_sentinel; ++at) {
    const auto [name, id] = *at;
    if (listed.size() >= request.limit || !name.starts_with(request.prefix)) break;
    if (name == request.start_after) continue;
    const std::optional<Found> found = find(*view, name, now);
    if (!found || found->row->deleted || found->is_expired) continue;
    listed.push_back(ListedStream{name, facts_of(*found)});
  }
  co_return listed;
}

void Engine::follow(std::string name, std::weak_ptr<TailListener> listener) {
  const std::shared_ptr<TailListener> present = listener.lock();
  if (!present) return;
  auto update = std::make_shared<stream::TailUpdate>();
  const stream::ViewPtr view = context_.view();
  const auto found = find(*view, name, context_.ports.timers.wall_now());
  if (!found || found->row->deleted || found->is_expired || context_.is_stopping) {
    update->gone = true;
    present->on_tail(std::move(update));
    return;
  }
  ActiveStream& stream = context_.active.get(found->id, *found->row);
  if (!stream.listeners) {
    stream.listeners = std::make_unique<std::vector<std::weak_ptr<TailListener>>>();
  }
  std::erase_if(*stream.listeners, [](const auto& one) { return one.expired(); });
  stream.listeners->push_back(std::move(listener));
  update->tail = stream.durable;
  update->closed = stream.ended.has_value();
  present->on_tail(std::move(update));
}

void Engine::publish(ActiveStream& stream, std::shared_ptr<const stream::TailUpdate> update) {
  if (!stream.listeners) return;
  bool any_gone = false;
  for (const std::weak_ptr<TailListener>& one : *stream.listeners) {
    if (const std::shared_ptr<TailListener> listener = one.lock()) {
      listener->on_tail(update);
    } else {
      any_gone = true;
    }
  }
  if (any_gone) std::erase_if(*stream.listeners, [](const auto& one) { return one.expired(); });
  if (stream.listeners->empty()) stream.listeners.reset();
}

ports::Task<core::Result<DeleteStatus>> Engine::remove(std::string name) {
  stream::ViewPtr view = context_.view();
  const core::WallMs now = context_.ports.timers.wall_now();
  auto found = find(*view, name, now);
  while (found && found->is_expired) {
    CO_TRY_VOID(co_await expire(*found, now));
    view = context_.view();
    found = find(*view, name, now);
  }
  if (!found) co_return DeleteStatus::not_found;
  if (found->row->deleted) co_return DeleteStatus::deleted;
  const core::StreamId id = found->id;
  const stream::Command command = stream::DeleteStream{context_.life, id};
  const auto outcome = co_await context_.ports.proposer.propose(command);
  if (!outcome) {
    if (outcome.error().code == core::Errc::unknown) context_.in_doubt.emplace(id, view);
    co_return tl::unexpected<core::Error>(outcome.error());
  }
  if (outcome->verdict == cmdlog::Verdict::not_found) co_return DeleteStatus::not_found;
  if (!outcome->holds()) {
    co_return core::fail(core::Errc::fenced, std::string("the stream was not deleted: ") +
                                                 cmdlog::name_of(outcome->verdict));
  }
  forget_gone(*view, id);
  co_return DeleteStatus::done;
}

ports::Task<core::Result<TrimStatus>> Engine::trim(std::string name, core::Offset start) {
  for (;;) {
    if (context_.is_stopping) co_return core::fail(core::Errc::unavailable, "shutting down");
    const stream::ViewPtr view = context_.view();
    const core::WallMs now = context_.ports.timers.wall_now();
    const auto found = find(*view, name, now);
    if (!found) co_return TrimStatus::not_found;
    if (found->row->deleted) co_return TrimStatus::deleted;
    if (found->is_expired) {
      CO_TRY_VOID(co_await expire(*found, now));
      continue;
    }
    if (start > facts_of(*found).tail) co_return TrimStatus::beyond_tail;
    if (start > found->row->end) {
      // Only what data objects hold can be dropped: the rest has to get there first.
      CO_TRY_VOID(co_await uploader_->upload_now());
      continue;
    }
    const stream::Command command = stream::TrimStream{context_.life, found->id, start};
    CO_TRY(const cmdlog::Outcome outcome, co_await context_.ports.proposer.propose(command));
    if (outcome.holds()) co_return TrimStatus::done;
    if (outcome.verdict == cmdlog::Verdict::not_found) co_return TrimStatus::not_found;
    co_return core::fail(core::Errc::fenced, std::string("the stream was not trimmed: ") +
                                                 cmdlog::name_of(outcome.verdict));
  }
}

/// Has the command log delete a stream whose time is up by `now`. If it was used or deleted
/// meanwhile, nothing happens: look again.
ports::Task<core::Result<void>> Engine::expire(Found found, core::WallMs now) {
  const stream::ViewPtr before = context_.view();
  const core::StreamId id = found.id;
  const stream::Command command =
      stream::ExpireStream{context_.life, id, found.row->touched_ms, now};
  const auto outcome = co_await context_.ports.proposer.propose(command);
  if (!outcome) {
    if (outcome.error().code == core::Errc::unknown) context_.in_doubt.emplace(id, before);
    co_return tl::unexpected<core::Error>(outcome.error());
  }
  if (outcome->verdict == cmdlog::Verdict::not_live) {
    co_return core::fail(core::Errc::fenced, "the stream was not expired: not_live");
  }
  forget_gone(*before, id);
  co_return core::Result<void>{};
}

/// After a deletion: drops what is in memory of the stream, and of the forks' parents that went
/// with it. `before` is a view in which they all were there.
void Engine::forget_gone(const stream::View& before, core::StreamId id) {
  const stream::ViewPtr now = context_.view();
  for (;;) {
    const stream::StreamRow* was = before.find(id);
    const stream::StreamRow* row = now->find(id);
    if (was == nullptr || (row != nullptr && !row->deleted)) return;
    if (ActiveStream* stream = context_.active.find(id)) {
      auto update = std::make_shared<stream::TailUpdate>();
      update->tail = stream->durable;
      update->gone = true;
      publish(*stream, std::move(update));
      stream->listeners.reset();
    }
    context_.expiry.forget(id);
    if (row != nullptr) return;  // Soft-deleted: its data stays for its forks.
    context_.active.erase(id);
    context_.upload_wanted.notify_all();  // What the logs had of it is not needed any more.
    if (!was->fork) return;
    id = was->fork->parent;
  }
}

}  // namespace drivers
