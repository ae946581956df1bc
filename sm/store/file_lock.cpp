#include "sm/store/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <thread>

#include "mad/format.h"

namespace sm {
namespace {

constexpr std::chrono::milliseconds kRetry{50};
constexpr mode_t kLockMode = 0600;

std::string process_name(const std::string& pid) {
  std::string name;
  std::ifstream comm("/proc/" + pid + "/comm");
  std::getline(comm, name);
  // A process chooses its own name, so unprintable characters are replaced.
  for (char& c : name)
    if (c < ' ' || c > '~') c = '?';
  return name;
}

}  // namespace

int open_lock_file(const std::filesystem::path& path) {
  const int fd =
      ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, kLockMode);
  if (fd < 0) return -1;
  struct stat status{};
  // This may fail: only root may change a file that belongs to another user.
  if (::fstat(fd, &status) == 0 && (status.st_mode & 0777) != kLockMode)
    static_cast<void>(::fchmod(fd, kLockMode));
  return fd;
}

FileLock lock_file(int fd, std::chrono::milliseconds wait) {
  const auto end = std::chrono::steady_clock::now() + wait;
  for (;; std::this_thread::sleep_for(kRetry)) {
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return FileLock::locked;
    if (errno != EWOULDBLOCK && errno != EINTR) return FileLock::unsupported;
    if (std::chrono::steady_clock::now() >= end) return FileLock::held;
  }
}

HeldLock::~HeldLock() {
  if (fd_ >= 0) ::close(fd_);
}

tl::expected<HeldLock, std::string> HeldLock::take(const std::filesystem::path& path,
                                                   std::chrono::milliseconds wait) {
  HeldLock held;
  held.fd_ = open_lock_file(path);
  if (held.fd_ >= 0 && lock_file(held.fd_, wait) == FileLock::held)
    return tl::unexpected(fmt::format("{} is locked by {}", path.string(), lock_holder(held.fd_)));
  return held;
}

std::string lock_holder(int fd) {
  struct stat status{};
  std::ifstream locks("/proc/locks");
  if (::fstat(fd, &status) != 0) return "another process";
  const std::string file =
      fmt::format("{:02x}:{:02x}:{}", major(status.st_dev), minor(status.st_dev), status.st_ino);
  for (std::string line; std::getline(locks, line);) {
    // A line reads "7: FLOCK ADVISORY WRITE 1234 fe:01:5678 0 EOF"; "->" after the number marks a
    // process that waits.
    std::istringstream words(line);
    std::string number, kind, advisory, access, pid, of;
    words >> number >> kind >> advisory >> access >> pid >> of;
    if (kind != "FLOCK" || of != file || pid.empty() || pid == "0" || pid == "-1") continue;
    const std::string name = process_name(pid);
    return name.empty() ? fmt::format("process {}", pid)
                        : fmt::format("process {} ({})", pid, name);
  }
  return "another process";
}

}  // namespace sm
