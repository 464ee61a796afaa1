#pragma once

#include <string_view>

#include "core/result.h"

namespace ports {

/// Whether every store can keep an object of that name; see ObjectStore. invalid: it says why not.
core::Result<void> check_object_name(std::string_view name);

}  // namespace ports
