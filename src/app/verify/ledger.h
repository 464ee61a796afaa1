#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "app/verify/record.h"

namespace app::verify {

enum class Outcome : std::uint8_t {
  pending,       // No answer yet. In a journal that ends here: as good as maybe.
  acknowledged,  // And `offset` is where the stream ended right after this append.
  repeated,  // Acknowledged as a duplicate of an earlier try: `offset` is no earlier than its end.
  maybe,     // The answer was lost, and a repeat would not be recognised.
  refused,   // The server said that it did not write it.
};

/// A place in the order in which things happened to this client.
using Moment = std::uint64_t;
constexpr Moment kNever = std::numeric_limits<Moment>::max();

/// One append of a writer, however often it was tried.
struct SentRequest {
  std::uint32_t stream = 0;
  std::uint32_t count = 0;
  std::uint64_t hash = 0;
  Outcome outcome = Outcome::pending;
  std::string offset;  // Stream-Next-Offset of the answer, if it had one.
  Moment sent_at = 0;  // Before the first try.
  Moment answered_at = kNever;
  bool operator==(const SentRequest&) const = default;

  bool is_acknowledged() const {
    return outcome == Outcome::acknowledged || outcome == Outcome::repeated;
  }
};

struct StreamFact {
  StreamKind kind = StreamKind::json;
  std::string name;
  bool operator==(const StreamFact&) const = default;
};

/// All that was sent and answered: one side of the judgement.
class Ledger {
 public:
  explicit Ledger(std::string run) : run_(std::move(run)) {}

  const std::string& run() const { return run_; }
  const std::vector<StreamFact>& streams() const { return streams_; }
  const std::vector<std::vector<SentRequest>>& writers() const { return writers_; }

  void add_stream(StreamFact stream) { streams_.push_back(std::move(stream)); }

  /// The next request of `writer`; returns its number.
  std::uint32_t send(std::uint32_t writer, std::uint32_t stream, std::uint32_t count,
                     std::uint64_t hash);
  void answer(std::uint32_t writer, std::uint32_t request, Outcome outcome, std::string offset);

  /// Null if no such request was ever sent.
  const SentRequest* find(std::uint32_t writer, std::uint32_t request) const;

  bool operator==(const Ledger&) const = default;

 private:
  std::string run_;
  std::vector<StreamFact> streams_;
  std::vector<std::vector<SentRequest>> writers_;
  Moment now_ = 0;
};

}  // namespace app::verify
