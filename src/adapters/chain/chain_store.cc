#include "adapters/chain/chain_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <charconv>
#include <set>
#include <utility>

#include "adapters/chain/chain_walk.h"
#include "adapters/chain/side_by_side.h"
#include "adapters/wal_read_plan.h"

namespace adapters {

using core::Errc;
using core::fail;

namespace {

constexpr std::size_t kReadsSideBySide = 8;
constexpr std::uint64_t kSealAhead = 16;

std::vector<core::Bytes> one_part(std::string content) {
  std::vector<core::Bytes> parts;
  parts.emplace_back(std::move(content));
  return parts;
}

ports::WalRecord record_of(core::Life life, const Chain::Link& link, const core::Bytes& bytes) {
  const ChainObject object = decode_chain_object(bytes);
  ports::WalRecord record;
  record.sequence = link.sequence;
  record.location = ports::WalLocation{link.number, kChainHeader, link.length};
  record.payload = object.payload;
  if (!object.is_intact) {
    record.damage = fmt::format(
        "WAL object {}: record {}, the {} bytes from position {}, does not match its checksum",
        chain_name(life, link.number), link.sequence, link.length, kChainHeader);
  }
  return record;
}

}  // namespace

ChainStore::ChainStore(ports::ObjectStore& store, ports::Timers& timers, core::Random random,
                       ChainOptions options)
    : store_(store), timers_(timers), random_(random), options_(options) {}

ChainStore::~ChainStore() = default;

// ---- what the store can do
// -----------------------------------------------------------------------

ports::Task<core::Result<void>> ChainStore::probe() {
  const std::string name = fmt::format("wal/probe/{:016x}", random_.next());
  const auto result = co_await check_exclusive(name);
  (void)co_await store_.remove(name);
  co_return result;
}

ports::Task<core::Result<void>> ChainStore::check_exclusive(std::string name) {
  CO_TRY_VOID(co_await put_until_clear(name, "first"));
  std::vector<core::Bytes> other = one_part("second");
  Backoff backoff(timers_, random_, options_.backoff);
  for (;;) {
    const auto second = co_await store_.put_if_absent(name, other);
    if (!second && second.error().code == Errc::conflict) break;
    if (second) {
      co_return fail(Errc::invalid,
                     fmt::format("the object store overwrote {} although told to create it only if "
                                 "absent: it cannot keep a write-ahead log",
                                 name));
    }
    if (backoff.has_given_up()) co_return tl::unexpected<core::Error>(second.error());
    co_await backoff.pause();
  }
  CO_TRY(const core::Bytes there, co_await store_.get_range(name, 0, 100));
  CO_TRY(const auto listed, co_await store_.list(name));
  if (there.view() != "first" || listed.size() != 1) {
    co_return fail(Errc::invalid,
                   fmt::format("the object store does not {} {} right after it was written: it "
                               "cannot keep a write-ahead log",
                               listed.size() == 1 ? "give back" : "list", name));
  }
  co_return core::Result<void>();
}

/// Creates `name` with `content`, which it may have already.
ports::Task<core::Result<void>> ChainStore::put_until_clear(std::string name, std::string content) {
  const std::vector<core::Bytes> parts = one_part(std::move(content));
  Backoff backoff(timers_, random_, options_.backoff);
  for (;;) {
    const auto put = co_await store_.put_if_absent(name, parts);
    if (put || put.error().code == Errc::conflict) co_return core::Result<void>();
    const bool is_passing =
        put.error().code == Errc::unavailable || put.error().code == Errc::unknown;
    if (!is_passing || backoff.has_given_up()) co_return tl::unexpected<core::Error>(put.error());
    co_await backoff.pause();
  }
}

// ---- create and list
// -----------------------------------------------------------------------------

ports::Task<core::Result<std::unique_ptr<ports::Wal>>> ChainStore::create(core::Life life) {
  CO_TRY(const auto objects, co_await store_.list(chain_folder(life)));
  if (!objects.empty()) {
    co_return fail(Errc::conflict, fmt::format("WAL {} exists: that life of node {} is over",
                                               objects.front().name, raw(life.node)));
  }
  const auto executor = co_await ports::asio::this_coro::executor;
  std::unique_ptr<ports::Wal> wal = std::make_unique<ChainWal>(
      executor, store_, timers_, core::Random(random_.next()), life, options_);
  co_return wal;
}

ports::Task<core::Result<std::vector<core::Life>>> ChainStore::lives(core::NodeId node) {
  const std::string folder = fmt::format("wal/{}/", raw(node));
  CO_TRY(const auto objects, co_await store_.list(folder));
  std::map<core::Life, std::size_t> counts;
  std::set<core::Life> removed;
  for (const ports::ObjectInfo& object : objects) {
    const char* begin = object.name.data() + folder.size();
    const char* end = object.name.data() + object.name.size();
    std::uint64_t epoch = 0;
    const auto [stop, error] = std::from_chars(begin, end, epoch);
    if (error != std::errc() || stop == end || *stop != '/') continue;
    const core::Life life{node, core::Epoch{epoch}};
    counts[life] += 1;
    if (std::string_view(stop, static_cast<std::size_t>(end - stop)) == "/removed") {
      removed.insert(life);
    }
  }
  std::vector<core::Life> found;
  for (const auto& [life, count] : counts) {
    // Only the mark and the seal: removed to the end.
    if (!removed.contains(life) || count > 2) found.push_back(life);
  }
  co_return found;
}

// ---- ended lives
// ---------------------------------------------------------------------------------

ports::Task<core::Result<void>> ChainStore::put_seal(core::Life ended, const Chain& chain,
                                                     std::uint64_t number) {
  ChainHeader seal;
  seal.kind = ChainKind::seal;
  seal.life = ended;
  seal.number = number;
  seal.confirmed = chain.next_number;
  seal.first = chain.first;
  const std::string encoded = encode_chain_header(seal);
  std::vector<core::Bytes> parts = one_part(encoded + encoded);
  co_return co_await store_.put_if_absent(chain_name(ended, number), std::move(parts));
}

ports::Task<core::Result<void>> ChainStore::take_over(core::Life ended) {
  const auto walk = std::make_shared<ChainWalk>(store_, ended);
  Backoff backoff(timers_, random_, options_.backoff);
  std::uint64_t ahead = 0;
  for (;;) {
    auto chain = co_await walk->follow();
    if (chain && chain->is_sealed) {
      sealed_[ended] = std::make_shared<const Chain>(std::move(*chain));
      co_return core::Result<void>();
    }
    core::Error error;
    if (chain) {
      const auto put = co_await put_seal(ended, *chain, chain->next_number);
      // Whatever the answer, what stands there now decides: look again.
      if (put) continue;
      error = put.error();
    } else {
      error = chain.error();
    }
    // The writer may be alive, and this too slow to catch up with it.
    if (walk->newest() > ahead) ahead = walk->newest() + kSealAhead;
    const Chain unknown;
    if (ahead > 0) (void)co_await put_seal(ended, unknown, ahead);
    if (error.code == Errc::conflict) continue;
    const bool is_passing = error.code == Errc::unavailable || error.code == Errc::unknown ||
                            error.code == Errc::not_found;
    if (!is_passing || backoff.has_given_up()) co_return tl::unexpected<core::Error>(error);
    co_await backoff.pause();
  }
}

ports::Task<core::Result<ChainStore::ChainPtr>> ChainStore::sealed_chain(core::Life ended) {
  if (const auto found = sealed_.find(ended); found != sealed_.end()) co_return found->second;
  CO_TRY(auto chain, co_await ChainWalk::run(store_, ended));
  if (!chain.is_sealed) {
    co_return fail(Errc::invalid, fmt::format("WAL {} was not taken over", chain_folder(ended)));
  }
  const ChainPtr kept = std::make_shared<const Chain>(std::move(chain));
  sealed_[ended] = kept;
  co_return kept;
}

ports::Task<core::Result<std::vector<ports::WalRecord>>> ChainStore::replay(core::Life ended,
                                                                            std::uint64_t from,
                                                                            std::size_t max_bytes) {
  CO_TRY(const ChainPtr chain, co_await sealed_chain(ended));
  const auto begin = std::lower_bound(
      chain->links.begin(), chain->links.end(), from,
      [](const Chain::Link& link, std::uint64_t sequence) { return link.sequence < sequence; });
  std::vector<Chain::Link> wanted;
  std::uint64_t bytes = 0;
  for (auto link = begin; link != chain->links.end(); ++link) {
    bytes += link->length;
    if (!wanted.empty() && bytes > max_bytes) break;
    wanted.push_back(*link);
  }
  using Read = core::Result<core::Bytes>;
  const auto one = [this, ended, wanted](std::size_t i) {
    return store_.get_range(chain_name(ended, wanted[i].number), 0,
                            wanted[i].length + 2 * kChainHeader);
  };
  const std::vector<Read> read = co_await side_by_side<Read>(wanted.size(), kReadsSideBySide, one);
  std::vector<ports::WalRecord> records;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!read[i] && read[i].error().code == Errc::not_found) {
      co_return fail(Errc::corrupt, fmt::format("WAL object {} has vanished: put it back",
                                                chain_name(ended, wanted[i].number)));
    }
    if (!read[i]) co_return tl::unexpected<core::Error>(read[i].error());
    records.push_back(record_of(ended, wanted[i], *read[i]));
  }
  co_return records;
}

