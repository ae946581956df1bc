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

/// Lists the switches with most blocks first.
nlohmann::json blocks_json(const Plan& plan, const Fabric& fabric) {
  std::map<NodeIndex, std::size_t> by_node;
  for (const PlannedStage& stage : plan.stages) {
    if (stage.kind != StageKind::forwarding_tables) continue;
    for (const Write& write : stage.writes) ++by_node[fabric.ports[write.port].node];
  }
  std::vector<std::pair<NodeIndex, std::size_t>> most(by_node.begin(), by_node.end());
  // std::ranges::stable_sort is avoided, because its buffer is deprecated.
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
    rows.push_back({{"id", conditions[i].id->name},
                    {"severity", name(find_severity(conditions[i]))},
                    {"text", conditions[i].text}});
  }
  return rows;
}

/// Lists the first of the hosts.
nlohmann::json hosts_json(const WhatIfResult& result) {
  const Fabric& fabric = *result.fabric;
  const std::vector<PortIndex>& hosts = result.cut_off;
  nlohmann::json rows = nlohmann::json::array();
  for (std::size_t i = 0; i < std::min(hosts.size(), kHostsListed); ++i) {
    const NodeIndex node = fabric.ports[hosts[i]].node;
    rows.push_back({{"node_guid", fmt::format("{}", fabric.nodes[node].guid)},
                    {"port_guid", fmt::format("{}", fabric.ports[hosts[i]].guid)},
                    {"description", fabric.description(node)}});
  }
  return {{"all", hosts.size()}, {"hosts", std::move(rows)}};
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

struct PlanSource {
  const WhatIfResult& result;
  const Subnet& subnet;
  const WhatIf& change;
};

constexpr FieldInfo kHosts{"hosts", value::kInteger,
                           "end ports of hosts and routers that a switch is linked to"};

nlohmann::json side_row(const RoutingQuality& quality, const PublishedRouting& routing,
                        std::size_t hosts) {
  nlohmann::json row = quality_row(quality, routing);
  row[std::string(kHosts.name)] = hosts;
  return row;
}

constexpr auto kPlan = std::to_array<Field<PlanSource>>({
    {{"engine", value::kText}, [](auto& of) { return of.result.routing->engine; }},
    {{"before", "PlanSide"},
     [](auto& of) -> FieldValue {
       static const PublishedRouting kNone;
       return side_row(of.result.before, of.subnet.routing ? *of.subnet.routing : kNone,
                       of.result.hosts_before);
     }},
    {{"after", "PlanSide"},
     [](auto& of) { return side_row(of.result.after, *of.result.routing, of.result.hosts_after); }},
    {{"paths", R"({"type":"object","properties":{"changed":{"type":"integer",
"description":"Pairs (host, LID of another) with another path"}}})"},
     [](auto& of) { return nlohmann::json{{"changed", of.result.paths_changed}}; }},
    {{"lids_changed", value::kInteger}, [](auto& of) { return of.result.lids_changed; }},
    {{"writes", R"({"type":"object","properties":{"all":{"type":"integer"},
"stages":{"type":"array","items":{"type":"object","properties":{
"stage":{"type":"string"},"writes":{"type":"integer"}}}}}})"},
     [](auto& of) { return stages_json(of.result.plan); }},
    {{"forwarding_blocks", R"({"type":"object","properties":{"all":{"type":"integer"},
"switches_changed":{"type":"integer"},
"switches":{"type":"array","description":"The first 100, most blocks first","items":{
"type":"object","properties":{"node_guid":{"$ref":"#/components/schemas/Guid"},
"description":{"type":"string"},"blocks":{"type":"integer"}}}}}})"},
     [](auto& of) { return blocks_json(of.result.plan, *of.result.fabric); }},
    {{"hosts_cut_off", R"({"type":"object","properties":{"all":{"type":"integer"},
"hosts":{"type":"array","description":"The first 100","items":{
"type":"object","properties":{"node_guid":{"$ref":"#/components/schemas/Guid"},
"port_guid":{"$ref":"#/components/schemas/Guid"},"description":{"type":"string"}}}}}})",
      "Hosts that no path leads to any more"},
     [](auto& of) { return hosts_json(of.result); }},
    {{"conditions", R"({"type":"object","properties":{
"id":{"type":"string"},"severity":{"type":"string"},"text":{"type":"string"}}}[])"},
     [](auto& of) { return conditions_json(of.result.conditions); }},
    {{"links", R"({"type":"object","properties":{
"load_ab":{"type":"array","items":{"type":"integer"}},
"load_ba":{"type":"array","items":{"type":"integer"}},
"down":{"type":"array","items":{"type":"integer"},"description":"Links that are taken away"}}})",
      "In the order of /v1/topology of the same snapshot", true},
     [](auto& of) -> FieldValue {
       if (!of.change.links) return std::nullopt;
       return links_json(of.result, of.subnet.fabric);
     }},
});

}  // namespace

RowInfo plan_side_info() {
  RowInfo info = quality_info();
  info.fields.push_back(kHosts);
  return info;
}

RowInfo plan_info() { return {"Plan", "a plan", infos_of(kPlan)}; }

nlohmann::json what_if_json(const WhatIfResult& result, const Subnet& subnet,
                            const WhatIf& change) {
  return row_of(kPlan, PlanSource{result, subnet, change});
}

}  // namespace sm::api
