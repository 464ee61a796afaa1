// Payloads of the write-ahead log: whatever the bytes are, parsing ends and stays within them, and
// what it finds is written again as it was found.

#include <cstdint>
#include <string>
#include <string_view>

#include "core/check.h"
#include "core/crc32c.h"
#include "core/fixed.h"
#include "stream/wal/batch.h"

namespace {

void parse(const std::string& text) {
  const core::Bytes payload(text);
  const auto vouched = stream::parse_wal_batch(payload, false);
  const auto damaged = stream::parse_wal_batch(payload, true);
  CHECK(damaged.has_value() || !vouched.has_value());
  if (!damaged) return;
  for (const stream::ParsedWalEntry& parsed : damaged->entries) {
    CHECK(parsed.entry.base <= parsed.entry.end);
    const std::string_view batch = parsed.entry.batch.view();
    CHECK(batch.empty() || text.substr(parsed.position, batch.size()) == batch);
  }
  if (!vouched) return;

  stream::WalBatchBuilder builder;
  for (const stream::ParsedWalEntry& parsed : vouched->entries) builder.add(parsed.entry);
  std::string again;
  for (const core::Bytes& part : builder.finish().parts) again += part.view();
  const auto reread = stream::parse_wal_batch(core::Bytes(again), true);
  CHECK(reread.has_value() && reread->entries.size() == vouched->entries.size());
  for (std::size_t i = 0; i < reread->entries.size(); ++i) {
    CHECK(reread->entries[i].entry == vouched->entries[i].entry && reread->entries[i].intact);
  }
}

/// Makes the table at `at` pass its checksum, if there is room for one.
void sign(std::string& text, std::size_t at) {
  constexpr std::size_t kHeader = 20;
  if (at > text.size() || text.size() - at < kHeader) return;
  const std::string_view table = std::string_view(text).substr(at);
  const auto row_bytes = core::load_le<std::uint32_t>(table.data() + 8);
  const std::string_view rows = table.substr(kHeader, row_bytes);
  const std::uint32_t crc = core::extend_crc32c(core::crc32c(table.substr(0, 16)), rows);
  core::store_le(text.data() + at + 16, crc);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  parse(text);
  std::string last = text;
  if (last.size() >= 4) {
    const auto table_size = core::load_le<std::uint32_t>(last.data() + last.size() - 4);
    if (table_size <= last.size() - 4) sign(last, last.size() - 4 - table_size);
    parse(last);
  }
  sign(text, 0);
  parse(text);
  return 0;
}
