#include "sm/daemon/process.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
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

tl::expected<PidFile, std::string> PidFile::create(const std::filesystem::path& path) {
  std::ofstream file(path, std::ios::trunc);
  file << getpid() << '\n';
  file.flush();
  if (!file)
    return tl::unexpected(
        fmt::format("cannot write the pid file {}: {}", path.string(), std::strerror(errno)));
  return PidFile(path);
}

PidFile::PidFile(PidFile&& other) noexcept : path_(std::exchange(other.path_, {})) {}
PidFile::~PidFile() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove(path_, ignored);
}

}  // namespace sm
