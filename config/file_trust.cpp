#include "config/file_trust.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <functional>
#include <iterator>
#include <string_view>
#include <system_error>
#include <vector>

#include "config/control_characters.h"

namespace config {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kLinksMax = 40;  // as the kernel

std::string reason(int error) { return std::generic_category().message(error); }

bool is_writable_by_others(mode_t mode) { return (mode & (S_IWGRP | S_IWOTH)) != 0; }

/// A path without symbolic links.
struct Followed {
  fs::path path;
  int error = 0;            // errno of the first part that cannot be seen; 0: all can
  bool is_in_proc = false;  // the kernel makes these links; some have no path as their target
};

/// Returns why an entry must not be passed; "": it may.
using Check = std::function<std::string(const FileAccess& entry)>;

void push_parts(const fs::path& path, std::vector<std::string>& rest) {
  std::vector<std::string> parts;
  for (const fs::path& part : path.relative_path()) parts.push_back(part.string());
  rest.insert(rest.end(), parts.rbegin(), parts.rend());
}

bool is_in_proc(const fs::path& directory) {
  struct statfs system{};
  return ::statfs(directory.c_str(), &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

/// Follows a path part by part. `check` sees each directory and link on the way, and the file.
tl::expected<Followed, std::string> follow(const fs::path& path, const Check& check) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error);
  if (error) return tl::unexpected(error.message());
  std::vector<std::string> rest;  // the next part is the last element
  push_parts(whole, rest);
  const auto with_rest = [&](fs::path at) {
    for (auto part = rest.rbegin(); part != rest.rend(); ++part) at /= *part;
    return at;
  };
  fs::path at = "/";
  for (unsigned links = 0;;) {
    struct stat status{};
    if (::lstat(at.c_str(), &status) != 0) return Followed{.path = with_rest(at), .error = errno};
    if (const std::string fault = check({.owner = status.st_uid, .mode = status.st_mode});
        !fault.empty())
      return tl::unexpected(fmt::format("{} {}", escape_control_characters(at.string()), fault));
    if (S_ISLNK(status.st_mode)) {
      if (is_in_proc(at.parent_path())) return Followed{.path = with_rest(at), .is_in_proc = true};
      if (++links > kLinksMax) return tl::unexpected(reason(ELOOP));
      const fs::path target = fs::read_symlink(at, error);
      if (error) return tl::unexpected(error.message());
      push_parts(target, rest);
      at = target.is_absolute() ? fs::path("/") : at.parent_path();
    }
    while (!rest.empty() && (rest.back().empty() || rest.back() == ".")) rest.pop_back();
    if (rest.empty()) return Followed{.path = at};
    at = rest.back() == ".." ? at.parent_path() : at / rest.back();
    rest.pop_back();
  }
}

}  // namespace

std::string change_fault(const FileAccess& entry, uid_t caller) {
  if (!is_trusted_user(entry.owner, caller)) return fmt::format("belongs to user {}", entry.owner);
  if (S_ISLNK(entry.mode)) return "";  // its mode has no meaning
  if (S_ISDIR(entry.mode) && (entry.mode & S_ISVTX) != 0) return "";
  if (!is_writable_by_others(entry.mode)) return "";
  return fmt::format("can be written by others than its owner (mode {:04o})",
                     unsigned{entry.mode & 07777});
}

std::string trust_fault(const std::string& path, uid_t caller) {
  FileAccess last;
  const auto followed = follow(path, [&](const FileAccess& entry) {
    if (!S_ISLNK(entry.mode)) last = entry;
    return change_fault(entry, caller);
  });
  if (!followed) return followed.error();
  if (followed->is_in_proc) return fmt::format("{} is in /proc", escape_control_characters(path));
  if (followed->error != 0 && followed->error != ENOENT)
    return fmt::format("{}: {}", escape_control_characters(path), reason(followed->error));
  if (followed->error == ENOENT && is_writable_by_others(last.mode))
    return fmt::format("{} does not exist, and any user can create it",
                       escape_control_characters(path));
  return "";
}

tl::expected<int, std::string> open_refusing_foreign_links(const std::string& path, int flags,
                                                           mode_t mode) {
  const auto followed = follow(path, [](const FileAccess& entry) {
    return S_ISLNK(entry.mode) && !is_trusted_user(entry.owner, ::geteuid())
               ? fmt::format("is a symbolic link of user {}", entry.owner)
               : std::string();
  });
  if (!followed) return tl::unexpected(followed.error());
  // The last part is not a link any more, unless another user has replaced it since.
  const int no_link = followed->is_in_proc ? 0 : O_NOFOLLOW;
  const int descriptor = ::open(followed->path.c_str(), flags | O_CLOEXEC | no_link, mode);
  if (descriptor < 0) return tl::unexpected(reason(errno));
  return descriptor;
}

}  // namespace config
