#pragma once
// A Journal is an append-only file of lines, for state that changes often and must be durable.
// Lines are appended in batches, one write and one fdatasync per batch; a batch that a crash
// truncated is ignored. Every line has a checksum; damaged lines are reported and left out.

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "sm/store/cache_files.h"
#include "sm/store/file_version.h"

namespace sm {

/// Holds a line of a journal and its number. Points into the parsed text.
struct JournalLine {
  std::string_view text;
  int line = 0;  // 1-based
};

/// This program writes this version. A change that adds kinds of lines, or words at the end of
/// lines, raises the revision; new words follow all earlier words of the line.
inline constexpr FileVersion kJournalVersion{.number = 1, .revision = 0};

struct JournalText {
  FileVersion version = kJournalVersion;  // without a legible first line: this program's
  std::vector<JournalLine> lines;         // of complete batches, in order
  std::vector<FileError> errors;          // lines that are damaged; they are not in `lines`
  std::size_t whole_bytes =
      0;  // up to the end of the last complete batch; a truncated batch after it is not an error
};
/// `text` must outlive the result.
/// Shape:  first line "heddle-journal 1", or "heddle-journal 1.2" of revision 2; then `xxxxxxxx
/// <text>` with the CRC-32 of the text in hexadecimal; a batch ends with a line that has `.` as its
/// text. The last line of the file counts only if it ends with `\n`. A text of another version
/// number is one error, and has no lines.
JournalText parse_journal(std::string_view text);

/// Returns `lines` (each ended by '\n', none empty or ".") as one batch.
std::string journal_batch(std::string_view lines);

class Journal {
 public:
  struct Opened;
  /// Opens `path`, or creates it; its directory must exist. With `fsync` the appended lines are on
  /// disk when append() returns. A damaged file is replaced by its valid lines and `after_damage`,
  /// so that a later start knows that lines were lost. Errors: a file that cannot be read or
  /// written at all.
  static tl::expected<Opened, std::string> open(const std::filesystem::path& path, bool fsync,
                                                std::string_view after_damage = {});

  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&& other) noexcept;
  ~Journal();

  /// Appends a batch, or nothing if `lines` is empty. Errors: one line with file and reason. The
  /// file is then truncated to its old end; if that fails, too, the caller must replace() it: see
  /// is_broken().
  tl::expected<void, std::string> append(std::string_view lines);
  /// Returns the file, up to the end of the latest batch that was appended. Errors: one line with
  /// file and reason; also if the file has become shorter.
  tl::expected<std::string, std::string> read() const;
  /// Atomically replaces the journal by the one batch `lines`.
  tl::expected<void, std::string> replace(std::string_view lines);
  /// Renames the file, which may replace another one; further batches go to the renamed file.
  tl::expected<void, std::string> rename_to(const std::filesystem::path& path);

  /// True if the file has grown to more than twice its size after the last replacement, so that
  /// replacing it costs less than was written since.
  bool needs_replacing() const { return broken_ || bytes_ > 2 * base_bytes_ + kGrowthMin; }
  bool is_broken() const { return broken_; }
  std::size_t bytes() const { return bytes_; }
  const std::filesystem::path& path() const { return path_; }

 private:
  static constexpr std::size_t kGrowthMin = 64u << 10;

  Journal(std::filesystem::path path, bool fsync) : path_(std::move(path)), fsync_(fsync) {}
  tl::expected<void, std::string> reopen();
  void close();

  std::filesystem::path path_;
  bool fsync_ = true;
  int fd_ = -1;
  bool broken_ = false;
  std::size_t bytes_ = 0, base_bytes_ = 0;
};

struct Journal::Opened {
  Journal journal;
  std::string text;                   // the file as read, for parse_journal()
  std::vector<std::string> messages;  // for the log: damaged lines
};

}  // namespace sm
