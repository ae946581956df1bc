#include "sm/ctl/plan_text.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "mad/attribute_rows.h"
#include "mad/format.h"
#include "routing/graph/in_tree.h"
#include "sm/ctl/lists_text.h"
#include "sm/ops/rows.h"

namespace sm::ctl {

namespace {

constexpr std::size_t kLinesMax = 10;

std::size_t blocks_changed(const ForwardingTables& before, const ForwardingTables& after,
                           SwitchIndex sw) {
  std::size_t changed = 0;
  for (std::size_t block = 0; block < after.blocks(); ++block) {
    changed += block >= before.blocks() ||
                       !std::ranges::equal(before.block(sw, block), after.block(sw, block))
                   ? 1u
                   : 0u;
  }
  return changed;
}

/// Describes the path of a packet from a switch: lost, or by which switches.
struct SwitchPath {
  bool arrives = false;
  std::vector<ChannelIndex> slots;
  bool operator==(const SwitchPath&) const = default;
};

SwitchPath path_from(const routing::InTree& tree, const SwitchGraph& graph, SwitchIndex from,
                     SwitchIndex last_switch) {
  SwitchPath path{.arrives = tree.arrives(from), .slots = {}};
  for (SwitchIndex sw = from; path.arrives && sw != last_switch;
       sw = graph.neighbour[path.slots.back()])
    path.slots.push_back(tree.channel(sw));
  return path;
}

std::string switch_path_text(const SwitchPath& path, const Fabric& fabric,
                             const SwitchGraph& graph) {
  if (!path.arrives) return "lost";
  if (path.slots.empty()) return "on one switch";
  std::string out;
  for (const ChannelIndex slot : path.slots) {
    const SwitchIndex to = graph.neighbour[slot];
    fmt::format_to(std::back_inserter(out), "{}out {} to {}", out.empty() ? "" : ", ",
                   graph.port[slot].value, fabric.description(fabric.switches[to].node));
  }
  return out;
}

/// Collects the first paths between hosts that change, and counts the pairs that are lost or found.
class PathChanges {
 public:
  PathChanges(const Fabric& fabric, const SwitchGraph& graph, const LidMap& lids,
              const ForwardingTables& before, const ForwardingTables& after, std::size_t named)
      : fabric_(fabric),
        graph_(graph),
        named_(named),
        hosts_(graph.switches()),
        first_host_(graph.switches(), kNoIndex) {
    for (const SwitchGraph::EndPort& end : graph.end_ports) {
      if (end.out == mad::PortNum{0}) continue;
      ++hosts_[end.sw];
      if (first_host_[end.sw] == kNoIndex) first_host_[end.sw] = end.port;
    }
    routing::InTree old_tree(graph, before), new_tree(graph, after);
    for (const EndPortIndex i : fabric.end_ports.indices())
      ranges_by_port_.emplace_back(fabric.end_ports[i], lids.of_end_port[i]);
    std::ranges::sort(ranges_by_port_, {}, &std::pair<PortIndex, LidMap::Range>::first);
    for (const SwitchGraph::EndPort& to : graph.end_ports) {
      if (to.out == mad::PortNum{0}) continue;
      const auto range = std::ranges::lower_bound(ranges_by_port_, to.port, {},
                                                  &std::pair<PortIndex, LidMap::Range>::first)
                             ->second;
      for (unsigned k = 0; k < range.count(); ++k) {
        const mad::Lid lid{static_cast<std::uint16_t>(range.base.value + k)};
        old_tree.trace(lid, to.sw, to.out);
        new_tree.trace(lid, to.sw, to.out);
        for (const SwitchIndex from : graph.all_switches()) {
          if (hosts_[from] > 0) compare(old_tree, new_tree, from, to, lid);
        }
      }
    }
  }

  std::uint64_t lost = 0, found = 0;
  std::vector<PlannedPath> paths;

 private:
  void compare(const routing::InTree& old_tree, const routing::InTree& new_tree, SwitchIndex from,
               const SwitchGraph::EndPort& to, mad::Lid lid) {
    const std::uint64_t pairs = hosts_[from] - (from == to.sw ? 1u : 0u);
    if (old_tree.arrives(from) && !new_tree.arrives(from)) lost += pairs;
    if (!old_tree.arrives(from) && new_tree.arrives(from)) found += pairs;
    if (named_ == 0) return;
    const SwitchPath before = path_from(old_tree, graph_, from, to.sw),
                     after = path_from(new_tree, graph_, from, to.sw);
    if (before == after) return;
    --named_;
    paths.push_back({first_host_[from], to.port, lid, switch_path_text(before, fabric_, graph_),
                     switch_path_text(after, fabric_, graph_)});
  }

