#include "durable/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace durable {
namespace {

using testing::HasSubstr;

TEST(AnswerTest, EveryAnswerHasTheSecurityHeaders) {
  for (const auto& response : {answer(200), answer_text(404, "x"), answer_options()}) {
    EXPECT_EQ(response.headers.value_of("X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(response.headers.value_of("Cross-Origin-Resource-Policy"), "cross-origin");
    EXPECT_EQ(response.headers.value_of("Access-Control-Allow-Origin"), "*");
    EXPECT_THAT(std::string(response.headers.value_of("Access-Control-Expose-Headers")),
                HasSubstr("Stream-Next-Offset"));
  }
}

TEST(AnswerTest, APreflightAllowsWhatTheProtocolSends) {
  const auto response = answer_options();
  EXPECT_EQ(response.status, 204u);
  const std::string allowed(response.headers.value_of("Access-Control-Allow-Headers"));
  for (const char* name : {"if-none-match", "content-type", "Stream-Seq", "Producer-Id",
                           "Stream-Fork-Sub-Offset", "Stream-Expected-Offset"}) {
    EXPECT_THAT(allowed, HasSubstr(name));
  }
}

TEST(AnswerTest, AFailureOfTheNodeHasOneStatus) {
  using core::Errc;
  const std::pair<Errc, unsigned> all[] = {
      {Errc::unavailable, 503}, {Errc::unknown, 503},   {Errc::fenced, 503},
      {Errc::full, 507},        {Errc::corrupt, 500},   {Errc::limit, 429},
      {Errc::invalid, 400},     {Errc::not_found, 404}, {Errc::conflict, 409}};
  for (const auto& [code, status] : all) {
    const auto response = answer_error({code, "why"});
    EXPECT_EQ(response.status, status);
    EXPECT_EQ(response.body.at(0).view(), "why\n");
    EXPECT_EQ(response.headers.value_of("Cache-Control"), "no-store");
    EXPECT_EQ(response.headers.value_of("Retry-After").empty(),
              status != 503 && status != 507 && status != 429);
  }
}

}  // namespace
}  // namespace durable
