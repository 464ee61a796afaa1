#include "durable/target.h"

#include <gtest/gtest.h>

namespace durable {
namespace {

TEST(TargetTest, PathAndQueryAreCutApart) {
  EXPECT_EQ(split_target("/v1/stream/a?b=c?d").path, "/v1/stream/a");
  EXPECT_EQ(split_target("/v1/stream/a?b=c?d").query, "b=c?d");
  EXPECT_EQ(split_target("http://host:1/x?y").path, "/x");
  EXPECT_EQ(split_target("http://host").path, "/");
}

TEST(TargetTest, PercentSignsAreDecodedAndEncoded) {
  EXPECT_EQ(percent_decode("a%20b%2Fc%e4"), "a b/c\xe4");
  EXPECT_EQ(percent_decode("%"), std::nullopt);
  EXPECT_EQ(percent_decode("%4"), std::nullopt);
  EXPECT_EQ(percent_decode("%4g"), std::nullopt);
  EXPECT_EQ(percent_encode("a b/c\xe4~"), "a%20b/c%E4~");
}

TEST(TargetTest, ANameIsWhatFollowsTheRoot) {
  EXPECT_EQ(parse_stream_name("/v1/stream/orders/eu"), "orders/eu");
  EXPECT_EQ(parse_stream_name("/v1/stream/a%20b"), "a b");
  EXPECT_EQ(stream_path("a b/c"), "/v1/stream/a%20b/c");
}

TEST(TargetTest, WhatCannotBeANameIsRefused) {
  EXPECT_EQ(parse_stream_name("/v1/streams/x").error().status, 404u);
  EXPECT_EQ(parse_stream_name("/").error().status, 404u);
  for (const char* bad : {"/v1/stream/", "/v1/stream//x", "/v1/stream/a%0Ab", "/v1/stream/a%00",
                          "/v1/stream/%7F", "/v1/stream/%zz"}) {
    EXPECT_EQ(parse_stream_name(bad).error().status, 400u) << bad;
  }
  EXPECT_TRUE(parse_stream_name("/v1/stream/" + std::string(kMaxStreamName, 'x')));
  EXPECT_FALSE(parse_stream_name("/v1/stream/" + std::string(kMaxStreamName + 1, 'x')));
}

TEST(TargetTest, TheControlPathsAreReserved) {
  EXPECT_TRUE(is_reserved("__ds"));
  EXPECT_TRUE(is_reserved("__ds/subscriptions/x"));
  EXPECT_FALSE(is_reserved("__dsx"));
  EXPECT_FALSE(is_reserved("a/__ds"));
}

TEST(QueryTest, AParameterThatMattersIsThereOnceAndClean) {
  const Query query = Query::parse("offset=-1&&live=sse&x&empty=&t=1&t=2&c=now%0D%0A").value();
  EXPECT_EQ(query.single("offset").value(), "-1");
  EXPECT_EQ(query.single("absent").value(), std::nullopt);
  EXPECT_EQ(query.first("live"), "sse");
  EXPECT_EQ(query.single("empty").error().status, 400u);
  EXPECT_EQ(query.single("t").error().text, "the parameter 't' is given twice");
  EXPECT_EQ(query.single("c").error().text, "the parameter 'c' has control characters");
}

TEST(QueryTest, ABadlyEncodedQueryIsRefused) {
  EXPECT_FALSE(Query::parse("a=%f"));
}

}  // namespace
}  // namespace durable
