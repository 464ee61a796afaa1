#include <utility>

#include "drivers/engine/engine.h"
#include "stream/content_type.h"
#include "stream/record_batch.h"
#include "stream/record_reader.h"

namespace drivers {
namespace {

const char kDefaultType[] = "application/octet-stream";

stream::CreateReply refusal(stream::CreateStatus status) {
  stream::CreateReply reply;
  reply.status = status;
  return reply;
}

bool has_lifetime(const stream::StreamConfig& config) {
  return config.ttl_s.has_value() || !config.expires_at.empty();
}

/// Whether a creation asks for what the stream is. A fork that says nothing of type or lifetime
/// asks for its source's.
bool is_same_config(const stream::CreateRequest& request, const stream::StreamRow& row,
                    const stream::View& view) {
  const stream::StreamConfig& asked = request.config;
  const bool is_fork = request.fork.has_value();
  if (is_fork != row.fork.has_value()) return false;
  if (!(is_fork && asked.content_type.empty())) {
    const std::string& type = asked.content_type.empty() ? kDefaultType : asked.content_type;
    if (!stream::is_same_type(type, row.config.content_type)) return false;
  }
  if (!is_fork || has_lifetime(asked)) {
    if (asked.ttl_s != row.config.ttl_s || asked.expires_at != row.config.expires_at) return false;
  }
  if (!is_fork) return true;
  const core::StreamId* source = view.names.find(request.fork->source);
  if (source == nullptr || *source != row.fork->parent) return false;
  if (request.fork->sub_offset != row.fork->sub_offset) return false;
  return !request.fork->offset || *request.fork->offset == row.fork->requested;
}

/// The records [offset, offset + 1) of a slice as the first `bytes` of that record's value.
core::Result<std::string> value_prefix(const stream::BatchSlice& slice, core::Offset offset,
                                       std::uint64_t bytes) {
  TRY(auto reader, stream::RecordReader::open(slice.batches.view()));
  for (stream::Record record; reader.next(record);) {
    if (record.offset != offset) continue;
    const std::string_view value = record.value.value_or("");
    if (bytes > value.size()) return core::fail(core::Errc::limit, "beyond the next append");
    return std::string(value.substr(0, bytes));
  }
  return core::fail(core::Errc::corrupt, "batch lacks record " + std::to_string(offset));
}

/// A batch that begins with `prefix` and goes on with the single value of `content`, if any.
core::Result<stream::FramedBatch> with_prefix(const std::string& prefix,
                                              const stream::FramedBatch& content,
                                              core::WallMs at_ms) {
  std::vector<std::string_view> values{prefix};
  if (content.records > 0) {
    TRY(auto reader, stream::RecordReader::open(content.bytes));
    for (stream::Record record; reader.next(record);) values.push_back(record.value.value_or(""));
  }
  return stream::frame_batch(values, at_ms, {});
}

}  // namespace

ports::Task<core::Result<stream::CreateReply>> Engine::create(stream::CreateRequest request) {
  if (context_.is_stopping) {
    co_return core::fail(core::Errc::unavailable, "this node is shutting down");
  }
  const std::string name = request.name;
  while (creating_.contains(name)) co_await created_.wait();
  creating_.insert(name);
  auto reply = co_await create_alone(std::move(request));
  creating_.erase(name);
  created_.notify_all();
  co_return reply;
}

/// Whether the creation is unfinished unless an append that is under way succeeds.
bool Engine::awaits_its_first(const Found& found) {
  const ActiveStream* stream = context_.active.find(found.id);
  if (!found.row->awaits_content || stream == nullptr) return false;
  const core::Offset first = found.row->fork ? found.row->fork->offset : 0;
  return stream->durable == first && stream->completed() < stream->submitted;
}

ports::Task<core::Result<stream::CreateReply>> Engine::create_alone(stream::CreateRequest request) {
  for (;;) {
    const stream::ViewPtr view = context_.view();
    if (const core::StreamId* id = view->names.find(request.name)) {
      const Found found{*id, view->find(*id)};
      if (found.row->deleted) co_return refusal(stream::CreateStatus::conflict);
      if (awaits_its_first(found)) {
        (void)co_await settled(found.id);
        continue;
      }
      if (!context_.expiry.is_expired(found.id, *found.row, request.at_ms)) {
        co_return co_await answer_existing(found, std::move(request));
      }
      CO_TRY_VOID(co_await expire(found, request.at_ms));
      continue;
    }
    stream::CreateStream command;
    command.life = context_.life;
    command.name = request.name;
    command.config = request.config;
    command.at_ms = request.at_ms;
    stream::FramedBatch content = request.content;
    if (request.fork) {
      const auto status = co_await resolve_fork(request, command, content);
      if (!status && status.error().code == core::Errc::not_found) continue;  // It went meanwhile.
      if (!status) co_return tl::unexpected<core::Error>(status.error());
      if (*status != stream::CreateStatus::created) co_return refusal(*status);
    }
    if (command.config.content_type.empty()) command.config.content_type = kDefaultType;
    command.awaits_content = content.records > 0;
    command.closed = request.closed && !command.awaits_content;

    const stream::Command proposal = command;
    CO_TRY(const cmdlog::Outcome outcome, co_await context_.ports.proposer.propose(proposal));
    if (outcome.verdict == cmdlog::Verdict::exists) continue;
    if (outcome.verdict == cmdlog::Verdict::not_found) {
      co_return refusal(stream::CreateStatus::source_not_found);
    }
    if (!outcome.holds()) {
      co_return core::fail(core::Errc::fenced, std::string("the stream was not created: ") +
                                                   cmdlog::name_of(outcome.verdict));
    }
    const core::StreamId id{outcome.value};
    co_return co_await finish_creation(id, std::move(content), request.closed, request.at_ms);
  }
}

/// Appends what the stream is to begin with, and tells what has become of it.
ports::Task<core::Result<stream::CreateReply>> Engine::finish_creation(core::StreamId id,
                                                                       stream::FramedBatch content,
                                                                       bool closed,
                                                                       core::WallMs at_ms) {
  stream::ViewPtr view = context_.view();
  const stream::StreamRow* row = view->find(id);
  if (row == nullptr) co_return core::fail(core::Errc::unavailable, "deleted while being created");
  context_.expiry.watch(id, *row);
  context_.expiry.touch(id, *row, at_ms);
  if (content.records > 0) {
    stream::AppendRequest append;
    append.content_type = row->config.content_type;
    append.batch = std::move(content);
    append.close = closed;
    append.at_ms = at_ms;
    CO_TRY(const stream::AppendReply appended, co_await append_to(id, std::move(append)));
    if (appended.status != stream::AppendStatus::appended) {
      co_return core::fail(core::Errc::unavailable, "the stream changed while being created");
    }
    view = context_.view();
    row = view->find(id);
    if (row == nullptr)
      co_return core::fail(core::Errc::unavailable, "deleted while being created");
  }
  const stream::StreamFacts facts = facts_of(Found{id, row});
  stream::CreateReply reply;
  reply.content_type = facts.config.content_type;
  reply.next_offset = facts.tail;
  reply.closed = facts.closed;
  co_return reply;
}

ports::Task<core::Result<stream::CreateReply>> Engine::answer_existing(
    Found found, stream::CreateRequest request) {
  const stream::ViewPtr view = context_.view();
  if (!is_same_config(request, *found.row, *view)) {
    co_return refusal(stream::CreateStatus::conflict);
  }
  const ActiveStream& stream = context_.active.get(found.id, *found.row);
  const core::Offset first = found.row->fork ? found.row->fork->offset : 0;
  const bool is_unfinished = found.row->awaits_content && stream.assigned == first &&
                             !stream.assigned_end && stream.damage.empty();
  if (is_unfinished) {
    // The node went down between creating the stream and writing its content, so nobody was told
    // that it exists: this repeat of the request brings the content again.
    stream::FramedBatch content = request.content;
    if (request.fork) {
      CO_TRY(const stream::CreateStatus status,
             co_await add_fork_prefix(*found.row->fork, found.row->config, request.at_ms, content));
      if (status != stream::CreateStatus::created) co_return refusal(status);
    }
    if (content.records > 0) {
      co_return co_await finish_creation(found.id, std::move(content), request.closed,
                                         request.at_ms);
    }
  }
  const stream::StreamFacts facts = facts_of(found);
  stream::CreateReply reply;
  reply.status = request.closed == facts.closed ? stream::CreateStatus::existed
                                                : stream::CreateStatus::conflict;
  reply.content_type = facts.config.content_type;
  reply.next_offset = facts.tail;
  reply.closed = facts.closed;
  co_return reply;
}

/// Fills in what the new stream inherits. Anything but `created` is the refusal to answer with.
ports::Task<core::Result<stream::CreateStatus>> Engine::resolve_fork(
    const stream::CreateRequest& request, stream::CreateStream& command,
    stream::FramedBatch& content) {
  const stream::ViewPtr view = context_.view();
  const std::optional<Found> source = find(*view, request.fork->source, request.at_ms);
  if (!source) co_return stream::CreateStatus::source_not_found;
  if (source->is_expired) {
    CO_TRY_VOID(co_await expire(*source, request.at_ms));
    co_return core::fail(core::Errc::not_found, "the source has expired");
  }
  if (source->row->deleted) co_return stream::CreateStatus::source_deleted;
  const stream::StreamConfig& inherited = source->row->config;
  if (command.config.content_type.empty()) {
    command.config.content_type = inherited.content_type;
  } else if (!stream::is_same_type(command.config.content_type, inherited.content_type)) {
    co_return stream::CreateStatus::source_type_differs;
  }
  if (!has_lifetime(command.config)) {
    command.config.ttl_s = inherited.ttl_s;
    command.config.expires_at = inherited.expires_at;
    command.config.expires_at_ms = inherited.expires_at_ms;
  }
  const stream::StreamFacts facts = facts_of(*source);
  stream::ForkPoint point;
  point.parent = source->id;
  point.offset = point.requested = request.fork->offset.value_or(facts.tail);
  point.explicit_offset = request.fork->offset.has_value();
  point.sub_offset = request.fork->sub_offset;
  if (point.offset > facts.tail || point.offset < facts.start) {
    co_return stream::CreateStatus::bad_fork_offset;
  }
  CO_TRY(const stream::CreateStatus status,
         co_await place_sub_offset(point, command.config, facts.tail));
  if (status != stream::CreateStatus::created) co_return status;
  command.fork = point;
  co_return co_await add_fork_prefix(point, command.config, request.at_ms, content);
}

/// Of a JSON stream, a sub-offset counts messages: it moves the fork point within the next append.
ports::Task<core::Result<stream::CreateStatus>> Engine::place_sub_offset(
    stream::ForkPoint& point, stream::StreamConfig config, core::Offset tail) {
  if (point.sub_offset == 0) co_return stream::CreateStatus::created;
  if (point.requested == tail) co_return stream::CreateStatus::bad_sub_offset;
  if (!stream::is_json(config.content_type)) co_return stream::CreateStatus::created;
  CO_TRY(const auto slices, co_await collect(point.parent, point.requested, tail, 1));
  std::string_view rest = slices.front().batches.view();
  while (!rest.empty()) {
    CO_TRY(const stream::BatchHeader batch, stream::peek_batch(rest));
    rest.remove_prefix(batch.size);
    if (batch.end <= point.requested) continue;
    if (point.sub_offset > batch.end - point.requested) break;
    point.offset = point.requested + point.sub_offset;
    co_return stream::CreateStatus::created;
  }
  co_return stream::CreateStatus::bad_sub_offset;
}

/// Of a byte stream, a sub-offset counts bytes: the fork begins with a copy of the beginning of the
/// source's next record.
ports::Task<core::Result<stream::CreateStatus>> Engine::add_fork_prefix(
    stream::ForkPoint point, stream::StreamConfig config, core::WallMs at_ms,
    stream::FramedBatch& content) {
  if (point.sub_offset == 0 || stream::is_json(config.content_type)) {
    co_return stream::CreateStatus::created;
  }
  CO_TRY(const auto slices,
         co_await collect(point.parent, point.requested, point.requested + 1, 1));
  std::string_view rest = slices.front().batches.view();
  for (;;) {
    CO_TRY(const stream::BatchHeader batch, stream::peek_batch(rest));
    if (batch.end > point.requested) {
      stream::BatchSlice slice{core::Bytes(std::string(rest.substr(0, batch.size))),
                               point.requested, point.requested + 1};
      auto prefix = value_prefix(slice, point.requested, point.sub_offset);
      if (!prefix && prefix.error().code == core::Errc::limit) {
        co_return stream::CreateStatus::bad_sub_offset;
      }
      if (!prefix) co_return tl::unexpected<core::Error>(prefix.error());
      CO_TRY(content, with_prefix(*prefix, content, at_ms));
      co_return stream::CreateStatus::created;
    }
    rest.remove_prefix(batch.size);
  }
}

}  // namespace drivers
