#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace stream {

/// Cuts a JSON body into messages: the elements of a top-level array, or the body itself if it is
/// any other value. Holds working memory that grows with the bodies it sees: one per thread.
class JsonSplitter {
 public:
  static constexpr std::size_t kMaxDepth = 1024;  // Of arrays and objects within each other.

  JsonSplitter();
  JsonSplitter(JsonSplitter&&) noexcept;
  JsonSplitter& operator=(JsonSplitter&&) noexcept;
  ~JsonSplitter();

  /// Fills `messages` with the text of each message, exactly as it is in `body` but without the
  /// white space around it. `[]` gives none. Numbers are not converted, so that their size and
  /// precision do not matter.
  ///
  /// invalid: `body` is not one valid JSON text in UTF-8, or too deep; says what and at which byte.
  core::Result<void> split(std::string_view body, std::vector<std::string_view>& messages);

 private:
  struct Scanner;
  std::unique_ptr<Scanner> scanner_;
};

}  // namespace stream
