#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include "adapters/http/client.h"
#include "adapters/http/server.h"

namespace adapters {
namespace {

using testing::HasSubstr;

class PlainHandler : public ports::HttpHandler {
 public:
  ports::Task<void> handle(ports::HttpExchange& exchange) override {
    ++requests;
    if (exchange.request().target == "/stream") {
      exchange.begin({});
      for (std::string text : {"one", "two", "three"}) {
        std::vector<core::Bytes> parts;
        parts.emplace_back(std::move(text));
        co_await exchange.write(std::move(parts));
      }
      if (exchange.request().fields.has("X-Break")) exchange.abort();
      co_return;
    }
    core::HttpResponse response;
    response.status = 201;
    response.headers.add("X-Name", "value");
    response.close = exchange.request().target == "/close";
    response.body.emplace_back(std::move(exchange.request().body));
    exchange.respond(std::move(response));
  }
  int requests = 0;
};

class HttpClientTest : public testing::Test {
 protected:
  template <class T>
  T run(ports::Task<T> task) {
    auto future = boost::asio::co_spawn(io, std::move(task), boost::asio::use_future);
    while (future.wait_for(std::chrono::seconds(0)) != std::future_status::ready) io.run_one();
    return future.get();
  }

  static HttpCall call(core::HttpMethod method, std::string target, std::string body = {}) {
    return {method, std::move(target), {}, std::move(body)};
  }

  boost::asio::io_context io;
  PlainHandler handler;
  HttpServer server{1};
  std::uint16_t port = server.listen("127.0.0.1", 0, handler).value();
};

TEST_F(HttpClientTest, CallsShareOneConnection) {
  HttpClient client(io.get_executor(), "127.0.0.1", std::to_string(port));
  for (int i = 0; i < 3; ++i) {
    const auto answer = run(client.request(call(core::HttpMethod::post, "/", "body"))).value();
    EXPECT_EQ(answer.status, 201u);
    EXPECT_EQ(answer.fields.find("x-name"), "value");
    EXPECT_EQ(answer.body, "body");
  }
  EXPECT_EQ(server.connections(), 1u);
}

TEST_F(HttpClientTest, AConnectionThatTheServerClosesIsMadeAgain) {
  HttpClient client(io.get_executor(), "localhost", std::to_string(port));
  EXPECT_TRUE(run(client.request(call(core::HttpMethod::post, "/close"))));
  EXPECT_TRUE(run(client.request(call(core::HttpMethod::post, "/"))));
}

TEST_F(HttpClientTest, AnAnswerToHeadHasNoBody) {
  HttpClient client(io.get_executor(), "127.0.0.1", std::to_string(port));
  EXPECT_EQ(run(client.request(call(core::HttpMethod::head, "/"))).value().body, "");
  EXPECT_TRUE(run(client.request(call(core::HttpMethod::get, "/"))));
}

TEST_F(HttpClientTest, AStreamedBodyIsReadToItsEnd) {
  HttpClient client(io.get_executor(), "127.0.0.1", std::to_string(port));
  ASSERT_TRUE(run(client.begin(call(core::HttpMethod::get, "/stream"))));
  std::string all;
  for (;;) {
    const std::string piece = run(client.read_some()).value();
    if (piece.empty()) break;
    all += piece;
  }
  EXPECT_EQ(all, "onetwothree");
  EXPECT_TRUE(run(client.request(call(core::HttpMethod::get, "/"))));
}

TEST_F(HttpClientTest, AnAnswerThatBreaksOffIsUnknown) {
  HttpClient client(io.get_executor(), "127.0.0.1", std::to_string(port));
  HttpCall broken = call(core::HttpMethod::get, "/stream");
  broken.headers.add("X-Break", "1");
  EXPECT_EQ(run(client.request(broken)).error().code, core::Errc::unknown);
}

TEST_F(HttpClientTest, AServerThatIsNotThereIsUnavailable) {
  HttpClient client(io.get_executor(), "127.0.0.1", "1");
  const auto answer = run(client.request(call(core::HttpMethod::get, "/")));
  EXPECT_EQ(answer.error().code, core::Errc::unavailable);
  EXPECT_THAT(answer.error().context, HasSubstr("127.0.0.1:1"));
}

TEST_F(HttpClientTest, AnAnswerOverTheLimitIsRefused) {
  HttpClientOptions options;
  options.max_body = 10;
  HttpClient client(io.get_executor(), "127.0.0.1", std::to_string(port), options);
  const auto answer = run(client.request(call(core::HttpMethod::put, "/", std::string(99, 'x'))));
  EXPECT_EQ(answer.error().code, core::Errc::limit);
}

TEST(HttpUrlTest, AUrlIsTakenApart) {
  EXPECT_EQ(parse_http_url("http://h:1/a?b"), (HttpUrl{"h", "1", "/a?b"}));
  EXPECT_EQ(parse_http_url("http://h"), (HttpUrl{"h", "80", "/"}));
  EXPECT_EQ(parse_http_url("http://[::1]:99"), (HttpUrl{"::1", "99", "/"}));
  for (const char* bad : {"", "h:1", "https://h", "http://", "http://h:0", "http://h:65536",
                          "http://h:x", "http://[::1", "http://a@h", "http://h:"}) {
    EXPECT_THAT(parse_http_url(bad).error().context, HasSubstr(bad));
  }
}

}  // namespace
}  // namespace adapters
