#include "durable/read.h"

#include <gtest/gtest.h>

namespace durable {
namespace {

Parsed<ReadQuery> parsed(std::string_view query) {
  return parse_read(query, {});
}

TEST(ReadTest, AnOffsetIsTheBeginningTheTailOrANumber) {
  EXPECT_EQ(parsed("")->from, stream::ReadStart::beginning);
  EXPECT_EQ(parsed("offset=-1")->from, stream::ReadStart::beginning);
  EXPECT_EQ(parsed("offset=now")->from, stream::ReadStart::now);
  EXPECT_EQ(parsed("offset=0000000000000000_0000000000000012")->offset, 12u);
  EXPECT_EQ(parsed("offset=0_1&unknown=x")->from, stream::ReadStart::offset);
}

TEST(ReadTest, WhatIsNoOffsetIsRefused) {
  for (const char* bad :
       {"offset=", "offset=-1&offset=-1", "offset=-1%0A", "offset=now%0D%0A", "offset=0_1%00",
        "offset=-2", "offset=12", "offset=a,b", "offset=../x", "offset=NOW", "offset=%"}) {
    EXPECT_EQ(parsed(bad).error().status, 400u) << bad;
  }
}

TEST(ReadTest, ALiveReadNamesAnOffset) {
  EXPECT_EQ(parsed("offset=-1&live=sse")->live, Live::sse);
  EXPECT_EQ(parsed("offset=now&live=long-poll&cursor=5")->cursor, "5");
  EXPECT_FALSE(parsed("live=sse"));
  EXPECT_FALSE(parsed("live=long-poll"));
  EXPECT_FALSE(parsed("offset=-1&live=maybe"));
}

stream::ReadReply reply(core::Offset start, core::Offset next, core::Offset tail, bool closed) {
  stream::ReadReply made;
  made.facts.id = core::StreamId{1};
  made.facts.config.content_type = "text/plain";
  made.facts.tail = tail;
  made.facts.closed = closed;
  made.start = start;
  made.next = next;
  return made;
}

TEST(ReadTest, AReadUpToTheTailSaysSo) {
  const auto whole = answer_read({}, reply(0, 3, 3, false), {core::Bytes("abc")}, std::nullopt);
  EXPECT_EQ(whole.status, 200u);
  EXPECT_EQ(whole.headers.value_of("Stream-Up-To-Date"), "true");
  EXPECT_EQ(whole.headers.value_of("Stream-Closed"), "");
  EXPECT_EQ(whole.headers.value_of("Stream-Cursor"), "");
  EXPECT_EQ(whole.body.at(0).view(), "abc");
}

TEST(ReadTest, APartialChunkIsNeitherUpToDateNorTheEnd) {
  const auto part = answer_read({}, reply(0, 2, 3, true), {}, 7);
  EXPECT_EQ(part.headers.value_of("Stream-Up-To-Date"), "");
  EXPECT_EQ(part.headers.value_of("Stream-Closed"), "");
  EXPECT_EQ(part.headers.value_of("Stream-Cursor"), "7");
}

TEST(ReadTest, TheLastChunkOfAClosedStreamIsTheEnd) {
  const auto last = answer_read({}, reply(2, 3, 3, true), {}, 7);
  EXPECT_EQ(last.headers.value_of("Stream-Closed"), "true");
  EXPECT_EQ(last.headers.value_of("Stream-Cursor"), "");
}

TEST(ReadTest, AnETagChangesWithTheDataTheEndAndTheStream) {
  const auto etag = [](const stream::ReadReply& of) {
    return std::string(answer_read({}, of, {}, std::nullopt).headers.value_of("ETag"));
  };
  const std::string open = etag(reply(0, 3, 3, false));
  EXPECT_NE(open, etag(reply(0, 4, 4, false)));
  EXPECT_NE(open, etag(reply(0, 3, 3, true)));
  auto other = reply(0, 3, 3, false);
  other.facts.id = core::StreamId{2};
  EXPECT_NE(open, etag(other));
}

TEST(ReadTest, AKnownETagNeedsNoBody) {
  ReadQuery query;
  query.if_none_match = "\"other\", W/\"1:0:3\"";
  const auto same = answer_read(query, reply(0, 3, 3, false), {core::Bytes("abc")}, std::nullopt);
  EXPECT_EQ(same.status, 304u);
  EXPECT_TRUE(same.body.empty());
  EXPECT_EQ(answer_read(query, reply(0, 4, 4, false), {}, std::nullopt).status, 200u);
}

TEST(ReadTest, AnAnswerFromNowIsNeverKept) {
  ReadQuery query;
  query.from = stream::ReadStart::now;
  const auto response = answer_read(query, reply(3, 3, 3, false), {}, std::nullopt);
  EXPECT_EQ(response.headers.value_of("Cache-Control"), "no-store");
  EXPECT_EQ(response.headers.value_of("ETag"), "");
}

TEST(ReadTest, WhatCannotBeReadHasItsStatus) {
  stream::ReadReply made;
  made.facts.start = 5;
  const auto status = [&](stream::ReadStatus what) {
    made.status = what;
    return answer_unreadable(made).status;
  };
  EXPECT_EQ(status(stream::ReadStatus::not_found), 404u);
  EXPECT_EQ(status(stream::ReadStatus::deleted), 410u);
  EXPECT_EQ(status(stream::ReadStatus::beyond_tail), 400u);
  EXPECT_EQ(status(stream::ReadStatus::trimmed), 410u);
  EXPECT_EQ(answer_unreadable(made).headers.value_of("Stream-Start-Offset"),
            "0000000000000000_0000000000000005");
}

TEST(ReadTest, NothingNewIs204WithACursorOrTheEnd) {
  const auto waiting = answer_nothing_new(3, false, 9);
  EXPECT_EQ(waiting.status, 204u);
  EXPECT_EQ(waiting.headers.value_of("Stream-Cursor"), "9");
  EXPECT_EQ(waiting.headers.value_of("Stream-Up-To-Date"), "true");
  const auto ended = answer_nothing_new(3, true, 9);
  EXPECT_EQ(ended.headers.value_of("Stream-Closed"), "true");
  EXPECT_EQ(ended.headers.value_of("Stream-Cursor"), "");
}

TEST(ReadTest, HeadTellsWhatWasConfigured) {
  stream::StreamFacts facts;
  facts.config.content_type = "text/plain";
  facts.config.ttl_s = 3600;
  facts.tail = 8;
  const auto headers = answer_facts(facts).headers;
  EXPECT_EQ(headers.value_of("Stream-TTL"), "3600");
  EXPECT_EQ(headers.value_of("Stream-Next-Offset"), "0000000000000000_0000000000000008");
  EXPECT_EQ(headers.value_of("Cache-Control"), "no-store");
  EXPECT_EQ(headers.value_of("Stream-Closed"), "");
  facts.deleted = true;
  EXPECT_EQ(answer_facts(facts).status, 410u);
}

}  // namespace
}  // namespace durable
