#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>
#include <future>
#include <optional>
#include <thread>

#include "adapters/http/server.h"
#include "tests/support/raw_client.h"

namespace adapters {
namespace {

using support::RawClient;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// What it does is in the target. Waiting and streaming report what became of them.
class TestHandler : public ports::HttpHandler {
 public:
  ports::Task<void> handle(ports::HttpExchange& exchange) override {
    const std::string target = exchange.request().target;
    if (target == "/echo") {
      answer(exchange, exchange.request().body);
    } else if (target == "/empty") {
      core::HttpResponse response;
      response.status = 204;
      exchange.respond(std::move(response));
    } else if (target == "/large") {
      answer(exchange, std::string(64 << 20, 'x'));
    } else if (target == "/wait") {
      waiting.set_value(&exchange);
      const auto wake = co_await exchange.wait(std::chrono::seconds(60));
      woke.set_value(wake);
      answer(exchange, "woken");
    } else if (target == "/stream") {
      exchange.begin({});
      for (const char* text : {"one", "two"}) {
        std::vector<core::Bytes> parts{core::Bytes(text), core::Bytes("!")};
        co_await exchange.write(std::move(parts));
      }
    }
  }

  std::promise<ports::HttpExchange*> waiting;
  std::promise<ports::HttpWake> woke;

 private:
  static void answer(ports::HttpExchange& exchange, std::string body) {
    core::HttpResponse response;
    response.headers.add("X-Test", "yes");
    response.body.emplace_back(std::move(body));
    exchange.respond(std::move(response));
  }
};

constexpr std::string_view kEcho =
    "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello";

/// On threads of the server's own, or on one that the caller runs.
enum class Threads { own, callers };

class HttpServerTest : public testing::TestWithParam<Threads> {
 protected:
  HttpServerTest() {
    if (GetParam() == Threads::own) {
      server = std::make_unique<HttpServer>(2);
    } else {
      server = std::make_unique<HttpServer>(loop);
      thread = std::thread([this] { loop.run(); });
    }
  }

  ~HttpServerTest() override {
    work.reset();
    loop.stop();
    if (thread.joinable()) thread.join();
    server.reset();
  }

  std::uint16_t listen(HttpLimits limits = {}) {
    return server->listen("127.0.0.1", 0, handler, limits).value();
  }

  bool drain(core::Time timeout) {
    boost::asio::io_context io;
    auto drained = boost::asio::co_spawn(io, server->drain(timeout), boost::asio::use_future);
    io.run();
    return drained.get();
  }

