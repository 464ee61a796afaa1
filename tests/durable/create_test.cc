#include "durable/create.h"

#include <gtest/gtest.h>

#include "stream/record_batch.h"

namespace durable {
namespace {

using Headers = std::vector<std::pair<std::string, std::string>>;

core::HttpRequest put(const Headers& headers, std::string body = {}) {
  core::HttpRequest request;
  request.method = core::HttpMethod::put;
  for (const auto& [name, value] : headers) request.fields.add(name, value);
  request.body = std::move(body);
  return request;
}

unsigned refusal_of(const Headers& headers) {
  const auto create = parse_create("s", put(headers), 5);
  return create ? 0 : create.error().status;
}

TEST(CreateTest, APlainPutMakesAStreamOfBytes) {
  const auto create = parse_create("s", put({}), 5).value();
  EXPECT_EQ(create.name, "s");
  EXPECT_EQ(create.config.content_type, "application/octet-stream");
  EXPECT_FALSE(create.closed);
  EXPECT_EQ(create.at_ms, 5);
}

TEST(CreateTest, TheTypeIsKeptAsItWasGiven) {
  EXPECT_EQ(parse_create("s", put({{"content-type", "Text/Plain; charset=x"}}), 0)
                .value()
                .config.content_type,
            "Text/Plain; charset=x");
  EXPECT_EQ(parse_create("s", put({{"content-type", "nonsense"}}), 0).value().config.content_type,
            "application/octet-stream");
}

TEST(CreateTest, ATtlIsAPlainNumberOfSeconds) {
  EXPECT_EQ(parse_create("s", put({{"Stream-TTL", "3600"}}), 0).value().config.ttl_s, 3600u);
  EXPECT_EQ(parse_create("s", put({{"Stream-TTL", "0"}}), 0).value().config.ttl_s, 0u);
  for (const char* bad :
       {"abc", "-1", "+60", "00060", "60.5", "1e3", "", " ", "99999999999999999999"}) {
    EXPECT_EQ(refusal_of({{"Stream-TTL", bad}}), 400u) << bad;
  }
}

TEST(CreateTest, AnExpiryTimeIsKeptAsTextAndAsTime) {
  const auto config =
      parse_create("s", put({{"Stream-Expires-At", "1970-01-01T01:00:01+01:00"}}), 0)
          .value()
          .config;
  EXPECT_EQ(config.expires_at, "1970-01-01T01:00:01+01:00");
  EXPECT_EQ(config.expires_at_ms, 1000);
  EXPECT_EQ(refusal_of({{"Stream-Expires-At", "tomorrow"}}), 400u);
  EXPECT_EQ(refusal_of({{"Stream-Expires-At", "2030-01-01T00:00:00Z"}, {"Stream-TTL", "1"}}), 400u);
}

TEST(CreateTest, OnlyTrueCloses) {
  EXPECT_TRUE(parse_create("s", put({{"Stream-Closed", "TRUE"}}), 0).value().closed);
  EXPECT_FALSE(parse_create("s", put({{"Stream-Closed", "yes"}}), 0).value().closed);
}

TEST(CreateTest, AForkNamesItsSourceByPath) {
  const auto create = parse_create("s",
                                   put({{"Stream-Forked-From", "/v1/stream/a%20b"},
                                        {"Stream-Fork-Offset", "0000000000000000_7"},
                                        {"Stream-Fork-Sub-Offset", "3"}}),
                                   0)
                          .value();
  EXPECT_EQ(create.fork->source, "a b");
  EXPECT_EQ(create.fork->offset, 7u);
  EXPECT_EQ(create.fork->sub_offset, 3u);
  EXPECT_EQ(create.config.content_type, "");
}

TEST(CreateTest, ForkHeadersThatContradictEachOtherAreRefused) {
  const std::pair<std::string, std::string> from{"Stream-Forked-From", "/v1/stream/a"};
  const std::pair<std::string, std::string> offset{"Stream-Fork-Offset", "0_1"};
  EXPECT_EQ(refusal_of({{"Stream-Forked-From", "/elsewhere"}}), 400u);
  EXPECT_EQ(refusal_of({offset}), 400u);
  EXPECT_EQ(refusal_of({{"Stream-Fork-Sub-Offset", "0"}}), 400u);
  EXPECT_EQ(refusal_of({from, {"Stream-Fork-Sub-Offset", "1"}}), 400u);
  EXPECT_EQ(refusal_of({from, {"Stream-Fork-Sub-Offset", "0"}}), 0u);
  EXPECT_EQ(refusal_of({from, {"Stream-Fork-Offset", "x"}}), 400u);
  for (const char* bad : {"-1", "abc", "1.5", "05", "+1", ""}) {
    EXPECT_EQ(refusal_of({from, offset, {"Stream-Fork-Sub-Offset", bad}}), 400u) << bad;
  }
}

TEST(CreateTest, TheBodyOfAForkWaitsForItsType) {
  const Headers fork{{"Stream-Forked-From", "/v1/stream/a"}};
  const auto create = parse_create("s", put(fork), 0).value();
  EXPECT_TRUE(needs_source_type(create, put(fork, "x")));
  EXPECT_FALSE(needs_source_type(create, put(fork)));
}

TEST(CreateTest, AJsonBodyBecomesItsMessages) {
  BodyFramer framer;
  stream::CreateRequest create;
  create.config.content_type = "application/json";
  create.closed = true;
  ASSERT_TRUE(add_content(create, "[1, [2,3]]", framer));
  EXPECT_EQ(create.content.records, 2u);
  EXPECT_TRUE(stream::inspect_batch(create.content.bytes).value().identity.closes);
  ASSERT_TRUE(add_content(create, "[]", framer));
  EXPECT_EQ(create.content, stream::FramedBatch{});
  EXPECT_EQ(add_content(create, "{", framer).error().status, 400u);
}

TEST(CreateTest, EachOutcomeHasItsStatus) {
  using stream::CreateStatus;
  const std::pair<CreateStatus, unsigned> all[] = {
      {CreateStatus::created, 201},         {CreateStatus::existed, 200},
      {CreateStatus::conflict, 409},        {CreateStatus::source_not_found, 404},
      {CreateStatus::source_deleted, 409},  {CreateStatus::source_type_differs, 409},
      {CreateStatus::bad_fork_offset, 400}, {CreateStatus::bad_sub_offset, 400}};
  for (const auto& [status, code] : all) {
    stream::CreateReply reply;
    reply.status = status;
    EXPECT_EQ(answer_create(reply, "http://h/p").status, code);
  }
}

TEST(CreateTest, ACreatedStreamIsDescribed) {
  const stream::CreateReply reply{stream::CreateStatus::created, "text/plain", 2, true};
  const auto headers = answer_create(reply, "http://h/v1/stream/s").headers;
  EXPECT_EQ(headers.value_of("Content-Type"), "text/plain");
  EXPECT_EQ(headers.value_of("Stream-Next-Offset"), "0000000000000000_0000000000000002");
  EXPECT_EQ(headers.value_of("Stream-Closed"), "true");
  EXPECT_EQ(headers.value_of("Location"), "http://h/v1/stream/s");
}

TEST(CreateTest, TheLocationIsWhatTheClientCalled) {
  core::HttpFields fields;
  EXPECT_EQ(location_of("/p", fields), "http://localhost/p");
  fields.add("Host", "h:1");
  EXPECT_EQ(location_of("/p", fields), "http://h:1/p");
  fields.add("X-Forwarded-Proto", "https");
  fields.add("X-Forwarded-Host", "public");
  EXPECT_EQ(location_of("/p", fields), "https://public/p");
}

}  // namespace
}  // namespace durable
