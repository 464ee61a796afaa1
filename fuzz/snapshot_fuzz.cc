// Snapshots of the stream service. Whatever the bytes are, decoding ends; what is accepted is a
// whole state, encodes to the same state, and can be worked on.
//
// The input is the body of a snapshot, without its head.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/check.h"
#include "log/sealed.h"
#include "stream/apply.h"
#include "stream/check_view.h"
#include "stream/snapshot.h"

namespace {

std::string snapshot_of(const stream::View& view) {
  stream::SnapshotWriter writer(std::make_shared<const stream::View>(view));
  while (!writer.step(3)) {
  }
  return std::move(writer).finish();
}

/// Trims and deletes everything: what a state refers to must be there.
void take_apart(stream::View view) {
  const auto registered = stream::apply(
      view, cluster::RegisterNode{.node = core::NodeId{1}, .address = "", .token = 0});
  const core::Life life{.node = core::NodeId{1}, .epoch = core::Epoch{registered.value}};
  std::vector<std::pair<core::StreamId, core::Offset>> streams;
  for (const auto& [id, row] : view.streams) streams.emplace_back(id, row.end);
  for (const auto& [id, end] : streams) {
    (void)stream::apply(view, stream::TrimStream{.life = life, .stream = id, .start = end / 2});
    CHECK(stream::broken_invariant(view).empty());
  }
  for (const auto& [id, end] : streams) {
    (void)stream::apply(view, stream::DeleteStream{.life = life, .stream = id});
    CHECK(stream::broken_invariant(view).empty());
  }
  CHECK(view.streams.empty() && view.names.empty() && view.inheritances.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)stream::decode_snapshot(bytes);
  const auto view = stream::decode_snapshot(cmdlog::seal(stream::kSnapshotVersion, bytes));
  if (!view) {
    CHECK(!view.error().context.empty());
    return 0;
  }
  const auto again = stream::decode_snapshot(snapshot_of(*view));
  CHECK(again && *again == *view);
  take_apart(*view);
  return 0;
}
