#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/check.h"
#include "core/ids.h"
#include "core/result.h"
#include "log/entry.h"
#include "log/verdict.h"

namespace cmdlog {

/// What a service gives to have its state kept by a log: a State with `applied`, cheap to copy; a
/// Command and what it does; a writer of snapshots that works in steps, and their reader.
template <class M>
concept Machine = requires(typename M::State& state,
                           std::shared_ptr<const typename M::State> published,
                           const typename M::Command& command, std::string_view bytes,
                           std::size_t rows) {
  { state.applied } -> std::convertible_to<core::Index>;
  { M::apply(state, command) } -> std::same_as<Outcome>;
  { typename M::SnapshotWriter(published).step(rows) } -> std::same_as<bool>;
  { typename M::SnapshotWriter(published).finish() } -> std::same_as<std::string>;
  { M::decode_snapshot(bytes) } -> std::same_as<core::Result<typename M::State>>;
};

/// One node's copy of the state. Applies entries in order and publishes immutable versions.
///
/// Pure: who reads the log and when is the proposer's business (drivers/proposer.h).
template <Machine M>
class Replica {
 public:
  using State = typename M::State;
  using Command = typename M::Command;
  using StatePtr = std::shared_ptr<const State>;

  /// The newest published version.
  StatePtr state() const { return state_; }

  /// How far the log is applied, published or not.
  core::Index applied() const { return draft_ ? draft_->applied : state_->applied; }

  /// Applies the entry at `index`, which must be the next one, to the version in the making.
  ///
  /// corrupt: it does not decode. Nothing was applied, and nothing can be from here on: an entry
  /// is never skipped.
  core::Result<Outcome> apply(core::Index index, std::string_view payload) {
    auto command = decode_entry<Command>(payload);
    if (!command) {
      return core::fail(command.error().code,
                        fmt::format("the log's entry {} does not decode: {}", core::raw(index),
                                    command.error().context));
    }
    return apply(index, *command);
  }

  /// The same for a command that this node encoded itself.
  Outcome apply(core::Index index, const Command& command) {
    State& state = next_version();
    CHECK(index == next(state.applied));
    const Outcome outcome = M::apply(state, command);
    state.applied = index;
    return outcome;
  }

  /// Makes what was applied since the last call the published version. False if nothing was.
  bool publish() {
    if (!draft_) return false;
    state_ = std::move(draft_);
    return true;
  }

  /// Replaces the state by a snapshot's, which must not be older.
  core::Result<void> install(core::Index index, std::string_view payload) {
    auto state = M::decode_snapshot(payload);
    if (!state) {
      return core::fail(state.error().code, fmt::format("the snapshot at {} does not decode: {}",
                                                        core::raw(index), state.error().context));
    }
    if (state->applied != index) {
      return core::fail(core::Errc::corrupt,
                        fmt::format("the snapshot stored as of {} says that it is of {}",
                                    core::raw(index), core::raw(state->applied)));
    }
    CHECK(!draft_ && index >= state_->applied);
    state_ = std::make_shared<State>(std::move(*state));
    return {};
  }

 private:
  /// The version in the making. One that nobody else holds is carried on in place: only when
  /// somebody reads the published version is it copied, and then only what changes.
  State& next_version() {
    if (!draft_) {
      draft_ = state_.use_count() == 1 ? state_ : std::make_shared<State>(*state_);
    }
    return *draft_;
  }

  std::shared_ptr<State> state_ = std::make_shared<State>();
  std::shared_ptr<State> draft_;
};

}  // namespace cmdlog
