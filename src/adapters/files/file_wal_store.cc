#include "adapters/files/file_wal_store.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include "adapters/files/file_wal.h"
#include "adapters/files/wal_life_reader.h"
#include "adapters/files/wal_thread.h"
#include "adapters/files/worker_pool.h"
#include "adapters/wal_read_plan.h"

namespace adapters {
namespace {

using core::Errc;
using core::fail;

constexpr std::size_t kThreads = 2;  // Replay of one log beside reads of another.
constexpr const char* kSealed = "/sealed";

tl::unexpected<core::Error> failed(const char* what, const std::string& path, int error) {
  return tl::unexpected<core::Error>(disk_error(what, path, error));
}

bool exists(const std::string& path) {
  return ::access(path.c_str(), F_OK) == 0;
}

}  // namespace

core::Result<std::unique_ptr<FileWalStore>> FileWalStore::open(std::string root,
                                                               core::Random random,
                                                               FileWalOptions options) {
  while (root.size() > 1 && root.ends_with('/')) root.pop_back();
  if (!options.report) options.report = [](const std::string& line) { spdlog::warn("{}", line); };
  options.segment_bytes = std::max<std::uint64_t>(options.segment_bytes, 4 * kWalBlock);
  options.segment_bytes -= options.segment_bytes % kWalBlock;
  TRY(DirectoryLock lock, DirectoryLock::take(root));
  return std::unique_ptr<FileWalStore>(
      new FileWalStore(std::move(root), std::move(lock), random, std::move(options)));
}

FileWalStore::FileWalStore(std::string root, DirectoryLock lock, core::Random random,
                           FileWalOptions options)
    : root_(std::move(root)),
      lock_(std::move(lock)),
      options_(std::move(options)),
      random_(random),
      pool_(std::make_shared<WorkerPool>(kThreads)) {}

FileWalStore::~FileWalStore() = default;

std::string FileWalStore::node_path(core::NodeId node) const {
  return fmt::format("{}/{}", root_, raw(node));
}

std::string FileWalStore::path_of(core::Life life) const {
  return fmt::format("{}/{}", node_path(life.node), raw(life.epoch));
}

// ---- create and list
// -----------------------------------------------------------------------------

ports::Task<core::Result<std::unique_ptr<ports::Wal>>> FileWalStore::create(core::Life life) {
  auto work = [this, life, salt = random_.next()] { return start(life, salt); };
  CO_TRY(auto thread, co_await pool_->run(std::move(work)));
  std::unique_ptr<ports::Wal> wal = std::make_unique<FileWal>(std::move(thread), pool_);
  co_return wal;
}

core::Result<std::shared_ptr<WalThread>> FileWalStore::start(core::Life life, std::uint64_t salt) {
  const std::string path = path_of(life);
  if (const int error = make_directories(node_path(life.node)); error != 0) {
    return failed("cannot make WAL directory", node_path(life.node), error);
  }
  if (::mkdir(path.c_str(), 0755) != 0) {
    if (errno != EEXIST) return failed("cannot make WAL directory", path, errno);
    return fail(Errc::conflict, fmt::format("WAL directory {} exists: that life of node {} is over",
                                            path, raw(life.node)));
  }
  sync_directory_or_die(node_path(life.node));
  SegmentHeader header;
  header.life = life;
  header.salt = salt;
  auto first = WalSegmentWriter::create(path, header, options_.segment_bytes);
  if (!first) {
    ::rmdir(path.c_str());
    return tl::unexpected<core::Error>(std::move(first).error());
  }
  auto thread = std::make_shared<WalThread>(path, salt, options_.segment_bytes, std::move(*first));
  const std::lock_guard lock(mutex_);
  writers_[life] = thread;
  return thread;
}

ports::Task<core::Result<std::vector<core::Life>>> FileWalStore::lives(core::NodeId node) {
  auto work = [this, node] { return list_lives(node); };
  co_return co_await pool_->run(std::move(work));
}

core::Result<std::vector<core::Life>> FileWalStore::list_lives(core::NodeId node) const {
  const std::string path = node_path(node);
  std::vector<core::Life> found;
  DIR* directory = ::opendir(path.c_str());
  if (directory == nullptr) {
    if (errno == ENOENT && exists(root_)) return found;
    return failed("cannot list WAL directory", path, errno);
  }
  while (const dirent* entry = ::readdir(directory)) {
    const std::string_view name = entry->d_name;
    std::uint64_t epoch = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), epoch);
    if (error != std::errc() || end != name.data() + name.size()) continue;
    found.push_back(core::Life{node, core::Epoch{epoch}});
  }
  ::closedir(directory);
  std::sort(found.begin(), found.end());
  return found;
}

