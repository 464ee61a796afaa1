#include "app/admin_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace app {
namespace {

using Json = nlohmann::ordered_json;

std::string cell(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_null()) return "-";
  return value.dump();
}

std::string padded_row(const std::vector<std::string>& cells,
                       const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i + 1 == cells.size()) {
      line += cells[i];
    } else {
      line += fmt::format("{:<{}}  ", cells[i], widths[i]);
    }
  }
  return line + "\n";
}

std::string rows(const Json& list) {
  std::vector<std::string> names;
  for (const Json& row : list) {
    for (const auto& [name, value] : row.items()) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  std::vector<std::vector<std::string>> table{names};
  for (const Json& row : list) {
    std::vector<std::string> cells;
    for (const std::string& name : names) {
      cells.push_back(row.contains(name) ? cell(row[name]) : "-");
    }
    table.push_back(std::move(cells));
  }
  std::vector<std::size_t> widths(names.size(), 0);
  for (const auto& cells : table) {
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  }
  std::string text;
  for (const auto& cells : table) text += padded_row(cells, widths);
  return text;
}

bool is_table(const Json& value) {
  return value.is_array() && !value.empty() &&
         std::all_of(value.begin(), value.end(), [](const Json& row) { return row.is_object(); });
}

/// Objects within objects become `outer.inner`.
void flatten(const std::string& prefix, const Json& object,
             std::vector<std::pair<std::string, std::string>>& facts, std::string& tables) {
  for (const auto& [name, value] : object.items()) {
    const std::string full = prefix.empty() ? name : prefix + "." + name;
    if (value.is_object()) {
      flatten(full, value, facts, tables);
    } else if (is_table(value)) {
      tables += rows(value);
    } else {
      facts.emplace_back(full, cell(value));
    }
  }
}

}  // namespace

std::string admin_table(const nlohmann::ordered_json& answer) {
  if (is_table(answer)) return rows(answer);
  if (!answer.is_object()) return cell(answer) + "\n";
  std::vector<std::pair<std::string, std::string>> facts;
  std::string tables;
  flatten("", answer, facts, tables);
  std::size_t width = 0;
  for (const auto& [name, value] : facts) width = std::max(width, name.size());
  std::string text;
  for (const auto& [name, value] : facts) text += fmt::format("{:<{}}  {}\n", name, width, value);
  return text + tables;
}

}  // namespace app
