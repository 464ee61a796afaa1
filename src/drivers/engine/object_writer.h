#pragma once

#include "drivers/engine/context.h"
#include "stream/object/builder.h"

namespace drivers {

/// The steps that every new data object goes through before its commit.
class ObjectWriter {
 public:
  explicit ObjectWriter(EngineContext& context) : context_(context) {}

  /// An id from the command log. An id is for one try only: what a failed try may have left in the
  /// store under it is not known.
  ports::Task<core::Result<core::ObjectId>> reserve();

  /// Puts the object into the store. On an error, abandon its id.
  ports::Task<core::Result<void>> store(core::ObjectId object, const stream::BuiltObject& built);

  /// The id is committed: nothing more is to be done with it.
  void done(core::ObjectId object) { context_.uploading.erase(object); }

  /// Gives the id up, so that the caretaker removes whatever the store has under it. If the command
  /// log is away, the caretaker does that later.
  ports::Task<void> abandon(core::ObjectId object);

 private:
  EngineContext& context_;
};

}  // namespace drivers
