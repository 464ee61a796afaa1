#include "adapters/files/directory_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

namespace adapters {
namespace {

std::string holder_of(int fd) {
  char text[32];
  std::size_t got = 0;
  (void)read_at(fd, text, sizeof text, 0, got);
  std::string holder;
  for (std::size_t i = 0; i < got && text[i] >= '0' && text[i] <= '9'; ++i) holder += text[i];
  return holder.empty() ? "an unknown process" : "process " + holder;
}

}  // namespace

core::Result<DirectoryLock> DirectoryLock::take(const std::string& directory) {
  if (const int error = make_directories(directory); error != 0) {
    return tl::unexpected<core::Error>(disk_error("cannot make directory", directory, error));
  }
  const std::string path = directory + "/lock";
  File file = File::open(path, O_RDWR | O_CREAT);
  if (!file) return tl::unexpected<core::Error>(disk_error("cannot open", path, errno));
  if (::flock(file.fd(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) {
      return tl::unexpected<core::Error>(disk_error("cannot lock", path, errno));
    }
    return core::fail(core::Errc::conflict,
                      fmt::format("directory {} is in use by {}; only one process may use it",
                                  directory, holder_of(file.fd())));
  }
  // The number is only for people; the lock is what counts, so a full disk does not matter.
  if (::ftruncate(file.fd(), 0) == 0) {
    (void)write_all_at(file.fd(), fmt::format("{}\n", ::getpid()), 0);
  }
  return DirectoryLock(std::move(file));
}

}  // namespace adapters