  const Fabric& fabric_;
  const SwitchGraph& graph_;
  std::size_t named_;
  std::vector<std::uint64_t> hosts_;
  std::vector<PortIndex> first_host_;
  std::vector<std::pair<PortIndex, LidMap::Range>> ranges_by_port_;
};

std::string changes_text(const std::vector<mad::FieldChange>& changes) {
  std::string out;
  for (const mad::FieldChange& change : changes)
    fmt::format_to(std::back_inserter(out), ", {} {} -> {}", change.name, change.before,
                   change.after);
  return out;
}

/// Returns `"leaf-3" port 7: PortInfo, NeighborMTU 4 -> 5`.
std::string write_text(const Fabric& fabric, const Write& write) {
  const mad::AttributeRow& row = mad::attribute_row(write.attribute);
  const bool is_of_port = row.is_of_end_port();
  const std::string text = fmt::format(
      "{}: {}",
      is_of_port ? fabric.port_name(write.port) : fabric.name(fabric.ports[write.port].node),
      mad::name(write.attribute));
  if (row.names_fields) {
    if (const auto before = fabric.attribute(write.attribute, write.port))
      return text + changes_text(mad::diff(row.fields, *before, predicted_response(fabric, write)));
  }
  return is_of_port ? fmt::format("{} block {}", text, write.modifier & 0xFFFFu)
                    : fmt::format("{} modifier {:#x}", text, write.modifier);
}

}  // namespace

std::vector<LidChange> find_lid_changes(const Fabric& fabric, const LidMap& lids) {
  std::vector<LidChange> changes;
  for (const EndPortIndex i : fabric.end_ports.indices()) {
    const Port& port = fabric.ports[fabric.end_ports[i]];
    const LidMap::Range& range = lids.of_end_port[i];
    if (port.info.lid() != range.base || (range.count() != 0 && port.info.lmc() != range.lmc))
      changes.push_back({fabric.end_ports[i], port.info.lid(), range.base});
  }
  return changes;
}

std::string lid_changes_text(const Fabric& fabric, const std::vector<LidChange>& changes) {
  std::string out = fmt::format("LIDs: {} of {} end ports would get another LID\n", changes.size(),
                                fabric.end_ports.size());
  for (std::size_t i = 0; i < std::min(changes.size(), kLinesMax); ++i)
    fmt::format_to(std::back_inserter(out), "  {}: {} -> {}\n", fabric.port_name(changes[i].port),
                   changes[i].before.value, changes[i].after.value);
  if (changes.size() > kLinesMax)
    fmt::format_to(std::back_inserter(out), "  and {} more\n", changes.size() - kLinesMax);
  return out;
}

TablesPlanned compare_tables(const Fabric& fabric, const SwitchGraph& graph, const LidMap& lids,
                             const ForwardingTables* before, const ForwardingTables& after,
                             std::size_t paths_named, std::uint64_t cut_off) {
  TablesPlanned planned{.switches = after.switches(), .blocks_each = after.blocks()};
  if (before == nullptr) return planned;
  planned.changes = routing::table_changes(graph, lids, *before, after);
  for (const SwitchIndex sw : graph.all_switches()) {
    if (const std::size_t blocks = blocks_changed(*before, after, sw); blocks > 0)
      planned.by_switch.emplace_back(blocks, sw);
  }
  std::ranges::sort(planned.by_switch, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  PathChanges changes(fabric, graph, lids, *before, after, paths_named);
  planned.lost = changes.lost + cut_off;
  planned.found = changes.found;
  planned.paths = std::move(changes.paths);
  return planned;
}

std::string table_changes_text(const Fabric& fabric, const TablesPlanned& planned) {
  if (!planned.changes)
    return fmt::format("forwarding tables: nothing is known of them; {} would get {} each\n",
                       counted(planned.switches, "switch"), counted(planned.blocks_each, "block"));
  std::string out =
      fmt::format("forwarding tables: {} {} in {} would change\n", planned.changes->entries,
                  planned.changes->entries == 1 ? "entry" : "entries",
                  counted(planned.changes->blocks, "block"));
  const auto& by_switch = planned.by_switch;
  for (std::size_t i = 0; i < std::min(by_switch.size(), kLinesMax); ++i) {
    fmt::format_to(std::back_inserter(out), "  {}: {} of {} blocks\n",
                   fabric.name(fabric.switches[by_switch[i].second].node), by_switch[i].first,
                   planned.blocks_each);
  }
  if (by_switch.size() > kLinesMax)
    fmt::format_to(std::back_inserter(out), "  and {} more\n",
                   counted(by_switch.size() - kLinesMax, "switch"));
  fmt::format_to(std::back_inserter(out),
                 "paths between hosts: {} would change; {} would be lost, {} found\n",
                 planned.changes->paths, planned.lost, planned.found);
  for (const PlannedPath& path : planned.paths)
    fmt::format_to(std::back_inserter(out), "  {} to {} LID {}:\n    now  {}\n    then {}\n",
                   fabric.port_name(path.from), fabric.port_name(path.to), path.lid.value, path.now,
                   path.then);
  return out;
}

nlohmann::ordered_json lid_changes_json(const Fabric& fabric,
                                        const std::vector<LidChange>& changes) {
  auto rows = nlohmann::ordered_json::array();
  for (const LidChange& change : changes) {
    nlohmann::ordered_json row = end_row(fabric, change.port);
    row["lid_before"] = change.before.value;
    row["lid"] = change.after.value;
    rows.push_back(std::move(row));
  }
  return rows;
}

nlohmann::ordered_json table_changes_json(const Fabric& fabric, const TablesPlanned& planned) {
  nlohmann::ordered_json out;
  if (!planned.changes) {
    out["forwarding_blocks"] = {{"all", planned.switches * planned.blocks_each},
                                {"switches_changed", planned.switches}};
    out["paths"] = nullptr;
    return out;
  }
  auto switches = nlohmann::ordered_json::array();
  for (const auto& [blocks, sw] : planned.by_switch) {
    const NodeIndex node = fabric.switches[sw].node;
    switches.push_back({{"node_guid", fmt::format("{}", fabric.nodes[node].guid)},
                        {"description", fabric.description(node)},
                        {"blocks", blocks}});
  }
  out["forwarding_blocks"] = {{"all", planned.changes->blocks},
                              {"entries", planned.changes->entries},
                              {"switches_changed", planned.by_switch.size()},
                              {"switches", std::move(switches)}};
  auto named = nlohmann::ordered_json::array();
  for (const PlannedPath& path : planned.paths)
    named.push_back({{"from", end_row(fabric, path.from)},
                     {"to", end_row(fabric, path.to)},
                     {"lid", path.lid.value},
                     {"now", path.now},
                     {"then", path.then}});
  out["paths"] = {{"changed", planned.changes->paths},
                  {"lost", planned.lost},
                  {"found", planned.found},
                  {"named", std::move(named)}};
  return out;
}

nlohmann::ordered_json writes_json(const Fabric& fabric, const Plan& plan, std::size_t named) {
  auto stages = nlohmann::ordered_json::array();
  for (const PlannedStage& stage : plan.stages) {
    nlohmann::ordered_json row{{"stage", text(stage.kind)}, {"writes", stage.writes.size()}};
    const std::size_t shown = std::min(named, stage.writes.size());
    for (std::size_t i = 0; i < shown; ++i)
      row["named"].push_back(write_text(fabric, stage.writes[i]));
    stages.push_back(std::move(row));
  }
  return {{"all", plan.writes()}, {"stages", std::move(stages)}};
}

std::string writes_text(const Fabric& fabric, const Plan& plan, std::size_t named) {
  if (plan.stages.empty()) return "writes: none\n";
  std::string out = fmt::format("writes: {}, in this order\n", plan.writes());
  for (const PlannedStage& stage : plan.stages) {
    fmt::format_to(std::back_inserter(out), "  {} {}\n", stage.writes.size(), text(stage.kind));
    const std::size_t shown = std::min(named, stage.writes.size());
    for (std::size_t i = 0; i < shown; ++i)
      fmt::format_to(std::back_inserter(out), "    {}\n", write_text(fabric, stage.writes[i]));
    if (named > 0 && shown < stage.writes.size())
      fmt::format_to(std::back_inserter(out), "    and {} more\n", stage.writes.size() - shown);
  }
  return out;
}

}  // namespace sm::ctl
