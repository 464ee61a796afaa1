#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"
#include "stream/producer.h"
#include "stream/record_batch.h"

namespace stream {

/// The newest request accepted from one producer.
struct ProducerState {
  std::uint64_t epoch = 0;
  std::uint64_t sequence = 0;
  bool operator==(const ProducerState&) const = default;
};

/// What one batch changed, so that it can be taken back (ProducerTable::undo).
struct ProducerUndo {
  std::string id;  // Empty: it came from no producer.
  std::optional<ProducerState> state;
  bool sets_stream_seq = false;
  std::optional<std::string> stream_seq;
};

/// What a stream remembers of those who append to it: the newest request of each idempotent
/// producer, and the last Stream-Seq. Entries live as long as the stream. A pointer when empty.
class ProducerTable {
 public:
  ProducerTable() = default;
  ProducerTable(const ProducerTable& other);
  ProducerTable& operator=(const ProducerTable& other);
  ProducerTable(ProducerTable&&) noexcept = default;
  ProducerTable& operator=(ProducerTable&&) noexcept = default;
  bool operator==(const ProducerTable& other) const;

  /// Null if that producer never appended.
  const ProducerState* find(std::string_view id) const;
  const std::optional<std::string>& stream_seq() const;

  std::size_t size() const { return body_ == nullptr ? 0 : body_->producers.size(); }
  bool empty() const { return body_ == nullptr; }

  /// Takes in a batch that check_claim() accepted, or that is read back from storage.
  ProducerUndo apply(const BatchIdentity& identity);

  /// Takes back the newest apply() that was not taken back yet.
  void undo(ProducerUndo undo);

  /// Stored in the index of data objects (docs/object-format.md). Appends to `out`; an empty table
  /// is one byte.
  void encode(std::string& out) const;

  /// All of `bytes`. corrupt: they are no table. invalid: a newer build wrote them.
  static core::Result<ProducerTable> decode(std::string_view bytes);

 private:
  struct Body {
    std::map<std::string, ProducerState, std::less<>> producers;
    std::optional<std::string> stream_seq;
    bool operator==(const Body&) const = default;
  };
  Body& body();
  void drop_empty_body();

  std::unique_ptr<Body> body_;
};

enum class ClaimVerdict : std::uint8_t {
  accept,
  duplicate,        // Accepted before.
  stale_epoch,      // The producer has a newer epoch.
  bad_epoch_start,  // A new epoch must begin at sequence 0.
  gap,              // Requests before this one are missing.
};

struct ClaimCheck {
  ClaimVerdict verdict = ClaimVerdict::accept;
  std::uint64_t epoch = 0;              // The producer's current one; if accepted, the claim's.
  std::uint64_t sequence = 0;           // Highest accepted one in it; if accepted, the claim's.
  std::uint64_t expected_sequence = 0;  // What a request in the claim's epoch must have (gap).
  bool operator==(const ClaimCheck&) const = default;
};

/// Whether a request that claims to be `claim` is new, a repeat, or out of order.
ClaimCheck check_claim(const ProducerTable& table, const ProducerClaim& claim);

}  // namespace stream
