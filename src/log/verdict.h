#pragma once

#include <cstdint>

namespace cmdlog {

/// What the log decided about a command. Anything but `applied` left the state untouched.
enum class Verdict : std::uint8_t {
  applied,
  redundant,      // Its effect is there already (a repeat); to its proposer as good as applied.
  not_live,       // The life that proposed it, or that it chose, is not the node's current one.
  changed_since,  // The state is not, or no longer, what the proposer saw.
  not_found,      // What it names does not exist.
  exists,         // What it would make exists, and is different.
  invalid,        // It can never apply.
};

/// A verdict, and the number that apply handed out with it, if any (an id, an epoch).
struct Outcome {
  Verdict verdict = Verdict::applied;
  std::uint64_t value = 0;
  bool operator==(const Outcome&) const = default;

  bool holds() const { return verdict == Verdict::applied || verdict == Verdict::redundant; }
};

const char* name_of(Verdict verdict);

}  // namespace cmdlog
