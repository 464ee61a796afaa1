#include "durable/body.h"

#include "stream/content_type.h"
#include "stream/gather.h"

namespace durable {

core::Result<stream::FramedBatch> BodyFramer::frame(std::string_view content_type,
                                                    std::string_view body, core::WallMs at,
                                                    const stream::BatchIdentity& identity) {
  values_.clear();
  if (body.empty()) return stream::FramedBatch{};
  if (stream::is_json(content_type)) {
    TRY_VOID(splitter_.split(body, values_));
  } else {
    values_.push_back(body);
  }
  return stream::frame_batch(values_, at, identity);
}

core::Result<std::vector<core::Bytes>> join_body(std::string_view content_type,
                                                 const std::vector<stream::BatchSlice>& slices) {
  const bool json = stream::is_json(content_type);
  stream::ValueGather gather(json ? stream::Join::commas : stream::Join::raw);
  if (json) gather.add_text("[");
  for (const stream::BatchSlice& slice : slices) TRY_VOID(gather.add(slice));
  if (json) gather.add_text("]");
  return gather.finish();
}

}  // namespace durable
