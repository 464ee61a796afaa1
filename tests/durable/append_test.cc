#include "durable/append.h"

#include <gtest/gtest.h>

#include "stream/record_batch.h"

namespace durable {
namespace {

using Headers = std::vector<std::pair<std::string, std::string>>;

core::HttpRequest post(const Headers& headers, std::string body) {
  core::HttpRequest request;
  request.method = core::HttpMethod::post;
  for (const auto& [name, value] : headers) request.fields.add(name, value);
  request.body = std::move(body);
  return request;
}

Parsed<stream::AppendRequest> parsed(const Headers& headers, std::string body = "x") {
  BodyFramer framer;
  return parse_append("s", post(headers, std::move(body)), framer, 7);
}

const std::pair<std::string, std::string> kText{"Content-Type", "text/plain"};
const std::pair<std::string, std::string> kJson{"Content-Type", "application/json; charset=utf-8"};

Headers producer(std::string id, std::string epoch, std::string seq) {
  return {kText, {"Producer-Id", id}, {"Producer-Epoch", epoch}, {"Producer-Seq", seq}};
}

TEST(AppendTest, ABodyIsOneRecordWithItsIdentity) {
  Headers headers = producer("p", "1", "9007199254740991");
  headers.push_back({"Stream-Seq", "09"});
  headers.push_back({"Stream-Closed", "true"});
  headers.push_back({"Stream-Expected-Offset", "0_3"});
  const auto append = parsed(headers, "hello").value();
  EXPECT_EQ(append.batch.records, 1u);
  const auto info = stream::inspect_batch(append.batch.bytes).value();
  EXPECT_EQ(info.identity.producer, append.producer);
  EXPECT_EQ(info.identity.stream_seq, "09");
  EXPECT_TRUE(info.identity.closes);
  EXPECT_EQ(info.first_timestamp, 7);
  EXPECT_EQ(append.producer->sequence, 9007199254740991u);
  EXPECT_EQ(append.expected_offset, 3u);
  EXPECT_TRUE(append.close);
}

TEST(AppendTest, AJsonArrayIsFlattenedOneLevel) {
  EXPECT_EQ(parsed({kJson}, "[[1,2],[3,4]]")->batch.records, 2u);
  EXPECT_EQ(parsed({kJson}, "[[[1,2,3]]]")->batch.records, 1u);
  EXPECT_EQ(parsed({kJson}, "null")->batch.records, 1u);
  EXPECT_EQ(parsed({kText}, "[1,2]")->batch.records, 1u);
}

TEST(AppendTest, ABadBodyIsNotedForTheEngineToJudgeLast) {
  EXPECT_EQ(parsed({kJson}, "[]")->invalid_body, "an empty array appends nothing");
  EXPECT_NE(parsed({kJson}, "{bad")->invalid_body, "");
  EXPECT_EQ(parsed({kJson}, "{bad")->batch.records, 0u);
}

TEST(AppendTest, AnEmptyBodyCanOnlyClose) {
  EXPECT_EQ(parsed({kText}, "").error().status, 400u);
  const auto close = parsed({{"Stream-Closed", "True"}}, "").value();
  EXPECT_TRUE(close.close);
  EXPECT_EQ(close.batch, stream::FramedBatch{});
}

TEST(AppendTest, ABodyNeedsAType) {
  EXPECT_EQ(parsed({}).error().status, 400u);
}

TEST(AppendTest, ProducerHeadersComeTogetherAndAreNumbers) {
  EXPECT_TRUE(parsed(producer("p", "0", "0")));
  EXPECT_FALSE(parsed({kText, {"Producer-Id", "p"}}));
  EXPECT_FALSE(parsed({kText, {"Producer-Epoch", "0"}, {"Producer-Seq", "0"}}));
  EXPECT_FALSE(parsed(producer("", "0", "0")));
  for (const char* bad : {"1abc", "0xyz", "1e3", "-1", "+1", "", " 1", "9007199254740992"}) {
    EXPECT_FALSE(parsed(producer("p", bad, "0"))) << bad;
    EXPECT_FALSE(parsed(producer("p", "0", bad))) << bad;
  }
}

TEST(AppendTest, AnExpectedOffsetIsAnOffset) {
  EXPECT_EQ(parsed({kText, {"Stream-Expected-Offset", "tail"}}).error().status, 400u);
}

stream::AppendReply reply(stream::AppendStatus status) {
  stream::AppendReply made;
  made.status = status;
  made.next_offset = 4;
  made.producer_epoch = 2;
  made.producer_sequence = 9;
  made.expected_sequence = 10;
  return made;
}

TEST(AppendTest, EachOutcomeHasItsStatus) {
  using stream::AppendStatus;
  const std::pair<AppendStatus, unsigned> all[] = {
      {AppendStatus::appended, 204},    {AppendStatus::duplicate, 204},
      {AppendStatus::closed, 204},      {AppendStatus::not_found, 404},
      {AppendStatus::deleted, 410},     {AppendStatus::already_closed, 409},
      {AppendStatus::wrong_type, 409},  {AppendStatus::stale_epoch, 403},
      {AppendStatus::gap, 409},         {AppendStatus::bad_epoch_start, 400},
      {AppendStatus::stale_seq, 409},   {AppendStatus::wrong_offset, 409},
      {AppendStatus::invalid_body, 400}};
  for (const auto& [status, code] : all) {
    EXPECT_EQ(answer_append({}, reply(status)).status, code);
  }
}

TEST(AppendTest, OnlyANewRequestOfAProducerIs200) {
  const AppendEcho echo{true, 9, ""};
  EXPECT_EQ(answer_append(echo, reply(stream::AppendStatus::appended)).status, 200u);
  EXPECT_EQ(answer_append(echo, reply(stream::AppendStatus::closed)).status, 204u);
  const auto duplicate = answer_append(echo, reply(stream::AppendStatus::duplicate));
  EXPECT_EQ(duplicate.status, 204u);
  EXPECT_EQ(duplicate.headers.value_of("Producer-Epoch"), "2");
  EXPECT_EQ(duplicate.headers.value_of("Producer-Seq"), "9");
  EXPECT_EQ(duplicate.headers.value_of("Stream-Next-Offset"), "0000000000000000_0000000000000004");
}

TEST(AppendTest, ARefusalSaysWhatItsSenderNeeds) {
  const AppendEcho echo{true, 12, ""};
  const auto gap = answer_append(echo, reply(stream::AppendStatus::gap)).headers;
  EXPECT_EQ(gap.value_of("Producer-Expected-Seq"), "10");
  EXPECT_EQ(gap.value_of("Producer-Received-Seq"), "12");
  EXPECT_EQ(answer_append(echo, reply(stream::AppendStatus::stale_epoch))
                .headers.value_of("Producer-Epoch"),
            "2");
  auto closed = reply(stream::AppendStatus::already_closed);
  closed.closed = true;
  EXPECT_EQ(answer_append({}, closed).headers.value_of("Stream-Closed"), "true");
  const auto offset = answer_append({}, reply(stream::AppendStatus::wrong_offset));
  EXPECT_EQ(offset.body.at(0).view(), "Expected offset conflict\n");
  EXPECT_EQ(offset.headers.value_of("Stream-Next-Offset"), "0000000000000000_0000000000000004");
}

TEST(AppendTest, ATrimIsAPostWithoutABody) {
  EXPECT_EQ(parse_trim("trim_before=0_5", post({}, "")).value(), 5u);
  EXPECT_EQ(parse_trim("", post({}, "")).value(), std::nullopt);
  EXPECT_EQ(parse_trim("x=y", post({}, "")).value(), std::nullopt);
  EXPECT_FALSE(parse_trim("trim_before=5", post({}, "")));
  EXPECT_FALSE(parse_trim("trim_before=0_5", post({}, "x")));
}

}  // namespace
}  // namespace durable
