#include "sm/store/fallback_mark.h"

#include <algorithm>
#include <optional>

#include "mad/format.h"
#include "sm/store/atomic_file.h"
#include "sm/store/file_version.h"

namespace sm {

namespace {
constexpr std::string_view kFormat = "# heddle-routing-fallback";
constexpr FileVersion kVersion{1};
constexpr std::size_t kBytesMax = 4096;
}  // namespace

tl::expected<std::string, std::string> load_fallback_mark(const std::filesystem::path& folder) {
  const auto text = read_file(folder / kFallbackFile, kBytesMax);
  if (!text) return tl::unexpected(text.error());
  if (!*text) return std::string();
  const std::optional<FileVersion> version = file_version_after(kFormat, **text);
  if (!version || version->number != kVersion.number)
    return tl::unexpected(
        fmt::format("{}:1: the version must be {}", kFallbackFile, kVersion.text()));
  const std::size_t line = std::min((*text)->find('\n'), (*text)->size() - 1) + 1;
  return (*text)->substr(line, (*text)->find('\n', line) - line);
}

tl::expected<void, std::string> save_fallback_mark(const std::filesystem::path& folder,
                                                   std::string_view engine, bool fsync) {
  return write_file_atomically(
      folder / kFallbackFile,
      fmt::format("{} {}: the engine that wrote the tables in place of the configured one\n{}\n",
                  kFormat, kVersion.text(), engine),
      fsync);
}

}  // namespace sm
