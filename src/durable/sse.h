#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/http_message.h"
#include "core/ids.h"
#include "core/result.h"
#include "stream/request.h"

namespace durable {

/// The head of an event stream over a stream of that type. What is neither text nor JSON is sent in
/// base64, and the head says so.
core::HttpResponse begin_sse(std::string_view content_type);

/// One data event with all records of the slices: complete by itself, whatever they hold.
core::Result<std::string> data_event(std::string_view content_type,
                                     const std::vector<stream::BatchSlice>& slices);

/// Follows every data event, and says where the client stands.
struct Control {
  core::Offset next = 0;
  std::optional<std::uint64_t> cursor;  // None once the stream has ended.
  bool up_to_date = false;
  bool closed = false;  // And everything was sent: the connection ends after this.
  bool operator==(const Control&) const = default;
};
std::string control_event(const Control& control);

}  // namespace durable
