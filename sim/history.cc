#include "sim/history.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "core/check.h"
#include "stream/record_batch.h"
#include "stream/record_reader.h"

namespace sim {

using stream::AppendStatus;

void History::fail(const std::string& what) {
  if (broken_.empty()) broken_ = now() + what;
}

// ---- appends ---------------------------------------------------------------------------------

std::uint64_t History::new_append(const std::string& stream, std::uint32_t records,
                                  std::size_t padding) {
  Append one;
  one.stream = stream;
  one.records = records;
  one.padding = padding;
  appends_.push_back(std::move(one));
  return appends_.size() - 1;
}

std::vector<std::string> History::values(std::uint64_t id) const {
  const Append& one = appends_[id];
  std::vector<std::string> values;
  for (std::uint32_t i = 0; i < one.records; ++i) {
    values.push_back(fmt::format("{}.{}|", id, i) + std::string(one.padding, 'x'));
  }
  return values;
}

std::optional<History::Origin> History::origin(std::string_view value) const {
  Origin found;
  const char* end = value.data() + value.size();
  auto at = std::from_chars(value.data(), end, found.append);
  if (at.ec != std::errc() || at.ptr == end || *at.ptr != '.') return std::nullopt;
  at = std::from_chars(at.ptr + 1, end, found.index);
  if (at.ec != std::errc() || at.ptr == end || *at.ptr != '|') return std::nullopt;
  if (found.append >= appends_.size()) return std::nullopt;
  const Append& one = appends_[found.append];
  const auto prefix = static_cast<std::size_t>(at.ptr + 1 - value.data());
  if (found.index >= one.records || value.size() != prefix + one.padding) return std::nullopt;
  return found;
}

// ---- requests --------------------------------------------------------------------------------

History::Moment History::begin(const std::string& stream) {
  const Name& name = names_[stream];
  Moment moment;
  moment.stream = stream;
  moment.sequence = ++sequence_;
  moment.generation = name.generation;
  moment.exists = name.exists;
  moment.tail = name.tail;
  moment.closed_at = name.closed_at;
  moment.start = name.start;
  return moment;
}

/// Whether the name stood for the same stream from the request to its answer.
bool History::is_current(const Moment& moment) const {
  const Name& name = names_.at(moment.stream);
  return moment.exists && name.exists && name.generation == moment.generation;
}

void History::missing(const Moment& moment, const char* request) {
  if (is_current(moment) && !names_[moment.stream].may_expire) {
    fail(fmt::format("{} of {}: it exists, and was not found", request, moment.stream));
  }
}

void History::saw_end(const Moment& moment, core::Offset end, bool closed) {
  if (!is_current(moment)) return;
  Name& name = names_[moment.stream];
  if (closed && !name.may_be_closed) {
    fail(fmt::format("{} is closed at {}, and nobody closed it", moment.stream, end));
  }
  if (moment.closed_at && (!closed || end != *moment.closed_at)) {
    fail(fmt::format("{} was closed at {} and now is {} at {}", moment.stream, *moment.closed_at,
                     closed ? "closed" : "open", end));
  }
  if (end < moment.tail) {
    fail(fmt::format("{} ended at {} and now ends at {}", moment.stream, moment.tail, end));
  }
  name.tail = std::max(name.tail, end);
  if (closed) name.closed_at = end;
}

void History::check_alive(const Moment& moment, core::StreamId id) {
  const Seen& seen = seen_[id];
  if (seen.gone_since && *seen.gone_since < moment.sequence) {
    fail(fmt::format("stream {} ({}) was deleted, and is back", raw(id), moment.stream));
  }
}

void History::saw_facts(const Moment& moment, const stream::StreamFacts& facts) {
  check_alive(moment, facts.id);
  saw_end(moment, facts.tail, facts.closed);
  if (facts.damaged) fail(fmt::format("{} is damaged", moment.stream));
  if (!is_current(moment)) return;
  Name& name = names_[moment.stream];
  if (name.id != facts.id) {
    fail(fmt::format("{} is stream {} and now {}", moment.stream, raw(name.id), raw(facts.id)));
  }
  if (facts.start < moment.start || facts.start > name.start_asked) {
    fail(fmt::format("{} starts at {}; it started at {}, asked for was {} at most", moment.stream,
                     facts.start, moment.start, name.start_asked));
  }
  name.start = std::max(name.start, facts.start);
}

void History::end_append(const Moment& moment, std::uint64_t id,
                         const stream::AppendRequest& request,
                         const core::Result<stream::AppendReply>& answer) {
  Append& one = appends_[id];
  note(fmt::format(
      "append {} by '{}' to {}: {}", id, one.producer, one.stream,
      answer ? std::to_string(static_cast<int>(answer->status)) : answer.error().context));
  one.sends += 1;
  if (!answer) {
    const core::Errc code = answer.error().code;
    const bool is_nothing = code == core::Errc::unavailable || code == core::Errc::full;
    if (code == core::Errc::corrupt || code == core::Errc::not_found) {
      fail(fmt::format("append to {}: {}", moment.stream, answer.error().context));
    }
    if (one.fate == Fate::pending || one.fate == Fate::refused) {
      one.fate = is_nothing ? Fate::refused : Fate::unknown;
    }
    return;
  }
  const bool did =
      answer->status == AppendStatus::appended || answer->status == AppendStatus::duplicate;
  if (!did) {
    if (one.fate == Fate::pending) one.fate = Fate::refused;
    judge_refusal(moment, one, request, *answer);
    return;
  }
  const bool was_maybe = one.fate == Fate::unknown;
  one.fate = Fate::accepted;
  one.generation = moment.generation;
  one.is_certain = is_current(moment);
  if (answer->status == AppendStatus::duplicate) {
    if (!was_maybe) fail(fmt::format("append {} was called a duplicate the first time", id));
    saw_end(moment, answer->next_offset, answer->closed);
    return;
  }
  one.base = answer->next_offset - one.records;
  if (is_current(moment) && *one.base < moment.tail) {
    fail(fmt::format("append {} to {} came to lie at {}, before the tail {} told earlier", id,
                     moment.stream, *one.base, moment.tail));
  }
  if (request.expected_offset && *request.expected_offset != *one.base) {
    fail(fmt::format("append {} expected the tail {} and lies at {}", id, *request.expected_offset,
                     *one.base));
  }
  if (is_current(moment) && moment.closed_at) {
    fail(fmt::format("append {} went into {}, which was closed", id, moment.stream));
  }
  saw_end(moment, answer->next_offset, answer->closed);
}

void History::judge_refusal(const Moment& moment, const Append& append,
                            const stream::AppendRequest& request,
                            const stream::AppendReply& reply) {
  const std::string what = fmt::format("append to {} by '{}'", moment.stream, append.producer);
  switch (reply.status) {
    case AppendStatus::not_found:
    case AppendStatus::deleted: missing(moment, "append"); return;
    case AppendStatus::closed:
    case AppendStatus::already_closed:
      if (is_current(moment) && !names_[moment.stream].may_be_closed) {
        fail(what + ": nobody closed it, and it is closed");
      }
      saw_end(moment, reply.next_offset, true);
      return;
    case AppendStatus::wrong_offset:
      if (!request.expected_offset) fail(what + ": no offset was expected");
      return;
    case AppendStatus::stale_seq:
      if (!request.stream_seq || append.fate != Fate::unknown) fail(what + ": stale_seq");
      return;
    default:
      // A stream that was made anew meanwhile does not know what came before.
      if (is_current(moment) && append.first_generation == moment.generation) {
        fail(fmt::format("{}: refused with status {}", what, static_cast<int>(reply.status)));
      }
  }
}

void History::end_create(const Moment& moment, std::optional<std::uint64_t> id,
                         const stream::CreateRequest& request,
                         const core::Result<stream::CreateReply>& answer) {
  if (!id) return;
  Append& one = appends_[*id];
  one.sends += 1;
  if (!answer || answer->status != stream::CreateStatus::created) {
    const bool is_nothing = answer || answer.error().code == core::Errc::unavailable;
    if (one.fate != Fate::unknown) one.fate = is_nothing ? Fate::refused : Fate::unknown;
    return;
  }
  one.fate = Fate::accepted;
  one.generation = moment.generation;
  if (request.closed != answer->closed) fail("create: closed is not as asked");
}

void History::end_read(const Moment& moment, const stream::ReadRequest& request,
                       const core::Result<stream::ReadReply>& answer) {
  if (!answer) {
    const core::Errc code = answer.error().code;
    if (code == core::Errc::corrupt || code == core::Errc::not_found) {
      fail(fmt::format("read of {} from {}: {}", moment.stream, request.offset,
                       answer.error().context));
    }
    return;
  }
  const stream::ReadReply& reply = *answer;
  if (reply.status == stream::ReadStatus::not_found ||
      reply.status == stream::ReadStatus::deleted) {
    missing(moment, "read");
    return;
  }
  saw_facts(moment, reply.facts);
  if (reply.status == stream::ReadStatus::trimmed) {
    if (request.offset >= reply.facts.start) fail("read: not trimmed, and said to be");
    return;
  }
  if (reply.status == stream::ReadStatus::beyond_tail) {
    if (is_current(moment) && request.offset <= moment.tail) {
      fail(fmt::format("read of {}: {} is beyond the tail {}, and was told to be a tail",
                       moment.stream, request.offset, reply.facts.tail));
    }
    return;
  }
  if (reply.next > reply.facts.tail) fail("read: beyond the tail");
  if (reply.next == reply.start && reply.start != reply.facts.tail) fail("read: nothing, and more");
  seen_[reply.facts.id].name = moment.stream;
  saw_slices(reply.facts.id, reply.slices, reply.start, reply.next);
}

void History::end_facts(const Moment& moment, const core::Result<stream::StreamFacts>& answer) {
  if (answer && answer->deleted) {
    missing(moment, "facts");
  } else if (answer) {
    saw_facts(moment, *answer);
  } else if (answer.error().code == core::Errc::not_found) {
    missing(moment, "facts");
  } else if (answer.error().code == core::Errc::corrupt) {
    fail("facts of " + moment.stream + ": " + answer.error().context);
  }
}

void History::end_trim(const Moment& moment, core::Offset start,
                       const core::Result<drivers::TrimStatus>& answer) {
  if (!answer) return;
  if (*answer == drivers::TrimStatus::not_found || *answer == drivers::TrimStatus::deleted) {
    missing(moment, "trim");
    return;
  }
  if (!is_current(moment)) return;
  if (*answer == drivers::TrimStatus::beyond_tail) {
    fail(fmt::format("trim of {}: {} is a tail that was told", moment.stream, start));
    return;
  }
  Name& name = names_[moment.stream];
  name.start = std::max(name.start, start);
}

void History::saw_slices(core::StreamId id, const std::vector<stream::BatchSlice>& slices,
                         core::Offset start, core::Offset next) {
  Seen& seen = seen_[id];
  core::Offset at = start;
  const std::string where = fmt::format("stream {} ({}): ", raw(id), seen.name);
  for (const stream::BatchSlice& slice : slices) {
    if (slice.first != at || slice.end <= slice.first) {
      fail(where + fmt::format("a slice [{}, {}) where {} is next", slice.first, slice.end, at));
      return;
    }
    std::string_view rest = slice.batches.view();
    while (!rest.empty()) {
      const auto batch = stream::inspect_batch(rest);
      if (!batch) return fail(where + batch.error().context);
      auto reader = stream::RecordReader::open(rest);
      for (stream::Record record; reader->next(record);) {
        if (record.offset < slice.first || record.offset >= slice.end) continue;
        if (record.offset != at) return fail(where + fmt::format("record {} is missing", at));
        const std::string value(record.value.value_or(""));
        const auto [found, is_new] = seen.records.emplace(at, value);
        if (found->second != value) {
          return fail(where + fmt::format("record {} was '{:.20}' and is '{:.20}'", at,
                                          found->second, value));
        }
        at += 1;
      }
      rest.remove_prefix(batch->size);
    }
    if (at != slice.end)
      return fail(where + fmt::format("records end at {}, not {}", at, slice.end));
  }
  if (at != next) fail(where + fmt::format("was given up to {}, told {}", at, next));
}

// ---- names -----------------------------------------------------------------------------------

void History::exists_now(const std::string& stream, core::StreamId id) {
  Name& name = names_[stream];
  const Name before = std::exchange(name, Name{});
  name.generation = before.generation + 1;
  name.exists = true;
  name.id = id;
  name.start_asked = before.start_asked;
  name.may_be_closed = before.may_be_closed;
  name.may_expire = before.may_expire;
  seen_[id].name = stream;
}

void History::may_go(const std::string& stream) {
  Name& name = names_[stream];
  name.exists = false;
  name.generation += 1;
}

void History::is_gone(const std::string& stream) {
  Name& name = names_[stream];
  if (name.id != core::StreamId{}) seen_[name.id].gone_since = ++sequence_;
  const Name before = std::exchange(name, Name{});
  name.generation = before.generation + 1;
  name.may_expire = before.may_expire;
}

}  // namespace sim
