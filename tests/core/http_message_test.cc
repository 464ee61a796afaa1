#include "core/http_message.h"

#include <gtest/gtest.h>

namespace core {
namespace {

TEST(HttpFieldsTest, NamesAreFoundWithoutRegardToCase) {
  HttpFields fields;
  fields.add("Content-Type", "text/plain");
  fields.add("X", "");
  EXPECT_EQ(fields.find("content-type"), "text/plain");
  EXPECT_EQ(fields.find("x"), "");
  EXPECT_EQ(fields.find("Content-Typ"), std::nullopt);
  fields.clear();
  EXPECT_FALSE(fields.has("x"));
}

TEST(HttpFieldsTest, ATokenIsFoundInAnyOfTheLists) {
  HttpFields fields;
  fields.add("Connection", "Upgrade , foo");
  fields.add("connection", "CLOSE");
  EXPECT_TRUE(fields.has_token("Connection", "close"));
  EXPECT_TRUE(fields.has_token("Connection", "upgrade"));
  EXPECT_FALSE(fields.has_token("Connection", "fo"));
}

TEST(HttpHeaderTextTest, AValueWithALineBreakIsLeftOut) {
  HttpHeaderText text;
  text.add("A", "1\r\nEvil: yes");
  text.add("B", "2");
  EXPECT_EQ(text.text(), "B: 2\r\n");
  EXPECT_EQ(text.value_of("b"), "2");
  EXPECT_EQ(text.value_of("a"), "");
}

}  // namespace
}  // namespace core
