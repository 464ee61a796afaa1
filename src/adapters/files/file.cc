#include "adapters/files/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace adapters {

File File::open(const std::string& path, int flags, unsigned mode) {
  return File(::open(path.c_str(), flags | O_CLOEXEC, mode));
}

void File::close() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

int write_all(int fd, const std::vector<core::Bytes>& parts) {
  std::vector<iovec> left;
  left.reserve(parts.size());
  for (const core::Bytes& part : parts) {
    if (!part.empty()) left.push_back(iovec{const_cast<char*>(part.data()), part.size()});
  }
  for (std::size_t at = 0; at < left.size();) {
    const auto count = static_cast<int>(std::min<std::size_t>(left.size() - at, IOV_MAX));
    ssize_t wrote = ::writev(fd, &left[at], count);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return errno;
    for (; at < left.size() && static_cast<std::size_t>(wrote) >= left[at].iov_len; ++at) {
      wrote -= static_cast<ssize_t>(left[at].iov_len);
    }
    if (at < left.size()) {
      left[at].iov_base = static_cast<char*>(left[at].iov_base) + wrote;
      left[at].iov_len -= static_cast<std::size_t>(wrote);
    }
  }
  return 0;
}

int write_all_at(int fd, std::string_view bytes, std::uint64_t position) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(position));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
    position += static_cast<std::uint64_t>(wrote);
  }
  return 0;
}

int read_at(int fd, char* to, std::size_t length, std::uint64_t position, std::size_t& got) {
  got = 0;
  while (got < length) {
    const ssize_t read = ::pread(fd, to + got, length - got, static_cast<off_t>(position + got));
    if (read < 0 && errno == EINTR) continue;
    if (read < 0) return errno;
    if (read == 0) return 0;
    got += static_cast<std::size_t>(read);
  }
  return 0;
}

void die_of_disk(std::string_view what, const std::string& path, int error) {
  const std::string line = fmt::format(
      "fatal: {} {}: {}. What is on the disk is not known, so this process stops; "
      "check the disk, then start it again\n",
      what, path, std::strerror(error));
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
  std::abort();
}

void sync_or_die(int fd, const std::string& path) {
  if (::fdatasync(fd) != 0) die_of_disk("cannot sync", path, errno);
}

void sync_directory_or_die(const std::string& path) {
  File directory = File::open(path, O_RDONLY | O_DIRECTORY);
  // What was done in it cannot be taken back, so a want of descriptors is waited out.
  for (int tries = 0; !directory && (errno == EMFILE || errno == ENFILE) && tries < 10'000;
       ++tries) {
    ::usleep(1'000);
    directory = File::open(path, O_RDONLY | O_DIRECTORY);
  }
  // A directory that was removed meanwhile has nothing left to make durable.
  if (!directory && errno == ENOENT) return;
  if (!directory || ::fsync(directory.fd()) != 0) {
    die_of_disk("cannot sync directory", path, errno);
  }
}

int make_directories(const std::string& path) {
  if (::mkdir(path.c_str(), 0755) != 0) {
    if (errno == EEXIST) {
      struct stat status {};
      if (::stat(path.c_str(), &status) != 0) return errno;
      return S_ISDIR(status.st_mode) ? 0 : ENOTDIR;
    }
    if (errno != ENOENT) return errno;
    const std::size_t end = path.find_last_of('/');
    if (end == std::string::npos || end == 0) return ENOENT;
    if (const int error = make_directories(path.substr(0, end)); error != 0) return error;
    if (::mkdir(path.c_str(), 0755) != 0 && errno != EEXIST) return errno;
  }
  const std::size_t end = path.find_last_of('/');
  sync_directory_or_die(end == std::string::npos ? "." : end == 0 ? "/" : path.substr(0, end));
  return 0;
}

core::Error disk_error(std::string_view what, const std::string& path, int error) {
  const auto line = [&](std::string_view rule) {
    return fmt::format("{} {}: {}{}{}", what, path, std::strerror(error), rule.empty() ? "" : "; ",
                       rule);
  };
  switch (error) {
    case ENOSPC:
    case EDQUOT: return {core::Errc::full, line("it works again when there is space")};
    case EROFS: return {core::Errc::unavailable, line("the directory must be writable")};
    case EACCES:
    case EPERM:
      return {core::Errc::unavailable,
              line("this process must be allowed to read and write there")};
    case ENOENT: return {core::Errc::unavailable, line("the directory has vanished; put it back")};
    case ENOTDIR:
    case EISDIR:
      return {core::Errc::invalid, line("a name cannot be both an object and a folder of objects")};
    default: return {core::Errc::unavailable, line("")};
  }
}

}  // namespace adapters
