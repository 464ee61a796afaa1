#include "drivers/engine/recovery.h"

#include <string>
#include <utility>

#include "stream/record_batch.h"
#include "stream/wal/batch.h"

namespace drivers {
namespace {

// Memory that is used again and again: touching new memory costs more than reading does.
constexpr std::size_t kReplayBytes = 4u << 20;

std::string range(core::Offset from, core::Offset to) {
  return std::to_string(from) + " to " + std::to_string(to);
}

}  // namespace

ports::Task<core::Result<std::vector<core::Life>>> Recovery::run() {
  CO_TRY(const std::vector<core::Life> lives,
         co_await context_.ports.wals.lives(context_.life.node));
  std::vector<core::Life> earlier;
  for (const core::Life life : lives) {
    if (life.epoch >= context_.life.epoch) {
      co_return core::fail(core::Errc::corrupt,
                           "the write-ahead log has an epoch " + std::to_string(raw(life.epoch)) +
                               " of this node, the command log only reached epoch " +
                               std::to_string(raw(context_.life.epoch)) +
                               ": they do not belong together");
    }
    CO_TRY_VOID(co_await context_.ports.wals.take_over(life));
    CO_TRY_VOID(co_await replay(life));
    earlier.push_back(life);
  }
  co_return earlier;
}

ports::Task<core::Result<void>> Recovery::replay(core::Life life) {
  for (std::uint64_t from = 0;;) {
    CO_TRY(const std::vector<ports::WalRecord> records,
           co_await context_.ports.wals.replay(life, from, kReplayBytes));
    if (records.empty()) co_return core::Result<void>{};
    for (const ports::WalRecord& record : records) CO_TRY_VOID(take_in(life, record));
    from = records.back().sequence + 1;
  }
}

core::Result<void> Recovery::take_in(core::Life life, const ports::WalRecord& record) {
  const bool damaged = !record.damage.empty();
  auto parsed = stream::parse_wal_batch(record.payload, damaged);
  if (!parsed) {
    return core::fail(parsed.error().code,
                      (damaged ? record.damage + "; " : std::string()) + "write-ahead log record " +
                          std::to_string(record.sequence) + " of epoch " +
                          std::to_string(raw(life.epoch)) + ": " + parsed.error().context +
                          ". Any stream may have lost records in it, so the node does not start; "
                          "restore the file from a copy, or set it aside to accept the loss");
  }
  if (damaged) {
    context_.log_line(record.damage);
    context_.active.keep_for_ever(life, record.sequence);
  }
  for (const stream::ParsedWalEntry& one : parsed->entries) take_in(life, record, one);
  context_.stats.replayed_records += 1;
  context_.stats.replayed_bytes += record.payload.size();
  return {};
}

void Recovery::take_in(core::Life life, const ports::WalRecord& record,
                       const stream::ParsedWalEntry& one) {
  const stream::WalEntry& entry = one.entry;
  const stream::ViewPtr view = context_.view();
  const stream::StreamRow* row = view->find(entry.stream);
  if (row == nullptr) return;  // Deleted since.
  const bool is_mark = entry.kind == stream::WalEntryKind::close;
  if (is_mark ? row->ended.has_value() : entry.end <= row->end) return;  // Committed.

  ActiveStream& stream = context_.active.get(entry.stream, *row);
  if (!stream.damage.empty()) return;
  const std::string where = "stream " + row->name + ": ";
  if (!one.intact) {
    const std::uint64_t position = record.location.position + one.position;
    damage(stream, where + "records " + range(entry.base, entry.end) +
                       " are damaged in the write-ahead log, epoch " +
                       std::to_string(raw(life.epoch)) + ", file " +
                       std::to_string(record.location.file) + ", position " +
                       std::to_string(position) + " (" + record.damage + ")");
    return;
  }
  if (entry.base != stream.durable || stream.ended) {
    damage(stream, where + "the write-ahead log goes on at record " + std::to_string(entry.base) +
                       " where record " + std::to_string(stream.durable) + " is next");
    return;
  }
  CachedBatch batch;
  batch.kind = entry.kind;
  batch.base = entry.base;
  batch.end = entry.end;
  batch.life = life;
  batch.place.sequence = record.sequence;
  batch.place.location = record.location;
  batch.place.location.position += one.position;
  batch.place.location.length = entry.batch.size();
  if (entry.kind != stream::WalEntryKind::append) {
    auto identity = stream::read_identity(entry.batch.view());
    if (!identity) {
      damage(stream, where + "its closing mark makes no sense: " + identity.error().context);
      return;
    }
    stream.ended = stream::StreamEnd{entry.end, std::move(identity->producer)};
    stream.assigned_end = stream.ended;
  }
  stream.assigned = entry.end;
  context_.active.add(stream, std::move(batch));
}

void Recovery::damage(ActiveStream& stream, const std::string& reason) {
  stream.damage = reason;
  context_.stats.damaged_streams += 1;
  context_.log_line(reason + "; the stream keeps what came before and refuses the rest");
}

}  // namespace drivers
