#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "core/ids.h"

namespace stream {

/// A well-formed offset that no stream has.
inline constexpr core::Offset kBeyondEveryTail = std::numeric_limits<core::Offset>::max();

/// Offsets as HTTP clients see them, `0000000000000000_0000000000000042`: opaque to them, equal and
/// ordered as text exactly as the record numbers they stand for.
std::string offset_text(core::Offset offset);

/// The offset that `text` stands for; any number of digits is fine on both sides. Those that
/// offset_text() cannot have made are kBeyondEveryTail. None: not of the form digits_digits.
std::optional<core::Offset> parse_offset(std::string_view text);

}  // namespace stream
