#include "stream/append_check.h"

#include "stream/content_type.h"

namespace stream {
namespace {

const ProducerTable kNoProducers;

bool is_close_only(const AppendRequest& request) {
  return request.close && request.batch.records == 0 && request.invalid_body.empty();
}

AppendDecision answer(AppendReply reply, AppendStatus status) {
  reply.status = status;
  return AppendDecision{.action = AppendAction::answer, .reply = reply};
}

/// The stream has ended: its closing request may be repeated, and anyone may close it once more.
AppendDecision check_ended(const StreamEnd& end, const AppendRequest& request, AppendReply reply) {
  reply.next_offset = end.offset;
  reply.closed = true;
  if (!request.producer) {
    const AppendStatus status =
        is_close_only(request) ? AppendStatus::closed : AppendStatus::already_closed;
    return answer(reply, status);
  }
  if (end.by != request.producer) return answer(reply, AppendStatus::already_closed);
  reply.producer_epoch = end.by->epoch;
  reply.producer_sequence = end.by->sequence;
  return answer(reply, AppendStatus::duplicate);
}

AppendStatus status_of(ClaimVerdict verdict) {
  switch (verdict) {
    case ClaimVerdict::accept: return AppendStatus::appended;
    case ClaimVerdict::duplicate: return AppendStatus::duplicate;
    case ClaimVerdict::stale_epoch: return AppendStatus::stale_epoch;
    case ClaimVerdict::bad_epoch_start: return AppendStatus::bad_epoch_start;
    case ClaimVerdict::gap: return AppendStatus::gap;
  }
  return AppendStatus::gap;
}

/// What to do with a request that nothing stands against.
AppendDecision accept(const AppendRequest& request, AppendReply reply) {
  AppendDecision decision{.action = AppendAction::append, .reply = reply};
  decision.reply.next_offset += request.batch.records;
  decision.reply.closed = request.close;
  if (is_close_only(request)) {
    decision.action = AppendAction::close;
    decision.reply.status = AppendStatus::closed;
  } else if (request.close) {
    decision.action = AppendAction::append_close;
  }
  return decision;
}

}  // namespace

AppendDecision check_append(const AppendFacts& facts, const AppendRequest& request) {
  AppendReply reply;
  reply.next_offset = facts.tail;
  if (facts.deleted) return answer(reply, AppendStatus::deleted);
  if (facts.ended != nullptr) return check_ended(*facts.ended, request, reply);
  if (!is_close_only(request) && !is_same_type(facts.content_type, request.content_type)) {
    return answer(reply, AppendStatus::wrong_type);
  }

  const ProducerTable& producers = facts.producers == nullptr ? kNoProducers : *facts.producers;
  if (request.producer) {
    const ClaimCheck check = check_claim(producers, *request.producer);
    reply.producer_epoch = check.epoch;
    reply.producer_sequence = check.sequence;
    reply.expected_sequence = check.expected_sequence;
    if (check.verdict != ClaimVerdict::accept) return answer(reply, status_of(check.verdict));
  }
  if (request.expected_offset && *request.expected_offset != facts.tail) {
    return answer(reply, AppendStatus::wrong_offset);
  }
  if (request.stream_seq && producers.stream_seq() &&
      *request.stream_seq <= *producers.stream_seq()) {
    return answer(reply, AppendStatus::stale_seq);
  }
  if (!request.invalid_body.empty()) return answer(reply, AppendStatus::invalid_body);
  return accept(request, reply);
}

}  // namespace stream
