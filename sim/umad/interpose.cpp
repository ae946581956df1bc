// The entry points: functions of the C library that programs (and libibumad) call. Calls for other
// paths and descriptors go to the C library.
//
// No function here catches or cleans up around a call that may block: pthread_cancel() unwinds
// through it. Functions of this library run in call(), which stops exceptions and disables
// cancellation.

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

#include "sim/umad/libc.h"
#include "sim/umad/sysfs_tree.h"
#include "sim/umad/umad_process.h"

#define HEDDLE_EXPORT extern "C" __attribute__((visibility("default")))

// The entry points have the names of the C library.
// NOLINTBEGIN(bugprone-reserved-identifier)

namespace {

using sim::umad::DescriptorKind;
using sim::umad::Descriptors;
using sim::umad::libc;
using sim::umad::NoCancellation;
using sim::umad::OurPath;
using sim::umad::Process;

/// Runs `body`, which returns a negative errno for an error, and turns that into -1 and errno.
/// Exceptions become ENOMEM.
template <class Body>
auto call(Body body) -> decltype(body()) {
  const NoCancellation shield;
  const int before = errno;
  decltype(body()) result = -ENOMEM;
  try {
    result = body();
  } catch (...) {
    result = -ENOMEM;
  }
  errno = before;
  if (result >= 0) return result;
  errno = static_cast<int>(-result);
  return -1;
}

using Path = char[PATH_MAX];

/// Returns the path to open instead of `path`: `path` itself if it is not simulated, else `out`.
/// Returns null, with errno, if `path` is simulated and does not exist.
const char* redirected(const char* path, Path& out) {
  if (sim::umad::classify(path).kind == OurPath::Kind::none) return path;
  const int result = call([&]() -> int {
    Process* process = Process::get();
    if (process == nullptr) return -ENOENT;
    const std::string found = process->redirect(sim::umad::tidy(path));
    if (found.size() >= sizeof out) return -ENAMETOOLONG;
    std::memcpy(out, found.c_str(), found.size() + 1);
    return 0;
  });
  return result == 0 ? out : nullptr;
}

/// Returns true if `path` is a simulated device; `result` is then what open() returns.
bool open_device(const char* path, int flags, int& result) {
  const OurPath ours = sim::umad::classify(path);
  if (ours.kind != OurPath::Kind::umad && ours.kind != OurPath::Kind::issm) return false;
  result = call([&]() -> int {
    Process* process = Process::get();
    if (process == nullptr) return -ENXIO;
    return ours.kind == OurPath::Kind::umad ? process->open_umad(ours.number, flags)
                                            : process->open_issm(ours.number, flags);
  });
  return true;
}

int open_at(int directory, const char* path, int flags, mode_t mode) {
  int result = -1;
  if (open_device(path, flags, result)) return result;
  Path other;
  path = redirected(path, other);
  if (path == nullptr) return -1;
  return libc().openat(directory, path, flags, mode);
}

mode_t mode_of(int flags, va_list& arguments) {
  // The mode argument exists only if the call may create a file.
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? static_cast<mode_t>(va_arg(arguments, unsigned))
                                              : 0;
}

ssize_t read_umad(int fd, void* buffer, size_t size) {
  while (true) {
    const ssize_t got = call([&]() -> ssize_t {
      Process* process = Process::started();
      return process == nullptr ? -EIO
                                : process->read(fd, {static_cast<std::uint8_t*>(buffer), size});
    });
    if (got >= 0 || errno != EAGAIN) return got;
    const int flags = fcntl(fd, F_GETFL);
    if (flags < 0) return -1;
    if ((flags & O_NONBLOCK) != 0) {
      errno = EAGAIN;
      return -1;
    }
    pollfd readable{fd, POLLIN, 0};
    if (poll(&readable, 1, -1) < 0) return -1;
  }
}

ssize_t write_umad(int fd, const void* buffer, size_t size) {
  return call([&]() -> ssize_t {
    Process* process = Process::started();
    return process == nullptr
               ? -EIO
               : process->write(fd, {static_cast<const std::uint8_t*>(buffer), size});
  });
}

ssize_t refuse(int error) {
  errno = error;
  return -1;
}

/// Forgets `fd`; called before the descriptor is reused.
void forget(int fd) {
  call([&]() -> int {
    if (Process* process = Process::started(); process != nullptr)
      process->forget(fd);
    else
      Descriptors::set(fd, DescriptorKind::foreign);
    return 0;
  });
}

}  // namespace

// --- files by name

HEDDLE_EXPORT int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_at(AT_FDCWD, path, flags, mode);
}
HEDDLE_EXPORT int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_at(AT_FDCWD, path, flags, mode);
}
HEDDLE_EXPORT int openat(int directory, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_at(directory, path, flags, mode);
}
HEDDLE_EXPORT int openat64(int directory, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_at(directory, path, flags, mode);
}
// With _FORTIFY_SOURCE, <fcntl.h> calls these for open() without a mode.
HEDDLE_EXPORT int __open_2(const char* path, int flags) {
  return open_at(AT_FDCWD, path, flags, 0);
}
HEDDLE_EXPORT int __open64_2(const char* path, int flags) {
  return open_at(AT_FDCWD, path, flags, 0);
}
HEDDLE_EXPORT int __openat_2(int directory, const char* path, int flags) {
  return open_at(directory, path, flags, 0);
}
HEDDLE_EXPORT int __openat64_2(int directory, const char* path, int flags) {
  return open_at(directory, path, flags, 0);
}

