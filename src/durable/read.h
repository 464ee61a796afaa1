#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/http_message.h"
#include "durable/parsed.h"
#include "stream/request.h"

namespace durable {

enum class Live : std::uint8_t { no, long_poll, sse };

/// What a GET asks for.
struct ReadQuery {
  stream::ReadStart from = stream::ReadStart::beginning;
  core::Offset offset = 0;
  Live live = Live::no;
  std::optional<std::string> cursor;  // As the client sent it.
  std::string if_none_match;
  bool operator==(const ReadQuery&) const = default;
};

/// 400: an offset that is none, or is given twice; an unknown kind of live; live without an offset.
Parsed<ReadQuery> parse_read(std::string_view query, const core::HttpFields& fields);

/// The answer to a read that found something, or waits for nothing. `body` is what the reply's
/// slices hold. `cursor`: of a live read.
core::HttpResponse answer_read(const ReadQuery& query, const stream::ReadReply& reply,
                               std::vector<core::Bytes> body, std::optional<std::uint64_t> cursor);

/// The same for a reply that is not ok.
core::HttpResponse answer_unreadable(const stream::ReadReply& reply);

/// A long poll that saw nothing new: at the tail, after the timeout or at the stream's end.
core::HttpResponse answer_nothing_new(core::Offset tail, bool closed, std::uint64_t cursor);

/// HEAD.
core::HttpResponse answer_facts(const stream::StreamFacts& facts);

}  // namespace durable
