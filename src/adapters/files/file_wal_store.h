#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "adapters/files/directory_lock.h"
#include "core/random.h"
#include "ports/wal.h"

namespace adapters {

class WalLifeReader;
class WalThread;
class WorkerPool;

struct FileWalOptions {
  /// Of a segment; a record that is larger gets a segment of its own.
  std::uint64_t segment_bytes = 64u << 20;
  /// Hears of what a human should know, in one line; may be called on any thread. Empty: spdlog.
  std::function<void(const std::string&)> report;
};

/// Write-ahead logs in segment files below `{root}/{node}/{epoch}/`, for one process: the root is
/// locked. docs/wal-format.md has the format. A failed write or sync ends the process.
///
/// Must be destroyed before the executors of those who call it, and after the logs it made.
class FileWalStore final : public ports::WalStore {
 public:
  /// conflict: another process has the directory.
  static core::Result<std::unique_ptr<FileWalStore>> open(std::string root, core::Random random,
                                                          FileWalOptions options = {});
  ~FileWalStore() override;

  ports::Task<core::Result<std::unique_ptr<ports::Wal>>> create(core::Life life) override;
  ports::Task<core::Result<std::vector<core::Life>>> lives(core::NodeId node) override;
  ports::Task<core::Result<void>> take_over(core::Life ended) override;
  ports::Task<core::Result<std::vector<ports::WalRecord>>> replay(core::Life ended,
                                                                  std::uint64_t from,
                                                                  std::size_t max_bytes) override;
  ports::Task<core::Result<std::vector<core::Bytes>>> read(
      core::Life life, std::vector<ports::WalLocation> locations) override;
  ports::Task<core::Result<void>> remove(core::Life ended) override;

 private:
  FileWalStore(std::string root, DirectoryLock lock, core::Random random, FileWalOptions options);

  std::string node_path(core::NodeId node) const;
  std::string path_of(core::Life life) const;

  core::Result<std::shared_ptr<WalThread>> start(core::Life life, std::uint64_t salt);
  core::Result<std::vector<core::Life>> list_lives(core::NodeId node) const;
  core::Result<void> seal(core::Life ended);
  core::Result<std::shared_ptr<WalLifeReader>> reader_of(core::Life ended);
  core::Result<std::vector<core::Bytes>> read_now(
      core::Life life, const std::vector<ports::WalLocation>& locations) const;
  core::Result<void> remove_now(core::Life ended);

  const std::string root_;
  const DirectoryLock lock_;
  const FileWalOptions options_;
  core::Random random_;
  std::shared_ptr<WorkerPool> pool_;

  std::mutex mutex_;
  std::map<core::Life, std::weak_ptr<WalThread>> writers_;
  std::map<core::Life, std::shared_ptr<WalLifeReader>> readers_;
};

}  // namespace adapters
