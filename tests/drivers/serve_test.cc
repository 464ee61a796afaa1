#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/http_node.h"

namespace drivers {
namespace {

using support::HttpNode;
using support::RawClient;
using testing::ContainsRegex;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string kText = "Content-Type: text/plain\r\n";
const std::string kJson = "Content-Type: application/json\r\n";
const std::string kPath = "/v1/stream/s";
const std::string kAt1 = "0000000000000000_0000000000000001";

ServeOptions with_timeout(core::Time timeout) {
  ServeOptions options;
  options.long_poll_timeout = timeout;
  return options;
}

TEST(ServeTest, AStreamIsMadeFilledReadAndDeleted) {
  HttpNode node;
  EXPECT_THAT(node.call("PUT", kPath, kText), StartsWith("HTTP/1.1 201 "));
  EXPECT_THAT(node.call("POST", kPath, kText, "hello"), StartsWith("HTTP/1.1 204 "));
  EXPECT_THAT(node.call("GET", kPath), EndsWith("\r\n\r\nhello"));
  EXPECT_THAT(node.call("HEAD", kPath), HasSubstr("Stream-Next-Offset: " + kAt1));
  EXPECT_THAT(node.call("DELETE", kPath), StartsWith("HTTP/1.1 204 "));
  EXPECT_THAT(node.call("GET", kPath), StartsWith("HTTP/1.1 404 "));
}

TEST(ServeTest, PathsThatAreNoStreamsAreRefused) {
  HttpNode node;
  EXPECT_THAT(node.call("GET", "/v1/other"), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(node.call("PUT", "/v1/stream/"), HasSubstr("\r\nAllow: GET, OPTIONS\r\n"));
  EXPECT_THAT(node.call("GET", "/v1/stream/__ds/jwks.json"), HasSubstr("{\"error\":{\"code\":"));
  EXPECT_THAT(node.call("PATCH", kPath), StartsWith("HTTP/1.1 405 "));
  EXPECT_THAT(node.call("OPTIONS", kPath), HasSubstr("Access-Control-Allow-Methods: GET"));
}

TEST(ServeTest, AnExpectedOffsetThatIsNotTheTailConflicts) {
  HttpNode node;
  node.call("PUT", kPath, kText, "x");
  const std::string stale = "Stream-Expected-Offset: 0_0\r\n";
  EXPECT_THAT(node.call("POST", kPath, kText + stale, "y"),
              AllOf(StartsWith("HTTP/1.1 409 "), HasSubstr("Stream-Next-Offset: " + kAt1),
                    EndsWith("Expected offset conflict\n")));
  const std::string fresh = "Stream-Expected-Offset: " + kAt1 + "\r\n";
  EXPECT_THAT(node.call("POST", kPath, kText + fresh, "y"), StartsWith("HTTP/1.1 204 "));
}

TEST(ServeTest, TheBodyOfAForkIsOfItsSourcesType) {
  HttpNode node;
  node.call("PUT", kPath, kJson, "[1]");
  const std::string fork = "Stream-Forked-From: /v1/stream/s\r\n";
  EXPECT_THAT(node.call("PUT", "/v1/stream/f", fork, "[2,3]"), StartsWith("HTTP/1.1 201 "));
  EXPECT_THAT(node.call("GET", "/v1/stream/f"), EndsWith("[1,2,3]"));
  EXPECT_THAT(node.call("PUT", "/v1/stream/g", "Stream-Forked-From: /v1/stream/none\r\n", "x"),
              StartsWith("HTTP/1.1 404 "));
}

TEST(ServeTest, StreamsAreListedAndTrimmed) {
  HttpNode node;
  for (const char* name : {"a/1", "a/2", "b"}) {
    node.call("PUT", std::string("/v1/stream/") + name, kText, "x");
  }
  EXPECT_THAT(node.call("GET", "/v1/stream/?prefix=a/&limit=1"),
              AllOf(HasSubstr("\"name\":\"a/1\""), Not(HasSubstr("a/2")),
                    HasSubstr("\"next_start_after\":\"a/1\"")));
  EXPECT_THAT(node.call("GET", "/v1/stream/?start_after=a/2"), HasSubstr("\"name\":\"b\""));
  EXPECT_THAT(node.call("POST", "/v1/stream/b?trim_before=" + kAt1), StartsWith("HTTP/1.1 204 "));
  EXPECT_THAT(node.call("GET", "/v1/stream/b?offset=0_0"),
              AllOf(StartsWith("HTTP/1.1 410 "), HasSubstr("Stream-Start-Offset: " + kAt1)));
}

TEST(ServeTest, AFailureOfTheNodeBecomesAStatus) {
  HttpNode node;
  const auto fail = [&](core::Errc code) {
    node.on_logic([&] { node.service.failure = core::Error{code, "the reason"}; });
    return node.call("POST", kPath, kText, "x");
  };
  EXPECT_THAT(fail(core::Errc::unavailable),
              AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("\r\nRetry-After: 1\r\n"),
                    HasSubstr("\r\nCache-Control: no-store\r\n"), EndsWith("the reason\n")));
  EXPECT_THAT(fail(core::Errc::full), StartsWith("HTTP/1.1 507 "));
  EXPECT_THAT(fail(core::Errc::corrupt),
              AllOf(StartsWith("HTTP/1.1 500 "), EndsWith("the reason\n")));
  EXPECT_THAT(node.call("GET", kPath + "?offset=-1&live=sse"), StartsWith("HTTP/1.1 500 "));
  EXPECT_THAT(node.call("GET", kPath + "?offset=-1&live=long-poll"), StartsWith("HTTP/1.1 500 "));
}

TEST(ServeTest, ALargeStreamIsReadInParts) {
  ServeOptions options;
  options.read_chunk = 100'000;
  HttpNode node(options);
  node.call("PUT", kPath, kText, std::string(80'000, 'a'));
  node.call("POST", kPath, kText, std::string(80'000, 'b'));
  const std::string first = node.call("GET", kPath);
  EXPECT_THAT(first, AllOf(HasSubstr("Content-Length: 80000"), Not(HasSubstr("Up-To-Date: true")),
                           HasSubstr("Stream-Next-Offset: " + kAt1)));
  EXPECT_THAT(node.call("GET", kPath + "?offset=" + kAt1),
              AllOf(HasSubstr("Content-Length: 80000"), HasSubstr("Up-To-Date: true")));
}

TEST(ServeTest, ReadersThatDoNotReadCannotHoldAllMemory) {
  ServeOptions options;
  options.max_outgoing = 2'000'000;  // A million for each network thread.
  HttpNode node(options);
  node.call("PUT", kPath, kText, std::string(9'000'000, 'x'));  // More than a socket holds.
  std::vector<std::unique_ptr<RawClient>> stalled;
  for (int i = 0; i < 2; ++i) {  // One on each thread.
    stalled.push_back(std::make_unique<RawClient>(node.port));
    stalled.back()->say(HttpNode::request("GET", kPath));
    stalled.back()->hear_until("\r\n\r\n");
  }
  EXPECT_THAT(node.call("GET", kPath), StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(node.call("GET", kPath + "?offset=-1&live=sse"), StartsWith("HTTP/1.1 503 "));
  stalled.clear();
  while (!node.call("GET", kPath).starts_with("HTTP/1.1 200 ")) std::this_thread::yield();
}

TEST(ServeTest, ALongPollEndsWithTheNextAppend) {
  HttpNode node(with_timeout(std::chrono::seconds(60)));
  node.call("PUT", kPath, kText);
  RawClient waiting(node.port);
  waiting.say(HttpNode::request("GET", kPath + "?offset=-1&live=long-poll"));
  while (node.metrics.long_polls.value() == 0) std::this_thread::yield();
  node.call("POST", kPath, kText, "news");
  EXPECT_THAT(waiting.hear_response(),
              AllOf(StartsWith("HTTP/1.1 200 "), ContainsRegex("Stream-Cursor: [0-9]+"),
                    HasSubstr("Stream-Up-To-Date: true"), EndsWith("news")));
}

TEST(ServeTest, ALongPollEndsWithTheStream) {
  HttpNode node(with_timeout(std::chrono::seconds(60)));
  node.call("PUT", kPath, kText);
  RawClient waiting(node.port);
  waiting.say(HttpNode::request("GET", kPath + "?offset=-1&live=long-poll"));
  while (node.metrics.long_polls.value() == 0) std::this_thread::yield();
  node.call("POST", kPath, "Stream-Closed: true\r\n");
  EXPECT_THAT(waiting.hear_response(),
              AllOf(StartsWith("HTTP/1.1 204 "), HasSubstr("Stream-Closed: true")));
  EXPECT_THAT(node.call("GET", kPath + "?offset=-1&live=long-poll"), StartsWith("HTTP/1.1 204 "));
}

TEST(ServeTest, ALongPollOfADeletedStreamIsToldSo) {
  HttpNode node(with_timeout(std::chrono::seconds(60)));
  node.call("PUT", kPath, kText);
  RawClient waiting(node.port);
  waiting.say(HttpNode::request("GET", kPath + "?offset=-1&live=long-poll"));
  while (node.metrics.long_polls.value() == 0) std::this_thread::yield();
  node.call("DELETE", kPath);
  EXPECT_THAT(waiting.hear_response(), StartsWith("HTTP/1.1 404 "));
}

TEST(ServeTest, ALongPollThatSeesNothingIs204) {
  HttpNode node(with_timeout(std::chrono::milliseconds(20)));
  node.call("PUT", kPath, kText, "x");
  EXPECT_THAT(node.call("GET", kPath + "?offset=" + kAt1 + "&live=long-poll"),
              AllOf(StartsWith("HTTP/1.1 204 "), HasSubstr("Stream-Next-Offset: " + kAt1),
                    HasSubstr("Stream-Up-To-Date: true"), HasSubstr("Stream-Cursor: ")));
}

TEST(ServeTest, EventsFollowTheStreamToItsEnd) {
  HttpNode node;
  node.call("PUT", kPath, kText, "old");
  RawClient reader(node.port);
  reader.say(HttpNode::request("GET", kPath + "?offset=-1&live=sse"));
  EXPECT_THAT(reader.hear_until("\n\n\r\n"),
              AllOf(HasSubstr("Content-Type: text/event-stream\r\n"),
                    Not(HasSubstr("Content-Length")), HasSubstr("event: data\ndata:old\n\n")));
  node.call("POST", kPath, kText, "more");
  EXPECT_THAT(reader.hear_until("\n\n\r\n"),
              AllOf(HasSubstr("event: data\ndata:more\n\n"), HasSubstr("\"upToDate\":true")));
  node.call("POST", kPath, kText + "Stream-Closed: true\r\n", "last");
  EXPECT_THAT(reader.hear_until("0\r\n\r\n"),
              AllOf(HasSubstr("event: data\ndata:last\n\nevent: control\n"),
                    HasSubstr("\"streamClosed\":true")));
}

TEST(ServeTest, AnEmptyStreamStillTellsWhereItsReaderStands) {
  HttpNode node;
  node.call("PUT", kPath, kText);
  RawClient reader(node.port);
  reader.say(HttpNode::request("GET", kPath + "?offset=now&live=sse"));
  EXPECT_THAT(reader.hear_until("\n\n\r\n"),
              AllOf(HasSubstr("event: control\n"), Not(HasSubstr("event: data"))));
}

TEST(ServeTest, ReadersAtOnePositionShareWhatIsRead) {
  HttpNode node;
  node.call("PUT", kPath, kText);
  std::vector<std::unique_ptr<RawClient>> readers;
  for (int i = 0; i < 50; ++i) {
    readers.push_back(std::make_unique<RawClient>(node.port));
    readers.back()->say(HttpNode::request("GET", kPath + "?offset=-1&live=sse"));
    readers.back()->hear_until("\n\n\r\n");
  }
  for (int i = 0; i < 20; ++i) node.call("POST", kPath, kText, "n" + std::to_string(i) + ".");
  for (auto& reader : readers) {
    for (int i = 0; i < 20; ++i) {
      EXPECT_THAT(reader->hear_until("data:n" + std::to_string(i) + ".\n"), HasSubstr("data:n"));
    }
  }
  // One read each at the beginning; those whose feed began later than an append read once more.
  EXPECT_LE(node.on_logic([&] { return node.service.reads; }), 150u);
}

TEST(ServeTest, AReaderThatFallsBehindStillGetsEverythingInOrder) {
  ServeOptions options;
  options.feed_window = 1000;
  HttpNode node(options);
  node.call("PUT", kPath, kText);
  RawClient reader(node.port);
  reader.say(HttpNode::request("GET", kPath + "?offset=-1&live=sse"));
  reader.hear_until("\n\n\r\n");
  constexpr int kAppends = 120;  // More than the sockets hold.
  const std::string filler(200'000, 'x');
  for (int i = 0; i < kAppends; ++i) {
    node.call("POST", kPath, kText, filler + "<" + std::to_string(i) + ">");
  }
  for (int i = 0; i < kAppends; ++i) {
    const std::string heard = reader.hear_until("<" + std::to_string(i) + ">");
    EXPECT_EQ(heard.find('<'), heard.rfind('<'));  // None came before its turn.
    ASSERT_FALSE(reader.closed()) << i;
  }
}

TEST(ServeTest, EventsEndAfterTheirTime) {
  ServeOptions options;
  options.sse_max_duration = std::chrono::milliseconds(20);
  HttpNode node(options);
  node.call("PUT", kPath, kText);
  EXPECT_THAT(node.call("GET", kPath + "?offset=-1&live=sse"), EndsWith("0\r\n\r\n"));
}

TEST(ServeTest, EventsOfADeletedStreamEnd) {
  HttpNode node;
  node.call("PUT", kPath, kText);
  RawClient reader(node.port);
  reader.say(HttpNode::request("GET", kPath + "?offset=-1&live=sse"));
  reader.hear_until("\n\n\r\n");
  node.call("DELETE", kPath);
  EXPECT_THAT(reader.hear_until("0\r\n\r\n"), EndsWith("0\r\n\r\n"));
}

TEST(ServeTest, WhenTheNodeStopsLiveReadsEnd) {
  HttpNode node(with_timeout(std::chrono::seconds(60)));
  node.call("PUT", kPath, kText);
  RawClient reader(node.port);
  reader.say(HttpNode::request("GET", kPath + "?offset=-1&live=sse"));
  reader.hear_until("\n\n\r\n");
  RawClient waiting(node.port);
  waiting.say(HttpNode::request("GET", kPath + "?offset=-1&live=long-poll"));
  while (node.metrics.long_polls.value() == 0) std::this_thread::yield();
  node.handler.end_live_reads();
  EXPECT_THAT(reader.hear_until("0\r\n\r\n"), EndsWith("0\r\n\r\n"));
  EXPECT_THAT(waiting.hear_response(),
              AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("Retry-After: ")));
  EXPECT_THAT(node.call("GET", kPath + "?offset=-1&live=sse"), StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(node.call("GET", kPath), StartsWith("HTTP/1.1 200 "));
}

TEST(ServeTest, RequestsAreCountedByMethodAndStatus) {
  HttpNode node;
  node.call("PUT", kPath, kText);
  node.call("GET", kPath);
  node.call("GET", "/v1/stream/none");
  EXPECT_EQ(node.metrics.requests(core::HttpMethod::put, 1), 1u);  // 201
  EXPECT_EQ(node.metrics.requests(core::HttpMethod::get, 0), 1u);  // 200
  EXPECT_EQ(node.metrics.requests(core::HttpMethod::get, 7), 1u);  // 404
}

}  // namespace
}  // namespace drivers
