#include "sim/umad/libc.h"

#include <dlfcn.h>
#include <pthread.h>

namespace sim::umad {
namespace {

template <class Function>
void find(Function*& function, const char* name) {
  function = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

Libc look_up() {
  Libc out{};
  find(out.open, "open64");  // the same as open() where off_t has 64 bits
  find(out.openat, "openat64");
  find(out.fopen, "fopen64");
  find(out.opendir, "opendir");
  find(out.scandir, "scandir");
  find(out.stat, "stat");
  find(out.lstat, "lstat");
  find(out.fstatat, "fstatat");
  find(out.statx, "statx");
  find(out.access, "access");
  find(out.faccessat, "faccessat");
  find(out.readlink, "readlink");
  find(out.readlinkat, "readlinkat");
  find(out.realpath, "realpath");
  find(out.read, "read");
  find(out.write, "write");
  find(out.readv, "readv");
  find(out.writev, "writev");
  find(out.ioctl, "ioctl");
  find(out.close, "close");
  find(out.lseek, "lseek");
  find(out.dup2, "dup2");
  find(out.dup3, "dup3");
  find(out.close_range, "close_range");
  return out;
}

}  // namespace

const Libc& libc() {
  static const Libc functions = look_up();
  return functions;
}

NoCancellation::NoCancellation() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
NoCancellation::~NoCancellation() { pthread_setcancelstate(before_, nullptr); }

}  // namespace sim::umad
