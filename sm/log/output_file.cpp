#include "sm/log/output_file.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/file_trust.h"

namespace sm {
namespace {

constexpr int kReaderWaitMs = 20;  // once; while it fails, not at all

}  // namespace

tl::expected<int, std::string> open_output(const std::string& path) {
  struct stat status{};
  const bool is_fifo = ::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
  const int flags = O_WRONLY | O_CREAT | O_APPEND;
  const auto fd =
      config::open_refusing_foreign_links(path, is_fifo ? flags | O_NONBLOCK : flags, 0644);
  // A daemon's standard streams share the descriptor: programs expect that writes block.
  if (fd && is_fifo) ::fcntl(*fd, F_SETFL, O_WRONLY | O_APPEND);
  return fd;
}

OutputFile::OutputFile(int fd) : fd_(fd) {
  struct stat status{};
  if (fd < 0 || ::fstat(fd, &status) != 0) return;
  regular_ = S_ISREG(status.st_mode);
  if (regular_) size_bytes_ = static_cast<std::uint64_t>(status.st_size);
}

std::size_t OutputFile::write_all(std::string_view text) {
  std::size_t done = 0;
  int wait_ms = error_ == 0 ? kReaderWaitMs : 0;
  while (done < text.size()) {
    std::size_t part = text.size() - done;
    if (!regular_) {
      pollfd ready{.fd = fd_, .events = POLLOUT, .revents = 0};
      if (::poll(&ready, 1, wait_ms) == 0) {
        error_ = EAGAIN;
        return done;
      }
      // A pipe that is ready accepts this number of bytes at once.
      part = std::min<std::size_t>(part, PIPE_BUF);
    }
    const ssize_t n = ::write(fd_, text.data() + done, part);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      error_ = n < 0 ? errno : EIO;
      return done;
    }
    done += static_cast<std::size_t>(n);
  }
  return done;
}

void OutputFile::count_lost(std::string_view lines) {
  lost_ += static_cast<std::uint64_t>(std::ranges::count(lines, '\n'));
}

std::string OutputFile::reason() const {
  return error_ == EAGAIN ? "its reader does not keep up" : std::generic_category().message(error_);
}

bool OutputFile::is_deleted() const {
  struct stat status{};
  return regular_ && ::fstat(fd_, &status) == 0 && status.st_nlink == 0;
}

}  // namespace sm
