#pragma once
// This file replaces files atomically: after a crash or power loss a file has either its old or its
// new content.

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace sm {

/// Returns the text of an errno value.
std::string errno_text(int error);

/// Replaces `path` by a file that holds `text`: writes a temporary file beside it (with `mode` less
/// umask), then renames that. With `fsync` both the file and its directory are on disk when this
/// returns. Errors: "cannot write <path>: <step>: <reason>"; the old file is then unchanged and the
/// temporary one removed.
tl::expected<void, std::string> write_file_atomically(const std::filesystem::path& path,
                                                      std::string_view text, bool fsync,
                                                      unsigned mode = 0644);

/// Appends the next part of a text to its argument, which is empty at the call; returns false if
/// there is no further part.
using NextPart = std::function<bool(std::string&)>;
/// Writes a long text, of which only one part at a time is in memory.
tl::expected<void, std::string> write_file_atomically(const std::filesystem::path& path,
                                                      const NextPart& next_part, bool fsync,
                                                      unsigned mode = 0644);

/// Replaces `path` by the text that `write` puts into a stream.
tl::expected<void, std::string> write_stream_atomically(
    const std::filesystem::path& path, const std::function<void(std::ostream&)>& write, bool fsync,
    unsigned mode = 0644);

/// Returns the whole file, or nothing if it does not exist. Errors: "cannot read <path>: <reason>",
/// also for a path that is not a regular file and for more than `bytes_max`.
tl::expected<std::optional<std::string>, std::string> read_file(const std::filesystem::path& path,
                                                                std::size_t bytes_max);

/// Creates `dir` with mode 0755 (less umask) if it is missing; its parent must exist.
/// Errors: "cannot create directory <dir>: <reason>".
tl::expected<void, std::string> ensure_directory(const std::filesystem::path& dir);

/// Renames `path` to `<path>.corrupt-<n>` with the lowest free n >= 1; replaces no existing file.
/// Returns the new name. Errors: "cannot move <path> aside: <reason>".
tl::expected<std::filesystem::path, std::string> move_aside(const std::filesystem::path& path);

/// Returns the first line of a file that only its owner may access. Errors: it cannot be read, does
/// not exist, or has another mode; one line with file and reason.
tl::expected<std::string, std::string> read_secret_file(const std::filesystem::path& path);

}  // namespace sm
