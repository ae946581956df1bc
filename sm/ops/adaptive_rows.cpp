// Rows of switches with their adaptive routing, of their groups, and a summary.

#include <algorithm>

#include "mad/format.h"
#include "sm/ops/rows.h"

namespace sm {

namespace {

using Json = nlohmann::json;
using Answered = nlohmann::ordered_json;

struct AdaptiveSwitchSource {
  const Subnet& subnet;
  SwitchIndex sw;
  NodeIndex node() const { return subnet.fabric.switches[sw].node; }
  AdaptiveSwitch of() const { return adaptive_switch(subnet, sw); }
};
struct AdaptiveGroupSource {
  const Subnet& subnet;
  SwitchIndex sw, to;
  GroupId group() const { return subnet.adaptive->groups->group_to[to]; }
  NodeIndex destination() const { return subnet.fabric.switches[to].node; }
};

/// The summary names this many switches; the others are counted.
constexpr std::size_t kNamedSwitches = 3;

Json ports_json(const PortSet& ports) {
  Json numbers = Json::array();
  for (std::size_t port = 1; port < ports.size(); ++port)
    if (ports[port]) numbers.push_back(port);
  return numbers;
}

Json sls_json(std::uint16_t mask) {
  Json sls = Json::array();
  for (unsigned sl = 0; sl < 16; ++sl)
    if ((mask >> sl & 1) != 0) sls.push_back(sl);
  return sls;
}

Json transports_json(std::uint8_t mask) {
  constexpr std::array<std::string_view, 4> kTransports{"UD", "RC", "UC", "DC"};
  Json names = Json::array();
  for (std::size_t bit = 0; bit < kTransports.size(); ++bit)
    if ((mask >> bit & 1) != 0) names.push_back(kTransports[bit]);
  return names;
}

/// Formats "1, 2, 5".
std::string ports_text(const Answered& row) {
  std::string text;
  for (const Answered& port : row.at("ports")) text += (text.empty() ? "" : ", ") + port.dump();
  return text.empty() ? "-" : text;
}

/// Formats "fast recovery, pFRN".
std::string recovery_text(const Answered& row) {
  std::string text = row.at("fast_recovery").get<bool>() ? "fast recovery" : "";
  if (row.at("pfrn").get<bool>()) text += text.empty() ? "pFRN" : ", pFRN";
  return text.empty() ? "-" : text;
}

constexpr auto kAdaptiveSwitch = std::to_array<Field<AdaptiveSwitchSource>>({
    {{"node_guid", value::kGuid},
     [](auto& of) { return fmt::format("{}", of.subnet.fabric.nodes[of.node()].guid); }},
    {{"description", value::kText},
     [](auto& of) { return of.subnet.fabric.description(of.node()); }},
    {{"state", value::kAdaptiveState,
      "of adaptive routing; active: it chooses among the ports of groups"},
     [](auto& of) { return adaptive_state_name(of.of().state); }},
    {{"reason", value::kText, "why it is not active", true},
     [](auto& of) -> FieldValue {
       const AdaptiveSwitch sw = of.of();
       if (sw.state == AdaptiveState::active) return std::nullopt;
       return std::string(text(sw.state)) + (sw.reason.empty() ? "" : ": " + sw.reason);
     }},
    {{"fast_recovery", value::kBoolean, "a port of the group replaces a static port that is down"},
     [](auto& of) { return of.of().fast_recovery; }},
    {{"pfrn", value::kBoolean, "it notifies its neighbours of paths that are lost"},
     [](auto& of) { return of.of().pfrn; }},
    {{"groups", value::kInteger, "with ports"}, [](auto& of) { return of.of().groups; }},
});

constexpr auto kAdaptiveGroup = std::to_array<Field<AdaptiveGroupSource>>({
    {{"group", value::kInteger, "the same on all switches"}, [](auto& of) { return of.group(); }},
    {{"node_guid", value::kGuid, "of the switch that packets of the group go to"},
     [](auto& of) { return fmt::format("{}", of.subnet.fabric.nodes[of.destination()].guid); }},
    {{"description", value::kText, "of that switch"},
     [](auto& of) { return of.subnet.fabric.description(of.destination()); }},
    {{"ports", value::kIntegers, "output ports that packets to it may leave by"},
     [](auto& of) { return ports_json(of.subnet.adaptive->groups->ports(of.sw, of.group())); }},
});

Json counts_json(const Subnet& subnet) {
  Json states = Json::object();
  for (const std::string_view state : kAdaptiveStates) states[std::string(state)] = 0;
  for (const SwitchIndex sw : subnet.fabric.switches.indices()) {
    Json& count = states[std::string(adaptive_state_name(adaptive_switch(subnet, sw).state))];
    count = count.get<std::size_t>() + 1;
  }
  return states;
}

}  // namespace

std::string_view adaptive_state_name(AdaptiveState state) {
  return kAdaptiveStates[static_cast<std::size_t>(state)];
}

AdaptiveSwitch adaptive_switch(const Subnet& subnet, SwitchIndex sw) {
  const bool is_known = subnet.adaptive && subnet.adaptive->switches.has(sw);
  return is_known ? subnet.adaptive->switches[sw] : AdaptiveSwitch{};
}

RowInfo adaptive_switch_info() {
  return {"AdaptiveSwitch",
          "a switch with its adaptive routing",
          infos_of(kAdaptiveSwitch),
          {{"NodeGUID", "node_guid"},
           {"state", "state"},
           {"groups", "groups"},
           {"recovery", {}, recovery_text},
           {"switch", {}, [](const Answered& row) {
              const std::string reason = field_text(row, "reason");
              return field_text(row, "description") + (reason.empty() ? "" : "; " + reason);
            }}}};
}

RowInfo adaptive_group_info() {
  return {"AdaptiveGroup",
          "a group of ports of a switch",
          infos_of(kAdaptiveGroup),
          {{"group", "group"},
           {"to", "node_guid"},
           {"switch", "description"},
           {"ports", {}, ports_text}}};
}

Json adaptive_switch_row(const Subnet& subnet, SwitchIndex sw) {
  return row_of(kAdaptiveSwitch, AdaptiveSwitchSource{subnet, sw});
}

Json adaptive_group_row(const Subnet& subnet, SwitchIndex sw, SwitchIndex to) {
  return row_of(kAdaptiveGroup, AdaptiveGroupSource{subnet, sw, to});
}

Json adaptive_summary(const Subnet& subnet) {
  if (!subnet.adaptive) return nullptr;
  const AdaptiveRouting& adaptive = *subnet.adaptive;
  Json others = Json::array();
  for (const SwitchIndex sw : subnet.fabric.switches.indices())
    if (others.size() < kNamedSwitches &&
        adaptive_switch(subnet, sw).state != AdaptiveState::active)
      others.push_back(adaptive_switch_row(subnet, sw));
  const auto& to = adaptive.groups->group_to;
  const Json sls = sls_json(adaptive.sl_mask);
  Json summary{{"switches", subnet.fabric.switches.size()},
               {"states", counts_json(subnet)},
               {"not_active", std::move(others)},
               {"groups", to.size() - static_cast<std::size_t>(std::ranges::count(to, GroupId{0}))},
               {"sls", sls},
               {"static_sls", sls_json(static_cast<std::uint16_t>(~adaptive.sl_mask))},
               {"transports", transports_json(adaptive.transport_mask)},
               {"environment", nullptr}};
  if (!sls.empty()) {
    const std::string sl = sls.front().dump();
    summary["environment"] = {
        {"UCX_IB_SL", sl}, {"NCCL_IB_SL", sl}, {"NCCL_IB_ADAPTIVE_ROUTING", "1"}};
  }
  return summary;
}

}  // namespace sm