HEDDLE_EXPORT FILE* fopen(const char* path, const char* mode) {
  Path other;
  path = redirected(path, other);
  return path == nullptr ? nullptr : libc().fopen(path, mode);
}
HEDDLE_EXPORT FILE* fopen64(const char* path, const char* mode) {
  Path other;
  path = redirected(path, other);
  return path == nullptr ? nullptr : libc().fopen(path, mode);
}
HEDDLE_EXPORT DIR* opendir(const char* path) {
  Path other;
  path = redirected(path, other);
  return path == nullptr ? nullptr : libc().opendir(path);
}
HEDDLE_EXPORT int scandir(const char* path, dirent*** names, int (*filter)(const dirent*),
                          int (*compare)(const dirent**, const dirent**)) {
  Path other;
  path = redirected(path, other);
  return path == nullptr ? -1 : libc().scandir(path, names, filter, compare);
}

// dirent64 and stat64 equal dirent and stat where off_t has 64 bits.
HEDDLE_EXPORT int scandir64(const char* path, dirent64*** names, int (*filter)(const dirent64*),
                            int (*compare)(const dirent64**, const dirent64**)) {
  static_assert(sizeof(dirent64) == sizeof(dirent) && sizeof(struct stat64) == sizeof(struct stat));
  return scandir(path, reinterpret_cast<dirent***>(names),
                 reinterpret_cast<int (*)(const dirent*)>(filter),
                 reinterpret_cast<int (*)(const dirent**, const dirent**)>(compare));
}
HEDDLE_EXPORT int stat(const char* path, struct stat* out) noexcept {
  Path other;
  path = redirected(path, other);
  return path == nullptr ? -1 : libc().stat(path, out);
}
HEDDLE_EXPORT int stat64(const char* path, struct stat64* out) noexcept {
  return stat(path, reinterpret_cast<struct stat*>(out));
}
HEDDLE_EXPORT int lstat(const char* path, struct stat* out) noexcept {
  Path other;
  path = redirected(path, other);
  return path == nullptr ? -1 : libc().lstat(path, out);
}
HEDDLE_EXPORT int lstat64(const char* path, struct stat64* out) noexcept {
  return lstat(path, reinterpret_cast<struct stat*>(out));
}
HEDDLE_EXPORT int fstatat(int directory, const char* path, struct stat* out, int flags) noexcept {
  Path other;
  path = redirected(path, other);
  return path == nullptr ? -1 : libc().fstatat(directory, path, out, flags);
}
HEDDLE_EXPORT int fstatat64(int directory, const char* path, struct stat64* out,
                            int flags) noexcept {
  return fstatat(directory, path, reinterpret_cast<struct stat*>(out), flags);
}
// Programs that were built against a C library before 2.33 call these.
HEDDLE_EXPORT int __xstat(int, const char* path, struct stat* out) noexcept {
  return stat(path, out);
}
HEDDLE_EXPORT int __xstat64(int, const char* path, struct stat64* out) noexcept {
  return stat64(path, out);
}
HEDDLE_EXPORT int __lxstat(int, const char* path, struct stat* out) noexcept {
  return lstat(path, out);
}
HEDDLE_EXPORT int __lxstat64(int, const char* path, struct stat64* out) noexcept {
  return lstat64(path, out);
}
HEDDLE_EXPORT int statx(int directory, const char* path, int flags, unsigned mask,
                        struct statx* out) noexcept {
  Path other;
  path = redirected(path, other);
  return path == nullptr ? -1 : libc().statx(directory, path, flags, mask, out);
}
HEDDLE_EXPORT int access(const char* path, int mode) noexcept {
  Path other;
  path = redirected(path, other);
  return path == nullptr ? -1 : libc().access(path, mode);
}
HEDDLE_EXPORT int faccessat(int directory, const char* path, int mode, int flags) noexcept {
  Path other;
  path = redirected(path, other);
  return path == nullptr ? -1 : libc().faccessat(directory, path, mode, flags);
}
HEDDLE_EXPORT ssize_t readlink(const char* path, char* out, size_t size) noexcept {
  Path other;
  path = redirected(path, other);
  return path == nullptr ? -1 : libc().readlink(path, out, size);
}
HEDDLE_EXPORT ssize_t readlinkat(int directory, const char* path, char* out, size_t size) noexcept {
  Path other;
  path = redirected(path, other);
  return path == nullptr ? -1 : libc().readlinkat(directory, path, out, size);
}

// --- descriptors

