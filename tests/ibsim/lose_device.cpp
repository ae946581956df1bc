// Preload library: while the file named by LOSE_DEVICE_FILE exists, the umad device is gone as
// after a driver was unloaded: poll reports an event, and whatever is read, sent or opened fails
// with EIO. While there is one named by LOSE_QUIETLY_FILE, it is gone as on older kernels: poll
// reports no event, reads have nothing, and writes fail with EINVAL. While there is one named by
// THROW_FILE, each send throws an exception, as a lack of
// memory would; while there is one named by NO_ACCEPT_FILE, no socket accepts, as without free
// descriptors. Must be before umad2sim in LD_PRELOAD.

#include <dlfcn.h>
#include <infiniband/umad.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <new>

namespace {

bool is_there(const char* variable) {
  const char* const path = std::getenv(variable);
  return path != nullptr && access(path, F_OK) == 0;
}
bool is_gone() { return is_there("LOSE_DEVICE_FILE"); }
bool is_quietly_gone() { return is_there("LOSE_QUIETLY_FILE"); }

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

int fail(int error = EIO) {
  errno = error;
  return -error;
}

}  // namespace

#define HEDDLE_EXPORT extern "C" __attribute__((visibility("default")))

HEDDLE_EXPORT int umad_poll(int port, int timeout_ms) {
  // In steps, so that a poll that began before sees the loss, too.
  constexpr int kStepMs = 50;
  for (int left = timeout_ms; !is_gone(); left -= kStepMs) {
    const int step = timeout_ms < 0 || left > kStepMs ? kStepMs : left;
    if (is_quietly_gone()) usleep(static_cast<useconds_t>(step) * 1000);
    const int result =
        is_quietly_gone() ? -ETIMEDOUT : next<int(int, int)>("umad_poll")(port, step);
    if (result != -ETIMEDOUT || (timeout_ms >= 0 && left <= kStepMs)) return result;
  }
  return 0;
}

HEDDLE_EXPORT int umad_recv(int port, void* umad, int* length, int timeout_ms) {
  if (is_gone()) return fail();
  if (is_quietly_gone()) return fail(EAGAIN);
  return next<int(int, void*, int*, int)>("umad_recv")(port, umad, length, timeout_ms);
}

HEDDLE_EXPORT int umad_send(int port, int agent, void* umad, int length, int timeout_ms,
                            int retries) {
  if (is_gone()) return fail();
  if (is_quietly_gone()) return fail(EINVAL);
  if (is_there("THROW_FILE")) throw std::bad_alloc();
  return next<int(int, int, void*, int, int, int)>("umad_send")(port, agent, umad, length,
                                                                timeout_ms, retries);
}

HEDDLE_EXPORT int umad_open_port(const char* device, int number) {
  if (is_gone() || is_quietly_gone()) return fail();
  return next<int(const char*, int)>("umad_open_port")(device, number);
}

HEDDLE_EXPORT int accept(int fd, sockaddr* address, socklen_t* length) {
  if (is_there("NO_ACCEPT_FILE")) {
    errno = EMFILE;
    return -1;
  }
  return next<int(int, sockaddr*, socklen_t*)>("accept")(fd, address, length);
}
