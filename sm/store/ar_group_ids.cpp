#include "sm/store/ar_group_ids.h"

#include <optional>
#include <set>
#include <vector>

#include "mad/format.h"
#include "mad/number.h"
#include "sm/store/atomic_file.h"
#include "sm/store/file_version.h"

namespace sm {
namespace {

constexpr std::string_view kGroupsFormat = "# heddle-ar-group-ids";
constexpr FileVersion kGroupsVersion{1};
constexpr std::size_t kGroupsBytesMax = std::size_t{1} << 20;
constexpr fabric::GroupId kGroupMax = 4095;

}  // namespace

std::optional<std::pair<mad::Guid, fabric::GroupId>> parse_group_id(std::string_view line) {
  const std::size_t blank = line.find(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  const auto guid = mad::parse_guid(line.substr(0, blank));
  const auto group = mad::parse_number<fabric::GroupId>(line.substr(blank + 1));
  if (!guid || *guid == mad::Guid{} || !group || *group == 0 || *group > kGroupMax)
    return std::nullopt;
  return std::pair(*guid, *group);
}

tl::expected<GroupIds, std::string> load_group_ids(const std::filesystem::path& folder) {
  const auto text = read_file(folder / kGroupIdsFile, kGroupsBytesMax);
  if (!text) return tl::unexpected(text.error());
  if (!*text) return GroupIds{};
  const std::optional<FileVersion> version = file_version_after(kGroupsFormat, **text);
  if (!version || version->number != kGroupsVersion.number)
    return tl::unexpected(
        fmt::format("{}:1: the version must be {}", kGroupIdsFile, kGroupsVersion.text()));
  GroupIds ids;
  std::set<fabric::GroupId> used;
  std::string_view rest = **text;
  unsigned number = 0;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (++number == 1 || line.empty()) continue;
    const auto record = parse_group_id(line);
    if (!record)
      return tl::unexpected(
          fmt::format("{}:{}:1: a NodeGUID and a number from 1 to {} are expected, such as "
                      "0x0002c90000000001 17",
                      kGroupIdsFile, number, kGroupMax));
    if (!ids.insert(*record).second || !used.insert(record->second).second)
      return tl::unexpected(fmt::format("{}:{}:1: this switch or this number was there before",
                                        kGroupIdsFile, number));
  }
  return ids;
}

std::string to_text(const GroupIds& ids) {
  std::string text = fmt::format(
      "{} {}: the groups of adaptive routing, by NodeGUID of the switch that packets go to\n",
      kGroupsFormat, kGroupsVersion.text());
  for (const auto& [guid, group] : ids) text += fmt::format("{:#018x} {}\n", guid.value, group);
  return text;
}

tl::expected<void, std::string> save_group_ids(const std::filesystem::path& folder,
                                               const GroupIds& ids, bool fsync) {
  return write_file_atomically(folder / kGroupIdsFile, to_text(ids), fsync);
}

}  // namespace sm
