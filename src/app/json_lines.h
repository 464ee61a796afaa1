#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace app {

/// The elements of a JSON array, as text, each on one line; everything else of it is kept as it is,
/// numbers of any size included. invalid: it is no array.
core::Result<std::vector<std::string>> split_json_array(std::string_view text);

/// invalid: says what is wrong with it and where.
core::Result<void> check_json(std::string_view text);

}  // namespace app
