#include "core/crc32c.h"

#include <gtest/gtest.h>

#include <string>

namespace core {
namespace {

// Vectors of RFC 3720, appendix B.4.
TEST(Crc32cTest, AgreesWithThePublishedVectors) {
  EXPECT_EQ(crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(crc32c(""), 0u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAu);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62A8AB43u);
}

TEST(Crc32cTest, MayBeComputedInPieces) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += std::to_string(i);
  for (std::size_t cut = 0; cut < text.size(); cut += 7) {
    const std::string_view view(text);
    EXPECT_EQ(extend_crc32c(crc32c(view.substr(0, cut)), view.substr(cut)), crc32c(text));
  }
}

}  // namespace
}  // namespace core