// ---- ended lives
// ---------------------------------------------------------------------------------

ports::Task<core::Result<void>> FileWalStore::take_over(core::Life ended) {
  auto work = [this, ended] { return seal(ended); };
  co_return co_await pool_->run(std::move(work));
}

/// The root is ours alone, so a writer is one of this process or is dead. The mark is for the next
/// process: a log that has it is complete.
core::Result<void> FileWalStore::seal(core::Life ended) {
  std::shared_ptr<WalThread> writer;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = writers_.find(ended); found != writers_.end()) {
      writer = found->second.lock();
    }
  }
  if (writer) writer->fence();
  const std::string path = path_of(ended);
  if (exists(path + kSealed)) return {};
  if (const int error = make_directories(path); error != 0) {
    return failed("cannot make WAL directory", path, error);
  }
  const File mark = File::open(path + kSealed, O_WRONLY | O_CREAT);
  if (!mark) return failed("cannot seal WAL", path + kSealed, errno);
  sync_or_die(mark.fd(), path + kSealed);
  sync_directory_or_die(path);
  return {};
}

core::Result<std::shared_ptr<WalLifeReader>> FileWalStore::reader_of(core::Life ended) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<WalLifeReader>& reader = readers_[ended];
  if (reader) return reader;
  const std::string path = path_of(ended);
  if (!exists(path + kSealed)) {
    return fail(Errc::invalid, fmt::format("WAL {} was not taken over", path));
  }
  TRY(auto opened, WalLifeReader::open(path, ended, options_.report));
  reader = std::move(opened);
  return reader;
}

ports::Task<core::Result<std::vector<ports::WalRecord>>> FileWalStore::replay(
    core::Life ended, std::uint64_t from, std::size_t max_bytes) {
  auto work = [this, ended, from, max_bytes]() -> core::Result<std::vector<ports::WalRecord>> {
    TRY(const auto reader, reader_of(ended));
    return reader->read(from, max_bytes);
  };
  co_return co_await pool_->run(std::move(work));
}

ports::Task<core::Result<std::vector<core::Bytes>>> FileWalStore::read(
    core::Life life, std::vector<ports::WalLocation> locations) {
  auto work = [this, life, locations = std::move(locations)] { return read_now(life, locations); };
  co_return co_await pool_->run(std::move(work));
}

core::Result<std::vector<core::Bytes>> FileWalStore::read_now(
    core::Life life, const std::vector<ports::WalLocation>& locations) const {
  std::vector<core::Bytes> found;
  std::string path;
  File file;
  for (const WalReadRun& run : plan_wal_reads(locations)) {
    std::string wanted = path_of(life) + "/" + segment_name(run.file);
    if (path != wanted) {
      path = std::move(wanted);
      file = File::open(path, O_RDONLY);
    }
    if (!file) {
      if (errno == ENOENT) return fail(Errc::not_found, fmt::format("there is no {}", path));
      return failed("cannot read WAL segment", path, errno);
    }
    const std::shared_ptr<char[]> block(new char[run.length]);
    std::size_t got = 0;
    const int error = read_at(file.fd(), block.get(), run.length, run.position, got);
    if (error != 0 || got < run.length) {
      return fail(Errc::corrupt,
                  fmt::format("cannot read WAL segment {} at {}: {}", path, run.position + got,
                              error != 0 ? std::strerror(error) : "the file ends there"));
    }
    cut_wal_run(run, locations, core::Bytes(block, std::string_view(block.get(), got)), found);
  }
  return found;
}

ports::Task<core::Result<void>> FileWalStore::remove(core::Life ended) {
  auto work = [this, ended] { return remove_now(ended); };
  co_return co_await pool_->run(std::move(work));
}

/// Front to back and the seal last, so that what a crash leaves is a shorter log.
core::Result<void> FileWalStore::remove_now(core::Life ended) {
  const std::string path = path_of(ended);
  if (!exists(path)) return {};
  if (!exists(path + kSealed)) {
    return fail(Errc::invalid, fmt::format("WAL {} was not taken over", path));
  }
  {
    const std::lock_guard lock(mutex_);
    readers_.erase(ended);
    writers_.erase(ended);
  }
  TRY(const auto numbers, list_segments(path));
  for (const std::uint64_t number : numbers) {
    const std::string segment = path + "/" + segment_name(number);
    if (::unlink(segment.c_str()) != 0) return failed("cannot remove", segment, errno);
  }
  sync_directory_or_die(path);
  ::unlink((path + kSealed).c_str());
  if (::rmdir(path.c_str()) != 0) return failed("cannot remove", path, errno);
  sync_directory_or_die(node_path(ended.node));
  return {};
}

}  // namespace adapters
