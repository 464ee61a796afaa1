#include "drivers/engine/batch_load.h"

#include <fmt/format.h>

#include <utility>

#include "stream/record_batch.h"

namespace drivers {
namespace {

/// The first batch from `from` on that is not in memory, and how many follow it in the same log.
struct Absent {
  std::size_t first = 0;
  std::vector<ports::WalLocation> places;
};

Absent next_absent(const std::vector<CachedBatch>& batches, std::size_t from) {
  Absent absent{from, {}};
  while (absent.first < batches.size() && !batches[absent.first].bytes.empty()) ++absent.first;
  for (std::size_t i = absent.first; i < batches.size(); ++i) {
    if (!batches[i].bytes.empty() || batches[i].life != batches[absent.first].life) break;
    absent.places.push_back(batches[i].place.location);
  }
  return absent;
}

core::Result<void> check(const CachedBatch& batch, const core::Bytes& bytes) {
  const auto header = stream::check_batch(bytes.view());
  if (header && header->size == bytes.size()) return {};
  const ports::WalLocation& at = batch.place.location;
  return core::fail(core::Errc::corrupt,
                    fmt::format("records {} to {} are damaged in the write-ahead log, epoch {}, "
                                "file {}, position {}: {}",
                                batch.base, batch.end, raw(batch.life.epoch), at.file, at.position,
                                header ? "they have another length" : header.error().context));
}

}  // namespace

ports::Task<core::Result<std::vector<core::Bytes>>> load_batches(EngineContext& context,
                                                                 std::vector<CachedBatch> batches) {
  for (std::size_t done = 0; done < batches.size();) {
    Absent absent = next_absent(batches, done);
    done = absent.first + absent.places.size();
    if (absent.places.empty()) break;
    const core::Life life = batches[absent.first].life;
    CO_TRY(const std::vector<core::Bytes> found,
           co_await context.ports.wals.read(life, std::move(absent.places)));
    for (std::size_t i = absent.first; i < done; ++i) {
      CO_TRY_VOID(check(batches[i], found[i - absent.first]));
      batches[i].bytes = found[i - absent.first];
    }
  }
  std::vector<core::Bytes> all;
  all.reserve(batches.size());
  for (CachedBatch& batch : batches) all.push_back(std::move(batch.bytes));
  co_return all;
}

}  // namespace drivers
