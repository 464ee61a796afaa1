#include "app/append_input.h"

#include <fmt/format.h>

#include "app/json_lines.h"

namespace app {

AppendInput::AppendInput(bool json, std::uint64_t lines)
    : json_(json),
      most_lines_(lines != 0 ? lines
                  : json     ? kJsonLines
                             : 1) {}

std::vector<AppendBatch> AppendInput::feed(std::string_view piece) {
  rest_ += piece;
  std::vector<AppendBatch> batches;
  std::size_t from = 0;
  for (std::size_t end = 0; (end = rest_.find('\n', from)) != std::string::npos; from = end + 1) {
    take_line(std::string_view(rest_).substr(from, end + 1 - from), batches);
  }
  rest_.erase(0, from);
  close_batch(batches);
  return batches;
}

std::vector<AppendBatch> AppendInput::finish() {
  std::vector<AppendBatch> batches;
  if (!rest_.empty()) take_line(rest_, batches);
  rest_.clear();
  close_batch(batches);
  return batches;
}

core::Result<void> AppendInput::error() const {
  if (why_.empty()) return {};
  return core::fail(core::Errc::invalid, why_);
}

void AppendInput::take_line(std::string_view line, std::vector<AppendBatch>& batches) {
  ++line_;
  if (!why_.empty()) return;
  if (json_) {
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
    if (line.find_first_not_of(" \t") == std::string_view::npos) return;
    if (const auto checked = check_json(line); !checked) {
      why_ = fmt::format("line {} is not JSON: {}", line_, checked.error().context);
      return;
    }
  }
  if (batch_.records > 0 && batch_.body.size() + line.size() > kBodyBytes) close_batch(batches);
  // An array in an array, so that a line which is an array stays one message.
  if (json_) batch_.body += batch_.records == 0 ? '[' : ',';
  batch_.body += line;
  if (++batch_.records == most_lines_) close_batch(batches);
}

void AppendInput::close_batch(std::vector<AppendBatch>& batches) {
  if (batch_.records == 0) return;
  if (json_) batch_.body += ']';
  batches.push_back(std::move(batch_));
  batch_ = {};
}

}  // namespace app
