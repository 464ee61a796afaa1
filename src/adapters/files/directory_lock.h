#pragma once

#include <string>

#include "adapters/files/file.h"
#include "core/result.h"

namespace adapters {

/// Keeps a directory for this process alone, until destroyed or until the process ends, however.
class DirectoryLock {
 public:
  /// Makes the directory if need be, and the file `lock` in it. conflict: another process has it;
  /// the error names both. Others: the directory cannot be used, and why.
  static core::Result<DirectoryLock> take(const std::string& directory);

 private:
  explicit DirectoryLock(File file) : file_(std::move(file)) {}
  File file_;
};

}  // namespace adapters
