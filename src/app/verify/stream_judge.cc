#include "app/verify/stream_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace app::verify {
namespace {

constexpr std::size_t kMissing = std::numeric_limits<std::size_t>::max();
constexpr std::string_view kBeginning = "-1";

std::string request_text(std::uint32_t writer, std::uint32_t request) {
  return fmt::format("w{}.r{}", writer, request);
}

/// Offsets compare byte by byte; the beginning is before all of them.
bool offset_less(std::string_view a, std::string_view b) {
  if (a == kBeginning || b == kBeginning) return a == kBeginning && b != kBeginning;
  return a < b;
}

std::string answered(const SentRequest& sent) {
  return fmt::format("acknowledged at {}", sent.offset.empty() ? "no offset" : sent.offset);
}

}  // namespace

void StreamJudge::report(Fault fault, const Reading& reading, std::string what) {
  ++judgement_.counts[static_cast<std::size_t>(fault)];
  if (judgement_.first.size() >= kShownFindings) return;
  const std::string reader = reading.how.empty() ? "the final read" : reading.how;
  judgement_.first.push_back(
      {fault, ledger_.streams()[stream_].name, fmt::format("{} ({})", what, reader)});
}

const SentRequest* StreamJudge::look_up(const Seen& seen, const Reading& reading) {
  if (!seen.damage.empty()) {
    report(Fault::torn, reading, fmt::format("no whole record: {}", seen.damage));
    return nullptr;
  }
  const SentRequest* sent = ledger_.find(seen.key.writer, seen.key.request);
  if (sent == nullptr) {
    report(Fault::phantom, reading, fmt::format("record {} was never sent", text_of(seen.key)));
  } else if (sent->stream != stream_) {
    report(Fault::phantom, reading,
           fmt::format("record {} was sent to {}", text_of(seen.key),
                       ledger_.streams()[sent->stream].name));
  } else if (sent->count != seen.count || seen.key.index >= sent->count) {
    report(
        Fault::phantom, reading,
        fmt::format("record {} of {}: {} were sent", text_of(seen.key), seen.count, sent->count));
  } else if (sent->outcome == Outcome::refused) {
    report(Fault::phantom, reading,
           fmt::format("record {} is there though the append was refused", text_of(seen.key)));
  } else {
    return sent;
  }
  return nullptr;
}

void StreamJudge::judge_final(const Reading& reading) {
  std::size_t chunk = 0;
  for (std::size_t i = 0; i < reading.seen.size(); ++i) {
    while (chunk + 1 < reading.chunks.size() && i >= reading.chunks[chunk].end) ++chunk;
    const Seen& seen = reading.seen[i];
    const SentRequest* sent = look_up(seen, reading);
    if (sent == nullptr) continue;
    if (!order_.emplace(seen.key, keys_.size()).second) {
      report(Fault::duplicated, reading,
             fmt::format("record {} is there again", text_of(seen.key)));
      continue;
    }
    Found& found = found_[{seen.key.writer, seen.key.request}];
    if (found.positions.empty()) {
      found.writer = seen.key.writer;
      found.request = seen.key.request;
      found.first = keys_.size();
      found.positions.assign(sent->count, kMissing);
      found.hashes.assign(sent->count, 0);
    }
    found.positions[seen.key.index] = keys_.size();
    found.hashes[seen.key.index] = seen.hash;
    found.chunk = chunk;
    keys_.push_back(seen.key);
  }
  if (!reading.rest.empty()) {
    report(Fault::torn, reading, "the stream ends inside a record");
  }
  judge_presence(reading);
  judge_chunk_ends(reading);

  std::vector<const Found*> in_order;
  for (const auto& [id, found] : found_) {
    if (!judge_wholeness(found, reading)) continue;
    in_order.push_back(&found);
    const SentRequest* sent = ledger_.find(found.writer, found.request);
    if (sent->outcome == Outcome::acknowledged && !sent->offset.empty()) {
      after_.emplace(sent->offset, found.first + found.positions.size());
    }
  }
  std::sort(in_order.begin(), in_order.end(),
            [](const Found* a, const Found* b) { return a->first < b->first; });
  judge_order(std::move(in_order), reading);
  count_requests();
}

void StreamJudge::judge_presence(const Reading& reading) {
  for (std::uint32_t writer = 0; writer < ledger_.writers().size(); ++writer) {
    const auto& requests = ledger_.writers()[writer];
    for (std::uint32_t number = 0; number < requests.size(); ++number) {
      const SentRequest& sent = requests[number];
      if (sent.stream != stream_ || !sent.is_acknowledged()) continue;
      if (found_.contains({writer, number})) continue;
      report(Fault::lost, reading,
             fmt::format("{} with {} records, {}, is not there", request_text(writer, number),
                         sent.count, answered(sent)));
    }
  }
}

bool StreamJudge::judge_wholeness(const Found& found, const Reading& reading) {
  const std::string name = request_text(found.writer, found.request);
  const auto& positions = found.positions;
  const auto there = positions.size() - static_cast<std::size_t>(std::count(
                                            positions.begin(), positions.end(), kMissing));
  if (there != positions.size()) {
    report(
        Fault::torn, reading,
        fmt::format("{} of the {} records of append {} are there", there, positions.size(), name));
    return false;
  }
  const auto last = *std::max_element(positions.begin(), positions.end());
  if (last - found.first + 1 != positions.size()) {
    report(Fault::torn, reading, fmt::format("append {} has other records inside it", name));
    return false;
  }
  if (!std::is_sorted(positions.begin(), positions.end())) {
    report(Fault::reordered, reading, fmt::format("the records of append {} are mixed up", name));
    return false;
  }
  const SentRequest* sent = ledger_.find(found.writer, found.request);
  if (hash_of_request(found.hashes) != sent->hash) {
    report(Fault::phantom, reading, fmt::format("append {} has other content than was sent", name));
    return false;
  }
  return true;
}

