#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "core/time.h"
#include "stream/json_messages.h"
#include "stream/record_batch.h"
#include "stream/request.h"

namespace durable {

/// Turns request bodies into batches. Holds working memory: one for each network thread.
class BodyFramer {
 public:
  /// The batch of a body of that type: the messages of a JSON one, else one record. An empty body,
  /// and the JSON body `[]`, give a batch without records.
  ///
  /// invalid: the body is not JSON though its type says so.
  core::Result<stream::FramedBatch> frame(std::string_view content_type, std::string_view body,
                                          core::WallMs at, const stream::BatchIdentity& identity);

 private:
  stream::JsonSplitter splitter_;
  std::vector<std::string_view> values_;
};

/// The body that a read of these slices answers: the bytes, or a JSON array of the messages.
core::Result<std::vector<core::Bytes>> join_body(std::string_view content_type,
                                                 const std::vector<stream::BatchSlice>& slices);

}  // namespace durable
