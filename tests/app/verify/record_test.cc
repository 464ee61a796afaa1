#include "app/verify/record.h"

#include <gtest/gtest.h>

namespace app::verify {
namespace {

std::string as_read(StreamKind kind, const RequestBody& body) {
  if (kind != StreamKind::json || body.text.starts_with('[')) return body.text;
  return "[" + body.text + "]";
}

TEST(RecordTest, WhatIsMadeIsRecognised) {
  for (const StreamKind kind : kKinds) {
    const RequestBody body = make_request(kind, "run", 3, 17, 2, 50);
    RecordDecoder decoder(kind, "run");
    const auto seen = decoder.feed(as_read(kind, body));
    ASSERT_EQ(seen.size(), 2U);
    EXPECT_EQ(seen[0].damage, "");
    EXPECT_EQ(seen[0].key, (RecordKey{3, 17, 0}));
    EXPECT_EQ(seen[1].key, (RecordKey{3, 17, 1}));
    EXPECT_EQ(seen[1].count, 2U);
    EXPECT_EQ(hash_of_request({seen[0].hash, seen[1].hash}), body.hash);
    EXPECT_EQ(decoder.rest(), "");
  }
}

TEST(RecordTest, BytesComeInPiecesCutAnywhere) {
  const RequestBody body = make_request(StreamKind::bytes, "run", 1, 2, 3, 40);
  for (std::size_t cut = 0; cut <= body.text.size(); ++cut) {
    RecordDecoder decoder(StreamKind::bytes, "run");
    auto seen = decoder.feed(body.text.substr(0, cut));
    for (auto& more : decoder.feed(body.text.substr(cut))) seen.push_back(more);
    ASSERT_EQ(seen.size(), 3U);
    for (const Seen& one : seen) EXPECT_EQ(one.damage, "");
  }
}

TEST(RecordTest, AFlippedByteAnywhereIsNoticed) {
  for (const StreamKind kind : kKinds) {
    const RequestBody body = make_request(kind, "run", 3, 17, 1, 30);
    const std::string text = as_read(kind, body);
    for (std::size_t i = 0; i < text.size(); ++i) {
      std::string bad = text;
      bad[i] = static_cast<char>(bad[i] ^ 1);
      RecordDecoder decoder(kind, "run");
      const auto seen = decoder.feed(bad);
      const bool same = seen.size() == 1 && seen[0].damage.empty() && decoder.rest().empty();
      EXPECT_FALSE(same) << name_of(kind) << " at " << i;
    }
  }
}

TEST(RecordTest, ATornLineDoesNotHideTheNext) {
  const std::string first = make_request(StreamKind::text, "run", 0, 0, 1, 20).text;
  const std::string second = make_request(StreamKind::text, "run", 0, 1, 1, 20).text;
  RecordDecoder decoder(StreamKind::text, "run");
  const auto seen = decoder.feed(first.substr(0, 9) + "\n" + second);
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_NE(seen[0].damage, "");
  EXPECT_EQ(seen[1].key, (RecordKey{0, 1, 0}));
}

TEST(RecordTest, ARecordOfAnotherRunIsNone) {
  const RequestBody body = make_request(StreamKind::text, "other", 0, 0, 1, 20);
  RecordDecoder decoder(StreamKind::text, "run");
  EXPECT_NE(decoder.feed(body.text).at(0).damage, "");
}

TEST(RecordTest, AnAnswerThatIsNoArrayIsDamage) {
  RecordDecoder decoder(StreamKind::json, "run");
  EXPECT_NE(decoder.feed("[{\"w\":1}").at(0).damage, "");
  EXPECT_NE(decoder.feed("[7]").at(0).damage, "");
  EXPECT_TRUE(decoder.feed("[]").empty());
}

}  // namespace
}  // namespace app::verify
