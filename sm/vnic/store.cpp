#include "sm/vnic/store.h"

#include <fmt/format.h>

#include <optional>
#include <span>
#include <vector>

#include "config/file_reader.h"
#include "config/value.h"
#include "mad/format.h"
#include "sm/store/atomic_file.h"
#include "sm/store/file_version.h"

namespace vnic {
namespace {

constexpr std::string_view kStoreName = "heddle-vnic";
constexpr sm::FileVersion kStoreVersion{1, 0};
constexpr std::size_t kStoreBytesMax = std::size_t{1} << 30;

/// Returns nullopt if the words are not numbers in their ranges.
std::optional<CreatedVnic> read_words(std::span<const std::string_view> words, std::size_t first) {
  const auto number = [&](std::size_t at, std::uint64_t min, std::uint64_t max) {
    const auto value = config::parse_number(words[at]);
    return value && *value >= min && *value <= max ? std::optional(*value) : std::nullopt;
  };
  const auto fabric = number(first, 0, kFabricIdMax), id = number(first + 1, 1, kVeswIdMax),
             vnic = number(first + 2, 1, kVnicNumberMax);
  const auto guid = first == 2 ? number(1, 1, ~std::uint64_t{0}) : std::optional<std::uint64_t>(0);
  if (!fabric || !id || !vnic || !guid) return std::nullopt;
  return CreatedVnic{{*guid},
                     {static_cast<std::uint16_t>(*fabric), static_cast<std::uint16_t>(*id)},
                     static_cast<unsigned>(*vnic)};
}

bool read_line(std::string_view line, Stored& into) {
  const auto words = config::split(line, " ");
  if (words.size() != 5 || (words[0] != "switch" && words[0] != "port")) return false;
  const bool is_switch = words[0] == "switch";
  const auto read = read_words(words, is_switch ? 1 : 2);
  if (!read) return false;
  if (!is_switch) return into.created.insert(*read), true;
  const auto group = config::parse_number(words[4]);
  if (!group || *group > 0xFFFF) return false;
  into.switches[read->key] = {read->vnic, {static_cast<std::uint16_t>(*group)}};
  return true;
}

}  // namespace

tl::expected<Stored, std::string> load_store(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / kStoreFile;
  const auto text = sm::read_file(path, kStoreBytesMax);
  if (!text) return tl::unexpected(text.error());
  Stored stored;
  if (!*text) return stored;
  const std::string_view whole = **text;
  const auto version =
      sm::file_version_after(kStoreName, whole.substr(0, whole.find_first_of('\n')));
  if (!version || version->number != kStoreVersion.number)
    return tl::unexpected(
        fmt::format("{}:1: the file is not of this program, or of another version", path.string()));
  for (const config::Line& line : config::content_lines(whole)) {
    if (line.number == 1 || read_line(line.text, stored) ||
        version->revision > kStoreVersion.revision)
      continue;
    return tl::unexpected(fmt::format("{}:{}: {} is no entry", path.string(), line.number,
                                      config::in_quotes(line.text)));
  }
  return stored;
}

std::string to_text(const Stored& stored) {
  std::string out = fmt::format("{} {}\n", kStoreName, kStoreVersion.text());
  for (const auto& [key, one] : stored.switches)
    fmt::format_to(std::back_inserter(out), "switch {} {} {} {}\n", key.fabric_id, key.vesw_id,
                   one.vnic, one.group);
  for (const CreatedVnic& one : stored.created)
    fmt::format_to(std::back_inserter(out), "port {} {} {} {}\n", one.port, one.key.fabric_id,
                   one.key.vesw_id, one.vnic);
  return out;
}

tl::expected<void, std::string> save_store(const std::filesystem::path& folder,
                                           const Stored& stored) {
  return sm::write_file_atomically(folder / kStoreFile, to_text(stored), true);
}

}  // namespace vnic
