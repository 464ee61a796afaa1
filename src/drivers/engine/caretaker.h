#pragma once

#include <functional>

#include "drivers/engine/compactor.h"
#include "drivers/engine/context.h"

namespace drivers {

/// What must happen now and then: expires streams, tells the command log when streams were last
/// used, merges small objects, and removes doomed ones from the store. Each pass looks at the view
/// and does what is missing; what fails is left for the next.
class Caretaker {
 public:
  /// `forget` is called after a stream was expired, with a view from before.
  Caretaker(EngineContext& context,
            std::function<void(const stream::View& before, core::StreamId id)> forget)
      : context_(context),
        forget_(std::move(forget)),
        compactor_(context),
        changed_(context.ports.executor) {}

  /// Until `stop`: one pass every `sweep_interval`.
  ports::Task<void> run();

  /// Ends `run`; returns when it has ended.
  ports::Task<void> stop();

  ports::Task<void> pass();

  /// Writes uses of streams with a TTL to the command log: those it is behind with, or all.
  ports::Task<core::Result<void>> save_touches(bool all);

 private:
  ports::Task<void> expire_due();
  ports::Task<void> give_up_reservations();
  ports::Task<void> remove_orphans();
  void settle_doubts();
  ports::Task<void> remove_doomed();

  EngineContext& context_;
  std::function<void(const stream::View&, core::StreamId)> forget_;
  Compactor compactor_;
  core::Time next_search_{0};         // For orphans.
  core::StreamId next_unwatched_{1};  // Streams from here on are not watched for expiry yet.
  bool is_running_ = false;
  bool is_stopping_ = false;
  ports::Signal changed_;
};

}  // namespace drivers
