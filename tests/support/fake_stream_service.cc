#include "tests/support/fake_stream_service.h"

#include <algorithm>

#include "stream/append_check.h"
#include "stream/content_type.h"
#include "stream/gather.h"
#include "stream/record_batch.h"

namespace support {
namespace {

bool is_expired(const stream::StreamConfig& config, core::WallMs touched, core::WallMs now) {
  if (config.expires_at_ms) return now >= *config.expires_at_ms;
  return config.ttl_s && now > touched + static_cast<core::WallMs>(*config.ttl_s) * 1000;
}

bool is_same(const std::optional<stream::ForkRequest>& had,
             const std::optional<stream::ForkRequest>& wanted) {
  if (had.has_value() != wanted.has_value()) return false;
  if (!had) return true;
  const bool same_offset = !wanted->offset || had->offset == wanted->offset;
  return had->source == wanted->source && had->sub_offset == wanted->sub_offset && same_offset;
}

}  // namespace

FakeStreamService::StreamPtr FakeStreamService::find(const std::string& name, core::WallMs now) {
  const auto found = streams_.find(name);
  if (found == streams_.end()) return nullptr;
  const StreamPtr stream = found->second;
  if (!stream->facts.deleted && is_expired(stream->facts.config, stream->touched_ms, now)) {
    forget(stream);
    return stream->facts.deleted ? stream : nullptr;
  }
  return stream;
}

/// Takes the name away; while forks live, what is left says that it was deleted.
void FakeStreamService::forget(const StreamPtr& gone) {
  if (!gone->facts.deleted) publish(*gone, {}, true);
  gone->facts.deleted = true;
  if (gone->forks > 0) return;
  streams_.erase(gone->name);
  if (!gone->parent) return;
  --gone->parent->forks;
  if (gone->parent->facts.deleted) forget(gone->parent);
}

void FakeStreamService::publish(Stream& stream, std::vector<stream::BatchSlice> slices, bool gone) {
  auto update = std::make_shared<stream::TailUpdate>();
  update->slices = std::move(slices);
  update->tail = stream.facts.tail;
  update->closed = stream.facts.closed;
  update->gone = gone;
  std::erase_if(stream.listeners, [](const auto& weak) { return weak.expired(); });
  for (const auto& weak : stream.listeners) {
    if (const auto listener = weak.lock()) listener->on_tail(update);
  }
}

void FakeStreamService::add(Stream& stream, std::string batch, std::uint32_t records) {
  stream::set_base_offset(batch, stream.facts.tail);
  const core::Offset end = stream.facts.tail + records;
  stream.slices.push_back({core::Bytes(std::move(batch)), stream.facts.tail, end});
  stream.facts.tail = end;
}

/// Inherits the parent's records before the fork point.
stream::CreateStatus FakeStreamService::begin_fork(Stream& fork,
                                                   const stream::CreateRequest& request,
                                                   core::WallMs now) {
  const StreamPtr parent = find(request.fork->source, now);
  if (!parent) return stream::CreateStatus::source_not_found;
  if (parent->facts.deleted) return stream::CreateStatus::source_deleted;
  const stream::StreamConfig& theirs = parent->facts.config;
  stream::StreamConfig& config = fork.facts.config;
  if (config.content_type.empty()) config.content_type = theirs.content_type;
  if (!stream::is_same_type(config.content_type, theirs.content_type)) {
    return stream::CreateStatus::source_type_differs;
  }
  if (!config.ttl_s && config.expires_at.empty()) {
    config.ttl_s = theirs.ttl_s;
    config.expires_at = theirs.expires_at;
    config.expires_at_ms = theirs.expires_at_ms;
  }
  core::Offset point = request.fork->offset.value_or(parent->facts.tail);
  if (point > parent->facts.tail) return stream::CreateStatus::bad_fork_offset;
  std::string prefix;
  if (const std::uint64_t more = request.fork->sub_offset; more > 0) {
    const auto next = std::find_if(parent->slices.begin(), parent->slices.end(),
                                   [&](const auto& slice) { return slice.end > point; });
    if (next == parent->slices.end()) return stream::CreateStatus::bad_sub_offset;
    if (stream::is_json(theirs.content_type)) {
      if (point + more > next->end) return stream::CreateStatus::bad_sub_offset;
      point += more;
    } else {
      if (!stream::append_values(*next, stream::Join::raw, prefix) || prefix.size() < more) {
        return stream::CreateStatus::bad_sub_offset;
      }
      prefix.resize(more);
    }
  }
  for (stream::BatchSlice slice : parent->slices) {
    slice.end = std::min(slice.end, point);
    if (slice.first < slice.end) fork.slices.push_back(std::move(slice));
  }
  fork.facts.tail = point;
  fork.facts.start = std::min(parent->facts.start, point);
  if (!prefix.empty()) {
    const std::string_view value = prefix;
    auto batch = stream::frame_batch(std::span(&value, 1), request.at_ms, {});
    add(fork, std::move(batch.bytes), 1);
  }
  fork.parent = parent;
  ++parent->forks;
  return stream::CreateStatus::created;
}

ports::Task<core::Result<stream::CreateReply>> FakeStreamService::create(
    stream::CreateRequest request) {
  if (failure) co_return tl::unexpected<core::Error>(*failure);
  stream::CreateReply reply;
  if (const StreamPtr had = find(request.name, request.at_ms)) {
    stream::StreamConfig wanted = request.config;
    const stream::StreamConfig& config = had->facts.config;
    if (wanted.content_type.empty()) wanted.content_type = config.content_type;
    const bool inherits = request.fork && !wanted.ttl_s && wanted.expires_at.empty();
    const bool same =
        !had->facts.deleted && had->facts.closed == request.closed &&
        stream::is_same_type(config.content_type, wanted.content_type) &&
        (inherits || (config.ttl_s == wanted.ttl_s && config.expires_at == wanted.expires_at)) &&
        is_same(had->fork, request.fork);
    reply.status = same ? stream::CreateStatus::existed : stream::CreateStatus::conflict;
    reply.content_type = config.content_type;
    reply.next_offset = had->facts.tail;
    reply.closed = had->facts.closed;
    co_return reply;
  }
  auto made = std::make_shared<Stream>();
  made->name = request.name;
  made->fork = request.fork;
  made->touched_ms = request.at_ms;
  made->facts.id = core::StreamId{next_id_++};
  made->facts.config = request.config;
  if (request.fork) {
    reply.status = begin_fork(*made, request, request.at_ms);
    if (reply.status != stream::CreateStatus::created) co_return reply;
  }
  if (request.content.records > 0) {
    add(*made, std::move(request.content.bytes), request.content.records);
  }
  made->facts.closed = request.closed;
  if (request.closed) made->ended = stream::StreamEnd{made->facts.tail, std::nullopt};
  streams_[request.name] = made;
  reply.content_type = made->facts.config.content_type;
  reply.next_offset = made->facts.tail;
  reply.closed = request.closed;
  co_return reply;
}

ports::Task<core::Result<stream::AppendReply>> FakeStreamService::append(
    stream::AppendRequest request) {
  if (failure) co_return tl::unexpected<core::Error>(*failure);
  stream::AppendReply missing;
  missing.status = stream::AppendStatus::not_found;
  const StreamPtr stream = find(request.name, request.at_ms);
  if (!stream) co_return missing;
  stream->touched_ms = request.at_ms;
  stream::AppendFacts facts;
  facts.content_type = stream->facts.config.content_type;
  facts.tail = stream->facts.tail;
  facts.ended = stream->ended ? &*stream->ended : nullptr;
  facts.producers = &stream->producers;
  facts.deleted = stream->facts.deleted;
  const stream::AppendDecision decision = stream::check_append(facts, request);
  if (decision.action == stream::AppendAction::answer) co_return decision.reply;
  const bool ends = decision.action != stream::AppendAction::append;
  const stream::BatchIdentity identity{request.producer, request.stream_seq, ends};
  stream->producers.apply(identity);
  std::vector<stream::BatchSlice> added;
  if (request.batch.records > 0) {
    add(*stream, std::move(request.batch.bytes), request.batch.records);
    added.push_back(stream->slices.back());
  }
  if (ends) {
    stream->facts.closed = true;
    stream->ended = stream::StreamEnd{stream->facts.tail, request.producer};
  }
  publish(*stream, std::move(added), false);
  co_return decision.reply;
}

ports::Task<core::Result<stream::ReadReply>> FakeStreamService::read(stream::ReadRequest request) {
  ++reads;
  if (failure) co_return tl::unexpected<core::Error>(*failure);
  stream::ReadReply reply;
  const StreamPtr stream = find(request.name, request.at_ms);
  if (!stream || stream->facts.deleted) {
    reply.status = stream ? stream::ReadStatus::deleted : stream::ReadStatus::not_found;
    co_return reply;
  }
  stream->touched_ms = request.at_ms;
  reply.facts = stream->facts;
  core::Offset from = request.offset;
  if (request.from == stream::ReadStart::beginning) from = reply.facts.start;
  if (request.from == stream::ReadStart::now) from = reply.facts.tail;
  if (request.from == stream::ReadStart::offset && from == 0 && reply.facts.start > 0) {
    reply.status = stream::ReadStatus::trimmed;
    co_return reply;
  }
  reply.start = reply.next = from;
  if (from > reply.facts.tail) reply.status = stream::ReadStatus::beyond_tail;
  if (from < reply.facts.start) reply.status = stream::ReadStatus::trimmed;
  if (reply.status != stream::ReadStatus::ok) co_return reply;
  auto at = std::partition_point(stream->slices.begin(), stream->slices.end(),
                                 [&](const auto& slice) { return slice.end <= from; });
  std::size_t bytes = 0;
  for (; at != stream->slices.end(); ++at) {
    if (bytes > 0 && bytes + at->batches.size() > request.max_bytes) break;
    bytes += at->batches.size();
    stream::BatchSlice slice = *at;
    slice.first = std::max(slice.first, from);
    reply.next = slice.end;
    reply.slices.push_back(std::move(slice));
  }
  co_return reply;
}

ports::Task<core::Result<stream::StreamFacts>> FakeStreamService::facts(std::string name) {
  if (failure) co_return tl::unexpected<core::Error>(*failure);
  const StreamPtr stream = find(name, clock_.wall_now());
  if (!stream) co_return core::fail(core::Errc::not_found, "there is no such stream");
  co_return stream->facts;
}

ports::Task<core::Result<drivers::DeleteStatus>> FakeStreamService::remove(std::string name) {
  if (failure) co_return tl::unexpected<core::Error>(*failure);
  const StreamPtr stream = find(name, clock_.wall_now());
  if (!stream) co_return drivers::DeleteStatus::not_found;
  if (stream->facts.deleted) co_return drivers::DeleteStatus::deleted;
  forget(stream);
  co_return drivers::DeleteStatus::done;
}

ports::Task<core::Result<drivers::TrimStatus>> FakeStreamService::trim(std::string name,
                                                                       core::Offset start) {
  if (failure) co_return tl::unexpected<core::Error>(*failure);
  const StreamPtr stream = find(name, clock_.wall_now());
  if (!stream) co_return drivers::TrimStatus::not_found;
  if (stream->facts.deleted) co_return drivers::TrimStatus::deleted;
  if (start > stream->facts.tail) co_return drivers::TrimStatus::beyond_tail;
  stream->facts.start = std::max(stream->facts.start, start);
  co_return drivers::TrimStatus::done;
}

ports::Task<core::Result<std::vector<drivers::ListedStream>>> FakeStreamService::list(
    drivers::ListRequest request) {
  if (failure) co_return tl::unexpected<core::Error>(*failure);
  std::vector<drivers::ListedStream> listed;
  for (const auto& [name, stream] : streams_) {
    if (listed.size() >= request.limit) break;
    if (name <= request.start_after || !name.starts_with(request.prefix)) continue;
    if (!stream->facts.deleted) listed.push_back({name, stream->facts});
  }
  co_return listed;
}

void FakeStreamService::follow(std::string name, std::weak_ptr<drivers::TailListener> listener) {
  const StreamPtr stream = find(name, clock_.wall_now());
  auto update = std::make_shared<stream::TailUpdate>();
  update->gone = !stream || stream->facts.deleted;
  if (!update->gone) {
    update->tail = stream->facts.tail;
    update->closed = stream->facts.closed;
    stream->listeners.push_back(listener);
  }
  if (const auto alive = listener.lock()) alive->on_tail(update);
}

}  // namespace support
