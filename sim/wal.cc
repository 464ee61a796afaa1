#include "sim/wal.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace sim {

using core::Errc;
using core::fail;

namespace {

std::string name_of(core::Life life) {
  return fmt::format("simulated wal {}/{}", raw(life.node), raw(life.epoch));
}

}  // namespace

/// The writer's end of one log. What it shares with requests under way outlives it.
class SimWal final : public ports::Wal {
 public:
  SimWal(SimWalStore& store, core::Life life) : store_(store), life_(life) {}
  ~SimWal() override { writer_->is_alive = false; }

  std::size_t max_in_flight() const override { return store_.faults_.max_in_flight; }
  ports::Task<core::Result<ports::WalRecord>> append(std::vector<core::Bytes> parts) override;
  ports::Task<core::Result<void>> trim(std::uint64_t first_needed) override;

 private:
  struct Writer {
    bool is_alive = true;
    bool is_lost = false;  // It died with appends under way, and one of them did not arrive.
    std::size_t in_flight = 0;
    std::optional<core::Error> failing;  // Until all that is in flight has failed.
    core::Time last_arrival{0};
    core::Time last_reply{0};
  };
  using Outcome = core::Result<ports::WalRecord>;

  static Outcome arrive(SimWalStore& store, core::Life life, Writer& writer, bool is_refused,
                        core::Bytes payload);

  SimWalStore& store_;
  core::Life life_;
  std::shared_ptr<Writer> writer_ = std::make_shared<Writer>();
};

SimWal::Outcome SimWal::arrive(SimWalStore& store, core::Life life, Writer& writer, bool is_refused,
                               core::Bytes payload) {
  SimWalStore::Log& log = store.logs_[life];
  if (log.is_sealed) return fail(Errc::fenced, name_of(life) + " was taken over");
  if (!writer.failing) {
    if (store.faults_.is_full) writer.failing = core::Error{Errc::full, name_of(life) + " is full"};
    if (is_refused) writer.failing = core::Error{Errc::unavailable, name_of(life) + " refused"};
  }
  if (writer.failing) return tl::unexpected<core::Error>(*writer.failing);
  ports::WalRecord record;
  record.sequence = log.next_sequence++;
  record.location = ports::WalLocation{0, log.next_position, payload.size()};
  log.records.push_back({record.sequence, log.next_position, payload, false});
  log.next_position += payload.size();
  return record;
}

ports::Task<core::Result<ports::WalRecord>> SimWal::append(std::vector<core::Bytes> parts) {
  std::string joined;
  for (const core::Bytes& part : parts) joined += part.view();
  const core::Bytes payload{std::move(joined)};
  SimWorld& world = store_.world_;
  Writer& mine = *writer_;
  mine.in_flight += 1;
  const core::Time tick(1);
  mine.last_arrival = std::max(mine.last_arrival, world.now() + store_.draw_latency()) + tick;
  mine.last_reply = std::max(mine.last_reply, mine.last_arrival + store_.draw_latency()) + tick;
  const core::Time reply = mine.last_reply;
  const bool is_refused = world.random().chance(store_.faults_.unavailable);
  const bool dies_with_writer = world.random().chance(store_.faults_.lost_on_crash);

  auto outcome = std::make_shared<std::optional<Outcome>>();
  world.at(mine.last_arrival, [&store = store_, life = life_, writer = writer_, outcome, is_refused,
                               dies_with_writer, payload] {
    // What follows one that is lost is lost too: records become durable in order.
    if (!writer->is_alive && dies_with_writer) writer->is_lost = true;
    if (!writer->is_lost) {
      *outcome = arrive(store, life, *writer, is_refused, payload);
    }
  });
  world.at(reply, [writer = writer_] {
    writer->in_flight -= 1;
    if (writer->in_flight == 0) writer->failing.reset();
  });
  co_await world.sleep_until(reply);
  if (*outcome) co_return **outcome;
  co_return fail(Errc::unavailable, name_of(life_) + " lost its writer");
}

ports::Task<core::Result<void>> SimWal::trim(std::uint64_t first_needed) {
  co_await store_.latency();
  std::erase_if(store_.logs_[life_].records,
                [&](const SimWalStore::Record& record) { return record.sequence < first_needed; });
  co_return core::Result<void>();
}

