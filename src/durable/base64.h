#pragma once

#include <string>
#include <string_view>

namespace durable {

/// Appends `bytes` in the standard alphabet (RFC 4648), padded.
void append_base64(std::string_view bytes, std::string& out);

}  // namespace durable
