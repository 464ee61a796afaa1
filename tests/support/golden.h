#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace tests {

/// The content of tests/golden/NAME: bytes of a stored format as they were written when it came to
/// be, so that a later build proves that it still reads and writes them.
///
/// With CLOUDULER_WRITE_GOLDEN set the file is first written with `written`. Do that for a format
/// that is new, never to make a test of an old one pass.
inline std::string golden(const std::string& name, std::string_view written) {
  const std::string path = std::string(CLOUDULER_SOURCE_DIR) + "/tests/golden/" + name;
  if (std::getenv("CLOUDULER_WRITE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << written;
  }
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path << " cannot be read";
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

}  // namespace tests
