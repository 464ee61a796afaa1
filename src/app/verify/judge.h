#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "app/verify/ledger.h"
#include "app/verify/record.h"

namespace app::verify {

/// What came with one answer (or one pair of SSE events): the records between two offsets.
struct Chunk {
  std::string start;    // The offset that was asked for; "-1" is the beginning.
  std::string next;     // The offset that came with it.
  std::size_t end = 0;  // One past its last record in Reading::seen.
  bool up_to_date = false;
};

/// Everything that one reader of one stream got, in the order in which it got it.
struct Reading {
  std::uint32_t stream = 0;
  std::string how;          // "catch-up", "long poll", "sse": for the report.
  std::string from = "-1";  // Where it began.
  std::vector<Seen> seen;
  std::vector<Chunk> chunks;
  std::string rest;    // Bytes after the last whole record.
  bool whole = false;  // Reached the end of the stream as it was after the last append.
  /// Done after everything else, from the beginning: what the stream is. One for each stream.
  bool final = false;
};

enum class Fault : std::uint8_t {
  lost,        // Acknowledged, or shown to a reader once, and not there.
  duplicated,  // There more than once.
  reordered,   // Not where its acknowledgement, its time or another reader says.
  torn,        // A part of a record or of an append, or an append with something inside it.
  phantom,     // Nobody sent it, or the server said that it did not take it.
};
constexpr std::size_t kFaults = 5;

const char* name_of(Fault fault);

struct Finding {
  Fault fault;
  std::string stream;
  std::string what;  // Which record, and what is wrong with it.
  bool operator==(const Finding&) const = default;
};

struct Judgement {
  std::array<std::uint64_t, kFaults> counts{};
  std::vector<Finding> first;  // The first kShownFindings.
  std::uint64_t requests_acknowledged = 0;
  std::uint64_t records_acknowledged = 0;
  std::uint64_t requests_maybe = 0;  // And how many of them turned out to be there:
  std::uint64_t requests_maybe_there = 0;
  std::uint64_t requests_refused = 0;
  std::uint64_t records_read = 0;  // By all readers together.

  std::uint64_t faults() const;
  bool good() const { return faults() == 0; }
};
constexpr std::size_t kShownFindings = 10;

/// Compares what was sent with what was read. A stream without a final reading counts as empty.
Judgement judge(const Ledger& ledger, const std::vector<Reading>& readings);

}  // namespace app::verify
