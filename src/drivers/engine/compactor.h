#pragma once

#include <set>
#include <vector>

#include "drivers/engine/context.h"
#include "stream/compaction_plan.h"
#include "stream/object/builder.h"

namespace drivers {

/// Merges small data objects, so that a reader needs few requests and the view stays small. Readers
/// never notice: an object is removed only after the commit that replaces it, and who still reads
/// it then looks at the view again.
class Compactor {
 public:
  explicit Compactor(EngineContext& context) : context_(context) {}

  /// One merge, if there is one to do. An error: it could not, and all is as before.
  ports::Task<core::Result<void>> pass();

 private:
  ports::Task<core::Result<std::vector<stream::StreamRewrite>>> rewrites(
      std::vector<core::ObjectId> objects);
  ports::Task<core::Result<void>> copy(const stream::StreamRewrite& rewrite,
                                       stream::ObjectBuilder& builder);
  ports::Task<core::Result<void>> merge(std::vector<stream::StreamRewrite> rewrites);

  EngineContext& context_;
  std::set<core::ObjectId> stuck_;  // A merge with these led nowhere since the last that did.
};

}  // namespace drivers
