#include "durable/append.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "durable/answer.h"
#include "durable/target.h"
#include "stream/offset_text.h"

namespace durable {
namespace {

constexpr std::uint64_t kMostExact = (std::uint64_t{1} << 53) - 1;  // What JavaScript counts to.

std::optional<std::uint64_t> parse_number(std::string_view text) {
  const bool digits = !text.empty() && std::all_of(text.begin(), text.end(),
                                                   [](char c) { return c >= '0' && c <= '9'; });
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (!digits || error != std::errc{} || value > kMostExact) return std::nullopt;
  return value;
}

Parsed<std::optional<stream::ProducerClaim>> parse_producer(const core::HttpFields& fields) {
  const auto id = fields.find(kProducerId);
  const auto epoch = fields.find(kProducerEpoch);
  const auto sequence = fields.find(kProducerSeq);
  if (!id && !epoch && !sequence) return std::optional<stream::ProducerClaim>();
  if (!id || !epoch || !sequence) {
    return refuse(400, "Producer-Id, Producer-Epoch and Producer-Seq come together");
  }
  if (id->empty()) return refuse(400, "Producer-Id is empty");
  const auto epoch_number = parse_number(*epoch);
  const auto sequence_number = parse_number(*sequence);
  if (!epoch_number || !sequence_number) {
    return refuse(400, fmt::format("Producer-Epoch '{}' and Producer-Seq '{}' must be numbers from "
                                   "0 to 2^53 - 1",
                                   *epoch, *sequence));
  }
  return std::optional(stream::ProducerClaim{std::string(*id), *epoch_number, *sequence_number});
}

/// With the tail, so that the client knows where it stands.
core::HttpResponse conflict(const stream::AppendReply& reply, std::string_view text) {
  core::HttpResponse response = answer_text(409, text);
  response.headers.add(kNextOffset, stream::offset_text(reply.next_offset));
  if (reply.closed) response.headers.add(kClosed, "true");
  return response;
}

core::HttpResponse gap(const AppendEcho& echo, const stream::AppendReply& reply) {
  core::HttpResponse response =
      answer_text(409, fmt::format("the producer's request {} comes next, this is {}",
                                   reply.expected_sequence, echo.sequence));
  response.headers.add(kExpectedSeq, std::to_string(reply.expected_sequence));
  response.headers.add(kReceivedSeq, std::to_string(echo.sequence));
  return response;
}

core::HttpResponse stale_epoch(const stream::AppendReply& reply) {
  core::HttpResponse response = answer_text(403, "the producer has a newer epoch");
  response.headers.add(kProducerEpoch, std::to_string(reply.producer_epoch));
  return response;
}

}  // namespace

Parsed<stream::AppendRequest> parse_append(std::string name, const core::HttpRequest& request,
                                           BodyFramer& framer, core::WallMs now) {
  const core::HttpFields& fields = request.fields;
  stream::AppendRequest append;
  append.name = std::move(name);
  append.at_ms = now;
  auto producer = parse_producer(fields);
  if (!producer) return tl::unexpected<Refusal>(producer.error());
  append.producer = std::move(*producer);
  if (const auto seq = fields.find(kStreamSeq)) append.stream_seq = std::string(*seq);
  if (const auto text = fields.find(kExpectedOffset)) {
    append.expected_offset = stream::parse_offset(*text);
    if (!append.expected_offset) {
      return refuse(400, fmt::format("Stream-Expected-Offset '{}' is not an offset", *text));
    }
  }
  append.close = core::equal_without_case(fields.find(kClosed).value_or(""), "true");
  if (request.body.empty()) {
    if (!append.close) return refuse(400, "an append needs a body");
    return append;
  }
  const auto type = fields.find("Content-Type");
  if (!type || type->empty()) return refuse(400, "an append needs a Content-Type");
  append.content_type = std::string(*type);

  const stream::BatchIdentity identity{append.producer, append.stream_seq, append.close};
  auto batch = framer.frame(append.content_type, request.body, now, identity);
  if (!batch) {
    append.invalid_body = batch.error().context;
  } else if (batch->records == 0) {
    append.invalid_body = "an empty array appends nothing";
  } else {
    append.batch = std::move(*batch);
  }
  return append;
}

AppendEcho echo_of(const stream::AppendRequest& request) {
  AppendEcho echo;
  echo.has_producer = request.producer.has_value();
  if (echo.has_producer) echo.sequence = request.producer->sequence;
  echo.invalid_body = request.invalid_body;
  return echo;
}

core::HttpResponse answer_append(const AppendEcho& echo, const stream::AppendReply& reply) {
  switch (reply.status) {
    case stream::AppendStatus::appended:
    case stream::AppendStatus::duplicate:
    case stream::AppendStatus::closed: break;
    case stream::AppendStatus::not_found: return answer_text(404, "there is no such stream");
    case stream::AppendStatus::deleted: return answer_text(410, "the stream was deleted");
    case stream::AppendStatus::already_closed: return conflict(reply, "the stream is closed");
    case stream::AppendStatus::wrong_type:
      return conflict(reply, "the stream has another content type");
    case stream::AppendStatus::stale_epoch: return stale_epoch(reply);
    case stream::AppendStatus::bad_epoch_start:
      return answer_text(400, "a producer begins a newer epoch with request 0");
    case stream::AppendStatus::gap: return gap(echo, reply);
    case stream::AppendStatus::stale_seq:
      return conflict(reply, "Stream-Seq is not greater than the last one");
    case stream::AppendStatus::wrong_offset: return conflict(reply, "Expected offset conflict");
    case stream::AppendStatus::invalid_body: return answer_text(400, echo.invalid_body);
  }
  const bool is_new = reply.status == stream::AppendStatus::appended;
  core::HttpResponse response = answer(is_new && echo.has_producer ? 200 : 204);
  response.headers.add(kNextOffset, stream::offset_text(reply.next_offset));
  if (reply.closed) response.headers.add(kClosed, "true");
  if (echo.has_producer) {
    response.headers.add(kProducerEpoch, std::to_string(reply.producer_epoch));
    response.headers.add(kProducerSeq, std::to_string(reply.producer_sequence));
  }
  return response;
}

Parsed<std::optional<core::Offset>> parse_trim(std::string_view text,
                                               const core::HttpRequest& request) {
  if (text.empty()) return std::optional<core::Offset>();
  const auto query = Query::parse(text);
  if (!query) return tl::unexpected<Refusal>(query.error());
  const auto before = query->single("trim_before");
  if (!before) return tl::unexpected<Refusal>(before.error());
  if (!*before) return std::optional<core::Offset>();
  if (!request.body.empty()) return refuse(400, "a trim has no body");
  const auto offset = stream::parse_offset(**before);
  if (!offset) return refuse(400, fmt::format("trim_before '{}' is not an offset", **before));
  return offset;
}

}  // namespace durable
