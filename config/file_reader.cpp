#include "config/file_reader.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "config/value.h"

namespace config {

tl::expected<std::string, std::error_code> read_file(const std::string& path) {
  const auto failure = [] {
    return tl::unexpected(std::error_code(errno, std::generic_category()));
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"),
                                                             &std::fclose);
  if (!file) return failure();
  std::string content;
  char buffer[16384];
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, file.get()))
    content.append(buffer, got);
  if (std::ferror(file.get()) != 0) return failure();
  return content;
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
