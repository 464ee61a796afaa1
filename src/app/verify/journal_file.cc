#include "app/verify/journal_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace app::verify {
namespace {

tl::unexpected<core::Error> failed(core::Errc code, const std::string& path) {
  return core::fail(code, fmt::format("{}: {}", path, std::strerror(errno)));
}

}  // namespace

JournalFile::JournalFile(JournalFile&& other) noexcept
    : file_(std::exchange(other.file_, -1)), path_(std::move(other.path_)) {}

JournalFile& JournalFile::operator=(JournalFile&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(path_, other.path_);
  return *this;
}

JournalFile::~JournalFile() {
  if (file_ >= 0) ::close(file_);
}

core::Result<JournalFile> JournalFile::create(const std::string& path) {
  JournalFile journal;
  journal.path_ = path;
  journal.file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (journal.file_ >= 0) return journal;
  if (errno == EEXIST) {
    return core::fail(core::Errc::invalid, path + ": exists; a journal is never overwritten");
  }
  return failed(core::Errc::invalid, path);
}

core::Result<void> JournalFile::append(std::string_view line) {
  while (file_ >= 0 && !line.empty()) {
    const ssize_t wrote = ::write(file_, line.data(), line.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return failed(core::Errc::unavailable, path_);
    line.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return {};
}

core::Result<void> JournalFile::sync() {
  if (file_ >= 0 && ::fsync(file_) != 0) return failed(core::Errc::unavailable, path_);
  return {};
}

core::Result<std::string> read_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return failed(core::Errc::invalid, path);
  std::string text;
  char block[1 << 16];
  ssize_t got = 0;
  while ((got = ::read(file, block, sizeof block)) > 0 || (got < 0 && errno == EINTR)) {
    if (got > 0) text.append(block, static_cast<std::size_t>(got));
  }
  const int why = errno;
  ::close(file);
  errno = why;
  if (got < 0) return failed(core::Errc::invalid, path);
  return text;
}

}  // namespace app::verify
