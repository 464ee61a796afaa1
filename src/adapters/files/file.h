#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"

namespace adapters {

// Thin owners and wrappers of system calls. An int result is an errno; 0 is success.

/// An open file descriptor, closed with its owner.
class File {
 public:
  File() = default;
  explicit File(int fd) : fd_(fd) {}
  File(File&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~File() { close(); }

  /// -1 if it could not be opened; errno says why.
  static File open(const std::string& path, int flags, unsigned mode = 0644);

  explicit operator bool() const { return fd_ >= 0; }
  int fd() const { return fd_; }
  void close();

 private:
  int fd_ = -1;
};

/// Writes all of it, from where the file stands.
int write_all(int fd, const std::vector<core::Bytes>& parts);
int write_all_at(int fd, std::string_view bytes, std::uint64_t position);

/// Reads until `length` or the end of the file; sets `got`.
int read_at(int fd, char* to, std::size_t length, std::uint64_t position, std::size_t& got);

/// Ends the process if the disk cannot promise that it has the data: what is there then is not
/// known, and a repeated sync would report success for pages that were dropped.
void sync_or_die(int fd, const std::string& path);
void sync_directory_or_die(const std::string& path);
[[noreturn]] void die_of_disk(std::string_view what, const std::string& path, int error);

/// Makes `path` and its missing parents, each entry durable.
int make_directories(const std::string& path);

/// The error for a failed call, for humans: "{what} {path}: {text of errno}, {rule}".
core::Error disk_error(std::string_view what, const std::string& path, int error);

}  // namespace adapters
