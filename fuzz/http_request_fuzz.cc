// The path of a request from the socket's bytes to what the engine is asked: the parser as the
// server sets it up, then the wire of Durable Streams. Whatever the bytes are and however they are
// cut, parsing ends, limits hold, and the way they were cut makes no difference.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/http/parser.h"
#include "core/check.h"
#include "durable/append.h"
#include "durable/create.h"
#include "durable/list.h"
#include "durable/read.h"
#include "durable/target.h"
#include "stream/record_batch.h"

namespace {

constexpr adapters::ParserLimits kLimits{4096, 64 * 1024};

struct Outcome {
  core::HttpRequest request;
  bool done = false;
  unsigned failure = 0;
  std::size_t taken = 0;
};

/// Gives the parser `step` more bytes at a time, as a connection does.
Outcome parse(std::string_view bytes, std::size_t step) {
  Outcome outcome;
  adapters::RequestParser parser(kLimits, outcome.request);
  for (std::size_t end = 0; end < bytes.size() && !parser.done() && parser.failure() == 0;) {
    end = std::min(end + step, bytes.size());
    const std::vector<char> exact(bytes.begin() + static_cast<std::ptrdiff_t>(outcome.taken),
                                  bytes.begin() + static_cast<std::ptrdiff_t>(end));
    outcome.taken += parser.take(std::string_view(exact.data(), exact.size()));
    CHECK(outcome.taken <= end);
  }
  outcome.done = parser.done() && parser.failure() == 0;
  outcome.failure = parser.failure();
  CHECK(outcome.failure == 0 || !parser.reason().empty());
  return outcome;
}

void check_append(const core::HttpRequest& request, const std::string& name) {
  static durable::BodyFramer framer;
  const auto append = durable::parse_append(name, request, framer, 1);
  if (!append) return;
  if (!append->batch.bytes.empty()) {
    const auto info = stream::inspect_batch(append->batch.bytes);
    CHECK(info.has_value() && info->records == append->batch.records);
    CHECK(info->identity.producer == append->producer);
    CHECK(info->identity.closes == append->close);
  }
  CHECK(append->close || !append->batch.bytes.empty() || !append->invalid_body.empty());
}

void check_create(const core::HttpRequest& request, const std::string& name) {
  static durable::BodyFramer framer;
  auto create = durable::parse_create(name, request, 1);
  if (!create) return;
  if (durable::needs_source_type(*create, request)) create->config.content_type = "text/plain";
  if (durable::add_content(*create, request.body, framer) && !create->content.bytes.empty()) {
    CHECK(stream::inspect_batch(create->content.bytes).has_value());
  }
  durable::location_of(durable::stream_path(name), request.fields);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const Outcome whole = parse(bytes, std::max<std::size_t>(size, 1));
  CHECK(whole.request.body.size() <= kLimits.body);
  if (size <= 512) {
    const Outcome cut = parse(bytes, 1);
    CHECK(cut.done == whole.done);
    if (cut.done) {
      CHECK(cut.taken == whole.taken && cut.request.target == whole.request.target);
      CHECK(cut.request.body == whole.request.body);
      CHECK(cut.request.fields.size() == whole.request.fields.size());
    }
  }
  if (!whole.done) return 0;

  const core::HttpRequest& request = whole.request;
  const durable::Target target = durable::split_target(request.target);
  (void)durable::parse_list(target.query);
  (void)durable::parse_read(target.query, request.fields);
  (void)durable::parse_trim(target.query, request);
  const auto name = durable::parse_stream_name(target.path);
  if (!name) return 0;
  CHECK(durable::parse_stream_name(durable::stream_path(*name)) == *name);
  check_append(request, *name);
  check_create(request, *name);
  return 0;
}
