#include "sm/store/file_version.h"

#include "mad/format.h"
#include "mad/number.h"

namespace sm {
namespace {}  // namespace

std::string FileVersion::text() const {
  return revision == 0 ? fmt::format("{}", number) : fmt::format("{}.{}", number, revision);
}

std::optional<FileVersion> parse_file_version(std::string_view text) {
  const std::size_t dot = text.find('.');
  const auto number = mad::parse_number<unsigned>(text.substr(0, dot));
  if (!number) return std::nullopt;
  if (dot == std::string_view::npos) return FileVersion{.number = *number};
  const auto revision = mad::parse_number<unsigned>(text.substr(dot + 1));
  if (!revision) return std::nullopt;
  return FileVersion{.number = *number, .revision = *revision};
}

std::optional<FileVersion> file_version_after(std::string_view name, std::string_view line) {
  if (!line.starts_with(name)) return std::nullopt;
  line.remove_prefix(name.size());
  if (!line.starts_with(' ')) return std::nullopt;
  line.remove_prefix(1);
  return parse_file_version(line.substr(0, line.find_first_of(" :\r\n")));
}

}  // namespace sm
