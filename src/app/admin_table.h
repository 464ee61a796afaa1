#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace app {

/// An answer of the admin listener for people: an object as `name value` lines, a list of objects
/// as a table with one line for each.
std::string admin_table(const nlohmann::ordered_json& answer);

}  // namespace app
