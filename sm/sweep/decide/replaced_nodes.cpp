#include "sm/sweep/decide/replaced_nodes.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "mad/format.h"
#include "sm/sweep/devices/sweep_conditions.h"

namespace sm {
namespace {

using Guids = std::vector<mad::Guid>;

bool has_guid(const Guids& guids, std::uint64_t value) {
  return std::ranges::find(guids, mad::Guid{value}) != guids.end();
}

template <class Entries, class Value>
bool names_any(const Entries& entries, const Guids& guids, Value Entries::value_type::* value) {
  return std::ranges::any_of(entries,
                             [&](const auto& entry) { return has_guid(guids, entry.*value); });
}

bool lists_any(const config::GuidList& list, const Guids& guids) {
  return std::ranges::any_of(list, [&](std::uint64_t guid) { return has_guid(guids, guid); });
}

/// True if the text has this number in hexadecimal, with or without leading zeros.
bool contains_guid(std::string_view text, mad::Guid guid) {
  const std::string digits = fmt::format("{:x}", guid.value);
  const auto is_hex = [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; };
  const auto is_same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == b;
  };
  auto from = text.begin();
  while (true) {
    const auto found = std::search(from, text.end(), digits.begin(), digits.end(), is_same);
    if (found == text.end()) return false;
    auto before = found;
    while (before != text.begin() && *(before - 1) == '0') --before;
    const bool begins = before == text.begin() || !is_hex(*(before - 1));
    const auto end = found + static_cast<std::ptrdiff_t>(digits.size());
    if (begins && (end == text.end() || !is_hex(*end))) return true;
    from = found + 1;
  }
}

/// A file of the configuration, by its key, and whether it names one of the GUIDs.
struct GuidFile {
  std::string_view key;
  std::string config::Options::* path;
  bool (*names)(const config::InputFiles& files, const Guids& guids);
};

constexpr std::array kGuidFiles{
    GuidFile{"root_guid_file", &config::Options::root_guid_file,
             [](const config::InputFiles& files, const Guids& guids) {
               return lists_any(files.roots, guids);
             }},
    GuidFile{"cn_guid_file", &config::Options::cn_guid_file,
             [](const config::InputFiles& files, const Guids& guids) {
               return lists_any(files.compute_nodes, guids);
             }},
    GuidFile{"io_guid_file", &config::Options::io_guid_file,
             [](const config::InputFiles& files, const Guids& guids) {
               return lists_any(files.io_nodes, guids);
             }},
    GuidFile{"ids_guid_file", &config::Options::ids_guid_file,
             [](const config::InputFiles& files, const Guids& guids) {
               return names_any(files.node_ids, guids, &config::NodeId::guid);
             }},
    GuidFile{"guid_routing_order_file", &config::Options::guid_routing_order_file,
             [](const config::InputFiles& files, const Guids& guids) {
               return lists_any(files.routing_order, guids);
             }},
    GuidFile{"hop_weights_file", &config::Options::hop_weights_file,
             [](const config::InputFiles& files, const Guids& guids) {
               return names_any(files.hop_weights, guids, &config::HopWeight::switch_guid);
             }},
    GuidFile{"port_search_ordering_file", &config::Options::port_search_ordering_file,
             [](const config::InputFiles& files, const Guids& guids) {
               return names_any(files.port_orders, guids, &config::PortOrder::switch_guid);
             }},
    GuidFile{"port_prof_ignore_file", &config::Options::port_prof_ignore_file,
             [](const config::InputFiles& files, const Guids& guids) {
               return names_any(files.ignored_ports, guids, &config::IgnoredPort::switch_guid);
             }},
    GuidFile{"held_back_sw_file", &config::Options::held_back_sw_file,
             [](const config::InputFiles& files, const Guids& guids) {
               return lists_any(files.held_back, guids);
             }},
    GuidFile{"hm_ports_health_policy_file", &config::Options::hm_ports_health_policy_file,
             [](const config::InputFiles& files, const Guids& guids) {
               return names_any(files.port_health, guids, &config::PortHealth::guid);
             }},
    GuidFile{"topo_config_file", &config::Options::topo_config_file,
             [](const config::InputFiles& files, const Guids& guids) {
               return files.expected_topology.text &&
                      std::ranges::any_of(guids, [&](mad::Guid guid) {
                        return contains_guid(*files.expected_topology.text, guid);
                      });
             }},
    GuidFile{"node_name_map_name", &config::Options::node_name_map_name,
             [](const config::InputFiles& files, const Guids& guids) {
               return names_any(files.node_names, guids, &config::NodeName::node_guid);
             }},
};

std::string partition_text(std::uint16_t key, std::string_view name, std::string_view source) {
  return fmt::format("partition {:#06x}{} of {}", key,
                     name.empty() ? "" : fmt::format(" ({})", name), source);
}

void add_partitions(const SweepContext& context, const Guids& guids,
                    std::vector<std::string>& places) {
  const auto names = [&](const partitions::Member& member) {
    return member.kind == partitions::Member::Kind::guids && member.first == member.last &&
           has_guid(guids, member.first);
  };
  for (const partitions::Definition& definition : context.partitioning.definitions)
    if (std::ranges::any_of(definition.members, names))
      places.push_back(partition_text(definition.key, definition.name, "partition_config_file"));
  if (!context.runtime) return;
  const auto& memberships = context.runtime->of_guid();
  for (const mad::Guid guid : guids) {
    for (auto at = memberships.lower_bound({guid, 0});
         at != memberships.end() && at->first.guid == guid; ++at) {
      const auto* const partition = context.runtime->partitions().find(at->first.key);
      places.push_back(partition_text(
          at->first.key, partition == nullptr ? "" : partition->attributes.name, "the API"));
    }
  }
}

/// Returns "; root_guid_file (...) and topo_config_file (...) name the old one".
std::string named_text(const std::vector<std::string>& places) {
  constexpr std::size_t kShown = 8;
  if (places.empty()) return "; no file names the old one by its GUID";
  const std::size_t shown = std::min(places.size(), kShown), rest = places.size() - shown;
  std::string text = fmt::format("; {}", places.front());
  for (std::size_t at = 1; at < shown; ++at)
    text += (at + 1 == places.size() ? " and " : ", ") + places[at];
  if (rest > 0) text += fmt::format(" and {} more", rest);
  return text + (places.size() == 1 ? " names the old one" : " name the old one");
}

}  // namespace

