#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "ports/object_store.h"

namespace adapters {

class WorkerPool;

/// Objects as files below a directory, which several processes may share. An object is written to a
/// temporary file, synced, and linked to its name: link(2) is what makes only-if-absent true.
///
/// Must be destroyed before the executors of those who call it. A failed sync ends the process.
class FileStore final : public ports::ObjectStore {
 public:
  /// Makes the directory if need be and removes what dead processes left half-written.
  /// An error names the directory and says what is wrong with it.
  static core::Result<std::unique_ptr<FileStore>> open(std::string root, std::size_t threads = 4);
  ~FileStore() override;

  ports::Task<core::Result<void>> put_if_absent(std::string name,
                                                std::vector<core::Bytes> parts) override;
  ports::Task<core::Result<core::Bytes>> get_range(std::string name, std::uint64_t position,
                                                   std::uint64_t length) override;
  ports::Task<core::Result<ports::ObjectInfo>> head(std::string name) override;
  ports::Task<core::Result<std::vector<ports::ObjectInfo>>> list(std::string prefix) override;
  ports::Task<core::Result<void>> remove(std::string name) override;
  ports::Task<core::Result<void>> remove_all(std::vector<std::string> names) override;

 private:
  FileStore(std::string root, std::size_t threads);

  std::string path_of(const std::string& name) const { return root_ + "/" + name; }
  core::Error failure(const char* what, const std::string& path, int error) const;
  core::Error failure_to_read(const std::string& name, int error) const;
  bool has_vanished() const;
  void clean();
  int make_parent(const std::string& path);

  core::Result<void> put(const std::string& name, const std::vector<core::Bytes>& parts);
  core::Result<void> write_temporary(const std::string& path,
                                     const std::vector<core::Bytes>& parts);
  core::Result<core::Bytes> get(const std::string& name, std::uint64_t position,
                                std::uint64_t length) const;
  core::Result<std::uint64_t> size_of(const std::string& name) const;
  core::Result<std::vector<ports::ObjectInfo>> list_now(const std::string& prefix) const;
  int list_folder(const std::string& folder, const std::string& prefix,
                  std::vector<ports::ObjectInfo>& found) const;
  core::Result<void> remove_now(const std::vector<std::string>& names);

  std::string root_;
  std::string temporary_;  // Directory of temporary files; `~` is in no object's name.
  std::atomic<std::uint64_t> next_temporary_ = 0;
  std::mutex mutex_;
  std::set<std::string> durable_folders_;  // Their entries in their parents are synced.
  std::unique_ptr<WorkerPool> pool_;       // Last: its threads use the rest.
};

}  // namespace adapters
