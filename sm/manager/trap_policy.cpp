#include "sm/manager/trap_policy.h"

#include <algorithm>
#include <string>

#include "mad/attributes/router_info.h"
#include "mad/attributes/virtualization.h"
#include "mad/format.h"
#include "sm/conditions/manager_conditions.h"

namespace sm {
namespace {

/// Returns the LID of the port that a notice of a node about itself names.
std::optional<mad::Lid> subject_of(const mad::Notice& notice) {
  if (const auto link = notice.as<mad::LinkStateNotice>()) return link->lid();
  if (const auto error = notice.as<mad::LinkErrorNotice>()) return error->lid();
  if (const auto change = notice.as<mad::LocalChangeNotice>()) return change->lid();
  if (const auto image = notice.as<mad::SystemImageGuidNotice>()) return image->lid();
  if (const auto states = mad::VPortStateNotice::from(notice)) return states->lid();
  if (const auto change = mad::VPortLocalChangeNotice::from(notice)) return change->lid();
  return std::nullopt;
}

/// Each flag causes only its own work; no flag is a reason for a sweep of the fabric.
TrapEffect effect_of_change(const Port& port, const mad::LocalChangeNotice& change) {
  using Change = mad::LocalChangeNotice;
  constexpr std::uint16_t kLinkSettings =
      Change::kLinkWidthEnabled | Change::kLinkSpeedEnabled | Change::kLinkSpeedExtEnabled;
  constexpr std::uint16_t kKnown =
      kLinkSettings | Change::kNodeDescription | Change::kSmPriority | Change::kHierarchyInfo;
  TrapEffect effect{.node = port.info.capability_mask() != change.capability_mask()};
  if (!change.other_local_changes()) return effect;
  const std::uint16_t flags = change.change_flags();
  effect.description = (flags & Change::kNodeDescription) != 0;
  effect.manager = (flags & Change::kSmPriority) != 0;
  // This manager does not read HierarchyInfo. An unknown flag may stand for any change.
  const bool unknown = flags == 0 || (flags & ~kKnown) != 0;
  effect.node = effect.node || (flags & kLinkSettings) != 0 || unknown;
  return effect;
}

bool is_about_sm_priority(const mad::Notice& notice) {
  const auto change = notice.as<mad::LocalChangeNotice>();
  return change && change->other_local_changes() &&
         (change->change_flags() & mad::LocalChangeNotice::kSmPriority) != 0;
}

}  // namespace

TrapEffect effect_of(const Subnet* subnet, PortIndex issuer, const mad::Notice& notice) {
  constexpr std::uint16_t kFirstOfManager = 64, kLastOfManager = 67;
  const auto number = static_cast<std::uint16_t>(notice.trap_number());
  if (notice.is_generic() && number >= kFirstOfManager && number <= kLastOfManager)
    return {.refused_for = "only the subnet manager issues it"};
  if (subnet == nullptr || issuer == kNoIndex)
    return {.light_sweep = true, .survey = subnet != nullptr && is_about_sm_priority(notice)};
  const std::optional<mad::Lid> subject = subject_of(notice);
  if (subject && *subject != mad::Lid{} && subnet->lids.owner(*subject) != issuer)
    return {.refused_for = "it names another port than its issuer"};

  const Fabric& fabric = subnet->fabric;
  const Port& port = fabric.ports[issuer];
  if (notice.as<mad::LinkStateNotice>()) return {.node = true};
  if (const auto change = mad::VPortLocalChangeNotice::from(notice))
    return {.vports = true, .vport = change->vport_index()};
  if (is_about_vports(notice)) return {.vports = true};
  if (mad::RouterChangeNotice::from(notice))
    return {.routers = fabric.owning_node(issuer).type == mad::NodeType::router};
  // Packets to a vport had bad keys: subscribers are notified, nothing has changed.
  if (mad::VPortBadPKeyNotice::from(notice) || mad::VPortBadQKeyNotice::from(notice)) return {};
  if (const auto change = notice.as<mad::LocalChangeNotice>())
    return effect_of_change(port, *change);
  if (const auto image = notice.as<mad::SystemImageGuidNotice>()) {
    return {.node = fabric.nodes[port.node].info.system_image_guid() != image->system_image_guid()};
  }
  return {.light_sweep = true};
}

bool is_about_vports(const mad::Notice& notice) {
  return mad::VPortStateNotice::from(notice) || mad::VPortLocalChangeNotice::from(notice);
}

std::optional<PortIndex> source_of(const Subnet& subnet, PortIndex issuer,
                                   const mad::BadMKeyNotice& notice) {
  if (!notice.dr_notice()) {
    const PortIndex owner = subnet.lids.owner(notice.lid());
    return owner == kNoIndex ? std::nullopt : std::optional(owner);
  }
  // Managers of this subnet do not use directed routes with a LID-routed part.
  const unsigned hops = notice.dr_hop_count();
  if (notice.dr_slid() != mad::kPermissiveLid || hops > mad::BadMKeyNotice::kReturnPathBytes)
    return std::nullopt;
  const Fabric& fabric = subnet.fabric;
  PortIndex at = issuer;
  for (unsigned hop = hops; hop > 0; --hop) {
    const mad::PortNum entry{notice.return_path()[hop - 1]};
    const Node& node = fabric.owning_node(at);
    if (entry.value == 0 || entry.value > node.num_ports) return std::nullopt;
    at = fabric.ports[fabric.port(fabric.ports[at].node, entry)].peer;
    if (at == kNoIndex) return std::nullopt;
  }
  return at;
}

namespace {

/// Formats "\"H1 mlx5_0\" (LID 2)", or "LID 99, which no port has".
std::string end_text(const Subnet& subnet, mad::Lid lid) {
  const PortIndex port = subnet.lids.owner(lid);
  if (port == kNoIndex) return fmt::format("LID {}, which no port has", lid);
  return fmt::format("\"{}\" (LID {})", subnet.fabric.description(subnet.fabric.ports[port].node),
                     lid);
}

/// Formats "\"H1\" (LID 2) to \"H3\" (LID 4)"; a LID of 0 is unknown.
std::string ends_text(const Subnet& subnet, mad::Lid from, mad::Lid to) {
  return fmt::format("{} to {}", from == mad::Lid{} ? "an unknown sender" : end_text(subnet, from),
                     to == mad::Lid{} ? "an unknown receiver" : end_text(subnet, to));
}

/// Returns the port of that number of the issuer's node; nullopt if there is none.
std::optional<PortIndex> port_of_issuer(const Fabric& fabric, PortIndex issuer,
                                        mad::PortNum number) {
  const Node& node = fabric.owning_node(issuer);
  if (number.value > node.num_ports || (number.value == 0 && !node.is_switch()))
    return std::nullopt;
  return fabric.port(fabric.ports[issuer].node, number);
}

Condition key_condition(const Subnet& subnet, PortIndex issuer, const mad::BadKeyNotice& notice) {
  const Fabric& fabric = subnet.fabric;
  const bool is_p_key = notice.trap_number() == mad::TrapNumber::bad_p_key;
  const std::string key = is_p_key ? fmt::format("P_Key {:#06x}", notice.key() & 0xFFFFu)
                                   : fmt::format("Q_Key {:#010x}", notice.key());
  return {.id = is_p_key ? kManagerConditions.p_key_violation : kManagerConditions.q_key_violation,
          .text = fmt::format("{} violation: {}, {}, at {}", is_p_key ? "P_Key" : "Q_Key",
                              ends_text(subnet, notice.lid1(), notice.lid2()), key,
                              fabric.port_name(issuer)),
          .guid = fabric.ports[issuer].guid};
}

/// The switch names its port; an unset field is 0.
Condition switch_condition(const Subnet& subnet, PortIndex issuer,
                           const mad::SwitchBadPKeyNotice& notice) {
  const Fabric& fabric = subnet.fabric;
  const PortIndex at = port_of_issuer(fabric, issuer, notice.port()).value_or(issuer);
  const std::string key =
      notice.p_key() == mad::PKey{} ? "" : fmt::format(", P_Key {:#06x}", notice.p_key().value);
  return {.id = kManagerConditions.p_key_violation,
          .text = fmt::format("P_Key violation: {}{}, at {}",
                              ends_text(subnet, notice.lid1(), notice.lid2()), key,
                              fabric.port_name(at)),
          .guid = fabric.ports[issuer].guid,
          .port = fabric.ports[at].number};
}

std::string_view error_text(mad::TrapNumber trap) {
  switch (trap) {
    case mad::TrapNumber::local_link_integrity:
      return "local link integrity errors";
    case mad::TrapNumber::excessive_buffer_overrun:
      return "excessive buffer overruns";
    default:
      return "the flow control watchdog expired";
  }
}

Condition link_condition(const Subnet& subnet, PortIndex issuer,
                         const mad::LinkErrorNotice& notice) {
  const Fabric& fabric = subnet.fabric;
  const PortIndex at = port_of_issuer(fabric, issuer, notice.port()).value_or(issuer);
  const PortIndex peer = fabric.ports[at].peer;
  return {.id = kManagerConditions.link_integrity,
          .text = fmt::format(
              "link errors: {}: {} (trap {}){}", fabric.port_name(at),
              error_text(notice.trap_number()), static_cast<unsigned>(notice.trap_number()),
              peer == kNoIndex ? "" : "; the other end is " + fabric.port_name(peer)),
          .guid = fabric.ports[issuer].guid,
          .port = fabric.ports[at].number};
}

}  // namespace

std::optional<Condition> trap_condition(const Subnet& subnet, PortIndex issuer,
                                        const mad::Notice& notice) {
  if (const auto key = notice.as<mad::BadKeyNotice>()) return key_condition(subnet, issuer, *key);
  if (const auto key = notice.as<mad::SwitchBadPKeyNotice>())
    return switch_condition(subnet, issuer, *key);
  if (const auto error = notice.as<mad::LinkErrorNotice>())
    return link_condition(subnet, issuer, *error);
  return std::nullopt;
}

std::vector<PKeyCheck> p_key_checks(const Subnet& subnet, PortIndex issuer,
                                    const mad::Notice& notice) {
  const Fabric& fabric = subnet.fabric;
  std::vector<PKeyCheck> checks;
  const auto add = [&](PortIndex port) {
    if (port == kNoIndex || !fabric.is_end_port(port)) return;
    const PKeyCheck check{.port = fabric.ports[port].guid};
    if (std::ranges::find(checks, check.port, &PKeyCheck::port) == checks.end())
      checks.push_back(check);
  };
  const auto add_ends = [&](mad::Lid from, mad::Lid to) {
    add(subnet.lids.owner(from));
    add(subnet.lids.owner(to));
  };
  if (const auto vport = mad::VPortBadPKeyNotice::from(notice)) {
    checks.push_back({.port = fabric.ports[issuer].guid, .vport = vport->vport_index()});
    add_ends(vport->lid1(), vport->lid2());
  } else if (const auto at_switch = notice.as<mad::SwitchBadPKeyNotice>()) {
    // The table of a switch port goes with that of the end port behind it.
    const PortIndex at = port_of_issuer(fabric, issuer, at_switch->port()).value_or(issuer);
    add(fabric.is_end_port(at) ? at : fabric.ports[at].peer);
    add_ends(at_switch->lid1(), at_switch->lid2());
  } else if (const auto at_end = notice.as<mad::BadKeyNotice>();
             at_end && at_end->trap_number() == mad::TrapNumber::bad_p_key) {
    add(issuer);
    add_ends(at_end->lid1(), at_end->lid2());
  }
  return checks;
}

bool is_key_violation(const mad::Notice& notice) {
  return notice.as<mad::BadKeyNotice>() || notice.as<mad::SwitchBadPKeyNotice>();
}

}  // namespace sm
