#pragma once
// Steps of a Unix daemon on its own process.

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <tl/expected.hpp>

namespace sm {

/// Detaches from the terminal: forks twice, with a session of its own in between; parents exit with
/// 0. The working directory is / then, so that no file system is kept busy
/// (config/absolute_paths.h), and others than the owner cannot write new files. Standard streams go
/// to /dev/null. Must be called before any thread exists. Errors: one line with the reason.
tl::expected<void, std::string> detach();

/// Raises the limit of open files (RLIMIT_NOFILE) to what is permitted, 65,536 at most.
void raise_descriptor_limit();
/// The limit of open files.
std::size_t descriptors_max();

/// No core dump of this process is written, be it to a file or to a program: it would hold the keys
/// of the subnet.
void forbid_core_dumps();

/// Standard streams become copies of this descriptor, so that what libraries print ends in the log.
void redirect_standard_streams(int descriptor);

/// A file with our process id, locked while the process lives, and removed again at the end. Mode
/// 0600: another user could lock it, else.
class PidFile {
 public:
  /// Waits for another process that holds the file, since it may just be ending.
  /// Errors: one line with the path and the reason, such as the process that holds it still.
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
