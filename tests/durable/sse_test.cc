#include "durable/sse.h"

#include <gtest/gtest.h>

#include "durable/base64.h"
#include "durable/body.h"

namespace durable {
namespace {

std::vector<stream::BatchSlice> slices_of(std::string_view type, std::string_view body) {
  BodyFramer framer;
  auto batch = framer.frame(type, body, 0, {}).value();
  return {{core::Bytes(std::move(batch.bytes)), 0, batch.records}};
}

std::string event(std::string_view type, std::string_view body) {
  return data_event(type, slices_of(type, body)).value();
}

TEST(SseTest, ATextIsSplitAtEveryKindOfLineEnd) {
  EXPECT_EQ(event("text/plain", "line1"), "event: data\ndata:line1\n\n");
  EXPECT_EQ(event("text/plain", "a\nb\r\nc\rd"), "event: data\ndata:a\ndata:b\ndata:c\ndata:d\n\n");
  EXPECT_EQ(event("text/plain", "a\n"), "event: data\ndata:a\ndata:\n\n");
}

TEST(SseTest, NothingInAPayloadBeginsAnEvent) {
  EXPECT_EQ(event("text/plain", "x\n\nevent: control\ndata: {}\r\r"),
            "event: data\ndata:x\ndata:\ndata:event: control\ndata:data: {}\ndata:\ndata:\n\n");
}

TEST(SseTest, JsonIsAnArrayOfTheMessages) {
  EXPECT_EQ(event("application/json", "[1, {\"a\":2}]"), "event: data\ndata:[1,{\"a\":2}]\n\n");
  auto two = slices_of("application/json", "1");
  two.push_back(slices_of("application/json", "2").at(0));
  EXPECT_EQ(data_event("application/json", two), "event: data\ndata:[1,2]\n\n");
}

TEST(SseTest, OtherTypesAreSentInBase64) {
  EXPECT_EQ(event("application/octet-stream", "\r\n"), "event: data\ndata:DQo=\n\n");
  EXPECT_EQ(begin_sse("image/png").headers.value_of("stream-sse-data-encoding"), "base64");
  EXPECT_EQ(begin_sse("Text/Html; charset=x").headers.value_of("stream-sse-data-encoding"), "");
  EXPECT_EQ(begin_sse("application/json").headers.value_of("stream-sse-data-encoding"), "");
  EXPECT_EQ(begin_sse("application/json").headers.value_of("Content-Type"), "text/event-stream");
}

TEST(SseTest, AControlEventSaysWhereTheReaderStands) {
  EXPECT_EQ(control_event({5, 77, true, false}),
            "event: control\ndata:{\"streamNextOffset\":\"0000000000000000_0000000000000005\","
            "\"streamCursor\":\"77\",\"upToDate\":true}\n\n");
  EXPECT_EQ(control_event({5, 77, true, true}),
            "event: control\ndata:{\"streamNextOffset\":\"0000000000000000_0000000000000005\","
            "\"upToDate\":true,\"streamClosed\":true}\n\n");
}

TEST(SseTest, DamagedRecordsAreAnError) {
  EXPECT_FALSE(data_event("text/plain", {{core::Bytes(std::string("no batch")), 0, 1}}));
}

TEST(Base64Test, TheVectorsOfTheRfc) {
  const std::pair<std::string, std::string> all[] = {{"", ""},
                                                     {"f", "Zg=="},
                                                     {"fo", "Zm8="},
                                                     {"foo", "Zm9v"},
                                                     {"foob", "Zm9vYg=="},
                                                     {"fooba", "Zm9vYmE="},
                                                     {"foobar", "Zm9vYmFy"},
                                                     {"\xff\xfe\xfd", "//79"}};
  for (const auto& [plain, coded] : all) {
    std::string out;
    append_base64(plain, out);
    EXPECT_EQ(out, coded);
  }
}

TEST(BodyTest, AReadJoinsWhatWasAppended) {
  const auto joined = join_body("application/json", slices_of("application/json", "[1,2]")).value();
  std::string text;
  for (const auto& part : joined) text += part.view();
  EXPECT_EQ(text, "[1,2]");
  EXPECT_EQ(join_body("application/json", {}).value().at(0).view(), "[]");
  EXPECT_TRUE(join_body("text/plain", {}).value().empty());
}

}  // namespace
}  // namespace durable
