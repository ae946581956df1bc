// Commands about adaptive routing of switches.

#include <algorithm>
#include <array>

#include "config/diagnostic.h"
#include "mad/format.h"
#include "sim/server/console.h"
#include "sim/world/all_choices.h"
#include "sim/world/vendor_features.h"

namespace sim::server {
namespace {

ArSwitch& find_adaptive(Session& s, NodeIndex node) {
  NodeModel& model = s.world.model.nodes[node];
  if (!model.is_switch() || !model.sw->adaptive)
    throw CommandError(fmt::format("\"{}\" has no adaptive routing; `adaptive \"{}\" recovery`",
                                   s.names.id(node), s.names.id(node)));
  return *model.sw->adaptive;
}

void print_adaptive(Session& s, NodeIndex node) {
  const ArSwitch& ar = find_adaptive(s, node);
  s.say("\"{}\": E {}, FREn {}, pFRNEn {}, GroupTop {} of {}, {} SubGroupsActive", s.names.id(node),
        ar.info.enable() ? 1 : 0, ar.info.fr_en() ? 1 : 0, ar.info.pfrn_en() ? 1 : 0,
        ar.info.group_top(), ar.info.group_cap(), ar.info.sub_groups_active());
  for (std::size_t index = 0; index < ar.groups.size(); ++index) {
    std::string ports;
    ar.groups.for_each(index, [&](std::uint8_t port) { ports += fmt::format(" {}", port); });
    if (!ports.empty())
      s.say("  group {} sub-group {}:{}", index / ar.sub_groups(), index % ar.sub_groups(), ports);
  }
  for (const auto& [place, mask] : ar.masks)
    s.say("  group {} without port {} (pFRN)", place.first, place.second);
  const SwitchState& sw = *s.world.model.nodes[node].sw;
  constexpr std::array<std::string_view, 3> kStates{"bounded", "free", "static"};
  std::array<std::size_t, kStates.size()> count{};
  std::size_t plain = 0;
  for (unsigned lid = 1; lid <= sw.info.linear_fdb_top(); ++lid) {
    const auto entry = ar.entry_in_use(lid);
    ++(entry ? count[static_cast<std::size_t>(entry->state)] : plain);
  }
  s.say("  LIDs: {} bounded, {} free, {} static, {} by the LinearForwardingTable", count[0],
        count[1], count[2], plain);
}

void adaptive(Session& s, Arguments& args) {
  const std::vector<NodeIndex> nodes = args.nodes();
  if (args.empty()) {
    for (const NodeIndex node : nodes)
      if (nodes.size() == 1 || (s.world.model.nodes[node].is_switch() &&
                                s.world.model.nodes[node].sw->adaptive != nullptr))
        print_adaptive(s, node);
    return;
  }
  std::vector<std::string_view> kinds{"off"};
  for (const AdaptiveKind& kind : adaptive_kinds()) kinds.push_back(kind.name);
  const std::size_t kind = args.choice("kind", kinds);
  args.finish();
  if (nodes.size() == 1 && !s.world.model.nodes[nodes.front()].is_switch())
    throw CommandError("it is no switch");
  for (const NodeIndex node : nodes) {
    if (kind > 0) {
      enable_adaptive_routing(s.world.model, node, adaptive_kinds()[kind - 1].capabilities());
    } else if (s.world.model.nodes[node].is_switch()) {
      s.world.model.nodes[node].sw->adaptive.reset();
    }
  }
}

void ar_firmware(Session& s, Arguments& args) {
  const std::vector<NodeIndex> nodes = args.nodes();
  std::vector<std::string_view> names(kArFirmwareRows.size());
  std::ranges::transform(kArFirmwareRows, names.begin(), &ArFirmwareRow::name);
  const ArFirmwareRow& row = kArFirmwareRows[args.choice("setting", names)];
  const bool on = args.choice("value", {"off", "on"}) == 1;
  args.finish();
  if (nodes.size() == 1) find_adaptive(s, nodes.front());
  for (const NodeIndex node : nodes) {
    const NodeModel& of = s.world.model.nodes[node];
    if (of.is_switch() && of.sw->adaptive) of.sw->adaptive->firmware.*row.member = on;
  }
}

void ar_fault(Session& s, Arguments& args) {
  ArFaults& faults = find_adaptive(s, args.node()).faults;
  switch (args.choice("fault", {"none", "short-info", "refuses", "silent", "keeps-old", "blocks",
                                "resets-after"})) {
    case 0:
      faults = {};
      break;
    case 1:
      faults.short_info = true;
      break;
    case 2: {
      const auto status =
          static_cast<std::uint16_t>(args.empty() ? 0x1C : args.number("status", 1, 0x7FFF));
      faults.refusals.push_back({.sets_only = true, .status = status});
      break;
    }
    case 3:
      faults.refusals.push_back({});
      break;
    case 4:
      faults.without_effect.insert(
          static_cast<std::uint16_t>(args.number("attribute ID", 0xFF20, 0xFFBD)));
      break;
    case 5:
      faults.blocks = static_cast<ArBlocks>(
          args.choice("place", {"by-modifier", "above-low-byte", "other-tables"}));
      break;
    default:
      faults.sets_until_reset = static_cast<unsigned>(args.number("number of Sets", 1, UINT32_MAX));
  }
  args.finish();
}

void choices(Session& s, Arguments& args) {
  const PortIndex from = args.end_port(), to = args.end_port();
  const mad::Sl sl{static_cast<std::uint8_t>(args.empty() ? 0 : args.number("SL", 0, 15))};
  args.finish();
  const mad::Lid lid = s.world.model.ports[to].info.lid();
  if (lid == mad::Lid{}) throw CommandError(fmt::format("{} has no LID", s.names.port(to)));
  AllChoices all(s.world.model, {.dlid = lid, .sl = sl});
  const Reach reach = all.walk(from);
  s.say("from {} to LID {}, SL {}: packets may cross {} links", s.names.port(from), lid, sl.value,
        all.steps().size() + all.first_hops().size());
  for (const Hop& hop : reach.path)
    s.say("  {} -> {}  VL {}", s.names.port(hop.out), s.names.port(hop.in), hop.vl.value);
  if (reach.delivered())
    return s.say("all choices are delivered to {}; this is the longest path, of {} hops",
                 s.names.port(reach.end), reach.path.size());
  s.say("this choice is dropped at {}: {}", s.names.port(reach.end), name(reach.drop));
}

constexpr Command kAdaptiveCommands[] = {
    {"adaptive", "NODE|all [off|basic|recovery|pfrn]",
     "shows groups of ports and forwarding entries; or gives a switch adaptive routing of a kind, "
     "as after power-on (FREn and pFRNEn can be 1 with the second and the third one)",
     adaptive},
    {"choices", "NODE[PORT] NODE[PORT] [SL]",
     "follows a packet through all ports that switches may choose", choices},
    {"ar-firmware",
     "NODE|all static-ports-stay|lft-set-counts-at-once|unset-blocks-use-lft|static-ports-at-once|"
     "group-top-counts|group-cap-shrinks on|off",
     "what a switch with adaptive routing does where no public source says it (ArFirmware)",
     ar_firmware},
    {"ar-fault",
     "NODE none|short-info|refuses [STATUS]|silent|keeps-old ATTRIBUTE-ID|blocks "
     "PLACE|resets-after "
     "SETS",
     "faults of requests about adaptive routing (ArFaults)", ar_fault},
};

}  // namespace

std::span<const Command> adaptive_commands() { return kAdaptiveCommands; }

}  // namespace sim::server
