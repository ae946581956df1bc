#pragma once
// Advisory locks of files (flock) that do not wait for ever.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace sm {

/// Opens a lock file for reading and writing, and creates it. Mode 0600, which an existing one
/// gets, too: who can open a file can lock it. A symbolic link is not followed. Returns -1 with
/// errno.
int open_lock_file(const std::filesystem::path& path);

enum class FileLock : std::uint8_t { locked, held, unsupported };
/// Tries until `wait` has passed. unsupported: the file system has no locks.
FileLock lock_file(int fd, std::chrono::milliseconds wait);

/// Holds the lock of a file until it is destroyed.
class HeldLock {
 public:
  HeldLock() = default;
  HeldLock(HeldLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  HeldLock& operator=(HeldLock&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~HeldLock();
  /// Creates the file. Where files cannot be locked, or this one cannot be made, nothing is held.
  /// Errors: another program, or another part of this one, holds it; one line.
  static tl::expected<HeldLock, std::string> take(const std::filesystem::path& path,
                                                  std::chrono::milliseconds wait);

 private:
  int fd_ = -1;
};

/// Returns the process that holds a lock of this file, as /proc/locks says: "process 1234 (flock)";
/// "another process" where that is not known, such as one of another container.
std::string lock_holder(int fd);

}  // namespace sm
