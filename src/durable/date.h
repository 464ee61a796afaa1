#pragma once

#include <optional>
#include <string_view>

#include "core/time.h"

namespace durable {

/// An RFC 3339 time: date, `T`, time with optional fraction, `Z` or a numeric zone. None: anything
/// else, dates that do not exist included.
std::optional<core::WallMs> parse_rfc3339(std::string_view text);

}  // namespace durable
