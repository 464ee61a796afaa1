#pragma once

#include <string>
#include <string_view>

#include "core/http_message.h"
#include "core/result.h"
#include "durable/parsed.h"

namespace durable {

// Header names of the protocol.
inline constexpr std::string_view kNextOffset = "Stream-Next-Offset";
inline constexpr std::string_view kClosed = "Stream-Closed";
inline constexpr std::string_view kUpToDate = "Stream-Up-To-Date";
inline constexpr std::string_view kCursor = "Stream-Cursor";
inline constexpr std::string_view kStreamSeq = "Stream-Seq";
inline constexpr std::string_view kTtl = "Stream-TTL";
inline constexpr std::string_view kExpiresAt = "Stream-Expires-At";
inline constexpr std::string_view kExpectedOffset = "Stream-Expected-Offset";
inline constexpr std::string_view kForkedFrom = "Stream-Forked-From";
inline constexpr std::string_view kForkOffset = "Stream-Fork-Offset";
inline constexpr std::string_view kForkSubOffset = "Stream-Fork-Sub-Offset";
inline constexpr std::string_view kProducerId = "Producer-Id";
inline constexpr std::string_view kProducerEpoch = "Producer-Epoch";
inline constexpr std::string_view kProducerSeq = "Producer-Seq";
inline constexpr std::string_view kExpectedSeq = "Producer-Expected-Seq";
inline constexpr std::string_view kReceivedSeq = "Producer-Received-Seq";
// Ours, see docs/http.md.
inline constexpr std::string_view kStartOffset = "Stream-Start-Offset";

/// An answer with what every answer has: the security and CORS headers.
core::HttpResponse answer(unsigned status);

/// The same with a line of text that says why.
core::HttpResponse answer_text(unsigned status, std::string_view text);
core::HttpResponse answer_refusal(const Refusal& refusal);

/// A failure of the node, mapped to a status once for all requests.
core::HttpResponse answer_error(const core::Error& error);

/// "Try again soon": nothing may keep this answer.
core::HttpResponse answer_unavailable(std::string_view text);

/// To a method that the path does not have. `allow` is the list of those it has.
core::HttpResponse answer_method(std::string_view allow);

/// To OPTIONS: what browsers may do.
core::HttpResponse answer_options();

}  // namespace durable
