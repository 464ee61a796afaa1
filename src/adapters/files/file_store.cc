#include "adapters/files/file_store.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "adapters/files/file.h"
#include "adapters/files/worker_pool.h"
#include "ports/object_name.h"

namespace adapters {
namespace {

using core::Errc;
using core::fail;

std::string parent_of(const std::string& path) {
  return path.substr(0, path.find_last_of('/'));
}

tl::unexpected<core::Error> failed(core::Error error) {
  return tl::unexpected<core::Error>(std::move(error));
}

}  // namespace

core::Result<std::unique_ptr<FileStore>> FileStore::open(std::string root, std::size_t threads) {
  while (root.size() > 1 && root.ends_with('/')) root.pop_back();
  std::unique_ptr<FileStore> store(new FileStore(std::move(root), threads));
  if (const int error = make_directories(store->temporary_); error != 0) {
    return failed(store->failure("cannot make", store->temporary_, error));
  }
  if (::access(store->temporary_.c_str(), R_OK | W_OK | X_OK) != 0) {
    return failed(store->failure("cannot write to", store->temporary_, errno));
  }
  store->clean();
  return store;
}

FileStore::FileStore(std::string root, std::size_t threads)
    : root_(std::move(root)),
      temporary_(root_ + "/~tmp"),
      pool_(std::make_unique<WorkerPool>(threads)) {}

FileStore::~FileStore() = default;

core::Error FileStore::failure(const char* what, const std::string& path, int error) const {
  core::Error made = disk_error(what, path, error);
  made.context = fmt::format("object store directory {}: {}", root_, made.context);
  return made;
}

bool FileStore::has_vanished() const {
  // Made by open and never removed: a store whose disk is not mounted does not have it.
  return ::access(temporary_.c_str(), F_OK) != 0;
}

/// Every writer holds a lock on its temporary file; one that can be had belongs to nobody alive.
void FileStore::clean() {
  DIR* directory = ::opendir(temporary_.c_str());
  if (directory == nullptr) return;
  while (const dirent* entry = ::readdir(directory)) {
    if (entry->d_name[0] == '.') continue;
    const std::string path = temporary_ + "/" + entry->d_name;
    const File file = File::open(path, O_RDONLY);
    if (file && ::flock(file.fd(), LOCK_EX | LOCK_NB) == 0) ::unlink(path.c_str());
  }
  ::closedir(directory);
}

// ---- put ---------------------------------------------------------------------------------------

ports::Task<core::Result<void>> FileStore::put_if_absent(std::string name,
                                                         std::vector<core::Bytes> parts) {
  CO_TRY_VOID(ports::check_object_name(name));
  auto work = [this, name, parts] { return put(name, parts); };
  co_return co_await pool_->run(std::move(work));
}

/// Makes the folder of `path`, and knows of each folder whether its own entry is durable: another
/// thread or process may have made it and not have synced it yet.
int FileStore::make_parent(const std::string& path) {
  const std::string folder = parent_of(path);
  if (folder == root_) return 0;
  {
    const std::lock_guard lock(mutex_);
    if (durable_folders_.contains(folder)) return 0;
  }
  if (const int error = make_parent(folder); error != 0) return error;
  if (::mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) return errno;
  sync_directory_or_die(parent_of(folder));
  const std::lock_guard lock(mutex_);
  durable_folders_.insert(folder);
  return 0;
}

core::Result<void> FileStore::write_temporary(const std::string& path,
                                              const std::vector<core::Bytes>& parts) {
  const File file = File::open(path, O_WRONLY | O_CREAT | O_EXCL);
  if (!file) return failed(failure("cannot write to", temporary_, errno));
  (void)::flock(file.fd(), LOCK_EX | LOCK_NB);
  if (const int error = write_all(file.fd(), parts); error != 0) {
    return failed(failure("cannot write", path, error));
  }
  if (::fdatasync(file.fd()) != 0) {
    // Nothing depends on the file yet, so a disk that finds out late that it is full is only full.
    if (errno == ENOSPC || errno == EDQUOT) return failed(failure("cannot write", path, errno));
    die_of_disk("cannot sync", path, errno);
  }
  return {};
}

core::Result<void> FileStore::put(const std::string& name, const std::vector<core::Bytes>& parts) {
  const std::string path = path_of(name);
  const std::string folder = parent_of(path);
  const std::string temporary =
      fmt::format("{}/{}-{:x}", temporary_, ::getpid(), next_temporary_.fetch_add(1));
  if (has_vanished()) return failed(failure("cannot write to", root_, ENOENT));
  int error = EEXIST;
  if (::access(path.c_str(), F_OK) != 0) {
    if (const int made = make_parent(path); made != 0) {
      return failed(failure("cannot make the folder of", path, made));
    }
    auto written = write_temporary(temporary, parts);
    error = 0;
    if (written && ::link(temporary.c_str(), path.c_str()) != 0) error = errno;
    ::unlink(temporary.c_str());
    if (!written) return written;
  }
  if (error == ENOENT) {
    const std::lock_guard lock(mutex_);
    durable_folders_.clear();  // Somebody removes folders; find out again what is there.
  }
  if (error != 0 && error != EEXIST) return failed(failure("cannot link", path, error));
  // Also if it exists: whoever made it may have died before this, and the caller may find that
  // the object is its own.
  sync_directory_or_die(folder);
  if (error == EEXIST) return fail(Errc::conflict, fmt::format("object {} exists", path));
  return {};
}

// ---- read --------------------------------------------------------------------------------------

core::Error FileStore::failure_to_read(const std::string& name, int error) const {
  const std::string path = path_of(name);
  if (error == ENOENT || error == ENOTDIR || error == EISDIR) {
    if (has_vanished()) return failure("cannot read", root_, ENOENT);
    return {Errc::not_found, fmt::format("there is no object {}", path)};
  }
  core::Error made = failure("cannot read", path, error);
  if (error == EIO) made.code = Errc::corrupt;
  return made;
}

ports::Task<core::Result<core::Bytes>> FileStore::get_range(std::string name,
                                                            std::uint64_t position,
                                                            std::uint64_t length) {
  CO_TRY_VOID(ports::check_object_name(name));
  auto work = [this, name, position, length] { return get(name, position, length); };
  co_return co_await pool_->run(std::move(work));
}

core::Result<core::Bytes> FileStore::get(const std::string& name, std::uint64_t position,
                                         std::uint64_t length) const {
  const File file = File::open(path_of(name), O_RDONLY);
  if (!file) return failed(failure_to_read(name, errno));
  struct stat status {};
  if (::fstat(file.fd(), &status) != 0) return failed(failure_to_read(name, errno));
  if (!S_ISREG(status.st_mode)) return failed(failure_to_read(name, EISDIR));
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (position >= size) return core::Bytes();
  const auto wanted = static_cast<std::size_t>(std::min(length, size - position));
  const std::shared_ptr<char[]> block(new char[wanted]);
  std::size_t got = 0;
  if (const int error = read_at(file.fd(), block.get(), wanted, position, got); error != 0) {
    return failed(failure_to_read(name, error));
  }
  return core::Bytes(block, std::string_view(block.get(), got));
}

ports::Task<core::Result<ports::ObjectInfo>> FileStore::head(std::string name) {
  CO_TRY_VOID(ports::check_object_name(name));
  auto work = [this, name] { return size_of(name); };
  CO_TRY(const std::uint64_t size, co_await pool_->run(std::move(work)));
  co_return ports::ObjectInfo{std::move(name), size};
}

core::Result<std::uint64_t> FileStore::size_of(const std::string& name) const {
  struct stat status {};
  if (::stat(path_of(name).c_str(), &status) != 0) return failed(failure_to_read(name, errno));
  if (!S_ISREG(status.st_mode)) return failed(failure_to_read(name, EISDIR));
  return static_cast<std::uint64_t>(status.st_size);
}

// ---- list and remove ---------------------------------------------------------------------------

ports::Task<core::Result<std::vector<ports::ObjectInfo>>> FileStore::list(std::string prefix) {
  auto work = [this, prefix] { return list_now(prefix); };
  co_return co_await pool_->run(std::move(work));
}

core::Result<std::vector<ports::ObjectInfo>> FileStore::list_now(const std::string& prefix) const {
  const std::size_t slash = prefix.find_last_of('/');
  const std::string folder = slash == std::string::npos ? "" : prefix.substr(0, slash + 1);
  std::vector<ports::ObjectInfo> found;
  const int error = list_folder(folder, prefix, found);
  if (error != 0) return failed(failure("cannot list", path_of(folder), error));
  if (found.empty() && has_vanished()) return failed(failure("cannot list", root_, ENOENT));
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return found;
}

/// `folder` is empty or ends with `/`. Names that no object can have are not ours.
int FileStore::list_folder(const std::string& folder, const std::string& prefix,
                           std::vector<ports::ObjectInfo>& found) const {
  DIR* directory = ::opendir(path_of(folder).c_str());
  if (directory == nullptr) return errno == ENOENT || errno == ENOTDIR ? 0 : errno;
  int error = 0;
  while (const dirent* entry = ::readdir(directory)) {
    const std::string name = folder + entry->d_name;
    const std::size_t shared = std::min(name.size(), prefix.size());
    if (name.compare(0, shared, prefix, 0, shared) != 0) continue;
    if (!ports::check_object_name(name)) continue;
    struct stat status {};
    if (::fstatat(::dirfd(directory), entry->d_name, &status, 0) != 0) continue;  // Just removed.
    if (S_ISDIR(status.st_mode)) {
      error = list_folder(name + "/", prefix, found);
      if (error != 0) break;
    } else if (S_ISREG(status.st_mode) && name.size() >= prefix.size()) {
      found.push_back({name, static_cast<std::uint64_t>(status.st_size)});
    }
  }
  ::closedir(directory);
  return error;
}

ports::Task<core::Result<void>> FileStore::remove(std::string name) {
  std::vector<std::string> names{std::move(name)};
  co_return co_await remove_all(std::move(names));
}

ports::Task<core::Result<void>> FileStore::remove_all(std::vector<std::string> names) {
  for (const std::string& name : names) {
    CO_TRY_VOID(ports::check_object_name(name));
  }
  auto work = [this, names = std::move(names)] { return remove_now(names); };
  co_return co_await pool_->run(std::move(work));
}

core::Result<void> FileStore::remove_now(const std::vector<std::string>& names) {
  std::set<std::string> folders;
  for (const std::string& name : names) {
    const std::string path = path_of(name);
    if (::unlink(path.c_str()) != 0) {
      if (errno != ENOENT) return failed(failure("cannot remove", path, errno));
      if (has_vanished()) return failed(failure("cannot remove", path, ENOENT));
    }
    folders.insert(parent_of(path));
  }
  // Callers forget the objects after this: they must not come back with a power cut.
  for (const std::string& folder : folders) sync_directory_or_die(folder);
  return {};
}

}  // namespace adapters
