#include "stream/append_check.h"

#include <gtest/gtest.h>

#include <string>

namespace stream {
namespace {

/// An open text stream with ten records, producer "p" at epoch 1, sequence 4, and Stream-Seq "m".
class AppendCheckTest : public testing::Test {
 protected:
  AppendCheckTest() {
    producers_.apply(BatchIdentity{.producer = ProducerClaim{"p", 1, 4}, .stream_seq = "m"});
    facts_ = AppendFacts{.content_type = "text/plain", .tail = 10, .producers = &producers_};
    request_.content_type = "Text/Plain; charset=utf-8";
    request_.batch = FramedBatch{.bytes = "two records", .records = 2};
  }

  void end_by(std::optional<ProducerClaim> claim) {
    end_ = StreamEnd{.offset = 10, .by = std::move(claim)};
    facts_.ended = &end_;
  }

  void close_only() {
    request_.batch = FramedBatch{};
    request_.close = true;
  }

  AppendDecision decide() const { return check_append(facts_, request_); }
  AppendStatus status() const { return decide().reply.status; }

  ProducerTable producers_;
  StreamEnd end_;
  AppendFacts facts_;
  AppendRequest request_;
};

TEST_F(AppendCheckTest, AnAppendGoesAheadAndSaysWhereItEnds) {
  const AppendDecision decision = decide();
  EXPECT_EQ(decision.action, AppendAction::append);
  EXPECT_EQ(decision.reply, (AppendReply{.status = AppendStatus::appended, .next_offset = 12}));
}

TEST_F(AppendCheckTest, AnAppendMayCloseTheStreamInOneStep) {
  request_.close = true;
  const AppendDecision decision = decide();
  EXPECT_EQ(decision.action, AppendAction::append_close);
  EXPECT_EQ(decision.reply.next_offset, 12u);
  EXPECT_TRUE(decision.reply.closed);
  EXPECT_EQ(decision.reply.status, AppendStatus::appended);
}

TEST_F(AppendCheckTest, AClosingWithoutContentIgnoresTheContentType) {
  close_only();
  request_.content_type = "image/png";
  const AppendDecision decision = decide();
  EXPECT_EQ(decision.action, AppendAction::close);
  EXPECT_EQ(decision.reply.status, AppendStatus::closed);
  EXPECT_EQ(decision.reply.next_offset, 10u);
  EXPECT_TRUE(decision.reply.closed);
}

TEST_F(AppendCheckTest, AClosingWithoutContentTakesPartInTheProducersSequence) {
  close_only();
  request_.producer = ProducerClaim{"p", 1, 6};
  EXPECT_EQ(status(), AppendStatus::gap);
  request_.producer = ProducerClaim{"p", 1, 5};
  EXPECT_EQ(decide().action, AppendAction::close);
  EXPECT_EQ(decide().reply.producer_sequence, 5u);
}

TEST_F(AppendCheckTest, ASoftDeletedStreamRefusesFirst) {
  facts_.deleted = true;
  end_by(std::nullopt);
  EXPECT_EQ(status(), AppendStatus::deleted);
}

TEST_F(AppendCheckTest, AnEndedStreamRefusesBeforeTypeProducerAndSeqAreLookedAt) {
  end_by(std::nullopt);
  request_.content_type = "image/png";
  request_.producer = ProducerClaim{"p", 0, 0};
  request_.stream_seq = "a";
  request_.expected_offset = 3;
  const AppendDecision decision = decide();
  EXPECT_EQ(decision.action, AppendAction::answer);
  EXPECT_EQ(decision.reply.status, AppendStatus::already_closed);
  EXPECT_EQ(decision.reply.next_offset, 10u);
  EXPECT_TRUE(decision.reply.closed);
}

TEST_F(AppendCheckTest, ClosingAnEndedStreamAgainIsFine) {
  end_by(ProducerClaim{"p", 1, 5});
  close_only();
  EXPECT_EQ(status(), AppendStatus::closed);
  EXPECT_EQ(decide().action, AppendAction::answer);
}

TEST_F(AppendCheckTest, TheClosingTupleAgainIsADuplicateWhateverItsBody) {
  end_by(ProducerClaim{"p", 1, 5});
  request_.producer = ProducerClaim{"p", 1, 5};
  request_.close = true;
  EXPECT_EQ(status(), AppendStatus::duplicate);
  EXPECT_TRUE(decide().reply.closed);
  EXPECT_EQ(decide().reply.producer_sequence, 5u);
  close_only();
  EXPECT_EQ(status(), AppendStatus::duplicate);
}

TEST_F(AppendCheckTest, AnyOtherTupleOnAnEndedStreamIsRefused) {
  end_by(ProducerClaim{"p", 1, 5});
  close_only();
  for (const ProducerClaim& claim : {ProducerClaim{"p", 1, 4}, ProducerClaim{"p", 2, 5},
                                     ProducerClaim{"q", 1, 5}, ProducerClaim{"p", 1, 6}}) {
    request_.producer = claim;
    EXPECT_EQ(status(), AppendStatus::already_closed);
  }
  end_by(std::nullopt);
  EXPECT_EQ(status(), AppendStatus::already_closed);
}

TEST_F(AppendCheckTest, AnotherContentTypeRefusesBeforeTheProducerIsLookedAt) {
  request_.content_type = "application/json";
  request_.producer = ProducerClaim{"p", 0, 0};
  EXPECT_EQ(status(), AppendStatus::wrong_type);
}

TEST_F(AppendCheckTest, EachVerdictOnTheProducerHasItsStatusAndNumbers) {
  request_.producer = ProducerClaim{"p", 1, 5};
  EXPECT_EQ(decide().action, AppendAction::append);
  EXPECT_EQ(decide().reply.producer_epoch, 1u);
  EXPECT_EQ(decide().reply.producer_sequence, 5u);
  request_.producer = ProducerClaim{"p", 1, 2};
  EXPECT_EQ(status(), AppendStatus::duplicate);
  EXPECT_EQ(decide().reply.producer_sequence, 4u);
  EXPECT_EQ(decide().reply.next_offset, 10u);
  request_.producer = ProducerClaim{"p", 1, 7};
  EXPECT_EQ(status(), AppendStatus::gap);
  EXPECT_EQ(decide().reply.expected_sequence, 5u);
  request_.producer = ProducerClaim{"p", 0, 7};
  EXPECT_EQ(status(), AppendStatus::stale_epoch);
  EXPECT_EQ(decide().reply.producer_epoch, 1u);
  request_.producer = ProducerClaim{"p", 2, 7};
  EXPECT_EQ(status(), AppendStatus::bad_epoch_start);
}

TEST_F(AppendCheckTest, ADuplicateIsRecognisedBeforeOffsetSeqAndBodyAreLookedAt) {
  request_.producer = ProducerClaim{"p", 1, 4};
  request_.expected_offset = 3;
  request_.stream_seq = "a";
  request_.invalid_body = "no JSON";
  EXPECT_EQ(status(), AppendStatus::duplicate);
}

TEST_F(AppendCheckTest, TheExpectedOffsetMustBeTheTail) {
  request_.expected_offset = 10;
  EXPECT_EQ(status(), AppendStatus::appended);
  for (const core::Offset offset : {0u, 9u, 11u}) {
    request_.expected_offset = offset;
    EXPECT_EQ(status(), AppendStatus::wrong_offset);
    EXPECT_EQ(decide().reply.next_offset, 10u);
  }
}

TEST_F(AppendCheckTest, StreamSeqMustGrowByteWise) {
  for (const char* refused : {"m", "a", "M", "10", ""}) {
    request_.stream_seq = refused;
    EXPECT_EQ(status(), AppendStatus::stale_seq) << refused;
  }
  for (const char* accepted : {"n", "ma", "\xc3\xa4"}) {
    request_.stream_seq = accepted;
    EXPECT_EQ(status(), AppendStatus::appended) << accepted;
  }
  request_.stream_seq.reset();
  EXPECT_EQ(status(), AppendStatus::appended);
}

TEST_F(AppendCheckTest, AnExpectedOffsetAndAStreamSeqMustBothHold) {
  request_.expected_offset = 10;
  request_.stream_seq = "a";
  EXPECT_EQ(status(), AppendStatus::stale_seq);
  request_.expected_offset = 9;
  request_.stream_seq = "z";
  EXPECT_EQ(status(), AppendStatus::wrong_offset);
}

TEST_F(AppendCheckTest, ABadBodyIsRefusedLast) {
  request_.batch = FramedBatch{};
  request_.invalid_body = "no JSON";
  EXPECT_EQ(status(), AppendStatus::invalid_body);
  request_.close = true;  // Not a closing without content: there was some, and it was bad.
  EXPECT_EQ(status(), AppendStatus::invalid_body);
  request_.content_type = "image/png";
  EXPECT_EQ(status(), AppendStatus::wrong_type);
}

TEST_F(AppendCheckTest, AStreamThatNobodyAppendedToHasNoProducers) {
  facts_.producers = nullptr;
  request_.stream_seq = "";
  request_.producer = ProducerClaim{"p", 0, 0};
  EXPECT_EQ(status(), AppendStatus::appended);
}

}  // namespace
}  // namespace stream
