#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "mad/format.h"
#include "sm/ops/api/routing_rows.h"
#include "sm/ops/api/topology_json.h"
#include "sm/ops/api/what_if.h"

namespace sm::api {

namespace {

constexpr std::size_t kSwitchesListed = 100, kConditionsListed = 200, kHostsListed = 100;

nlohmann::json stages_json(const Plan& plan) {
  nlohmann::json stages = nlohmann::json::array();
  for (const PlannedStage& stage : plan.stages)
    stages.push_back({{"stage", text(stage.kind)}, {"writes", stage.writes.size()}});
  return {{"all", plan.writes()}, {"stages", std::move(stages)}};
}

/// The switches with most blocks first.
nlohmann::json blocks_json(const Plan& plan, const Fabric& fabric) {
  std::map<NodeIndex, std::size_t> by_node;
  for (const PlannedStage& stage : plan.stages) {
    if (stage.kind != StageKind::forwarding_tables) continue;
    for (const Write& write : stage.writes) ++by_node[fabric.ports[write.port].node];
  }
  std::vector<std::pair<NodeIndex, std::size_t>> most(by_node.begin(), by_node.end());
  // Not std::ranges::stable_sort, whose buffer is deprecated.
  std::ranges::sort(most, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  nlohmann::json switches = nlohmann::json::array();
  for (std::size_t i = 0; i < std::min(most.size(), kSwitchesListed); ++i)
    switches.push_back({{"node_guid", fmt::format("{}", fabric.nodes[most[i].first].guid)},
                        {"description", fabric.description(most[i].first)},
                        {"blocks", most[i].second}});
  return {{"all", plan.writes(StageKind::forwarding_tables)},
          {"switches_changed", most.size()},
          {"switches", std::move(switches)}};
}

nlohmann::json conditions_json(const std::vector<Condition>& conditions) {
  nlohmann::json rows = nlohmann::json::array();
  for (std::size_t i = 0; i < std::min(conditions.size(), kConditionsListed); ++i) {
    rows.push_back({{"id", find_kind(conditions[i].id).name},
                    {"severity", name(find_severity(conditions[i]))},
                    {"text", conditions[i].text}});
  }
  return rows;
}

/// The first of them.
nlohmann::json hosts_json(const Fabric& fabric, const std::vector<PortIndex>& hosts) {
  nlohmann::json rows = nlohmann::json::array();
  for (std::size_t i = 0; i < std::min(hosts.size(), kHostsListed); ++i) {
    const NodeIndex node = fabric.ports[hosts[i]].node;
    rows.push_back({{"node_guid", fmt::format("{}", fabric.nodes[node].guid)},
                    {"port_guid", fmt::format("{}", fabric.ports[hosts[i]].guid)},
                    {"description", fabric.description(node)}});
  }
  return rows;
}

nlohmann::json links_json(const WhatIfResult& result, const Fabric& before) {
  nlohmann::json load_ab = nlohmann::json::array(), load_ba = nlohmann::json::array(),
                 down = nlohmann::json::array();
  const std::vector<PortIndex> links = links_in_order(before);
  for (std::size_t i = 0; i < links.size(); ++i) {
    const PortIndex far = before.ports[links[i]].peer;
    load_ab.push_back(result.after.by_port[links[i]]);
    load_ba.push_back(result.after.by_port[far]);
    if (before.is_link_up(links[i]) && !result.fabric->is_link_up(links[i])) down.push_back(i);
  }
  return {
      {"load_ab", std::move(load_ab)}, {"load_ba", std::move(load_ba)}, {"down", std::move(down)}};
}

}  // namespace

nlohmann::json what_if_json(const WhatIfResult& result, const Subnet& subnet,
                            const WhatIf& change) {
  static const PublishedRouting kNone;
  nlohmann::json body{
      {"engine", result.routing->engine},
      {"before", quality_row(result.before, subnet.routing ? *subnet.routing : kNone)},
      {"after", quality_row(result.after, *result.routing)},
      {"paths", {{"changed", result.paths_changed}}},
      {"lids_changed", result.lids_changed},
      {"writes", stages_json(result.plan)},
      {"forwarding_blocks", blocks_json(result.plan, *result.fabric)},
      {"conditions", conditions_json(result.conditions)}};
  body["before"]["hosts"] = result.hosts_before;
  body["after"]["hosts"] = result.hosts_after;
  body["hosts_cut_off"] = {{"all", result.cut_off.size()},
                           {"hosts", hosts_json(*result.fabric, result.cut_off)}};
  if (change.links) body["links"] = links_json(result, subnet.fabric);
  return body;
}

}  // namespace sm::api