HEDDLE_EXPORT ssize_t read(int fd, void* buffer, size_t size) {
  switch (Descriptors::kind(fd)) {
    case DescriptorKind::umad:
      return read_umad(fd, buffer, size);
    case DescriptorKind::issm:
      return refuse(EINVAL);
    case DescriptorKind::dead:
      return refuse(EIO);
    default:
      return libc().read(fd, buffer, size);
  }
}
HEDDLE_EXPORT ssize_t __read_chk(int fd, void* buffer, size_t size, size_t room) {
  if (size > room) __builtin_trap();
  return read(fd, buffer, size);
}
HEDDLE_EXPORT ssize_t write(int fd, const void* buffer, size_t size) {
  switch (Descriptors::kind(fd)) {
    case DescriptorKind::umad:
      return write_umad(fd, buffer, size);
    case DescriptorKind::issm:
      return refuse(EINVAL);
    case DescriptorKind::dead:
      return refuse(EIO);
    default:
      return libc().write(fd, buffer, size);
  }
}
HEDDLE_EXPORT ssize_t readv(int fd, const iovec* parts, int count) {
  const DescriptorKind kind = Descriptors::kind(fd);
  // The kernel's device has no vectored calls either: each part is a call of its own. A call for
  // the first part only is a short read.
  if (kind == DescriptorKind::foreign || kind == DescriptorKind::own)
    return libc().readv(fd, parts, count);
  return count < 1 ? 0 : read(fd, parts[0].iov_base, parts[0].iov_len);
}
HEDDLE_EXPORT ssize_t writev(int fd, const iovec* parts, int count) {
  const DescriptorKind kind = Descriptors::kind(fd);
  if (kind == DescriptorKind::foreign || kind == DescriptorKind::own)
    return libc().writev(fd, parts, count);
  return count < 1 ? 0 : write(fd, parts[0].iov_base, parts[0].iov_len);
}
HEDDLE_EXPORT off_t lseek(int fd, off_t offset, int whence) noexcept {
  const DescriptorKind kind = Descriptors::kind(fd);
  if (kind == DescriptorKind::umad || kind == DescriptorKind::issm) return refuse(ESPIPE);
  return libc().lseek(fd, offset, whence);
}
HEDDLE_EXPORT off64_t lseek64(int fd, off64_t offset, int whence) noexcept {
  return lseek(fd, offset, whence);
}
HEDDLE_EXPORT int ioctl(int fd, unsigned long request, ...) noexcept {
  va_list arguments;
  va_start(arguments, request);
  void* argument = va_arg(arguments, void*);
  va_end(arguments);
  constexpr unsigned kUmadMagic = 0x1B;
  const DescriptorKind kind = Descriptors::kind(fd);
  // Other requests (FIONBIO) work on the descriptor itself.
  if (kind != DescriptorKind::umad || _IOC_TYPE(request) != kUmadMagic)
    return libc().ioctl(fd, request, argument);
  return call([&]() -> int {
    Process* process = Process::started();
    return process == nullptr ? -EIO : process->ioctl(fd, request, argument);
  });
}
HEDDLE_EXPORT int close(int fd) {
  switch (Descriptors::kind(fd)) {
    case DescriptorKind::foreign:
      break;
    case DescriptorKind::own:
      return static_cast<int>(refuse(EBADF));  // of a program that closes all descriptors
    default:
      forget(fd);
      break;
  }
  return libc().close(fd);
}
HEDDLE_EXPORT int dup2(int from, int to) noexcept {
  if (from != to && Descriptors::kind(to) != DescriptorKind::foreign) {
    if (Descriptors::kind(to) == DescriptorKind::own) return static_cast<int>(refuse(EBUSY));
    forget(to);
  }
  return libc().dup2(from, to);
}
HEDDLE_EXPORT int dup3(int from, int to, int flags) noexcept {
  if (from != to && Descriptors::kind(to) != DescriptorKind::foreign) {
    if (Descriptors::kind(to) == DescriptorKind::own) return static_cast<int>(refuse(EBUSY));
    forget(to);
  }
  return libc().dup3(from, to, flags);
}

/// Programs call this to close all descriptors; the descriptors of this library stay open.
HEDDLE_EXPORT int close_range(unsigned first, unsigned last, int flags) noexcept {
  if (libc().close_range == nullptr) return static_cast<int>(refuse(ENOSYS));
  const unsigned end = std::min<unsigned>(last, Descriptors::kMax - 1);
  unsigned from = first;
  for (unsigned fd = first; fd <= end && flags == 0; ++fd) {
    const DescriptorKind kind = Descriptors::kind(static_cast<int>(fd));
    if (kind == DescriptorKind::foreign) continue;
    if (kind != DescriptorKind::own) {
      forget(static_cast<int>(fd));
      continue;
    }
    if (fd > from && libc().close_range(from, fd - 1, flags) != 0) return -1;
    from = fd + 1;
  }
  return from > last ? 0 : libc().close_range(from, last, flags);
}
HEDDLE_EXPORT void closefrom(int first) noexcept {
  close_range(static_cast<unsigned>(std::max(first, 0)), UINT_MAX, 0);
}

// --- the end

namespace {
__attribute__((destructor)) void leave() {
  call([]() -> int {
    if (Process* process = Process::started(); process != nullptr) process->leave();
    return 0;
  });
}
}  // namespace
// NOLINTEND(bugprone-reserved-identifier)
