#include "stream/check_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "stream/retention.h"

namespace stream {
namespace {

/// Goes through the view once and keeps the first thing that is wrong.
class ViewCheck {
 public:
  explicit ViewCheck(const View& view) : view_(view) {}

  std::string run() {
    // Ids are counted up for ever: a state that is near the end of the numbers was not counted to.
    constexpr std::uint64_t kFarAway = std::uint64_t{1} << 62;
    expect(core::raw(view_.next_stream) < kFarAway && core::raw(view_.next_object) < kFarAway,
           "the next ids, {} and {}, are not believable", core::raw(view_.next_stream),
           core::raw(view_.next_object));
    for (const auto& [id, row] : view_.streams) {
      check_identity(id, row);
      check_offsets(id, row);
      check_extents(id, row);
      check_fork(id, row);
      if (!broken_.empty()) return broken_;
    }
    check_forks();
    check_objects();
    expect(view_.names.size() == view_.streams.size(), "there are {} names for {} streams",
           view_.names.size(), view_.streams.size());
    expect(view_.inheritances.size() == inheriting_, "there are {} inheritances for {} heirs",
           view_.inheritances.size(), inheriting_);
    return broken_;
  }

 private:
  template <class... Args>
  void expect(bool holds, fmt::format_string<Args...> rule, Args&&... args) {
    if (!holds && broken_.empty()) broken_ = fmt::format(rule, std::forward<Args>(args)...);
  }

  void check_identity(core::StreamId id, const StreamRow& row) {
    const std::uint64_t number = core::raw(id);
    expect(number > 0 && id < view_.next_stream, "stream {} was never handed out", number);
    expect(!row.name.empty() && row.name.size() <= kMaxNameBytes,
           "the name of stream {} is empty or too long", number);
    const core::StreamId* named = view_.names.find(row.name);
    expect(named != nullptr && *named == id, "stream {} does not have its name", number);
    expect(!row.deleted || row.forks > 0, "stream {} is deleted and has no forks", number);
  }

  void check_offsets(core::StreamId id, const StreamRow& row) {
    const std::uint64_t number = core::raw(id);
    expect(row.start <= row.end, "stream {} starts at {}, after its end {}", number, row.start,
           row.end);
    expect(row.kept == first_needed(view_, id, row), "stream {} keeps the wrong records, from {}",
           number, row.kept);
    expect(!row.ended || row.ended->offset == row.end, "stream {} ended elsewhere than at {}",
           number, row.end);
  }

  void check_extents(core::StreamId id, const StreamRow& row) {
    const std::uint64_t number = core::raw(id);
    const core::Offset own = row.fork ? row.fork->offset : 0;
    if (row.extents.empty()) {
      expect(row.end == own || row.kept >= row.end, "stream {} lacks the records before {}", number,
             row.end);
      return;
    }
    expect(row.extents.front().base <= std::max(row.kept, own),
           "stream {} lacks the records before {}", number, row.extents.front().base);
    expect(row.extents.front().base >= own, "stream {} has records of its parent", number);
    const bool is_newest = row.extents.size() == 1 && !row.deleted;
    expect(row.extents.front().end > row.kept || is_newest,
           "stream {} has an extent that nobody needs", number);
    expect(row.extents.back().end == row.end, "stream {} has no extent up to its end", number);
    const Extent* before = nullptr;
    for (const Extent& extent : row.extents) {
      expect(extent.base < extent.end, "stream {} has an empty extent at {}", number, extent.base);
      expect(before == nullptr || before->end == extent.base, "stream {} has a gap before {}",
             number, extent.base);
      before = &extent;
      used_.push_back(extent.object);
    }
  }

  void check_fork(core::StreamId id, const StreamRow& row) {
    if (!row.fork) return;
    const std::uint64_t number = core::raw(id);
    expect(row.fork->parent < id && view_.find(row.fork->parent) != nullptr,
           "stream {} is a fork of {}, which is not there", number, core::raw(row.fork->parent));
    expect(row.fork->offset <= row.end, "stream {} ends before its fork point", number);
    forks_.push_back(row.fork->parent);
    if (row.kept >= row.fork->offset) return;
    ++inheriting_;
    const Inheritance key{.parent = row.fork->parent, .from = row.kept, .fork = id};
    expect(view_.inheritances.contains(key), "what stream {} inherits is not noted", number);
  }

  void check_forks() {
    std::sort(forks_.begin(), forks_.end());
    for (const auto& [id, row] : view_.streams) {
      const auto [first, last] = std::equal_range(forks_.begin(), forks_.end(), id);
      expect(row.forks == last - first, "stream {} counts {} forks and has {}", core::raw(id),
             row.forks, last - first);
    }
  }

  void check_objects() {
    std::sort(used_.begin(), used_.end());
    std::size_t live = 0;
    for (const auto& [id, row] : view_.objects) {
      const std::uint64_t number = core::raw(id);
      expect(number > 0 && id < view_.next_object, "object {} was never handed out", number);
      expect(row.state <= ObjectState::doomed, "object {} is in no state", number);
      const auto [first, last] = std::equal_range(used_.begin(), used_.end(), id);
      expect(row.extents == last - first, "object {} counts {} extents and has {}", number,
             row.extents, last - first);
      expect((row.state == ObjectState::committed) == (row.extents > 0),
             "object {} has {} extents, which does not fit its state", number, row.extents);
      live += row.extents;
    }
    expect(live == used_.size(), "{} extents are in objects that are not there",
           used_.size() - live);
  }

  const View& view_;
  std::string broken_;
  std::vector<core::ObjectId> used_;   // One for each extent.
  std::vector<core::StreamId> forks_;  // The parent of each fork.
  std::size_t inheriting_ = 0;
};

}  // namespace

std::string broken_invariant(const View& view) {
  return ViewCheck(view).run();
}

}  // namespace stream
