// The write-ahead log against the disk it stands on: one append beside one plain fdatasync, and
// replay beside reading the same files.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "adapters/chain/chain_store.h"
#include "adapters/clock/asio_timers.h"
#include "adapters/files/file.h"
#include "adapters/files/file_store.h"
#include "adapters/files/file_wal_store.h"
#include "core/check.h"

namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr core::Life kLife{core::NodeId{1}, core::Epoch{1}};

/// In the working directory, which is on the disk that is measured.
struct Scratch {
  Scratch() { fs::create_directories(path); }
  ~Scratch() { fs::remove_all(path); }
  std::string path = "wal-bench-" + std::to_string(::getpid());
};

template <class T>
T run(asio::io_context& io, ports::Task<T> task) {
  std::optional<T> result;
  asio::co_spawn(io, std::move(task),
                 [&](std::exception_ptr, T value) { result = std::move(value); });
  io.restart();
  while (!result) io.run_one();
  return std::move(*result);
}

void report_percentiles(benchmark::State& state, std::vector<double>& times_us) {
  std::sort(times_us.begin(), times_us.end());
  state.counters["p50_us"] = times_us[times_us.size() / 2];
  state.counters["p99_us"] = times_us[times_us.size() * 99 / 100];
}

/// The least that durability costs: a block at the end of a file, and fdatasync.
void BM_PlainFdatasync(benchmark::State& state) {
  const Scratch scratch;
  const auto file = adapters::File::open(scratch.path + "/plain", O_RDWR | O_CREAT);
  const std::string block(4096, 'x');
  std::vector<double> times_us;
  for (auto _ : state) {
    const auto start = Clock::now();
    CHECK(::write(file.fd(), block.data(), block.size()) == 4096);
    CHECK(::fdatasync(file.fd()) == 0);
    times_us.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
  }
  report_percentiles(state, times_us);
}
BENCHMARK(BM_PlainFdatasync)->Iterations(3000)->UseRealTime();

/// Appends of `state.range(0)` bytes, one after the other.
void time_appends(benchmark::State& state, asio::io_context& io, ports::Wal& wal) {
  const std::vector<core::Bytes> parts = {
      core::Bytes(std::string(static_cast<std::size_t>(state.range(0)), 'x'))};
  std::vector<double> times_us;
  for (auto _ : state) {
    const auto start = Clock::now();
    CHECK(run(io, wal.append(parts)));
    times_us.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
  }
  report_percentiles(state, times_us);
}

void BM_LocalWalAppend(benchmark::State& state) {
  const Scratch scratch;
  asio::io_context io{1};
  auto store = std::move(*adapters::FileWalStore::open(scratch.path, core::Random(1)));
  const auto wal = std::move(*run(io, store->create(kLife)));
  time_appends(state, io, *wal);
}
BENCHMARK(BM_LocalWalAppend)->Arg(100)->Arg(16 << 10)->Iterations(3000)->UseRealTime();
BENCHMARK(BM_LocalWalAppend)->Arg(1 << 20)->Iterations(300)->UseRealTime();

void BM_FileChainAppend(benchmark::State& state) {
  const Scratch scratch;
  asio::io_context io{1};
  adapters::AsioTimers timers;
  auto objects = std::move(*adapters::FileStore::open(scratch.path));
  adapters::ChainStore store(*objects, timers, core::Random(1));
  const auto wal = std::move(*run(io, store.create(kLife)));
  time_appends(state, io, *wal);
}
BENCHMARK(BM_FileChainAppend)->Arg(100)->Iterations(1000)->UseRealTime();

class Replay : public benchmark::Fixture {
 public:
  void SetUp(benchmark::State& state) override {
    scratch.emplace();
    store = std::move(*adapters::FileWalStore::open(scratch->path, core::Random(1)));
    const auto wal = std::move(*run(io, store->create(kLife)));
    std::string payload(static_cast<std::size_t>(state.range(0)), 'x');
    for (std::size_t i = 0; i < payload.size(); i += 7) payload[i] = static_cast<char>(i * i >> 3);
    const std::vector<core::Bytes> parts = {core::Bytes(payload)};
    for (bytes = 0; bytes < std::size_t{512} << 20; bytes += payload.size()) {
      CHECK(run(io, wal->append(parts)));
    }
    CHECK(run(io, store->take_over(kLife)));
    for (const auto& entry : fs::recursive_directory_iterator(scratch->path)) {
      if (entry.is_regular_file()) files.push_back(entry.path().string());
    }
    read_files();
  }
  void TearDown(benchmark::State&) override {
    store.reset();
    scratch.reset();
    files.clear();
  }
  std::size_t read_files() {
    std::vector<char> buffer(128 << 10);
    std::size_t total = 0;
    for (const std::string& path : files) {
      const auto file = adapters::File::open(path, O_RDONLY);
      for (ssize_t got; (got = ::read(file.fd(), buffer.data(), buffer.size())) > 0;) {
        total += static_cast<std::size_t>(got);
      }
    }
    return total;
  }

  std::optional<Scratch> scratch;
  asio::io_context io{1};
  std::unique_ptr<adapters::FileWalStore> store;
  std::vector<std::string> files;
  std::size_t bytes = 0;
};

BENCHMARK_DEFINE_F(Replay, WithChecksums)(benchmark::State& state) {
  for (auto _ : state) {
    std::uint64_t from = 0;
    for (;;) {
      const auto records = run(io, store->replay(kLife, from, 8 << 20));
      CHECK(records);
      if (records->empty()) break;
      from = records->back().sequence + 1;
    }
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * state.iterations());
}
BENCHMARK_REGISTER_F(Replay, WithChecksums)
    ->Arg(64 << 10)
    ->Arg(1 << 20)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

BENCHMARK_DEFINE_F(Replay, ReadingTheFilesOnly)(benchmark::State& state) {
  for (auto _ : state) read_files();
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * state.iterations());
}
BENCHMARK_REGISTER_F(Replay, ReadingTheFilesOnly)
    ->Arg(64 << 10)
    ->Arg(1 << 20)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

}  // namespace
