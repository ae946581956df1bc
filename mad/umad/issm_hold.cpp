#include "mad/umad/issm_hold.h"

#include <fcntl.h>
#include <infiniband/umad.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "mad/format.h"

namespace mad::umad {

tl::expected<IssmHold, std::string> IssmHold::claim(const LocalPort& port) {
  std::array<char, 256> path{};
  if (umad_get_issm_path(port.device.c_str(), static_cast<int>(port.number), path.data(),
                         path.size()) < 0) {
    return tl::unexpected(
        fmt::format("no issm device for {}: is the ib_umad module loaded?", port.text()));
  }
  // Without O_NONBLOCK open() would block until the other SM ends, without a message.
  const int fd = open(path.data(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (fd >= 0) return IssmHold(fd);
  const int error = errno;
  if (error == EAGAIN || error == EBUSY) {
    return tl::unexpected(fmt::format(
        "{} is held by another process: another subnet manager runs on {} (see: fuser {})",
        path.data(), port.text(), path.data()));
  }
  return tl::unexpected(
      fmt::format("cannot open {} for {}: {}", path.data(), port.text(), std::strerror(error)));
}

IssmHold::IssmHold(IssmHold&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
IssmHold::~IssmHold() {
  if (fd_ >= 0) close(fd_);
}

}  // namespace mad::umad
