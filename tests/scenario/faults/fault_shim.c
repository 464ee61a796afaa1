// Loaded with LD_PRELOAD into a node under test: makes writes and syncs below one directory fail as
// a disk would. The file named by FAULT_SHIM_CONTROL says what fails, one word a line:
//
//   sync      fdatasync, fsync and synced writes: EIO
//   write     write, pwrite and their like: EIO
//   full      the same and fallocate: ENOSPC
//   read-only opening for writing, making, linking and removing: EROFS
//
// An absent or empty file means that all is well. Only paths below FAULT_SHIM_BELOW are concerned.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int is_on(const char *word) {
  const char *control = getenv("FAULT_SHIM_CONTROL");
  char text[256];
  if (control == NULL) return 0;
  int fd = (int)syscall(SYS_openat, AT_FDCWD, control, O_RDONLY);
  if (fd < 0) return 0;
  long got = syscall(SYS_read, fd, text, sizeof text - 1);
  syscall(SYS_close, fd);
  if (got <= 0) return 0;
  text[got] = 0;
  size_t length = strlen(word);
  for (char *at = text; (at = strstr(at, word)) != NULL; at += length) {
    if ((at == text || at[-1] == '\n') && (at[length] == '\n' || at[length] == 0)) return 1;
  }
  return 0;
}

static int is_below(const char *path) {
  const char *below = getenv("FAULT_SHIM_BELOW");
  return below != NULL && path != NULL && strncmp(path, below, strlen(below)) == 0;
}

static int is_concerned(int fd) {
  char link[64];
  char path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return is_below(path);
}

static int fails_to_write(int fd) {
  if (!is_concerned(fd)) return 0;
  if (is_on("full")) return ENOSPC;
  return is_on("write") ? EIO : 0;
}

static int fails_to_change(const char *path) { return is_below(path) && is_on("read-only"); }

#define FAIL(error)  \
  do {               \
    errno = (error); \
    return -1;       \
  } while (0)

int fdatasync(int fd) {
  if (is_concerned(fd) && is_on("sync")) FAIL(EIO);
  return REAL(fdatasync)(fd);
}

int fsync(int fd) {
  if (is_concerned(fd) && is_on("sync")) FAIL(EIO);
  return REAL(fsync)(fd);
}

ssize_t write(int fd, const void *from, size_t length) {
  int error = fails_to_write(fd);
  if (error != 0) FAIL(error);
  return REAL(write)(fd, from, length);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  int error = fails_to_write(fd);
  if (error != 0) FAIL(error);
  return REAL(writev)(fd, parts, count);
}

ssize_t pwrite(int fd, const void *from, size_t length, off_t position) {
  int error = fails_to_write(fd);
  if (error != 0) FAIL(error);
  return REAL(pwrite)(fd, from, length, position);
}

ssize_t pwrite64(int fd, const void *from, size_t length, off64_t position) {
  int error = fails_to_write(fd);
  if (error != 0) FAIL(error);
  return REAL(pwrite64)(fd, from, length, position);
}

static int fails_to_pwritev2(int fd, int flags) {
  if ((flags & RWF_DSYNC) != 0 && is_concerned(fd) && is_on("sync")) return EIO;
  return fails_to_write(fd);
}

ssize_t pwritev2(int fd, const struct iovec *parts, int count, off_t position, int flags) {
  int error = fails_to_pwritev2(fd, flags);
  if (error != 0) FAIL(error);
  return REAL(pwritev2)(fd, parts, count, position, flags);
}

ssize_t pwritev64v2(int fd, const struct iovec *parts, int count, off64_t position, int flags) {
  int error = fails_to_pwritev2(fd, flags);
  if (error != 0) FAIL(error);
  return REAL(pwritev64v2)(fd, parts, count, position, flags);
}

int fallocate(int fd, int mode, off_t position, off_t length) {
  if (is_concerned(fd) && is_on("full")) FAIL(ENOSPC);
  return REAL(fallocate)(fd, mode, position, length);
}

int fallocate64(int fd, int mode, off64_t position, off64_t length) {
  if (is_concerned(fd) && is_on("full")) FAIL(ENOSPC);
  return REAL(fallocate64)(fd, mode, position, length);
}

int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  int mode = va_arg(rest, int);
  va_end(rest);
  if ((flags & O_ACCMODE) != O_RDONLY && fails_to_change(path)) FAIL(EROFS);
  return REAL(open)(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  int mode = va_arg(rest, int);
  va_end(rest);
  if ((flags & O_ACCMODE) != O_RDONLY && fails_to_change(path)) FAIL(EROFS);
  return REAL(open64)(path, flags, mode);
}

int mkdir(const char *path, mode_t mode) {
  if (fails_to_change(path)) FAIL(EROFS);
  return REAL(mkdir)(path, mode);
}

int link(const char *from, const char *to) {
  if (fails_to_change(to)) FAIL(EROFS);
  return REAL(link)(from, to);
}

int unlink(const char *path) {
  if (fails_to_change(path)) FAIL(EROFS);
  return REAL(unlink)(path);
}