/// Three witnesses of order: the time of sending and answering, the offsets of acknowledgements
/// among each other, and those offsets against the offsets that came with what was read. One
/// finding for each append at most.
void StreamJudge::judge_order(std::vector<const Found*> in_order, const Reading& reading) {
  Moment newest_sent = 0;
  std::string_view highest;
  for (const Found* found : in_order) {
    const SentRequest* sent = ledger_.find(found->writer, found->request);
    const std::string name = request_text(found->writer, found->request);
    const bool exact = sent->outcome == Outcome::acknowledged && !sent->offset.empty();
    if (sent->is_acknowledged() && sent->answered_at < newest_sent) {
      report(
          Fault::reordered, reading,
          fmt::format("append {}, {}, comes after one that was sent later", name, answered(*sent)));
    } else if (exact && !highest.empty() && !offset_less(highest, sent->offset)) {
      report(Fault::reordered, reading,
             fmt::format("append {}, {}, comes after one that was acknowledged at {}", name,
                         answered(*sent), highest));
    } else if (sent->is_acknowledged() && !sent->offset.empty() && !reading.chunks.empty()) {
      const Chunk& chunk = reading.chunks[found->chunk];
      const bool too_late = exact && offset_less(chunk.next, sent->offset);
      const bool too_early = !offset_less(chunk.start, sent->offset);
      if (too_late || too_early) {
        report(Fault::reordered, reading,
               fmt::format("append {}, {}, was read between {} and {}", name, answered(*sent),
                           chunk.start, chunk.next));
      }
    }
    newest_sent = std::max(newest_sent, sent->sent_at);
    if (exact && (highest.empty() || offset_less(highest, sent->offset))) highest = sent->offset;
  }
}

void StreamJudge::judge_chunk_ends(const Reading& reading) {
  std::size_t begin = 0;
  for (const Chunk& chunk : reading.chunks) {
    const std::size_t end = std::min(chunk.end, reading.seen.size());
    if (chunk.up_to_date && end > begin) {
      const Seen& last = reading.seen[end - 1];
      if (last.damage.empty() && last.key.index + 1 < last.count) {
        report(Fault::torn, reading,
               fmt::format("a reader was shown append {} up to record {} of {}",
                           request_text(last.key.writer, last.key.request), last.key.index + 1,
                           last.count));
      }
    }
    begin = end;
  }
}

void StreamJudge::count_requests() {
  for (std::uint32_t writer = 0; writer < ledger_.writers().size(); ++writer) {
    const auto& requests = ledger_.writers()[writer];
    for (std::uint32_t number = 0; number < requests.size(); ++number) {
      const SentRequest& sent = requests[number];
      if (sent.stream != stream_) continue;
      if (sent.is_acknowledged()) {
        ++judgement_.requests_acknowledged;
        judgement_.records_acknowledged += sent.count;
      } else if (sent.outcome == Outcome::refused) {
        ++judgement_.requests_refused;
      } else {
        ++judgement_.requests_maybe;
        if (found_.contains({writer, number})) ++judgement_.requests_maybe_there;
      }
    }
  }
}

void StreamJudge::judge_reader(const Reading& reading) {
  if (!reading.whole && reading.seen.empty()) return;
  std::vector<bool> shown(keys_.size(), false);
  std::optional<std::size_t> from;
  if (reading.from == kBeginning) {
    from = 0;
  } else if (const auto it = after_.find(reading.from); it != after_.end()) {
    from = it->second;
  }
  std::size_t next = from.value_or(0);
  for (const Seen& seen : reading.seen) {
    if (look_up(seen, reading) == nullptr) continue;
    const auto place = order_.find(seen.key);
    if (place == order_.end()) {
      report(Fault::lost, reading,
             fmt::format("record {} was shown to this reader and is not there", text_of(seen.key)));
      continue;
    }
    if (!from) from = next = place->second;
    if (shown[place->second]) {
      report(Fault::duplicated, reading,
             fmt::format("record {} was shown again", text_of(seen.key)));
    } else if (place->second < next) {
      report(Fault::reordered, reading,
             fmt::format("record {} was shown after ones that follow it", text_of(seen.key)));
    }
    shown[place->second] = true;
    next = std::max(next, place->second + 1);
  }
  const std::size_t to = reading.whole ? keys_.size() : next;
  judge_gaps(reading, shown, from.value_or(to), to);
  if (reading.whole && !reading.rest.empty()) {
    report(Fault::torn, reading, "what this reader was shown ends inside a record");
  }
  judge_chunk_ends(reading);
}

void StreamJudge::judge_gaps(const Reading& reading, const std::vector<bool>& shown,
                             std::size_t from, std::size_t to) {
  for (std::size_t place = from; place < to; ++place) {
    if (shown[place]) continue;
    report(Fault::lost, reading,
           fmt::format("record {} was never shown to this reader", text_of(keys_[place])));
  }
}

}  // namespace app::verify
