#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "ports/task.h"

namespace ports {

struct ObjectInfo {
  std::string name;
  std::uint64_t size = 0;
  bool operator==(const ObjectInfo&) const = default;
};

/// Named, immutable objects in a flat namespace; `/` in a name is only a character to callers.
/// Directories, S3 and the simulator implement it; one contract test covers all.
///
/// Names are 1 to 512 characters of [A-Za-z0-9._/-], without empty, `.` or `..` segments, each
/// segment at most 200 (ports/object_name.h checks it). No name may continue another one after a
/// `/`: beside an object `a` there is no `a/b`.
class ObjectStore {
 public:
  ObjectStore() = default;
  ObjectStore(const ObjectStore&) = delete;
  ObjectStore& operator=(const ObjectStore&) = delete;
  virtual ~ObjectStore() = default;

  /// Creates `name` with the concatenation of `parts`, whole or not at all; durable on return.
  /// Of several racing calls for one name exactly one wins, whatever processes they come from.
  ///
  /// conflict: it exists (perhaps by our own earlier try: compare its content).
  /// unavailable, full: it was not created. unknown: it may have been.
  virtual Task<core::Result<void>> put_if_absent(std::string name,
                                                 std::vector<core::Bytes> parts) = 0;

  /// `length` bytes from `position`; fewer only at the end of the object.
  /// not_found: there is no such object. unavailable: try again.
  virtual Task<core::Result<core::Bytes>> get_range(std::string name, std::uint64_t position,
                                                    std::uint64_t length) = 0;

  /// not_found: there is no such object.
  virtual Task<core::Result<ObjectInfo>> head(std::string name) = 0;

  /// All objects whose name starts with `prefix`, sorted by name.
  virtual Task<core::Result<std::vector<ObjectInfo>>> list(std::string prefix) = 0;

  /// Removing what does not exist is success.
  virtual Task<core::Result<void>> remove(std::string name) = 0;

  /// The same for several, in any order; an error may leave some of them removed. One by one unless
  /// the store knows a quicker way.
  virtual Task<core::Result<void>> remove_all(std::vector<std::string> names);
};

}  // namespace ports
