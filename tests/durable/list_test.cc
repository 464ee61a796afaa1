#include "durable/list.h"

#include <gtest/gtest.h>

namespace durable {
namespace {

TEST(ListTest, AQueryIsReadWithItsLimits) {
  EXPECT_EQ(parse_list("").value(), (ListQuery{"", "", 1000}));
  EXPECT_EQ(parse_list("prefix=/a%20b&start_after=c&limit=5").value(), (ListQuery{"a b", "c", 5}));
  for (const char* bad : {"limit=0", "limit=x", "limit=-1", "limit=10001", "limit="}) {
    EXPECT_EQ(parse_list(bad).error().status, 400u) << bad;
  }
}

TEST(ListTest, AFullPageSaysWhereToGoOn) {
  ListItem item;
  item.name = "a\"b";
  item.facts.config.content_type = "text/plain";
  item.facts.tail = 1;
  ListQuery query;
  query.limit = 1;
  EXPECT_EQ(answer_list(query, {item}).body.at(0).view(),
            "{\"streams\":[{\"name\":\"a\\\"b\",\"content_type\":\"text/plain\","
            "\"start_offset\":\"0000000000000000_0000000000000000\","
            "\"next_offset\":\"0000000000000000_0000000000000001\",\"closed\":false}],"
            "\"next_start_after\":\"a\\\"b\"}\n");
  EXPECT_EQ(answer_list({}, {}).body.at(0).view(), "{\"streams\":[]}\n");
}

}  // namespace
}  // namespace durable
