#pragma once
// This file has the steps by which a Unix daemon sets up its own process.

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <tl/expected.hpp>

namespace sm {

/// Detaches from the terminal: forks twice, with setsid() in between; the parents exit with 0. Sets
/// the working directory to /, so that no file system stays busy (config/reload.h), a umask
/// that allows only the owner to write new files, and /dev/null as the standard streams. Must be
/// called before any thread exists. Errors: one line with the reason.
tl::expected<void, std::string> detach();

/// Raises the limit of open files (RLIMIT_NOFILE) to the permitted maximum, 65,536 at most, and
/// makes threads share few heaps: what a thread frees stays in its heap for the next use, and a
/// plan, a reload and a survey, each on another thread, would each hold what the largest of them
/// needed. Must be called before any thread exists.
void set_resource_limits();
/// Returns the limit of open files.
std::size_t descriptors_max();

/// Forbids core dumps of this process, to a file or to a program: a dump would hold the keys of the
/// subnet.
void forbid_core_dumps();

/// Makes the standard streams copies of this descriptor, so that the output of libraries goes to
/// the log.
void redirect_standard_streams(int descriptor);

/// A PidFile is a file with this process's id. It is locked while the process lives and removed at
/// the end. Mode 0600 keeps other users from locking it.
class PidFile {
 public:
  /// Waits for another process that holds the file, since that process may be about to end. Errors:
  /// one line with the path and the reason, such as the process that still holds it.
  static tl::expected<PidFile, std::string> create(const std::filesystem::path& path,
                                                   std::chrono::milliseconds timeout);
  PidFile(PidFile&& other) noexcept;
  PidFile& operator=(PidFile&&) = delete;
  ~PidFile();

 private:
  PidFile(std::filesystem::path path, int fd) : path_(std::move(path)), fd_(fd) {}
  std::filesystem::path path_;
  int fd_;
};

}  // namespace sm
