#pragma once

#include <string>
#include <string_view>

namespace stream {

/// The type/subtype alone, in lower case: what content types are compared by.
std::string normalized_type(std::string_view content_type);

/// normalized_type(left) == normalized_type(right), without building them.
bool is_same_type(std::string_view left, std::string_view right);

/// Whether a stream of this type is a sequence of JSON messages: exactly application/json.
bool is_json(std::string_view content_type);

}  // namespace stream
