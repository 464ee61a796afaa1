#include <gtest/gtest.h>

#include "app/admin_table.h"
#include "app/append_input.h"
#include "app/json_lines.h"
#include "app/sse.h"
#include "app/stream_client.h"

namespace app {
namespace {

using Batches = std::vector<AppendBatch>;

TEST(SseParserTest, EventsAreTheSameHoweverTheyAreCut) {
  const std::string text =
      "event: data\ndata:line1\ndata:\ndata: line3\n\nevent: control\r\ndata:{}\r\n\r\n:hi\n\n";
  const std::vector<SseEvent> expected{{"data", "line1\n\nline3"}, {"control", "{}"}};
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    SseParser parser;
    auto events = parser.feed(text.substr(0, cut));
    for (auto& event : parser.feed(text.substr(cut))) events.push_back(event);
    EXPECT_EQ(events, expected) << "cut at " << cut;
  }
}

TEST(SseParserTest, Base64IsDecoded) {
  EXPECT_EQ(decode_base64(""), "");
  EXPECT_EQ(decode_base64("Zg=="), "f");
  EXPECT_EQ(decode_base64("Zm8="), "fo");
  EXPECT_EQ(decode_base64("AP/+"), std::string("\0\xff\xfe", 3));
  EXPECT_EQ(decode_base64("Zg="), std::nullopt);
  EXPECT_EQ(decode_base64("Z!=="), std::nullopt);
}

TEST(JsonLinesTest, EachMessageIsOneLineAndKeepsItsText) {
  EXPECT_EQ(*split_json_array(" [ {\"a\": 1,\n \"b\":[1,2]}, 123456789012345678901234567890,"
                              "\"x,]\\\"\" ] "),
            (std::vector<std::string>{"{\"a\": 1, \"b\":[1,2]}", "123456789012345678901234567890",
                                      "\"x,]\\\"\""}));
  EXPECT_TRUE(split_json_array("[]")->empty());
  EXPECT_FALSE(split_json_array("{}").has_value());
  EXPECT_FALSE(split_json_array("[1").has_value());
}

TEST(AppendInputTest, EachLineOfTextIsAnAppendWithItsNewline) {
  AppendInput input(false, 0);
  EXPECT_EQ(input.feed("one\ntw"), (Batches{{"one\n", 1}}));
  EXPECT_EQ(input.feed("o\n\n"), (Batches{{"two\n", 1}, {"\n", 1}}));
  EXPECT_EQ(input.feed("end"), Batches{});
  EXPECT_EQ(input.finish(), (Batches{{"end", 1}}));
}

TEST(AppendInputTest, LinesOfJsonTravelTogether) {
  AppendInput input(true, 0);
  EXPECT_EQ(input.feed("{\"a\":1}\n\n[2]\r\n3"), (Batches{{"[{\"a\":1},[2]]", 2}}));
  EXPECT_EQ(input.finish(), (Batches{{"[3]", 1}}));
  EXPECT_TRUE(input.error().has_value());
}

TEST(AppendInputTest, ABatchHasAtMostSoManyLines) {
  AppendInput input(true, 2);
  EXPECT_EQ(input.feed("1\n2\n3\n"), (Batches{{"[1,2]", 2}, {"[3]", 1}}));
}

TEST(AppendInputTest, ALineThatIsNoJsonIsNamedAndNothingAfterItIsSent) {
  AppendInput input(true, 0);
  EXPECT_EQ(input.feed("1\n{oops\n3\n"), (Batches{{"[1]", 1}}));
  ASSERT_FALSE(input.error().has_value());
  EXPECT_TRUE(input.error().error().context.starts_with("line 2 is not JSON"));
}

TEST(StreamClientTest, NamesAreEscapedInTargets) {
  EXPECT_EQ(stream_target("/orders/eu"), "/v1/stream/orders/eu");
  EXPECT_EQ(stream_target("a b?c#\xc3\xa4"), "/v1/stream/a%20b%3Fc%23%C3%A4");
  EXPECT_EQ(escaped("a/b&c"), "a%2Fb%26c");
}

TEST(AdminTableTest, ObjectsAreLinesAndListsAreTables) {
  EXPECT_EQ(admin_table({{"id", "x"}, {"wal", {{"bytes", 12}}}, {"ready", true}}),
            "id         x\nwal.bytes  12\nready      yes\n");
  const auto nodes = nlohmann::ordered_json::parse(
      R"({"nodes":[{"id":1,"address":"http://a"},{"id":20,"address":null}]})");
  EXPECT_EQ(admin_table(nodes), "id  address\n1   http://a\n20  -\n");
}

}  // namespace
}  // namespace app
