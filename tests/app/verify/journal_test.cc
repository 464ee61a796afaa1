#include "app/verify/journal.h"

#include <gtest/gtest.h>

namespace app::verify {
namespace {

/// One of each line. A change of this text is a change of the format: see docs/verify.md.
constexpr const char* kGolden =
    "@1 clouduler-verify 1 5f3a\n"
    "@2 stream 0 json verify/5f3a/0\n"
    "@3 stream 1 bytes verify/5f3a/1\n"
    "@4 send 0 0 1 3 00000000deadbeef\n"
    "@5 ack 0 0 0000000000000000_0000000000000003\n"
    "@6 send 2 0 0 1 0000000000000001\n"
    "@7 again 2 0 0000000000000000_0000000000000009\n"
    "@8 send 2 1 0 1 0000000000000002\n"
    "@9 maybe 2 1 -\n"
    "@a send 2 2 0 1 0000000000000003\n"
    "@b refused 2 2 -\n"
    "@c send 2 3 0 1 0000000000000004\n"
    "@d end\n";

Ledger make_ledger() {
  Ledger ledger("5f3a");
  ledger.add_stream({StreamKind::json, "verify/5f3a/0"});
  ledger.add_stream({StreamKind::bytes, "verify/5f3a/1"});
  ledger.send(0, 1, 3, 0xDEADBEEF);
  ledger.answer(0, 0, Outcome::acknowledged, "0000000000000000_0000000000000003");
  ledger.send(2, 0, 1, 1);
  ledger.answer(2, 0, Outcome::repeated, "0000000000000000_0000000000000009");
  ledger.send(2, 0, 1, 2);
  ledger.answer(2, 1, Outcome::maybe, "");
  ledger.send(2, 0, 1, 3);
  ledger.answer(2, 2, Outcome::refused, "");
  ledger.send(2, 0, 1, 4);
  return ledger;
}

std::string make_journal() {
  const Ledger ledger = make_ledger();
  std::string text = header_line("5f3a");
  text += stream_line(0, ledger.streams()[0]) + stream_line(1, ledger.streams()[1]);
  text += send_line(0, 0, *ledger.find(0, 0));
  text += answer_line(0, 0, Outcome::acknowledged, ledger.find(0, 0)->offset);
  text += send_line(2, 0, *ledger.find(2, 0));
  text += answer_line(2, 0, Outcome::repeated, ledger.find(2, 0)->offset);
  text += send_line(2, 1, *ledger.find(2, 1)) + answer_line(2, 1, Outcome::maybe, "");
  text += send_line(2, 2, *ledger.find(2, 2)) + answer_line(2, 2, Outcome::refused, "");
  return text + send_line(2, 3, *ledger.find(2, 3)) + end_line();
}

/// Without the checksums, which the next test guards byte by byte.
std::string bodies_of(std::string text) {
  constexpr std::string_view kMarks = "123456789abcd";
  std::string out;
  std::size_t line = 0;
  while (!text.empty()) {
    const auto end = text.find('\n');
    out += std::string("@") + kMarks[line++ % kMarks.size()] + text.substr(8, end + 1 - 8);
    text.erase(0, end + 1);
  }
  return out;
}

TEST(JournalTest, TheFormatIsAsDocumented) {
  EXPECT_EQ(bodies_of(make_journal()), kGolden);
}

TEST(JournalTest, AnOldJournalStillReads) {
  // A line as version 1 writes it, checksum included.
  const std::string old = "7e26064e clouduler-verify 1 5f3a\n";
  EXPECT_EQ(header_line("5f3a"), old);
}

TEST(JournalTest, WhatWasWrittenReadsBack) {
  const auto ledger = read_journal(make_journal());
  ASSERT_TRUE(ledger.has_value()) << ledger.error().context;
  EXPECT_EQ(*ledger, make_ledger());
}

TEST(JournalTest, ALastLineThatWasCutOffIsLeftOut) {
  const std::string text = make_journal();
  const auto ledger = read_journal(text.substr(0, text.size() - 5 - 9 - 20));
  ASSERT_TRUE(ledger.has_value()) << ledger.error().context;
  EXPECT_EQ(ledger->find(2, 3), nullptr);
  EXPECT_NE(ledger->find(2, 2), nullptr);
}

TEST(JournalTest, AFlippedByteNamesItsLine) {
  std::string text = make_journal();
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string bad = text;
    bad[i] = static_cast<char>(bad[i] ^ 4);
    const auto ledger = read_journal(bad);
    if (i + 1 == text.size()) continue;  // The last line has no end now: cut off.
    ASSERT_FALSE(ledger.has_value()) << "byte " << i;
    EXPECT_TRUE(ledger.error().context.starts_with("line ")) << ledger.error().context;
  }
}

TEST(JournalTest, ANewerJournalIsRefused) {
  const auto ledger = read_journal("4a9acd94 clouduler-verify 2 5f3a\n");
  ASSERT_FALSE(ledger.has_value());
  EXPECT_EQ(ledger.error().code, core::Errc::invalid);
  EXPECT_NE(ledger.error().context.find("version 2"), std::string::npos);
}

TEST(JournalTest, AnotherFileIsRefused) {
  EXPECT_EQ(read_journal("hello\nworld\n").error().code, core::Errc::invalid);
  EXPECT_EQ(read_journal("").error().code, core::Errc::invalid);
}

}  // namespace
}  // namespace app::verify
