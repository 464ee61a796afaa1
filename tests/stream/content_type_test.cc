#include "stream/content_type.h"

#include <gtest/gtest.h>

namespace stream {
namespace {

TEST(ContentTypeTest, ParametersSpacesAndCaseDoNotMatter) {
  EXPECT_EQ(normalized_type(" Application/JSON ; charset=utf-8"), "application/json");
  EXPECT_EQ(normalized_type("text/plain"), "text/plain");
  EXPECT_EQ(normalized_type(""), "");
  EXPECT_EQ(normalized_type(" ; x"), "");
  EXPECT_TRUE(is_same_type("TEXT/plain;charset=utf-8", "text/PLAIN"));
  EXPECT_FALSE(is_same_type("text/plain", "text/plainer"));
  EXPECT_FALSE(is_same_type("", "text/plain"));
}

TEST(ContentTypeTest, OnlyApplicationJsonIsJson) {
  EXPECT_TRUE(is_json("application/json"));
  EXPECT_TRUE(is_json("APPLICATION/JSON; charset=utf-8"));
  EXPECT_FALSE(is_json("application/x+json"));
  EXPECT_FALSE(is_json("text/json"));
}

}  // namespace
}  // namespace stream
