#include "sm/daemon/process.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>
#include <utility>

#include "mad/format.h"
#include "sm/store/file_lock.h"

namespace sm {

tl::expected<void, std::string> detach() {
  for (int round = 0; round < 2; ++round) {
    const pid_t child = fork();
    if (child < 0) return tl::unexpected(fmt::format("cannot fork: {}", std::strerror(errno)));
    if (child > 0) std::_Exit(0);
    if (round == 0 && setsid() < 0)
      return tl::unexpected(fmt::format("cannot begin a session: {}", std::strerror(errno)));
  }
  if (chdir("/") != 0)
    return tl::unexpected(fmt::format("cannot change to /: {}", std::strerror(errno)));
  constexpr mode_t kOthersMayNotWrite = 022;
  umask(umask(kOthersMayNotWrite) | kOthersMayNotWrite);
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0)
    return tl::unexpected(fmt::format("cannot open /dev/null: {}", std::strerror(errno)));
  redirect_standard_streams(null);
  if (null > STDERR_FILENO) close(null);
  return {};
}

void redirect_standard_streams(int descriptor) {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(descriptor, stream);
}

namespace {

void share_heaps() {
  constexpr unsigned kLeast = 2, kMost = 8, kCoresEach = 4;
  for (const char* const set_by_user : {"MALLOC_ARENA_MAX", "GLIBC_TUNABLES"})
    if (std::getenv(set_by_user) != nullptr) return;
  const unsigned heaps =
      std::clamp(std::thread::hardware_concurrency() / kCoresEach, kLeast, kMost);
  mallopt(M_ARENA_MAX, static_cast<int>(heaps));
}

void raise_descriptor_limit() {
  constexpr rlim_t kDescriptorsMax = 65'536;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t wanted = std::min(limit.rlim_max, kDescriptorsMax);
  if (limit.rlim_cur >= wanted) return;
  limit.rlim_cur = wanted;
  static_cast<void>(setrlimit(RLIMIT_NOFILE, &limit));
}

}  // namespace

void set_resource_limits() {
  share_heaps();
  raise_descriptor_limit();
}

std::size_t descriptors_max() {
  constexpr std::size_t kUsual = 1024;
  rlimit limit{};
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : kUsual;
}

void forbid_core_dumps() {
  // The limit 0 would still pass core dumps to a program that core_pattern names; 1 does not
  // (core(5)).
  constexpr rlimit kNone{.rlim_cur = 1, .rlim_max = 1};
  static_cast<void>(setrlimit(RLIMIT_CORE, &kNone));
}

namespace {

constexpr std::chrono::milliseconds kPidFileRetry{50};

/// True if the path still names the open file: its last owner has not removed it since.
bool is_at(int fd, const std::filesystem::path& path) {
  struct stat opened{}, named{};
  return ::fstat(fd, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

}  // namespace

tl::expected<PidFile, std::string> PidFile::create(const std::filesystem::path& path,
                                                   std::chrono::milliseconds timeout) {
  const auto failed = [&](std::string_view why) {
    return tl::unexpected(fmt::format("cannot write the pid file {}: {}", path.string(), why));
  };
  const auto end = std::chrono::steady_clock::now() + timeout;
  for (;; std::this_thread::sleep_for(kPidFileRetry)) {
    const int fd = open_lock_file(path);
    if (fd < 0) return failed(std::strerror(errno));
    PidFile file(path, fd);
    // On a file system without locks, no process counts as the holder.
    const bool held = lock_file(fd, std::chrono::milliseconds(0)) == FileLock::held;
    if (held || !is_at(fd, path)) {
      file.path_.clear();  // it is another's
      if (std::chrono::steady_clock::now() < end) continue;
      return failed(fmt::format("{} holds it", lock_holder(fd)));
    }
    const std::string text = fmt::format("{}\n", getpid());
    if (::ftruncate(fd, 0) != 0 ||
        ::pwrite(fd, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
      return failed(std::strerror(errno));
    return file;
  }
}

PidFile::PidFile(PidFile&& other) noexcept
    : path_(std::exchange(other.path_, {})), fd_(std::exchange(other.fd_, -1)) {}
PidFile::~PidFile() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove(path_, ignored);
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace sm
