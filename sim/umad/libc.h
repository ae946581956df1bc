#pragma once
// The C library's functions that the entry points replace.

#include <dirent.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>

struct statx;

namespace sim::umad {

struct Libc {
  int (*open)(const char*, int, ...);
  int (*openat)(int, const char*, int, ...);
  FILE* (*fopen)(const char*, const char*);
  DIR* (*opendir)(const char*);
  int (*scandir)(const char*, dirent***, int (*)(const dirent*),
                 int (*)(const dirent**, const dirent**));
  int (*stat)(const char*, struct stat*);
  int (*lstat)(const char*, struct stat*);
  int (*fstatat)(int, const char*, struct stat*, int);
  int (*statx)(int, const char*, int, unsigned, struct ::statx*);
  int (*access)(const char*, int);
  int (*faccessat)(int, const char*, int, int);
  ssize_t (*readlink)(const char*, char*, size_t);
  ssize_t (*readlinkat)(int, const char*, char*, size_t);
  char* (*realpath)(const char*, char*);
  ssize_t (*read)(int, void*, size_t);
  ssize_t (*write)(int, const void*, size_t);
  ssize_t (*readv)(int, const struct iovec*, int);
  ssize_t (*writev)(int, const struct iovec*, int);
  int (*ioctl)(int, unsigned long, ...);
  int (*close)(int);
  off_t (*lseek)(int, off_t, int);
  int (*dup2)(int, int);
  int (*dup3)(int, int, int);
  int (*close_range)(unsigned, unsigned, int);
};

/// Looks the functions up once. A function that this C library does not have is null.
const Libc& libc();

/// Disables pthread_cancel() on this thread during its lifetime: a thread that ended while it held
/// the lock would block all others.
class NoCancellation {
 public:
  NoCancellation();
  ~NoCancellation();
  NoCancellation(const NoCancellation&) = delete;
  NoCancellation& operator=(const NoCancellation&) = delete;

 private:
  int before_ = 0;
};

}  // namespace sim::umad
