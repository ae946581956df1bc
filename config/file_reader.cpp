#include "config/file_reader.h"

#include <cerrno>
#include <cstdio>
#include <memory>

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

}  // namespace config
