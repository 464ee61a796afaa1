#include "stream/wal/batch.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>

#include "core/check.h"
#include "core/crc32c.h"
#include "core/fixed.h"

namespace stream {
namespace {

// One copy of the table: header, then rows. Its checksum covers the header before it and the rows.
constexpr std::string_view kMagic = "CWLB";
constexpr std::uint8_t kVersion = 1;
constexpr std::size_t kVersionAt = 4;
constexpr std::size_t kRowBytesAt = 8;
constexpr std::size_t kCountAt = 12;
constexpr std::size_t kCrcAt = 16;
constexpr std::size_t kTableHeaderSize = 20;
constexpr std::size_t kTrailerSize = 4;  // Size of the second copy, to find it from the end.

std::uint32_t table_crc(std::string_view header, std::string_view rows) {
  return core::extend_crc32c(core::crc32c(header.substr(0, kCrcAt)), rows);
}

struct Table {
  std::uint8_t version = 0;
  std::uint32_t count = 0;
  std::string_view rows;
};

/// The table that `bytes` begins with, if it is whole and as it was written.
std::optional<Table> read_table(std::string_view bytes) {
  if (bytes.size() < kTableHeaderSize || !bytes.starts_with(kMagic)) return std::nullopt;
  const auto row_bytes = core::load_le<std::uint32_t>(bytes.data() + kRowBytesAt);
  if (row_bytes > bytes.size() - kTableHeaderSize) return std::nullopt;
  const std::string_view rows = bytes.substr(kTableHeaderSize, row_bytes);
  if (core::load_le<std::uint32_t>(bytes.data() + kCrcAt) != table_crc(bytes, rows)) {
    return std::nullopt;
  }
  return Table{.version = core::load_le<std::uint8_t>(bytes.data() + kVersionAt),
               .count = core::load_le<std::uint32_t>(bytes.data() + kCountAt),
               .rows = rows};
}

/// The copy at the end of `payload`.
std::optional<Table> read_last_table(std::string_view payload) {
  if (payload.size() < kTrailerSize) return std::nullopt;
  const std::size_t before = payload.size() - kTrailerSize;
  const auto size = core::load_le<std::uint32_t>(payload.data() + before);
  if (size > before) return std::nullopt;
  const auto table = read_table(payload.substr(before - size, size));
  if (!table || kTableHeaderSize + table->rows.size() != size) return std::nullopt;
  return table;
}

/// Cuts the batch of an entry out of the payload; what is not there is not intact.
void attach_batch(const core::Bytes& payload, std::uint64_t length, std::uint32_t crc, bool damaged,
                  ParsedWalEntry& parsed) {
  if (parsed.position > payload.size() || length > payload.size() - parsed.position) {
    parsed.intact = false;
    return;
  }
  parsed.entry.batch = payload.slice(parsed.position, length);
  if (damaged) parsed.intact = core::crc32c(parsed.entry.batch.view()) == crc;
}

}  // namespace

void WalBatchBuilder::add(const WalEntry& entry) {
  CHECK(entry.base <= entry.end);
  core::put_uvarint(table_, raw(entry.stream));
  core::put_uvarint(table_, raw(entry.epoch));
  core::put_le(table_, static_cast<std::uint8_t>(entry.kind));
  core::put_uvarint(table_, entry.base);
  core::put_uvarint(table_, entry.end - entry.base);
  core::put_uvarint(table_, entry.batch.size());
  core::put_le(table_, core::crc32c(entry.batch.view()));
  batches_.push_back(entry.batch);
  batch_bytes_ += entry.batch.size();
}

WalPayload WalBatchBuilder::finish() {
  std::string table(kTableHeaderSize, '\0');
  kMagic.copy(table.data(), kMagic.size());
  core::store_le(table.data() + kVersionAt, kVersion);
  core::store_le(table.data() + kRowBytesAt, static_cast<std::uint32_t>(table_.size()));
  core::store_le(table.data() + kCountAt, static_cast<std::uint32_t>(batches_.size()));
  core::store_le(table.data() + kCrcAt, table_crc(table, table_));
  table += table_;
  const std::size_t table_size = table.size();
  core::put_le(table, static_cast<std::uint32_t>(table_size));

  WalPayload payload;
  const core::Bytes last(std::move(table));
  payload.parts.reserve(batches_.size() + 2);
  payload.positions.reserve(batches_.size());
  payload.parts.push_back(last.slice(0, table_size));
  payload.size = table_size;
  for (core::Bytes& batch : batches_) {
    payload.positions.push_back(payload.size);
    payload.size += batch.size();
    payload.parts.push_back(std::move(batch));
  }
  payload.parts.push_back(last);
  payload.size += last.size();
  table_.clear();
  batches_.clear();
  batch_bytes_ = 0;
  return payload;
}

core::Result<ParsedWalBatch> parse_wal_batch(const core::Bytes& payload, bool damaged) {
  auto table = read_table(payload.view());
  if (!table) table = read_last_table(payload.view());
  if (!table) {
    return core::fail(
        core::Errc::corrupt,
        fmt::format("WAL batch: neither table of its {} bytes can be read", payload.size()));
  }
  if (table->version != kVersion) {
    return core::fail(
        core::Errc::invalid,
        fmt::format("WAL batch: format version {}, this build reads {}", table->version, kVersion));
  }

  ParsedWalBatch batch;
  batch.entries.reserve(std::min<std::size_t>(table->count, table->rows.size()));
  std::uint64_t position = kTableHeaderSize + table->rows.size();
  core::ByteReader reader(table->rows);
  for (std::uint32_t i = 0; i < table->count; ++i) {
    ParsedWalEntry parsed;
    parsed.entry.stream = core::StreamId{reader.uvarint()};
    parsed.entry.epoch = core::Epoch{reader.uvarint()};
    parsed.entry.kind = WalEntryKind{reader.le<std::uint8_t>()};
    parsed.entry.base = reader.uvarint();
    parsed.entry.end = parsed.entry.base + reader.uvarint();
    const std::uint64_t length = reader.uvarint();
    const auto crc = reader.le<std::uint32_t>();
    const bool is_known_kind =
        parsed.entry.kind >= WalEntryKind::append && parsed.entry.kind <= WalEntryKind::close;
    if (!reader.ok() || !is_known_kind || parsed.entry.end < parsed.entry.base) {
      return core::fail(core::Errc::corrupt,
                        fmt::format("WAL batch: row {} of its table makes no sense", i));
    }
    parsed.position = position;
    position += std::min<std::uint64_t>(length, payload.size());
    attach_batch(payload, length, crc, damaged, parsed);
    batch.entries.push_back(std::move(parsed));
  }
  const std::uint64_t size = position + kTableHeaderSize + table->rows.size() + kTrailerSize;
  if (!damaged && (!reader.at_end() || size != payload.size())) {
    return core::fail(
        core::Errc::corrupt,
        fmt::format("WAL batch: {} bytes by its table, {} are there", size, payload.size()));
  }
  return batch;
}

}  // namespace stream
