#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace app {

/// The body of one append.
struct AppendBatch {
  std::string body;
  std::uint64_t records = 0;
  bool operator==(const AppendBatch&) const = default;
};

/// Makes appends of lines, as many lines in each as there are at hand and fit.
class AppendInput {
 public:
  static constexpr std::size_t kJsonLines = 1000;                  // In one append, unless told.
  static constexpr std::size_t kBodyBytes = std::size_t{1} << 20;  // Of one append, about.

  /// `lines` of 0: kJsonLines for JSON, else 1.
  AppendInput(bool json, std::uint64_t lines);

  /// The appends that are complete with this piece of input: all whole lines are in them.
  std::vector<AppendBatch> feed(std::string_view piece);

  /// The input is over: a last line may lack its newline.
  std::vector<AppendBatch> finish();

  /// invalid: a line was no JSON; nothing from it on was handed out.
  core::Result<void> error() const;

 private:
  void take_line(std::string_view line, std::vector<AppendBatch>& batches);
  void close_batch(std::vector<AppendBatch>& batches);

  bool json_;
  std::uint64_t most_lines_;
  std::string rest_;
  AppendBatch batch_;
  std::uint64_t line_ = 0;
  std::string why_;
};

}  // namespace app
