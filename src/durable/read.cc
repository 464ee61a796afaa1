#include "durable/read.h"

#include <fmt/format.h>

#include "durable/answer.h"
#include "durable/target.h"
#include "stream/offset_text.h"

namespace durable {
namespace {

Parsed<void> parse_start(const std::optional<std::string>& offset, ReadQuery& read) {
  if (!offset || *offset == "-1") return {};
  if (*offset == "now") {
    read.from = stream::ReadStart::now;
    return {};
  }
  const auto parsed = stream::parse_offset(*offset);
  if (!parsed) {
    return refuse(400, fmt::format("the offset '{}' is none of this server's", *offset));
  }
  read.from = stream::ReadStart::offset;
  read.offset = *parsed;
  return {};
}

/// Changes with the data and with the end; the id makes it another one after a deletion.
std::string etag_of(const stream::ReadReply& reply) {
  return fmt::format("\"{:x}:{:x}:{:x}{}\"", core::raw(reply.facts.id), reply.start, reply.next,
                     reply.at_end() ? ":c" : "");
}

bool matches(std::string_view if_none_match, std::string_view etag) {
  while (!if_none_match.empty()) {
    const std::size_t comma = std::min(if_none_match.find(','), if_none_match.size());
    std::string_view one = if_none_match.substr(0, comma);
    if_none_match.remove_prefix(std::min(comma + 1, if_none_match.size()));
    while (!one.empty() && one.front() == ' ') one.remove_prefix(1);
    while (!one.empty() && one.back() == ' ') one.remove_suffix(1);
    if (one.substr(0, 2) == "W/") one.remove_prefix(2);
    if (one == etag || one == "*") return true;
  }
  return false;
}

}  // namespace

Parsed<ReadQuery> parse_read(std::string_view text, const core::HttpFields& fields) {
  auto query = Query::parse(text);
  if (!query) return tl::unexpected<Refusal>(query.error());
  ReadQuery read;
  const auto offset = query->single("offset");
  if (!offset) return tl::unexpected<Refusal>(offset.error());
  if (auto start = parse_start(*offset, read); !start) {
    return tl::unexpected<Refusal>(start.error());
  }
  const auto live = query->single("live");
  if (!live) return tl::unexpected<Refusal>(live.error());
  if (*live == "long-poll") {
    read.live = Live::long_poll;
  } else if (*live == "sse") {
    read.live = Live::sse;
  } else if (*live) {
    return refuse(400, fmt::format("live '{}' is neither long-poll nor sse", **live));
  }
  if (*live && !*offset) return refuse(400, "a live read needs an offset");
  const auto cursor = query->single("cursor");
  if (cursor) read.cursor = *cursor;
  read.if_none_match = std::string(fields.find("If-None-Match").value_or(""));
  return read;
}

core::HttpResponse answer_read(const ReadQuery& query, const stream::ReadReply& reply,
                               std::vector<core::Bytes> body, std::optional<std::uint64_t> cursor) {
  const bool from_now = query.from == stream::ReadStart::now;
  const std::string etag = from_now ? std::string() : etag_of(reply);
  const bool unchanged = !from_now && matches(query.if_none_match, etag);
  core::HttpResponse response = answer(unchanged ? 304 : 200);
  core::HttpHeaderText& headers = response.headers;
  headers.add("Content-Type", reply.facts.config.content_type);
  headers.add(kNextOffset, stream::offset_text(reply.next));
  if (reply.up_to_date()) headers.add(kUpToDate, "true");
  if (reply.at_end()) headers.add(kClosed, "true");
  if (cursor && !reply.at_end()) headers.add(kCursor, std::to_string(*cursor));
  if (!etag.empty()) headers.add("ETag", etag);
  if (from_now) {
    headers.add("Cache-Control", "no-store");
  } else if (reply.up_to_date()) {
    headers.add("Cache-Control", "no-cache");  // There may be more by now: ask, with the ETag.
  } else {
    headers.add("Cache-Control", "public, max-age=60, stale-while-revalidate=300");
  }
  if (!unchanged) response.body = std::move(body);
  return response;
}

core::HttpResponse answer_unreadable(const stream::ReadReply& reply) {
  switch (reply.status) {
    case stream::ReadStatus::deleted: return answer_text(410, "the stream was deleted");
    case stream::ReadStatus::trimmed: {
      const std::string start = stream::offset_text(reply.facts.start);
      core::HttpResponse response =
          answer_text(410, fmt::format("the stream's records before {} were trimmed", start));
      response.headers.add(kStartOffset, start);
      return response;
    }
    case stream::ReadStatus::beyond_tail: {
      core::HttpResponse response = answer_text(400, "the offset is beyond the stream's tail");
      response.headers.add(kNextOffset, stream::offset_text(reply.facts.tail));
      return response;
    }
    default: return answer_text(404, "there is no such stream");
  }
}

core::HttpResponse answer_nothing_new(core::Offset tail, bool closed, std::uint64_t cursor) {
  core::HttpResponse response = answer(204);
  response.headers.add(kNextOffset, stream::offset_text(tail));
  response.headers.add(kUpToDate, "true");
  response.headers.add("Cache-Control", "no-store");
  if (closed) {
    response.headers.add(kClosed, "true");
  } else {
    response.headers.add(kCursor, std::to_string(cursor));
  }
  return response;
}

core::HttpResponse answer_facts(const stream::StreamFacts& facts) {
  if (facts.deleted) return answer_text(410, "the stream was deleted");
  core::HttpResponse response = answer(200);
  core::HttpHeaderText& headers = response.headers;
  headers.add("Content-Type", facts.config.content_type);
  headers.add(kNextOffset, stream::offset_text(facts.tail));
  headers.add(kStartOffset, stream::offset_text(facts.start));
  headers.add("Cache-Control", "no-store");
  if (facts.config.ttl_s) headers.add(kTtl, std::to_string(*facts.config.ttl_s));
  if (!facts.config.expires_at.empty()) headers.add(kExpiresAt, facts.config.expires_at);
  if (facts.closed) headers.add(kClosed, "true");
  return response;
}

}  // namespace durable
