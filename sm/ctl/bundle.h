#pragma once
// A compressed archive that is collected file by file.

#include <filesystem>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace sm::ctl {

/// Files are collected in a directory below $TMPDIR (else /tmp) that only the owner may enter, so
/// that no archive is ever whole in memory. It is removed with the object.
class Bundle {
 public:
  /// `name` is the directory that all files are in when the archive is unpacked. Errors: the
  /// directory cannot be made, in words.
  static tl::expected<Bundle, std::string> create(const std::string& name);
  Bundle(Bundle&& other) noexcept;
  Bundle& operator=(Bundle&&) = delete;
  ~Bundle();

  /// `path` is relative; parts that would lead out of the bundle are left out of it. Errors: the
  /// file cannot be written, in words.
  tl::expected<void, std::string> add(const std::filesystem::path& path, std::string_view text);

  /// Writes the archive (tar, compressed by gzip), mode 0600; a file of that name is replaced when
  /// the archive is complete. Needs the programs tar and gzip. Errors: in words; then there is no
  /// new file.
  tl::expected<void, std::string> write(const std::filesystem::path& archive) const;

 private:
  explicit Bundle(std::filesystem::path staging, std::string name)
      : staging_(std::move(staging)), name_(std::move(name)) {}

  std::filesystem::path staging_;  // empty: moved from
  std::string name_;
};

/// Returns what a program prints on both of its streams, at most `bytes_max`; it is ended after
/// `seconds`. Returns nothing if there is no such program. `command` is for the shell.
std::string read_output(const std::string& command, unsigned seconds, std::size_t bytes_max);

/// The end of a file, beginning with a whole line. Errors: in words.
tl::expected<std::string, std::string> tail_of(const std::filesystem::path& file,
                                               std::size_t bytes_max);

}  // namespace sm::ctl
