#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "core/check.h"

namespace tests {

/// A new directory of its own for one test, removed with all that is in it.
class Scratch {
 public:
  Scratch() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "clouduler-test-XXXXXX").string();
    CHECK(::mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::string path(const std::string& name = "") const {
    return name.empty() ? path_.string() : (path_ / name).string();
  }

 private:
  std::filesystem::path path_;
};

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream content;
  content << file.rdbuf();
  return content.str();
}

inline void write_file(const std::string& path, const std::string& content) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << content;
  CHECK(file.good());
}

/// Flips one bit of one byte of a file.
inline void flip_byte(const std::string& path, std::size_t position) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekg(static_cast<std::streamoff>(position));
  const int byte = file.get();
  CHECK(byte != EOF);
  file.seekp(static_cast<std::streamoff>(position));
  file.put(static_cast<char>(byte ^ 1));
  CHECK(file.good());
}

}  // namespace tests
