#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/http_message.h"
#include "core/time.h"
#include "durable/body.h"
#include "durable/parsed.h"
#include "stream/request.h"

namespace durable {

/// The request of a POST, its body framed. A body that is no good is not refused here but noted in
/// the request: the stream's state is judged first.
/// 400: bad producer headers or expected offset, no body and no close, no Content-Type.
Parsed<stream::AppendRequest> parse_append(std::string name, const core::HttpRequest& request,
                                           BodyFramer& framer, core::WallMs now);

/// What the answer must know of the request.
struct AppendEcho {
  bool has_producer = false;
  std::uint64_t sequence = 0;
  std::string invalid_body;
};
AppendEcho echo_of(const stream::AppendRequest& request);

core::HttpResponse answer_append(const AppendEcho& echo, const stream::AppendReply& reply);

/// Our extension: a POST with the parameter trim_before and no body drops the records before that
/// offset. None: this POST is no trim.
Parsed<std::optional<core::Offset>> parse_trim(std::string_view query,
                                               const core::HttpRequest& request);

}  // namespace durable
