#include "sim/check_history.h"

#include <fmt/format.h>

#include <utility>

#include "stream/content_type.h"

namespace sim {
namespace {

class Check {
 public:
  Check(History& history, const stream::View& view) : history_(history), view_(view) {}

  void run() {
    for (const auto& [id, row] : view_.streams) {
      const auto seen = history_.seen().find(id);
      if (seen == history_.seen().end()) continue;
      check_inherited(id, row, seen->second);
      check_own(id, row, seen->second);
    }
    for (std::uint64_t id = 0; id < history_.appends().size(); ++id) check_append(id);
  }

 private:
  using Place = std::pair<core::StreamId, core::Offset>;

  template <class... Args>
  void expect(bool holds, fmt::format_string<Args...> what, Args&&... args) {
    if (!holds) history_.fail(fmt::format(what, std::forward<Args>(args)...));
  }

  static core::Offset first_own(const stream::StreamRow& row) {
    return row.fork ? row.fork->offset : 0;
  }

  void check_inherited(core::StreamId id, const stream::StreamRow& row, const History::Seen& seen) {
    if (!row.fork) return;
    const auto parent = history_.seen().find(row.fork->parent);
    if (parent == history_.seen().end()) return;
    for (const auto& [offset, value] : seen.records) {
      if (offset >= row.fork->offset) break;
      const auto had = parent->second.records.find(offset);
      if (had == parent->second.records.end()) continue;
      expect(had->second == value, "fork {} has '{:.20}' at {}, its parent '{:.20}'", raw(id),
             value, offset, had->second);
    }
  }

  /// A fork of a byte stream may begin with a part of its parent's next record.
  bool is_prefix(const stream::StreamRow& row, core::Offset offset, const std::string& value) {
    const bool may_be = row.fork && row.fork->sub_offset > 0 && offset == row.fork->offset &&
                        !stream::is_json(row.config.content_type);
    if (!may_be) return false;
    const auto parent = history_.seen().find(row.fork->parent);
    if (parent == history_.seen().end()) return true;
    const auto whole = parent->second.records.find(row.fork->requested);
    if (whole == parent->second.records.end()) return true;
    const std::string wanted = whole->second.substr(0, row.fork->sub_offset);
    expect(wanted == value, "a fork begins with '{:.20}' for '{:.20}'", value, wanted);
    return true;
  }

  void check_own(core::StreamId id, const stream::StreamRow& row, const History::Seen& seen) {
    std::map<std::string, std::uint64_t> last;  // Append of each producer.
    std::optional<History::Origin> before;
    core::Offset next = 0;
    for (const auto& [offset, value] : seen.records) {
      if (offset < first_own(row)) continue;
      if (is_prefix(row, offset, value)) continue;
      const auto origin = history_.origin(value);
      if (!origin || history_.appends()[origin->append].stream != row.name) {
        expect(false, "{} has '{:.20}' at {}, which nobody appended to it", row.name, value,
               offset);
        return;
      }
      const bool follows = before && next == offset;
      if (origin->index > 0 && follows) {
        expect(before->append == origin->append && before->index + 1 == origin->index,
               "{}: append {} is torn at {}", row.name, origin->append, offset);
      }
      if (origin->index == 0 && follows) {
        expect(before->index + 1 == history_.appends()[before->append].records,
               "{}: append {} is torn before {}", row.name, before->append, offset);
      }
      if (origin->index == 0) check_order(row, origin->append, last);
      places_[origin->append].insert(Place{id, offset - origin->index});
      before = origin;
      next = offset + 1;
    }
    if (before) {
      expect(before->index + 1 == history_.appends()[before->append].records,
             "{}: append {} is torn at the end", row.name, before->append);
    }
  }

  void check_order(const stream::StreamRow& row, std::uint64_t append,
                   std::map<std::string, std::uint64_t>& last) {
    const std::string& producer = history_.appends()[append].producer;
    if (producer.empty()) return;
    const auto [found, is_first] = last.emplace(producer, append);
    expect(is_first || found->second < append, "{}: append {} of {} comes after {}", row.name,
           append, producer, found->second);
    found->second = append;
  }

  void check_append(std::uint64_t id) {
    const History::Append& one = history_.appends()[id];
    const auto found = places_.find(id);
    if (found != places_.end()) {
      expect(found->second.size() == 1, "append {} to {} is there {} times", id, one.stream,
             found->second.size());
      expect(one.fate != History::Fate::refused, "append {} to {} was refused, and is there", id,
             one.stream);
      const core::Offset base = found->second.begin()->second;
      expect(!one.base || *one.base == base, "append {} to {} lies at {}, told was {}", id,
             one.stream, base, one.base.value_or(0));
      return;
    }
    if (one.fate != History::Fate::accepted || !one.is_certain || one.records == 0) return;
    const History::Name& name = history_.names().at(one.stream);
    if (!name.exists || name.generation != one.generation || name.may_expire) return;
    const bool may_be_trimmed = name.start_asked > 0 && (!one.base || *one.base < name.start_asked);
    expect(may_be_trimmed, "append {} to {} was acknowledged at {}, and is lost", id, one.stream,
           one.base ? std::to_string(*one.base) : "an unknown offset");
  }

  History& history_;
  const stream::View& view_;
  std::map<std::uint64_t, std::set<Place>> places_;
};

}  // namespace

void check_everything(History& history, const stream::View& view) {
  Check(history, view).run();
}

}  // namespace sim
