#pragma once

#include <string>
#include <string_view>

#include "core/result.h"

namespace app::verify {

/// A file that lines are appended to; each is with the system when append() returns.
class JournalFile {
 public:
  JournalFile() = default;
  JournalFile(JournalFile&& other) noexcept;
  JournalFile& operator=(JournalFile&& other) noexcept;
  ~JournalFile();

  /// invalid: it exists, or cannot be created.
  static core::Result<JournalFile> create(const std::string& path);

  bool is_open() const { return file_ >= 0; }

  /// Does nothing if it is not open. unavailable: says why.
  core::Result<void> append(std::string_view line);

  /// Onto the disk.
  core::Result<void> sync();

 private:
  int file_ = -1;
  std::string path_;
};

/// All of a file. invalid: says why it cannot be read.
core::Result<std::string> read_file(const std::string& path);

}  // namespace app::verify
