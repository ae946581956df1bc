#include "sm/store/port_directory.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "mad/format.h"
#include "mad/number.h"
#include "sm/store/atomic_file.h"
#include "sm/store/file_lock.h"

namespace sm {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOwnerFile = ".heddle-port";

/// Reads and writes the owner file of a directory.
class OwnerFile {
 public:
  explicit OwnerFile(const std::string& directory)
      : path_(fs::path(directory) / kOwnerFile), fd_(open_lock_file(path_)) {}
  ~OwnerFile() {
    if (fd_ >= 0) ::close(fd_);
  }
  OwnerFile(const OwnerFile&) = delete;
  OwnerFile& operator=(const OwnerFile&) = delete;

  bool is_open() const { return fd_ >= 0; }
  /// Locks the file while this object lives. Returns why it could not be locked in time. Without
  /// the lock, as on a file system without locks, two ports that start for the first time
  /// concurrently may both become the owner.
  std::string lock(std::chrono::milliseconds wait) const {
    if (lock_file(fd_, wait) != FileLock::held) return {};
    return fmt::format("{} is locked by {}: not waited for any longer", path_.string(),
                       lock_holder(fd_));
  }
  std::optional<mad::Guid> owner() const {
    std::array<char, 32> text{};
    const ssize_t length = ::pread(fd_, text.data(), text.size(), 0);
    if (length < 3) return std::nullopt;
    const std::string_view line(text.data(), static_cast<std::size_t>(length));
    return mad::parse_guid(line.substr(0, line.find('\n')));
  }
  bool set_owner(mad::Guid port) const {
    const std::string text = fmt::format("{}\n", port);
    return ::ftruncate(fd_, 0) == 0 &&
           ::pwrite(fd_, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
  }

 private:
  fs::path path_;
  int fd_;
};

bool exists(const std::string& directory) {
  std::error_code ignored;
  return fs::is_directory(directory, ignored);
}

}  // namespace

std::string own_directory(const std::string& directory, mad::Guid port) {
  return fs::path(directory) / fmt::format("{}", port);
}

ClaimedDirectory claim_directory(const std::string& directory, mad::Guid port,
                                 std::span<const mad::Guid> local, std::chrono::milliseconds wait) {
  std::string own = own_directory(directory, port);
  if (exists(own)) return {own};
  static_cast<void>(ensure_directory(directory));
  const OwnerFile file(directory);
  if (!file.is_open()) return {directory};
  // No other port takes the directory of a port of this machine, so this needs no lock.
  if (file.owner() == port) return {directory};
  const std::string warning = file.lock(wait);
  const std::optional<mad::Guid> owner = file.owner();
  if (owner == port) return {directory, warning};
  if (!owner || std::ranges::find(local, *owner) == local.end()) {
    static_cast<void>(file.set_owner(port));
    return {directory, warning};
  }
  if (!ensure_directory(own)) return {directory, warning};
  inherit_cache(directory, own);
  return {own, warning};
}

std::string find_directory(const std::string& directory, mad::Guid port) {
  std::string own = own_directory(directory, port);
  return exists(own) ? own : directory;
}

void inherit_cache(const std::string& from, const std::string& to) {
  for (const char* const name : {"guid2lid", "guid2mkey", "guid2mkey.next"}) {
    std::error_code ignored;
    fs::copy_file(fs::path(from) / name, fs::path(to) / name, fs::copy_options::skip_existing,
                  ignored);
  }
}

}  // namespace sm
