#include "sm/sweep/decide/adaptive_target.h"

#include <algorithm>
#include <string>

#include "mad/format.h"
#include "sm/sweep/decide/adaptive_settings.h"
#include "sm/sweep/devices/sweep_conditions.h"

namespace sm {
namespace {

constexpr GroupId kGroupMax = 4095;

/// Adds LIDs of vports to the groups of their physical ports; null if there are no such LIDs.
std::shared_ptr<const AdaptiveGroups> with_further_lids(const AdaptiveGroups& groups,
                                                        const Fabric& fabric, const LidMap& lids) {
  std::shared_ptr<AdaptiveGroups> more;
  for (std::size_t number = 1; number < lids.port_of_lid.size(); ++number) {
    const mad::Lid lid{static_cast<std::uint16_t>(number)};
    const PortIndex port = lids.owner(lid);
    if (port == kNoIndex || groups.find_group(lid) != 0) continue;
    const auto end_port = std::ranges::lower_bound(fabric.end_ports, port);
    if (end_port == fabric.end_ports.end() || *end_port != port) continue;
    const auto index = static_cast<std::size_t>(end_port - fabric.end_ports.begin());
    const GroupId group = groups.find_group(lids.of_end_port[EndPortIndex(index)].base);
    if (group == 0) continue;
    if (!more) more = std::make_shared<AdaptiveGroups>(groups);
    more->group_of_lid.resize(std::max(more->group_of_lid.size(), number + 1), 0);
    more->group_of_lid[number] = group;
  }
  return more;
}

std::string named(const Fabric& fabric, SwitchIndex sw) {
  return fabric.name(fabric.switches[sw].node);
}

}  // namespace

void add_adaptive(Target& target, std::shared_ptr<const AdaptiveGroups> groups,
                  const Fabric& fabric, const config::Options& options) {
  target.adaptive = nullptr;
  const AdaptiveSettings settings = adaptive_settings(options);
  if (!groups || !settings.any()) return;
  target.adaptive = with_further_lids(*groups, fabric, target.lids);
  if (!target.adaptive) target.adaptive = std::move(groups);
}

void add_number(GroupIds& ids, mad::Guid guid, GroupId group) {
  if (std::ranges::none_of(ids, [&](const auto& of) { return of.second == group; }))
    ids.emplace(guid, group);
}

GroupIds groups_in_use(const Fabric& fabric, const LidMap& lids, const DeviceState& devices) {
  GroupIds groups;
  for (const SwitchIndex sw : fabric.switches.indices()) {
    const AdaptiveDevice* const device = devices.adaptive.find(fabric, sw);
    if (device == nullptr || !device->is_active()) continue;
    for (std::size_t block = 0; block < device->forms.size(); ++block) {
      if (device->forms[block] == 0) continue;
      const FormBlock& forms = devices.adaptive.blocks.block(device->forms[block]);
      for (std::size_t entry = 0; entry < forms.size(); ++entry) {
        const GroupId group = group_of(forms[entry]);
        if (group == 0) continue;
        const PortIndex port =
            lids.owner(mad::Lid{static_cast<std::uint16_t>(block * forms.size() + entry)});
        if (port == kNoIndex) continue;
        const SwitchIndex leaf = fabric.leaf_switch(port);
        if (leaf != kNoIndex) groups.emplace(fabric.nodes[fabric.switches[leaf].node].guid, group);
      }
    }
  }
  return groups;
}

GroupId group_limit(const Fabric& fabric, const DeviceState& devices) {
  GroupId limit = kGroupMax;
  for (const SwitchIndex sw : fabric.switches.indices())
    if (const AdaptiveDevice* const device = devices.adaptive.find(fabric, sw);
        device != nullptr && device->is_usable())
      limit = std::min(limit, device->group_limit());
  return limit;
}

std::shared_ptr<const AdaptiveRouting> adaptive_routing(const Fabric& fabric,
                                                        const DeviceState& devices,
                                                        const Target& target,
                                                        const config::Options& options) {
  const AdaptiveSettings settings = adaptive_settings(options);
  if (!settings.any()) return nullptr;
  auto routing = std::make_shared<AdaptiveRouting>();
  routing->sl_mask = settings.choose ? settings.sl_mask : std::uint16_t{0};
  routing->transport_mask = settings.transport_mask;
  routing->groups = target.adaptive;
  if (!routing->groups) {
    auto none = std::make_shared<AdaptiveGroups>();
    none->rows.assign(fabric.switches.size(), std::make_shared<const AdaptiveGroups::Row>());
    none->group_to.assign(fabric.switches.size(), GroupId{0});
    routing->groups = std::move(none);
  }
  for (const SwitchIndex sw : fabric.switches.indices()) {
    AdaptiveSwitch& its = routing->switches.emplace_back();
    const AdaptiveDevice* const device = devices.adaptive.find(fabric, sw);
    if (!target.adaptive) continue;
    const mad::Guid guid = fabric.nodes[fabric.switches[sw].node].guid;
    const HeldBlock* const general =
        devices.table.find({.place = {.node = guid},
                            .attribute = mad::AttributeId::general_info,
                            .block = mad::GeneralInfo::kCapabilityMask});
    const bool is_unanswered = device == nullptr && general != nullptr && !general->bytes;
    its.state = is_unanswered && general->failure == Failure::retried ? AdaptiveState::silent
                : is_unanswered && general->failure == Failure::none  ? AdaptiveState::pending
                : device == nullptr                                   ? AdaptiveState::unsupported
                : device->is_usable() && device->is_active()          ? AdaptiveState::active
                : device->obstacle != AdaptiveState::off              ? device->obstacle
                                                                      : AdaptiveState::pending;
    if (device == nullptr) continue;
    its.reason = device->reason;
    if (!device->info) continue;
    its.fast_recovery = device->info->fr_en();
    its.pfrn = device->info->pfrn_en();
    const AdaptiveGroups::Row& row = *target.adaptive->rows[sw];
    its.groups = static_cast<std::uint16_t>(
        std::ranges::count_if(row.set_of, [](std::uint16_t set) { return set != 0; }));
  }
  return routing;
}

std::vector<Condition> adaptive_conditions(const Fabric& fabric, const AdaptiveRouting& routing,
                                           const DeviceTable& table) {
  constexpr std::size_t kNamed = 3;
  std::vector<Condition> conditions;
  for (const auto& [key, held] : table.blocks) {
    const mad::Guid guid = key.place.node;
    const auto node = fabric.node_of_guid.find(guid);
    if (held.failure != Failure::retried || node == fabric.node_of_guid.end() ||
        fabric.nodes[node->second].is_switch() ||
        (!conditions.empty() && conditions.back().guid == guid))
      continue;
    conditions.push_back(
        {.id = kAdaptiveConditions.adaptive_routing_refused,
         .text = fmt::format("switches do not choose among ports for packets to {}: it did not "
                             "answer {}, or rejected it",
                             fabric.name(node->second), mad::name(key.attribute)),
         .guid = guid});
  }
  std::string without;
  std::size_t active = 0, missing = 0;
  for (const SwitchIndex sw : routing.switches.indices()) {
    const AdaptiveSwitch& its = routing.switches[sw];
    if (its.state == AdaptiveState::active) ++active;
    const mad::Guid guid = fabric.nodes[fabric.switches[sw].node].guid;
    if (its.state == AdaptiveState::mismatch)
      conditions.push_back({.id = kAdaptiveConditions.adaptive_routing_mismatch,
                            .text = fmt::format("{} forwards by its forwarding table: {}",
                                                named(fabric, sw), its.reason),
                            .guid = guid});
    if (its.state == AdaptiveState::refused || its.state == AdaptiveState::silent)
      conditions.push_back(
          {.id = kAdaptiveConditions.adaptive_routing_refused,
           .text = fmt::format("{} forwards by its forwarding table: {}", named(fabric, sw),
                               its.reason.empty() ? std::string(text(its.state)) : its.reason),
           .guid = guid});
    if (its.state != AdaptiveState::unsupported) continue;
    if (++missing <= kNamed)
      without += fmt::format("{}{}", without.empty() ? "" : ", ", named(fabric, sw));
  }
  if (missing == 0) return conditions;
  if (missing > kNamed) without += fmt::format(" and {} more", missing - kNamed);
  conditions.push_back({.id = kAdaptiveConditions.adaptive_routing_partial,
                        .text = fmt::format("adaptive routing is on at {} of {} switches; without "
                                            "the capability: {}",
                                            active, routing.switches.size(), without)});
  return conditions;
}

}  // namespace sm
