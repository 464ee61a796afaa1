#include "stream/snapshot.h"

#include <fmt/format.h>

#include <utility>

#include "core/codec.h"
#include "log/sealed.h"
#include "stream/check_view.h"
#include "stream/retention.h"

namespace stream {
namespace {

constexpr std::uint64_t kFields = 6;

template <class Iterator>
bool encode_rows(core::CborWriter& out, Iterator& at, std::size_t& rows) {
  for (; at != std::default_sentinel; ++at, --rows) {
    if (rows == 0) return false;
    const auto [key, value] = *at;
    core::encode(out, key);
    core::encode(out, value);
  }
  return true;
}

template <class K, class V>
bool decode_rows(core::CborReader& in, Table<K, V>& table) {
  std::uint64_t count = 0;
  if (!in.take_map(count)) return false;
  K last{};
  for (std::uint64_t i = 0; i < count; ++i) {
    K key{};
    V value{};
    if (!core::decode(in, key)) return false;
    if (i > 0 && key <= last) return in.fail("ids that do not ascend");
    if (!core::decode(in, value)) return false;
    table.put(key, std::move(value));
    last = key;
  }
  return true;
}

bool decode_fields(core::CborReader& in, View& view) {
  std::uint64_t count = 0;
  if (!in.take_array(count)) return false;
  if (count > kFields) return in.fail_newer("more parts than this version knows", count);
  if (count < kFields) return in.fail("a snapshot that lacks parts");
  return core::decode(in, view.applied) && core::decode(in, view.next_stream) &&
         core::decode(in, view.next_object) && core::decode(in, view.nodes) &&
         decode_rows(in, view.streams) && decode_rows(in, view.objects) && in.at_end();
}

/// Fills in what follows from the rows.
void derive(View& view) {
  for (const auto& [id, row] : view.streams) {
    view.names.put(row.name, id);
    if (inherits(row)) view.inheritances.put(inheritance_of(id, row), Nothing{});
  }
}

}  // namespace

SnapshotWriter::SnapshotWriter(ViewPtr view)
    : view_(std::move(view)), stream_(view_->streams.begin()), object_(view_->objects.begin()) {
  out_.begin_array(kFields);
  core::encode(out_, view_->applied);
  core::encode(out_, view_->next_stream);
  core::encode(out_, view_->next_object);
  core::encode(out_, view_->nodes);
  out_.begin_map(view_->streams.size());
}

bool SnapshotWriter::step(std::size_t rows) {
  if (!streams_done_) {
    if (!encode_rows(out_, stream_, rows)) return false;
    streams_done_ = true;
    out_.begin_map(view_->objects.size());
  }
  return encode_rows(out_, object_, rows);
}

std::string SnapshotWriter::finish() && {
  return cmdlog::seal(kSnapshotVersion, out_.bytes());
}

core::Result<View> decode_snapshot(std::string_view bytes) {
  TRY(const std::string_view body, cmdlog::unseal(kSnapshotVersion, bytes));
  core::CborReader in(body);
  View view;
  if (!decode_fields(in, view)) return core::fail(core::Errc::corrupt, in.error());
  derive(view);
  if (std::string broken = broken_invariant(view); !broken.empty()) {
    return core::fail(core::Errc::corrupt, fmt::format("it contradicts itself: {}", broken));
  }
  return view;
}

}  // namespace stream
