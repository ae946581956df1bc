#pragma once
// Writes to the log file neither wait for a reader nor hide that they failed.

#include <cstdint>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace sm {

/// Opens the file for appending, and creates it if it is missing; close-on-exec. Errors: the
/// reason; a FIFO without a reader (ENXIO), instead of a wait; a symbolic link of another user than
/// root and the process's own, which would choose the file that is written and truncated.
tl::expected<int, std::string> open_output(const std::string& path);

/// Holds the state of writes to one descriptor, which is not owned.
class OutputFile {
 public:
  OutputFile() = default;
  explicit OutputFile(int fd);

  int descriptor() const { return fd_; }
  bool is_regular() const { return regular_; }
  std::uint64_t size_bytes() const { return size_bytes_; }  // when it was opened

  /// Writes lines. The reader of a pipe or terminal may be slow: after a short wait the remaining
  /// lines are lost, as on a full disk. The first lines after a failure follow a line that counts
  /// the missing ones, which `note` makes of the number and the reason. Without lines, writes only
  /// that line.
  template <class Note>
  void write(std::string_view lines, Note&& note) {
    if (lost_ > 0) {
      const std::string missing = (torn_ ? "\n" : "") + note(lost_, reason());
      if (const std::size_t part = write_all(missing); part < missing.size()) {
        torn_ = torn_ || part > 0;
        count_lost(lines);
        return;
      }
      lost_ = 0;
    }
    const std::size_t written = write_all(lines);
    if (written == lines.size()) {
      error_ = 0;
      torn_ = false;
      return;
    }
    torn_ = written > 0 && lines[written - 1] != '\n';
    count_lost(lines.substr(written));
  }
  /// Returns errno of the latest write; 0 if it succeeded.
  int error() const { return error_; }
  std::string reason() const;
  /// True if the open file has been deleted: no reader can see what is written.
  bool is_deleted() const;

 private:
  std::size_t write_all(std::string_view text);  // the number of bytes; less: error_ says why
  void count_lost(std::string_view lines);

  int fd_ = -1;
  bool regular_ = false;
  std::uint64_t size_bytes_ = 0;
  int error_ = 0;
  bool torn_ = false;  // the latest line was written in part
  std::uint64_t lost_ = 0;
};

}  // namespace sm
