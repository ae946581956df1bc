#include "sm/log/journal_stream.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

// The journal would add the place in the source, which names this file for all lines.
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <sys/stat.h>
#include <sys/uio.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

namespace sm {

bool is_journal_stream(int descriptor, const char* stream) {
  if (stream == nullptr) return false;
  const std::string_view text(stream);
  std::uint64_t device = 0, inode = 0;
  const auto first = std::from_chars(text.data(), text.data() + text.size(), device);
  if (first.ec != std::errc{} || first.ptr == text.data() + text.size() || *first.ptr != ':')
    return false;
  const auto second = std::from_chars(first.ptr + 1, text.data() + text.size(), inode);
  if (second.ec != std::errc{} || second.ptr != text.data() + text.size()) return false;
  struct stat status{};
  return ::fstat(descriptor, &status) == 0 && status.st_dev == device && status.st_ino == inode;
}

bool runs_under_journal() {
  const char* const stream = std::getenv("JOURNAL_STREAM");
  return is_journal_stream(STDERR_FILENO, stream) || is_journal_stream(STDOUT_FILENO, stream);
}

void send_to_journal(const LogLine& line) {
  std::vector<std::string> fields = journal_fields(line);
  std::vector<::iovec> vectors;
  for (std::string& field : fields) vectors.push_back({field.data(), field.size()});
  static_cast<void>(::sd_journal_sendv(vectors.data(), static_cast<int>(vectors.size())));
}

}  // namespace sm
