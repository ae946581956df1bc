#include "config/file_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "config/text_encoding.h"
#include "config/value.h"

namespace config {

namespace {

constexpr std::size_t kBytesMax = std::size_t{4} << 30;
// A compressed file may be longer when it is read.
constexpr std::size_t kDecodedBytesMax = std::size_t{1} << 30;

enum class ReadFault : std::uint8_t { not_regular = 1, too_long };

/// Describes what errno has no value for.
class ReadFaults final : public std::error_category {
 public:
  const char* name() const noexcept override { return "read_file"; }
  std::string message(int fault) const override {
    return static_cast<ReadFault>(fault) == ReadFault::not_regular
               ? "Not a regular file"
               : fmt::format("Longer than {} bytes", kBytesMax);
  }
};

std::error_code make_error(ReadFault fault) {
  static const ReadFaults faults;
  return {static_cast<int>(fault), faults};
}

tl::expected<std::string, std::error_code> read_regular(int descriptor) {
  const auto failure = [] {
    return tl::unexpected(std::error_code(errno, std::generic_category()));
  };
  struct stat status{};
  if (::fstat(descriptor, &status) != 0) return failure();
  if (S_ISDIR(status.st_mode)) return tl::unexpected(make_error_code(std::errc::is_a_directory));
  if (!S_ISREG(status.st_mode)) return tl::unexpected(make_error(ReadFault::not_regular));
  if (static_cast<std::uint64_t>(status.st_size) > kBytesMax)
    return tl::unexpected(make_error(ReadFault::too_long));
  std::string content;
  char buffer[16384];
  for (;;) {
    const ssize_t got = ::read(descriptor, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure();
    if (got == 0) return content;
    content.append(buffer, static_cast<std::size_t>(got));
    if (content.size() > kBytesMax) return tl::unexpected(make_error(ReadFault::too_long));
  }
}

}  // namespace

tl::expected<std::string, std::error_code> read_file(const std::string& path) {
  // O_NONBLOCK keeps open() of a FIFO from waiting for a writer before it is rejected.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return tl::unexpected(std::error_code(errno, std::generic_category()));
  auto content = read_regular(descriptor);
  ::close(descriptor);
  if (!content) return content;
  const std::size_t most = std::max(content->size(), kDecodedBytesMax);
  return decode_text(std::move(*content), most);
}

std::string secret_file_fault(const std::string& path, bool group_may_read) {
  struct stat file{};
  if (stat(path.c_str(), &file) != 0)
    return fmt::format("cannot be read: {}", std::strerror(errno));
  if (!S_ISREG(file.st_mode)) return "is not a file";
  if ((file.st_mode & (group_may_read ? 037 : 077)) == 0) return "";
  return fmt::format("others than its owner{} may access it (mode {:04o}); chmod 0600",
                     group_may_read ? " and group" : "", unsigned{file.st_mode & 0777});
}

std::vector<Line> content_lines(std::string_view text) {
  std::vector<Line> lines;
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view whole = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(whole.size() + 1, text.size()));
    const std::string_view content = trim(whole.substr(0, whole.find('#')));
    if (!content.empty()) lines.push_back({number, whole, content});
  }
  return lines;
}

}  // namespace config
