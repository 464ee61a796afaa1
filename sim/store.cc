#include "sim/store.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "ports/object_name.h"

namespace sim {

using core::Errc;
using core::fail;

SimStore::Fate SimStore::draw_fate() {
  if (faults_.is_down || world_.random().chance(faults_.unavailable)) return Fate::refused;
  if (world_.random().chance(faults_.lost_requests)) return Fate::lost_request;
  if (world_.random().chance(faults_.lost_answers)) return Fate::lost_answer;
  if (world_.random().chance(faults_.late_requests)) return Fate::late;
  return Fate::done;
}

core::Time SimStore::draw_latency() {
  const auto spread =
      static_cast<std::uint64_t>((faults_.most_latency - faults_.least_latency).count());
  const auto half =
      faults_.least_latency.count() + static_cast<std::int64_t>(world_.random().below(spread + 1));
  return core::Time(half / 2);
}

ports::Task<core::Result<void>> SimStore::send(Write write) {
  const Fate fate = draw_fate();
  auto answer = std::make_shared<std::optional<core::Result<void>>>();
  const core::Time arrival = world_.now() + draw_latency();
  const core::Time reply = arrival + draw_latency();
  const auto late = core::Time(static_cast<std::int64_t>(
      world_.random().below(static_cast<std::uint64_t>(faults_.late_by.count()) + 1)));
  if (fate != Fate::refused && fate != Fate::lost_request) {
    const core::Time when = fate == Fate::late ? reply + late : arrival;
    world_.at(when, [write, answer] { *answer = write(); });
    if (world_.random().chance(faults_.duplicated)) {
      world_.at(when + late, [write] { (void)write(); });
    }
  }
  co_await world_.sleep_until(reply);
  if (fate == Fate::refused) co_return fail(Errc::unavailable, "the simulated store refused");
  if (fate != Fate::done) co_return fail(Errc::unknown, "the simulated store did not answer");
  co_return **answer;
}

core::Result<void> SimStore::put_now(const std::string& name, const core::Bytes& content) {
  if (faults_.is_read_only) return fail(Errc::unavailable, "the simulated store is read-only");
  const auto found = objects_.find(name);
  if (found != objects_.end() && !faults_.ignores_if_absent) {
    counters_.conflicts += 1;
    return fail(Errc::conflict, fmt::format("object {} exists", name));
  }
  if (faults_.is_full) return fail(Errc::full, "the simulated store is full");
  counters_.puts += 1;
  counters_.bytes_put += content.size();
  objects_[name] = Object{content, world_.now()};
  return {};
}

ports::Task<core::Result<void>> SimStore::put_if_absent(std::string name,
                                                        std::vector<core::Bytes> parts) {
  CO_TRY_VOID(ports::check_object_name(name));
  std::string joined;
  for (const core::Bytes& part : parts) joined += part.view();
  const core::Bytes content{std::move(joined)};
  Write write = [this, name, content] { return put_now(name, content); };
  co_return co_await send(std::move(write));
}

ports::Task<core::Result<void>> SimStore::remove(std::string name) {
  CO_TRY_VOID(ports::check_object_name(name));
  Write write = [this, name]() -> core::Result<void> {
    if (faults_.is_read_only) return fail(Errc::unavailable, "the simulated store is read-only");
    counters_.removes += objects_.erase(name);
    return {};
  };
  co_return co_await send(std::move(write));
}

core::Result<void> SimStore::check_readable(const std::string& name) {
  if (faults_.is_down || world_.random().chance(faults_.unavailable)) {
    return fail(Errc::unavailable, "the simulated store refused");
  }
  counters_.reads += 1;
  if (objects_.contains(name)) return {};
  return fail(Errc::not_found, fmt::format("there is no object {}", name));
}

ports::Task<core::Result<core::Bytes>> SimStore::get_range(std::string name, std::uint64_t position,
                                                           std::uint64_t length) {
  CO_TRY_VOID(ports::check_object_name(name));
  co_await world_.pass(draw_latency());
  CO_TRY_VOID(check_readable(name));
  const core::Bytes content = objects_.find(name)->second.content;
  const std::uint64_t from = std::min<std::uint64_t>(position, content.size());
  const core::Bytes range = content.slice(from, length);
  counters_.bytes_read += range.size();
  co_await world_.pass(draw_latency());
  co_return range;
}

ports::Task<core::Result<ports::ObjectInfo>> SimStore::head(std::string name) {
  CO_TRY_VOID(ports::check_object_name(name));
  co_await world_.pass(draw_latency());
  CO_TRY_VOID(check_readable(name));
  const std::uint64_t size = objects_.find(name)->second.content.size();
  co_await world_.pass(draw_latency());
  co_return ports::ObjectInfo{std::move(name), size};
}

ports::Task<core::Result<std::vector<ports::ObjectInfo>>> SimStore::list(std::string prefix) {
  co_await world_.pass(draw_latency());
  if (faults_.is_down || world_.random().chance(faults_.unavailable)) {
    co_return fail(Errc::unavailable, "the simulated store refused");
  }
  counters_.lists += 1;
  std::vector<ports::ObjectInfo> found;
  for (auto at = objects_.lower_bound(prefix); at != objects_.end(); ++at) {
    if (!at->first.starts_with(prefix)) break;
    if (world_.now() - at->second.created < faults_.list_lag) continue;
    found.push_back(ports::ObjectInfo{at->first, at->second.content.size()});
  }
  co_await world_.pass(draw_latency());
  co_return found;
}

std::vector<std::string> SimStore::names() const {
  std::vector<std::string> names;
  for (const auto& [name, object] : objects_) names.push_back(name);
  return names;
}

std::optional<core::Bytes> SimStore::find(const std::string& name) const {
  const auto found = objects_.find(name);
  if (found == objects_.end()) return std::nullopt;
  return found->second.content;
}

void SimStore::flip(const std::string& name, std::uint64_t position) {
  const auto found = objects_.find(name);
  CHECK(found != objects_.end());
  std::string content(found->second.content.view());
  CHECK(position < content.size());
  content[position] = static_cast<char>(content[position] ^ 1);
  found->second.content = core::Bytes(std::move(content));
}

}  // namespace sim
