#pragma once

#include <string>
#include <string_view>

#include "core/http_message.h"
#include "core/time.h"
#include "durable/body.h"
#include "durable/parsed.h"
#include "stream/request.h"

namespace durable {

/// The request of a PUT, but for its content: what a body means depends on the stream's type, which
/// a fork may leave to its source.
/// 400: a header that makes no sense, or two that contradict each other.
Parsed<stream::CreateRequest> parse_create(std::string name, const core::HttpRequest& request,
                                           core::WallMs now);

/// Whether the content's type is only known once the fork's source has been looked at.
bool needs_source_type(const stream::CreateRequest& create, const core::HttpRequest& request);

/// Adds the body; the request's content type must be known by now. 400: not JSON.
Parsed<void> add_content(stream::CreateRequest& create, std::string_view body, BodyFramer& framer);

/// `location`: the stream's absolute URL.
core::HttpResponse answer_create(const stream::CreateReply& reply, std::string_view location);

/// The absolute URL of a path, as the client may call it.
std::string location_of(std::string_view path, const core::HttpFields& fields);

}  // namespace durable
