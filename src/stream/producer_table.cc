#include "stream/producer_table.h"

#include <fmt/format.h>

#include <utility>

#include "core/fixed.h"

namespace stream {
namespace {

constexpr std::uint8_t kVersion = 1;
const std::optional<std::string> kNone;

}  // namespace

ProducerTable::ProducerTable(const ProducerTable& other)
    : body_(other.body_ == nullptr ? nullptr : std::make_unique<Body>(*other.body_)) {}

ProducerTable& ProducerTable::operator=(const ProducerTable& other) {
  if (this != &other) *this = ProducerTable(other);
  return *this;
}

bool ProducerTable::operator==(const ProducerTable& other) const {
  if (empty() || other.empty()) return empty() == other.empty();
  return *body_ == *other.body_;
}

const ProducerState* ProducerTable::find(std::string_view id) const {
  if (body_ == nullptr) return nullptr;
  const auto found = body_->producers.find(id);
  return found == body_->producers.end() ? nullptr : &found->second;
}

const std::optional<std::string>& ProducerTable::stream_seq() const {
  return body_ == nullptr ? kNone : body_->stream_seq;
}

ProducerTable::Body& ProducerTable::body() {
  if (body_ == nullptr) body_ = std::make_unique<Body>();
  return *body_;
}

void ProducerTable::drop_empty_body() {
  if (body_ != nullptr && body_->producers.empty() && !body_->stream_seq) body_.reset();
}

ProducerUndo ProducerTable::apply(const BatchIdentity& identity) {
  ProducerUndo undo;
  if (identity.producer) {
    const ProducerClaim& claim = *identity.producer;
    undo.id = claim.id;
    const ProducerState state{.epoch = claim.epoch, .sequence = claim.sequence};
    const auto [entry, is_new] = body().producers.try_emplace(claim.id, state);
    if (!is_new) undo.state = std::exchange(entry->second, state);
  }
  if (identity.stream_seq) {
    undo.sets_stream_seq = true;
    undo.stream_seq = std::exchange(body().stream_seq, identity.stream_seq);
  }
  return undo;
}

void ProducerTable::undo(ProducerUndo undo) {
  if (!undo.id.empty()) {
    if (undo.state) {
      body().producers.insert_or_assign(std::move(undo.id), *undo.state);
    } else {
      body().producers.erase(undo.id);
    }
  }
  if (undo.sets_stream_seq) body().stream_seq = std::move(undo.stream_seq);
  drop_empty_body();
}

void ProducerTable::encode(std::string& out) const {
  core::put_le(out, kVersion);
  if (body_ == nullptr) return;
  core::put_le(out, static_cast<std::uint8_t>(body_->stream_seq.has_value()));
  if (body_->stream_seq) {
    core::put_uvarint(out, body_->stream_seq->size());
    out += *body_->stream_seq;
  }
  core::put_uvarint(out, body_->producers.size());
  for (const auto& [id, state] : body_->producers) {
    core::put_uvarint(out, id.size());
    out += id;
    core::put_uvarint(out, state.epoch);
    core::put_uvarint(out, state.sequence);
  }
}

core::Result<ProducerTable> ProducerTable::decode(std::string_view bytes) {
  core::ByteReader reader(bytes);
  const auto version = reader.le<std::uint8_t>();
  if (!reader.ok() || version == 0) {
    return core::fail(core::Errc::corrupt, "producer table: no version");
  }
  if (version > kVersion) {
    return core::fail(core::Errc::invalid,
                      fmt::format("producer table: format version {}, this build reads up to {}",
                                  version, kVersion));
  }
  ProducerTable table;
  if (reader.at_end()) return table;

  Body& body = table.body();
  const auto has_stream_seq = reader.le<std::uint8_t>();
  if (has_stream_seq == 1) body.stream_seq = std::string(reader.bytes(reader.uvarint()));
  const std::uint64_t count = reader.uvarint();
  for (std::uint64_t i = 0; i < count && reader.ok(); ++i) {
    std::string id(reader.bytes(reader.uvarint()));
    const std::uint64_t epoch = reader.uvarint();
    const std::uint64_t sequence = reader.uvarint();
    body.producers.insert_or_assign(std::move(id), ProducerState{epoch, sequence});
  }
  if (!reader.at_end() || has_stream_seq > 1 || body.producers.size() != count) {
    return core::fail(core::Errc::corrupt,
                      fmt::format("producer table: its {} bytes make no sense at {}", bytes.size(),
                                  reader.position()));
  }
  table.drop_empty_body();
  return table;
}

ClaimCheck check_claim(const ProducerTable& table, const ProducerClaim& claim) {
  const ProducerState* state = table.find(claim.id);
  ClaimCheck check{.verdict = ClaimVerdict::accept,
                   .epoch = claim.epoch,
                   .sequence = claim.sequence,
                   .expected_sequence = 0};
  if (state == nullptr) {
    // Whoever is new begins at 0, in whatever epoch.
    if (claim.sequence != 0) {
      check.verdict = ClaimVerdict::gap;
      check.sequence = 0;
    }
    return check;
  }
  const bool accepted = claim.epoch > state->epoch
                            ? claim.sequence == 0
                            : claim.epoch == state->epoch && claim.sequence == state->sequence + 1;
  if (claim.epoch == state->epoch) check.expected_sequence = state->sequence + 1;
  if (accepted) return check;

  check.epoch = state->epoch;
  check.sequence = state->sequence;
  if (claim.epoch < state->epoch) {
    check.verdict = ClaimVerdict::stale_epoch;
  } else if (claim.epoch > state->epoch) {
    check.verdict = ClaimVerdict::bad_epoch_start;
  } else if (claim.sequence <= state->sequence) {
    check.verdict = ClaimVerdict::duplicate;
  } else {
    check.verdict = ClaimVerdict::gap;
  }
  return check;
}

}  // namespace stream
