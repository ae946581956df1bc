#pragma once
// This file declares a compressed archive that a command collects file by file.

#include <filesystem>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace sm::ctl {

/// Collects files in a directory below $TMPDIR (else /tmp) that only the owner may enter, so that
/// the whole archive is never in memory. The destructor removes the directory.
class Bundle {
 public:
  /// Creates an empty bundle. `name` is the directory of all files in the unpacked archive. Errors:
  /// the directory cannot be created, in words.
  static tl::expected<Bundle, std::string> create(const std::string& name);
  Bundle(Bundle&& other) noexcept;
  Bundle& operator=(Bundle&&) = delete;
  ~Bundle();

  /// Adds a file at `path`, which is relative; parts of `path` that lead out of the bundle are left
  /// out. Errors: the file cannot be written, in words.
  tl::expected<void, std::string> add(const std::filesystem::path& path, std::string_view text);

  /// Writes the archive (tar, compressed by gzip) with mode 0600 and replaces a file of that name
  /// when the archive is complete. Needs the programs tar and gzip. Errors: in words; the call then
  /// leaves no new file.
  tl::expected<void, std::string> write(const std::filesystem::path& archive) const;

 private:
  explicit Bundle(std::filesystem::path staging, std::string name)
      : staging_(std::move(staging)), name_(std::move(name)) {}

  std::filesystem::path staging_;  // empty: moved from
  std::string name_;
};

/// Returns the first `bytes_max` bytes that a program prints on both of its streams, and ends the
/// program after `seconds`. Returns nothing if there is no such program. The shell runs `command`.
std::string read_output(const std::string& command, unsigned seconds, std::size_t bytes_max);

/// Returns the end of a regular file, from the beginning of a line. Errors: in words, also for a
/// symbolic link of another user than root and the caller.
tl::expected<std::string, std::string> read_tail(const std::filesystem::path& file,
                                                 std::size_t bytes_max);

}  // namespace sm::ctl
