#include "drivers/serve/admin_handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

namespace drivers {
namespace {

using testing::HasSubstr;

class FakeAdmin : public AdminService {
 public:
  Readiness readiness() override { return ready; }
  ClusterFacts cluster() override {
    ClusterFacts facts;
    facts.cluster_id = "c";
    facts.life = core::Life{core::NodeId{1}, core::Epoch{2}};
    facts.lease_holder = core::NodeId{1};
    facts.streams = 7;
    return facts;
  }
  std::vector<NodeFacts> nodes() override {
    NodeFacts node;
    node.id = core::NodeId{1};
    node.address = "http://h";
    node.local = true;
    return {node};
  }
  std::optional<StreamPlace> stream(const std::string& name) override {
    if (name != "a b/c") return std::nullopt;
    StreamPlace place;
    place.name = name;
    place.state = "open";
    place.end = 3;
    return place;
  }
  std::vector<Sample> samples() override {
    Histogram histogram;
    histogram.add(std::chrono::microseconds(100));
    return {sample_of("wal_flush_seconds", "How long a flush took.", histogram)};
  }
  Readiness ready{true, false, ""};
};

/// An exchange without a connection.
class LoneExchange : public ports::HttpExchange {
 public:
  ports::HttpRequest& request() override { return request_; }
  std::size_t thread() const override { return 0; }
  void respond(ports::HttpResponse response) override { answer = std::move(response); }
  void begin(ports::HttpResponse) override {}
  ports::Task<bool> write(std::vector<core::Bytes>) override { co_return false; }
  void abort() override {}
  ports::Task<ports::HttpWake> wait(core::Time) override { co_return ports::HttpWake::timeout; }
  void wake() override {}

  ports::HttpRequest request_;
  ports::HttpResponse answer;
};

class AdminHandlerTest : public testing::Test {
 protected:
  core::HttpResponse call(std::string target, core::HttpMethod method = core::HttpMethod::get) {
    boost::asio::io_context io;
    AdminHandler handler(service, io.get_executor(), metrics);
    LoneExchange exchange;
    exchange.request_.method = method;
    exchange.request_.target = std::move(target);
    boost::asio::co_spawn(io, handler.handle(exchange), boost::asio::detached);
    io.run();
    return std::move(exchange.answer);
  }
  std::string body(std::string target) {
    return std::string(call(std::move(target)).body.at(0).view());
  }

  FakeAdmin service;
  HttpMetrics metrics;
};

TEST_F(AdminHandlerTest, HealthAndReadinessAreTold) {
  EXPECT_EQ(body("/health"), "{\"status\":\"up\"}\n");
  EXPECT_EQ(body("/ready"), "{\"ready\":true,\"fenced\":false}\n");
  service.ready = Readiness{false, true, "this node was fenced"};
  const auto response = call("/ready");
  EXPECT_EQ(response.status, 503u);
  EXPECT_EQ(response.body.at(0).view(),
            "{\"ready\":false,\"fenced\":true,\"reason\":\"this node was fenced\"}\n");
}

TEST_F(AdminHandlerTest, TheClusterAndItsNodesAreDescribed) {
  EXPECT_THAT(body("/admin/cluster"),
              AllOf(HasSubstr("\"cluster_id\":\"c\""), HasSubstr("\"lease_holder\":1"),
                    HasSubstr("\"streams\":7")));
  EXPECT_THAT(body("/admin/nodes"),
              AllOf(HasSubstr("{\"nodes\":[{\"id\":1,"), HasSubstr("\"local\":true")));
}

TEST_F(AdminHandlerTest, AStreamIsFoundByItsEncodedName) {
  EXPECT_THAT(body("/admin/streams/a%20b/c"),
              AllOf(HasSubstr("\"state\":\"open\""),
                    HasSubstr("\"end_offset\":\"0000000000000000_0000000000000003\""),
                    HasSubstr("\"pending_transfer\":null")));
  EXPECT_EQ(call("/admin/streams/x").status, 404u);
  EXPECT_EQ(body("/admin/streams/x"),
            "{\"error\":\"not_found\",\"message\":\"there is no stream 'x'\"}\n");
  EXPECT_EQ(call("/admin/streams/%zz").status, 400u);
}

TEST_F(AdminHandlerTest, OtherPathsAndMethodsAreRefused) {
  EXPECT_EQ(call("/").status, 404u);
  EXPECT_EQ(call("/admin/streams/").status, 404u);
  EXPECT_EQ(call("/ready", core::HttpMethod::post).status, 405u);
}

TEST_F(AdminHandlerTest, MetricsAreInTheTextFormat) {
  metrics.count_request(core::HttpMethod::post, 204);
  metrics.sse_readers.add(2);
  EXPECT_THAT(
      body("/metrics"),
      AllOf(HasSubstr("# TYPE wal_flush_seconds histogram"), HasSubstr("wal_flush_seconds_count 1"),
            HasSubstr("clouduler_http_requests_total{method=\"POST\",status=\"204\"} 1"),
            HasSubstr("clouduler_sse_readers 2")));
}

}  // namespace
}  // namespace drivers