  TestHandler handler;
  boost::asio::io_context loop{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{
      loop.get_executor()};
  std::thread thread;
  std::unique_ptr<HttpServer> server;
};

INSTANTIATE_TEST_SUITE_P(Http, HttpServerTest, testing::Values(Threads::own, Threads::callers),
                         [](const auto& with) {
                           return with.param == Threads::own ? "OwnThreads" : "CallersThread";
                         });

TEST_P(HttpServerTest, AConnectionServesOneRequestAfterAnother) {
  RawClient client(listen());
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(client.say(kEcho));
    const std::string heard = client.hear_response();
    EXPECT_THAT(heard, StartsWith("HTTP/1.1 200 OK\r\nX-Test: yes\r\n"));
    EXPECT_THAT(heard, HasSubstr("Content-Length: 5\r\n\r\nhello"));
    EXPECT_THAT(heard, HasSubstr("\r\nDate: "));
  }
}

TEST_P(HttpServerTest, PipelinedRequestsAreAnsweredInOrder) {
  RawClient client(listen());
  std::string all;
  for (int i = 0; i < 1000; ++i) {
    all += "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n" + std::to_string(1000 + i);
  }
  ASSERT_TRUE(client.say(all));
  for (int i = 0; i < 1000; ++i) {
    EXPECT_THAT(client.hear_response(), testing::EndsWith(std::to_string(1000 + i)));
  }
}

TEST_P(HttpServerTest, AChunkedBodyArrivesWhole) {
  RawClient client(listen());
  client.say("POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
  client.say("a;ext=1\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n");
  EXPECT_THAT(client.hear_response(), HasSubstr("Content-Length: 13\r\n\r\nabc0123456789"));
}

TEST_P(HttpServerTest, AChunkedBodyMayArriveByteByByte) {
  RawClient client(listen());
  const std::string_view text =
      "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
  for (const char& byte : text) client.say(std::string_view(&byte, 1));
  EXPECT_THAT(client.hear_response(), HasSubstr("Content-Length: 0\r\n"));
}

TEST_P(HttpServerTest, AClientThatAsksFirstIsToldToContinue) {
  RawClient client(listen());
  client.say("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.hear_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.say("ok");
  EXPECT_THAT(client.hear_response(), testing::EndsWith("\r\n\r\nok"));
}

TEST_P(HttpServerTest, AnAnswerToHeadHasNoBody) {
  RawClient client(listen());
  client.say("HEAD /echo HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.hear_until("\r\n\r\n"), HasSubstr("X-Test: yes"));
  client.say(kEcho);
  EXPECT_THAT(client.hear_response(), StartsWith("HTTP/1.1 200"));
}

TEST_P(HttpServerTest, AnAnswerWithoutContentHasNoLength) {
  RawClient client(listen());
  client.say("GET /empty HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.hear_until("\r\n\r\n"), Not(HasSubstr("Content-Length")));
}

TEST_P(HttpServerTest, ABodyOverTheLimitIsRefusedBeforeItIsRead) {
  HttpLimits limits;
  limits.max_body = 1000;
  const std::uint16_t port = listen(limits);
  RawClient announced(port);
  announced.say("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\n\r\n");
  EXPECT_THAT(announced.hear_until("\r\n\r\n"), StartsWith("HTTP/1.1 413 "));
  RawClient chunked(port);
  chunked.say("POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n");
  EXPECT_THAT(chunked.hear_until("\r\n\r\n"), HasSubstr("\r\nConnection: close\r\n"));
}

TEST_P(HttpServerTest, ARefusedBodyIsStillTakenForAWhileSoThatTheAnswerArrives) {
  HttpLimits limits;
  limits.max_body = 1000;
  RawClient client(listen(limits));
  client.say("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 20000000\r\n\r\n");
  ASSERT_TRUE(client.say(std::string(20000000, 'x')));
  EXPECT_THAT(client.hear_all(), StartsWith("HTTP/1.1 413 "));
}

TEST_P(HttpServerTest, AHeadOverTheLimitIsRefused) {
  RawClient client(listen());
  client.say("GET /" + std::string(20000, 'a') + " HTTP/1.1\r\n");
  EXPECT_THAT(client.hear_all(), StartsWith("HTTP/1.1 431 "));
}

TEST_P(HttpServerTest, WhatIsNotHttpIsRefusedAndTheConnectionClosed) {
  const std::uint16_t port = listen();
  for (const char* text :
       {"hello\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost : a\r\n\r\n", "GET / HTTP/2.0\r\nHost: a\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1x\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n"}) {
    RawClient client(port);
    client.say(text);
    client.finish_sending();
    EXPECT_THAT(client.hear_all(), testing::ContainsRegex("^HTTP/1.1 (400|505) ")) << text;
  }
}

TEST_P(HttpServerTest, AnOldClientGetsAnEndingConnection) {
  RawClient client(listen());
  client.say("GET /stream HTTP/1.0\r\n\r\n");
  EXPECT_THAT(client.hear_all(), testing::EndsWith("\r\n\r\none!two!"));
}

TEST_P(HttpServerTest, AStreamedAnswerIsSentInChunks) {
  RawClient client(listen());
  client.say("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.hear_until("0\r\n\r\n"),
              testing::EndsWith("\r\n\r\n4\r\none!\r\n4\r\ntwo!\r\n0\r\n\r\n"));
  client.say(kEcho);
  EXPECT_THAT(client.hear_response(), testing::EndsWith("hello"));
}

TEST_P(HttpServerTest, AnIdleConnectionIsClosed) {
  HttpLimits limits;
  limits.idle_timeout = std::chrono::milliseconds(20);
  RawClient client(listen(limits));
  EXPECT_EQ(client.hear_all(), "");
}

TEST_P(HttpServerTest, AHeadThatTricklesInIsCutOff) {
  HttpLimits limits;
  limits.head_timeout = std::chrono::milliseconds(50);
  RawClient client(listen(limits));
  client.say("GET /ec");
  EXPECT_THAT(client.hear_all(), StartsWith("HTTP/1.1 408 "));
}

TEST_P(HttpServerTest, ABodyThatTricklesInIsCutOff) {
  HttpLimits limits;
  limits.head_timeout = limits.body_timeout = std::chrono::milliseconds(50);
  RawClient client(listen(limits));
  client.say("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n0123");
  EXPECT_THAT(client.hear_all(), StartsWith("HTTP/1.1 408 "));
}

TEST_P(HttpServerTest, AClientThatDoesNotReadIsCutOff) {
  HttpLimits limits;
  limits.write_timeout = std::chrono::milliseconds(50);
  RawClient client(listen(limits));
  client.say("GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
  // Once stop() has the only connection ended, its time to write has passed: nobody reads.
  client.hear_until("\r\n\r\n");
  server->stop();
  EXPECT_TRUE(drain(std::chrono::seconds(10)));
}

TEST_P(HttpServerTest, ALargeAnswerArrivesWhole) {
  RawClient client(listen());
  client.say("GET /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_GT(client.hear_all().size(), std::size_t{64 << 20});
}

TEST_P(HttpServerTest, TooManyConnectionsAreToldSo) {
  HttpLimits limits;
  limits.max_connections = 1;
  const std::uint16_t port = listen(limits);
  RawClient first(port);
  first.say(kEcho);
  first.hear_response();
  RawClient second(port);
  EXPECT_THAT(second.hear_all(), StartsWith("HTTP/1.1 503 "));
}

TEST_P(HttpServerTest, AHandlerThatWaitsLearnsThatItsPeerIsGone) {
  const std::uint16_t port = listen();
  {
    RawClient client(port);
    client.say("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
    handler.waiting.get_future().wait();
  }
  EXPECT_EQ(handler.woke.get_future().get(), ports::HttpWake::peer_gone);
}

TEST_P(HttpServerTest, AHandlerIsWokenOnItsThread) {
  RawClient client(listen());
  client.say("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
  ports::HttpExchange* exchange = handler.waiting.get_future().get();
  boost::asio::post(server->executors()[exchange->thread()], [exchange] { exchange->wake(); });
  EXPECT_EQ(handler.woke.get_future().get(), ports::HttpWake::woken);
  EXPECT_THAT(client.hear_response(), testing::EndsWith("woken"));
  client.say(kEcho);
  EXPECT_THAT(client.hear_response(), testing::EndsWith("hello"));
}

TEST_P(HttpServerTest, AStopEndsIdleConnectionsAndLetsTheOthersFinish) {
  const std::uint16_t port = listen();
  RawClient idle(port);
  idle.say(kEcho);
  idle.hear_response();
  RawClient busy(port);
  busy.say("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
  ports::HttpExchange* exchange = handler.waiting.get_future().get();
  server->stop();
  EXPECT_EQ(idle.hear_all(), "");
  boost::asio::post(server->executors()[exchange->thread()], [exchange] { exchange->wake(); });
  EXPECT_THAT(busy.hear_all(), HasSubstr("\r\nConnection: close\r\n"));
  EXPECT_TRUE(drain(std::chrono::seconds(10)));
  EXPECT_EQ(server->connections(), 0u);
}

TEST(HttpServerOnALoopTest, AfterAStopNothingKeepsTheLoopFromEnding) {
  TestHandler handler;
  boost::asio::io_context loop{1};
  HttpServer server(loop);
  RawClient client(server.listen("127.0.0.1", 0, handler).value());
  std::thread thread([&loop] { loop.run(); });
  client.say(kEcho);
  EXPECT_THAT(client.hear_response(), testing::EndsWith("hello"));
  server.stop();
  EXPECT_EQ(client.hear_all(), "");
  thread.join();  // For ever, if something does.
}

TEST_P(HttpServerTest, ADrainThatTakesTooLongCutsWhatIsLeft) {
  RawClient client(listen());
  client.say("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
  handler.waiting.get_future().wait();
  server->stop();
  EXPECT_FALSE(drain(std::chrono::milliseconds(10)));
  EXPECT_EQ(client.hear_all(), "");
  EXPECT_EQ(handler.woke.get_future().get(), ports::HttpWake::peer_gone);
}

TEST_P(HttpServerTest, AnAddressThatIsTakenIsAnError) {
  const std::uint16_t port = listen();
  const auto again = server->listen("127.0.0.1", port, handler);
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().context, HasSubstr(std::to_string(port) + ": Address already in use"));
}

}  // namespace
}  // namespace adapters
