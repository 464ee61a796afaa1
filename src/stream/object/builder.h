#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/bytes.h"
#include "core/ids.h"
#include "core/result.h"
#include "stream/command.h"
#include "stream/object/layout.h"
#include "stream/record_batch.h"

namespace stream {

class ProducerTable;

/// A data object ready for ports::ObjectStore::put_if_absent.
struct BuiltObject {
  std::vector<core::Bytes> parts;  // Their concatenation is the object.
  std::uint64_t size = 0;
  std::vector<std::pair<core::StreamId, Extent>> extents;  // In the order of add().
};

/// Packs records of many streams into one data object. Copies no batch; the same input gives the
/// same bytes, so that a repeated upload can recognise its own.
class ObjectBuilder {
 public:
  explicit ObjectBuilder(core::ObjectId object);

  /// Adds a run of one stream's records. Each element of `batches` is one or more whole batches;
  /// together they must be consecutive and not empty. `producers` is what readers of this object
  /// must know of the stream's producers as of its last record. Streams come by ascending id.
  ///
  /// corrupt: the bytes are no batches, or leave a gap. The builder is useless then.
  core::Result<void> add(core::StreamId stream, core::Epoch epoch,
                         const std::vector<core::Bytes>& batches, const ProducerTable& producers);

  std::uint64_t size() const { return position_; }  // Of header and blocks.
  bool empty() const { return extents_.empty(); }

  /// The object; the builder is used up.
  BuiltObject finish();

 private:
  void add_to_block(const BatchHeader& header, std::string_view batch);

  core::ObjectId object_;
  std::vector<core::Bytes> parts_;
  std::vector<std::pair<core::StreamId, Extent>> extents_;
  std::vector<BlockInfo> blocks_;  // Of the stream being added.
  std::string index_;              // Encoded rows.
  core::StreamId last_stream_{};
  core::WallMs last_timestamp_ = 0;  // Of the last block in index_.
  std::uint64_t position_ = 0;
};

}  // namespace stream
