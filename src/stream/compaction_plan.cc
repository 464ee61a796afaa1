#include "stream/compaction_plan.h"

#include <algorithm>
#include <map>

namespace stream {

std::vector<core::ObjectId> plan_compaction(const View& view, const CompactionLimits& limits,
                                            const std::set<core::ObjectId>& stuck) {
  std::vector<core::ObjectId> chosen;
  std::uint64_t bytes = 0;
  for (const auto& [id, row] : view.objects) {
    if (row.state != ObjectState::committed || row.bytes >= limits.small_bytes) continue;
    if (stuck.contains(id)) continue;
    if (bytes + row.bytes > limits.output_bytes) break;
    bytes += row.bytes;
    chosen.push_back(id);
  }
  if (chosen.size() < std::max<std::size_t>(limits.count, 2)) chosen.clear();
  return chosen;
}

StreamRewrite plan_rewrite(core::StreamId id, const StreamRow& row,
                           const std::vector<core::ObjectId>& objects) {
  const auto is_chosen = [&objects](const Extent& extent) {
    return std::binary_search(objects.begin(), objects.end(), extent.object);
  };
  StreamRewrite longest{.stream = id, .from = {}, .to = {}};
  for (auto at = row.extents.begin(); at != row.extents.end();) {
    at = std::find_if(at, row.extents.end(), is_chosen);
    const auto end = std::find_if_not(at, row.extents.end(), is_chosen);
    if (static_cast<std::size_t>(end - at) > longest.from.size()) longest.from.assign(at, end);
    at = end;
  }
  return longest;
}

std::size_t count_emptied(const View& view, const std::vector<StreamRewrite>& rewrites) {
  std::map<core::ObjectId, std::uint32_t> moved;
  for (const StreamRewrite& rewrite : rewrites) {
    for (const Extent& extent : rewrite.from) moved[extent.object] += 1;
  }
  return static_cast<std::size_t>(std::count_if(moved.begin(), moved.end(), [&](const auto& one) {
    const ObjectRow* row = view.objects.find(one.first);
    return row != nullptr && row->extents == one.second;
  }));
}

}  // namespace stream
