#include "app/quantity.h"

#include <gtest/gtest.h>

namespace app {
namespace {

using namespace std::chrono_literals;

TEST(QuantityTest, SecondsTakeAFraction) {
  EXPECT_EQ(*parse_seconds("5"), 5s);
  EXPECT_EQ(*parse_seconds("0.5"), 500ms);
  EXPECT_EQ(*parse_seconds("1.000001"), 1s + 1us);
  EXPECT_EQ(*parse_seconds("1.0000019"), 1s + 1us);
  for (const char* bad :
       {"", ".", ".5", "5.", "-1", "+1", "1e3", " 1", "1 ", "1s", "99999999999", "1.2.3", "0x1"}) {
    EXPECT_FALSE(parse_seconds(bad).has_value()) << bad;
  }
}

TEST(QuantityTest, BytesTakeAUnit) {
  EXPECT_EQ(*parse_bytes("100"), 100U);
  EXPECT_EQ(*parse_bytes("64k"), 64U << 10);
  EXPECT_EQ(*parse_bytes("10MiB"), 10U << 20);
  EXPECT_EQ(*parse_bytes("2GB"), 2ULL << 30);
  for (const char* bad :
       {"", "k", "1x", "1kk", "-1", "1.5M", "99999999999999999999", "20000000T"}) {
    EXPECT_FALSE(parse_bytes(bad).has_value()) << bad;
  }
}

TEST(QuantityTest, HttpUrlsAreTakenApart) {
  EXPECT_EQ(*parse_http_url("http://127.0.0.1:4437"), (HttpUrl{"127.0.0.1", 4437, ""}));
  EXPECT_EQ(*parse_http_url("http://h/a/b/"), (HttpUrl{"h", 80, "/a/b"}));
  EXPECT_EQ(*parse_http_url("HTTP://[::1]:1/"), (HttpUrl{"::1", 1, ""}));
  EXPECT_EQ(parse_http_url("http://[::1]:1")->text(), "http://[::1]:1");
  for (const char* bad :
       {"", "127.0.0.1:4437", "ftp://h", "https://h", "http://", "http://:1", "http://h:0",
        "http://h:99999", "http://h:x", "http://u@h", "http://h/?a=b", "http://h h"}) {
    EXPECT_FALSE(parse_http_url(bad).has_value()) << bad;
  }
}

}  // namespace
}  // namespace app
