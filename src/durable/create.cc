#include "durable/create.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "durable/answer.h"
#include "durable/date.h"
#include "durable/target.h"
#include "stream/offset_text.h"

namespace durable {
namespace {

constexpr std::string_view kDefaultType = "application/octet-stream";

/// A number as the protocol writes them: digits without leading zeros.
std::optional<std::uint64_t> parse_count(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || text[0] == '-') return {};
  if (text[0] == '0' && text.size() > 1) return std::nullopt;
  return value;
}

bool is_media_type(std::string_view text) {
  const std::size_t slash = text.find('/');
  return slash != std::string_view::npos && slash > 0 && slash + 1 < text.size();
}

Parsed<void> parse_expiry(const core::HttpFields& fields, stream::StreamConfig& config) {
  constexpr std::uint64_t kMostSeconds = 1'000'000'000'000;
  const auto ttl = fields.find(kTtl);
  const auto expires = fields.find(kExpiresAt);
  if (ttl && expires) return refuse(400, "Stream-TTL and Stream-Expires-At exclude each other");
  if (ttl) {
    config.ttl_s = parse_count(*ttl);
    if (!config.ttl_s || *config.ttl_s > kMostSeconds) {
      return refuse(400, fmt::format("Stream-TTL '{}' is not a number of seconds", *ttl));
    }
  }
  if (expires) {
    config.expires_at = std::string(*expires);
    config.expires_at_ms = parse_rfc3339(*expires);
    if (!config.expires_at_ms) {
      return refuse(400, fmt::format("Stream-Expires-At '{}' is not an RFC 3339 time", *expires));
    }
  }
  return {};
}

Parsed<std::optional<stream::ForkRequest>> parse_fork(const core::HttpFields& fields) {
  const auto source = fields.find(kForkedFrom);
  const auto offset = fields.find(kForkOffset);
  const auto sub_offset = fields.find(kForkSubOffset);
  stream::ForkRequest fork;
  if (sub_offset) {
    const auto count = parse_count(*sub_offset);
    if (!count) {
      return refuse(400, fmt::format("Stream-Fork-Sub-Offset '{}' is not a count", *sub_offset));
    }
    fork.sub_offset = *count;
  }
  if (!source) {
    if (offset || sub_offset) return refuse(400, "a fork needs Stream-Forked-From");
    return std::optional<stream::ForkRequest>();
  }
  if (offset) {
    fork.offset = *offset == "-1" ? core::Offset{0} : stream::parse_offset(*offset);
    if (!fork.offset) {
      return refuse(400, fmt::format("Stream-Fork-Offset '{}' is not an offset", *offset));
    }
  } else if (fork.sub_offset > 0) {
    return refuse(400, "Stream-Fork-Sub-Offset needs Stream-Fork-Offset");
  }
  auto name = parse_stream_name(split_target(*source).path);
  if (!name) {
    return refuse(400, fmt::format("Stream-Forked-From '{}' is not the path of a stream", *source));
  }
  fork.source = std::move(*name);
  return std::optional<stream::ForkRequest>(std::move(fork));
}

}  // namespace

Parsed<stream::CreateRequest> parse_create(std::string name, const core::HttpRequest& request,
                                           core::WallMs now) {
  const core::HttpFields& fields = request.fields;
  stream::CreateRequest create;
  create.name = std::move(name);
  create.at_ms = now;
  auto expiry = parse_expiry(fields, create.config);
  if (!expiry) return tl::unexpected<Refusal>(expiry.error());
  auto fork = parse_fork(fields);
  if (!fork) return tl::unexpected<Refusal>(fork.error());
  create.fork = std::move(*fork);
  const auto type = fields.find("Content-Type");
  if (type && is_media_type(*type)) {
    create.config.content_type = std::string(*type);
  } else if (!create.fork) {
    create.config.content_type = std::string(kDefaultType);
  }
  create.closed = core::equal_without_case(fields.find(kClosed).value_or(""), "true");
  return create;
}

bool needs_source_type(const stream::CreateRequest& create, const core::HttpRequest& request) {
  return create.config.content_type.empty() && !request.body.empty();
}

Parsed<void> add_content(stream::CreateRequest& create, std::string_view body, BodyFramer& framer) {
  stream::BatchIdentity identity;
  identity.closes = create.closed;
  auto batch = framer.frame(create.config.content_type, body, create.at_ms, identity);
  if (!batch) return refuse(400, std::move(batch.error().context));
  create.content = std::move(*batch);
  return {};
}

core::HttpResponse answer_create(const stream::CreateReply& reply, std::string_view location) {
  switch (reply.status) {
    case stream::CreateStatus::created:
    case stream::CreateStatus::existed: break;
    case stream::CreateStatus::conflict:
      return answer_text(409, "the stream exists and is not as this request wants it");
    case stream::CreateStatus::source_not_found:
      return answer_text(404, "the stream to fork does not exist");
    case stream::CreateStatus::source_deleted:
      return answer_text(409, "the stream to fork was deleted");
    case stream::CreateStatus::source_type_differs:
      return answer_text(409, "a fork has the content type of its source");
    case stream::CreateStatus::bad_fork_offset:
      return answer_text(400, "Stream-Fork-Offset is beyond the source's tail");
    case stream::CreateStatus::bad_sub_offset:
      return answer_text(400, "Stream-Fork-Sub-Offset is beyond the next append of the source");
  }
  const bool created = reply.status == stream::CreateStatus::created;
  core::HttpResponse response = answer(created ? 201 : 200);
  response.headers.add("Content-Type", reply.content_type);
  response.headers.add(kNextOffset, stream::offset_text(reply.next_offset));
  if (reply.closed) response.headers.add(kClosed, "true");
  if (created) response.headers.add("Location", location);
  return response;
}

std::string location_of(std::string_view path, const core::HttpFields& fields) {
  std::string_view scheme = fields.find("X-Forwarded-Proto").value_or("http");
  if (scheme != "https") scheme = "http";
  const auto forwarded = fields.find("X-Forwarded-Host");
  const std::string_view host = forwarded ? *forwarded : fields.find("Host").value_or("localhost");
  return fmt::format("{}://{}{}", scheme, host, path);
}

}  // namespace durable
