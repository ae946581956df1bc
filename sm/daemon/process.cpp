#include "sm/daemon/process.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>
#include <thread>
#include <utility>

#include "mad/format.h"

namespace sm {

tl::expected<void, std::string> detach() {
  for (int round = 0; round < 2; ++round) {
    const pid_t child = fork();
    if (child < 0) return tl::unexpected(fmt::format("cannot fork: {}", std::strerror(errno)));
    if (child > 0) std::_Exit(0);
    if (round == 0 && setsid() < 0)
      return tl::unexpected(fmt::format("cannot begin a session: {}", std::strerror(errno)));
  }
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

constexpr std::chrono::milliseconds kPidFileRetry{50};

/// The open file is still what the path names: its last owner has not removed it meanwhile.
bool is_at(int fd, const std::filesystem::path& path) {
  struct stat opened{}, named{};
  return ::fstat(fd, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

}  // namespace

tl::expected<PidFile, std::string> PidFile::create(const std::filesystem::path& path,
                                                   std::chrono::milliseconds patience) {
  const auto failed = [&](std::string_view why) {
    return tl::unexpected(fmt::format("cannot write the pid file {}: {}", path.string(), why));
  };
  const auto end = std::chrono::steady_clock::now() + patience;
  for (;; std::this_thread::sleep_for(kPidFileRetry)) {
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0) return failed(std::strerror(errno));
    PidFile file(path, fd);
    // A file system without locks: as if no process held it.
    const bool held = ::flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (held || !is_at(fd, path)) {
      file.path_.clear();  // it is another's
      if (std::chrono::steady_clock::now() < end) continue;
      std::string holder = "another process";
      std::ifstream(path) >> holder;
      return failed(fmt::format("process {} holds it", holder));
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
