#pragma once
// What a Unix daemon does to itself.

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <tl/expected.hpp>

namespace sm {

/// Detaches from the terminal: forks twice, with a session of its own in between; parents exit with
/// 0. The working directory stays, as in OpenSM. Standard streams go to /dev/null. Must be called
/// before any thread exists. Errors: one line with the reason.
tl::expected<void, std::string> detach();

/// Standard streams become copies of this descriptor, so that what libraries print ends in the log.
void redirect_standard_streams(int descriptor);

/// A file with our process id, locked while the process lives, and removed again at the end.
class PidFile {
 public:
  /// Waits for another process that holds the file, since it may just be ending.
  /// Errors: one line with the path and the reason, such as the process that holds it still.
  static tl::expected<PidFile, std::string> create(const std::filesystem::path& path,
                                                   std::chrono::milliseconds patience);
  PidFile(PidFile&& other) noexcept;
  PidFile& operator=(PidFile&&) = delete;
  ~PidFile();

 private:
  PidFile(std::filesystem::path path, int fd) : path_(std::move(path)), fd_(fd) {}
  std::filesystem::path path_;
  int fd_;
};

}  // namespace sm