ports::Task<core::Result<std::vector<core::Bytes>>> ChainStore::read(
    core::Life life, std::vector<ports::WalLocation> locations) {
  const std::vector<WalReadRun> runs = plan_wal_reads(locations);
  using Read = core::Result<core::Bytes>;
  const auto one = [this, life, runs](std::size_t i) {
    return store_.get_range(chain_name(life, runs[i].file), runs[i].position, runs[i].length);
  };
  std::vector<Read> read = co_await side_by_side<Read>(runs.size(), kReadsSideBySide, one);
  std::vector<core::Bytes> found;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const WalReadRun& run = runs[r];
    CO_TRY(const core::Bytes bytes, std::move(read[r]));
    if (bytes.size() < run.length) {
      co_return fail(Errc::corrupt, fmt::format("WAL object {} ends at {}, before the end of what "
                                                "is at {}",
                                                chain_name(life, run.file),
                                                run.position + bytes.size(), run.position));
    }
    cut_wal_run(run, locations, bytes, found);
  }
  co_return found;
}

ports::Task<core::Result<void>> ChainStore::remove(core::Life ended) {
  CO_TRY(const ChainPtr chain, co_await sealed_chain(ended));
  if (!chain->is_there) co_return core::Result<void>();
  const std::string folder = chain_folder(ended);
  CO_TRY_VOID(co_await put_until_clear(folder + "removed", ""));
  CO_TRY(const auto objects, co_await store_.list(folder));
  std::vector<std::string> names;
  for (const ports::ObjectInfo& object : objects) {
    const auto number = chain_number(std::string_view(object.name).substr(folder.size()));
    if (!number || number == chain->seal) continue;
    if (!chain->seal) {  // Half removed before.
      const auto front = co_await store_.get_range(object.name, 0, kChainHeader);
      const auto header = front ? decode_chain_header(front->view()) : std::nullopt;
      if (header && header->kind == ChainKind::seal) continue;
    }
    names.push_back(object.name);
  }
  CO_TRY_VOID(co_await store_.remove_all(std::move(names)));
  sealed_.erase(ended);
  co_return core::Result<void>();
}

}  // namespace adapters
