#include "durable/answer.h"

#include <string>

namespace durable {
namespace {

constexpr std::string_view kEverywhere =
    "X-Content-Type-Options: nosniff\r\n"
    "Cross-Origin-Resource-Policy: cross-origin\r\n"
    "Access-Control-Allow-Origin: *\r\n"
    "Access-Control-Expose-Headers: Stream-Next-Offset, Stream-Cursor, Stream-Up-To-Date, "
    "Stream-Closed, Stream-TTL, Stream-Expires-At, Stream-Start-Offset, Producer-Epoch, "
    "Producer-Seq, Producer-Expected-Seq, Producer-Received-Seq, stream-sse-data-encoding, etag, "
    "location, content-type, content-encoding, retry-after, vary\r\n";

constexpr std::string_view kMethods = "GET, POST, PUT, DELETE, HEAD, OPTIONS";

constexpr std::string_view kRequestHeaders =
    "content-type, authorization, if-none-match, Stream-Seq, Stream-TTL, Stream-Expires-At, "
    "Stream-Closed, Stream-Expected-Offset, Producer-Id, Producer-Epoch, "
    "Producer-Seq, Stream-Forked-From, Stream-Fork-Offset, Stream-Fork-Sub-Offset";

unsigned status_of(core::Errc code) {
  switch (code) {
    case core::Errc::unavailable:
    case core::Errc::unknown:
    case core::Errc::fenced: return 503;
    case core::Errc::not_found: return 404;
    case core::Errc::conflict: return 409;
    case core::Errc::invalid: return 400;
    case core::Errc::corrupt: return 500;
    case core::Errc::limit: return 429;
    case core::Errc::full: return 507;
  }
  return 500;
}

}  // namespace

core::HttpResponse answer(unsigned status) {
  core::HttpResponse response;
  response.status = status;
  response.headers.add_lines(kEverywhere);
  return response;
}

core::HttpResponse answer_text(unsigned status, std::string_view text) {
  core::HttpResponse response = answer(status);
  response.headers.add("Content-Type", "text/plain; charset=utf-8");
  response.headers.add("Cache-Control", "no-store");
  response.body.emplace_back(std::string(text) + "\n");
  return response;
}

core::HttpResponse answer_refusal(const Refusal& refusal) {
  return answer_text(refusal.status, refusal.text);
}

core::HttpResponse answer_unavailable(std::string_view text) {
  core::HttpResponse response = answer_text(503, text);
  response.headers.add("Retry-After", "1");
  return response;
}

core::HttpResponse answer_error(const core::Error& error) {
  const unsigned status = status_of(error.code);
  if (status == 503) return answer_unavailable(error.context);
  core::HttpResponse response = answer_text(status, error.context);
  if (status == 429 || status == 507) response.headers.add("Retry-After", "1");
  return response;
}

core::HttpResponse answer_method(std::string_view allow) {
  core::HttpResponse response = answer_text(405, "this path does not have that method");
  response.headers.add("Allow", allow);
  return response;
}

core::HttpResponse answer_options() {
  core::HttpResponse response = answer(204);
  response.headers.add("Access-Control-Allow-Methods", kMethods);
  response.headers.add("Access-Control-Allow-Headers", kRequestHeaders);
  response.headers.add("Access-Control-Max-Age", "86400");
  return response;
}

}  // namespace durable
