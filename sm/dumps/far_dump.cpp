#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "mad/format.h"
#include "sm/dumps/dumps.h"
#include "sm/store/atomic_file.h"

namespace sm::dumps {

namespace {

void append_groups(std::string& text, const AdaptiveGroups& groups, SwitchIndex sw) {
  const auto to = std::back_inserter(text);
  fmt::format_to(to, "Groups Definition:\n{:<8}{:<12}{:<7}Ports\n{:-<60}\n", "Group", "Sub Group",
                 "WHBF", "");
  std::vector<GroupId> used(groups.group_to.begin(), groups.group_to.end());
  std::ranges::sort(used);
  used.erase(std::ranges::unique(used).begin(), used.end());
  for (const GroupId group : used) {
    const PortSet& ports = groups.ports(sw, group);
    if (group == 0 || ports.none()) continue;
    fmt::format_to(to, "{:<8}{:<12}{:<7}", group, 0, 0);
    for (std::size_t port = 1; port < ports.size(); ++port)
      if (ports[port]) fmt::format_to(to, "{},", port);
    text += '\n';
  }
  text += '\n';
}

void append_entries(std::string& text, const Subnet& subnet, SwitchIndex sw) {
  const auto to = std::back_inserter(text);
  const AdaptiveGroups& groups = *subnet.adaptive->groups;
  const unsigned top = subnet.lids.lid_top.value;
  fmt::format_to(to,
                 "LFT Definition:\nPLFT_NUM: 0, top: {:#06x}\n{:<10}{:<14}{:<12}Group\n{:-<60}\n",
                 top, "LID", "Static Port", "Lid State", "");
  for (unsigned value = 1; value <= top; ++value) {
    const mad::Lid lid{static_cast<std::uint16_t>(value)};
    const GroupId group = groups.find_group(lid);
    const bool has_group = group != 0 && groups.ports(sw, group).any();
    fmt::format_to(to, "{:<#10x}{:<14}{:<12}{}\n", value, subnet.lfts->at(sw, lid).value,
                   has_group && subnet.adaptive->sl_mask != 0 ? "Free" : "Static",
                   has_group ? group : GroupId{0});
  }
  text += '\n';
}

}  // namespace

void write_far(std::ostream& out, const Subnet& subnet) {
  out << "File version: 1\n\n";
  for (const SwitchIndex sw : subnet.fabric.switches.indices()) {
    if (!subnet.adaptive->switches.has(sw) ||
        subnet.adaptive->switches[sw].state != AdaptiveState::active)
      continue;
    const NodeIndex node = subnet.fabric.switches[sw].node;
    std::string text = fmt::format("Switch {:#018x} - {}\n\n", subnet.fabric.nodes[node].guid.value,
                                   subnet.fabric.description(node));
    append_groups(text, *subnet.adaptive->groups, sw);
    append_entries(text, subnet, sw);
    out << text;
  }
}

}  // namespace sm::dumps

namespace sm {

tl::expected<void, std::string> write_far_dump(const config::Options& options,
                                               const Subnet& subnet) {
  if (!options.dump_ar || !subnet.adaptive || !subnet.lfts) return {};
  return write_stream_atomically(
      std::filesystem::path(options.dump_files_dir) / "opensm.far",
      [&subnet](std::ostream& out) { dumps::write_far(out, subnet); }, false);
}

}  // namespace sm