core::Time SimWalStore::draw_latency() {
  const auto spread =
      static_cast<std::uint64_t>((faults_.most_latency - faults_.least_latency).count());
  const core::Time whole = faults_.least_latency +
                           core::Time(static_cast<std::int64_t>(world_.random().below(spread + 1)));
  return whole / 2;
}

ports::Task<void> SimWalStore::latency() {
  return world_.pass(draw_latency());
}

ports::Task<core::Result<std::unique_ptr<ports::Wal>>> SimWalStore::create(core::Life life) {
  co_await latency();
  Log& log = logs_[life];
  if (log.is_open || log.is_sealed) co_return fail(Errc::conflict, name_of(life) + " exists");
  log.is_open = true;
  std::unique_ptr<ports::Wal> wal = std::make_unique<SimWal>(*this, life);
  co_return wal;
}

ports::Task<core::Result<std::vector<core::Life>>> SimWalStore::lives(core::NodeId node) {
  co_await latency();
  std::vector<core::Life> found;
  for (const auto& [life, log] : logs_) {
    if (life.node == node && log.is_open) found.push_back(life);
  }
  co_return found;
}

ports::Task<core::Result<void>> SimWalStore::take_over(core::Life ended) {
  co_await latency();
  logs_[ended].is_sealed = true;
  co_await latency();
  co_return core::Result<void>();
}

ports::Task<core::Result<std::vector<ports::WalRecord>>> SimWalStore::replay(
    core::Life ended, std::uint64_t from, std::size_t max_bytes) {
  co_await latency();
  const auto log = logs_.find(ended);
  if (log == logs_.end() || !log->second.is_sealed) {
    co_return fail(Errc::invalid, name_of(ended) + " was not taken over");
  }
  std::vector<ports::WalRecord> found;
  std::size_t bytes = 0;
  for (const Record& record : log->second.records) {
    if (record.sequence < from) continue;
    if (!found.empty() && bytes + record.payload.size() > max_bytes) break;
    bytes += record.payload.size();
    ports::WalRecord read;
    read.sequence = record.sequence;
    read.location = ports::WalLocation{0, record.position, record.payload.size()};
    read.payload = record.payload;
    if (record.is_damaged) {
      read.damage =
          fmt::format("{}: record {} does not match its checksum", name_of(ended), record.sequence);
    }
    found.push_back(std::move(read));
  }
  co_return found;
}

ports::Task<core::Result<std::vector<core::Bytes>>> SimWalStore::read(
    core::Life life, std::vector<ports::WalLocation> locations) {
  co_await latency();
  std::vector<core::Bytes> found;
  for (const ports::WalLocation& location : locations) {
    const std::optional<core::Bytes> bytes = bytes_at(logs_[life], location);
    if (!bytes) {
      co_return fail(Errc::not_found,
                     fmt::format("{} has no record at {}", name_of(life), location.position));
    }
    found.push_back(*bytes);
  }
  co_return found;
}

std::optional<core::Bytes> SimWalStore::bytes_at(const Log& log,
                                                 const ports::WalLocation& location) {
  for (const Record& record : log.records) {
    if (location.position < record.position) continue;
    const std::uint64_t skip = location.position - record.position;
    if (skip + location.length > record.payload.size()) continue;
    return record.payload.slice(skip, location.length);
  }
  return std::nullopt;
}

ports::Task<core::Result<void>> SimWalStore::remove(core::Life ended) {
  co_await latency();
  const auto log = logs_.find(ended);
  if (log == logs_.end()) co_return core::Result<void>();
  if (!log->second.is_sealed) co_return fail(Errc::invalid, name_of(ended) + " was not taken over");
  log->second.records.clear();
  log->second.is_open = false;
  co_return core::Result<void>();
}

void SimWalStore::flip(core::Life life, std::uint64_t sequence, std::uint64_t position) {
  for (Record& record : logs_[life].records) {
    if (record.sequence != sequence) continue;
    std::string payload(record.payload.view());
    CHECK(position < payload.size());
    payload[position] = static_cast<char>(payload[position] ^ 1);
    record.payload = core::Bytes(std::move(payload));
    record.is_damaged = true;
    return;
  }
  CHECK(false && "no such record");
}

std::size_t SimWalStore::count(core::Life life) const {
  const auto log = logs_.find(life);
  return log == logs_.end() ? 0 : log->second.records.size();
}

}  // namespace sim