std::vector<std::string> places_that_name(const SweepContext& context,
                                          const std::vector<mad::Guid>& guids) {
  std::vector<std::string> places;
  for (const GuidFile& file : kGuidFiles)
    if (file.names(context.files, guids))
      places.push_back(fmt::format("{} ({})", file.key, context.options.*file.path));
  if (lists_any(context.options.allowed_sm_guids, guids)) places.emplace_back("allowed_sm_guids");
  add_partitions(context, guids, places);
  return places;
}

std::vector<Condition> replaced_nodes(const SweepContext& context,
                                      const std::map<mad::Guid, Replacement>& replacements) {
  std::vector<Condition> conditions;
  for (const auto& [lost, replacement] : replacements) {
    if (conditions.size() == kReplacedNamed) break;
    Guids guids = replacement.lost_ports;
    guids.push_back(lost);
    const std::vector<std::string> places = places_that_name(context, guids);
    const bool is_harmless = !replacement.is_switch && places.empty();
    conditions.push_back(
        {.id = kSweepConditions.node_replaced,
         .text = fmt::format(
             "{} replaced: {} was replaced by {}, which {}{}",
             replacement.is_switch ? "switch" : "node", replacement.lost_name,
             replacement.successor_name,
             replacement.is_switch
                 ? fmt::format("has {} of its {} links", replacement.links, replacement.before)
                 : "is behind " + replacement.place,
             named_text(places)),
         .guid = replacement.successor,
         .severity = is_harmless ? std::optional(Severity::info) : std::nullopt});
  }
  if (replacements.size() > kReplacedNamed)
    conditions.push_back({.id = kSweepConditions.node_replaced,
                          .text = fmt::format("and {} more nodes were replaced",
                                              replacements.size() - kReplacedNamed)});
  return conditions;
}

}  // namespace sm
