#include "sm/ops/api/what_if.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "config/engine_names.h"
#include "config/schema.h"
#include "config/value.h"
#include "mad/format.h"
#include "partitions/load.h"
#include "partitions/membership.h"
#include "routing/qos/vl_targets.h"
#include "sm/ops/api/body.h"
#include "sm/ops/api/parameters.h"
#include "sm/ops/cut_off.h"
#include "sm/sweep/decide/decide.h"
#include "sm/sweep/decide/engine_options.h"
#include "virt/vport_lids.h"

namespace sm::api {

namespace {

using Fault = tl::unexpected<web::Response>;

Fault wrong(std::string_view pointer, std::string_view what, std::string_view remedy) {
  return Fault(web::problem(422, what, remedy, pointer));
}

/// Returns the configuration with the replacements of the change.
tl::expected<SweepContext, web::Response> changed_context(const SweepContext& context,
                                                          const WhatIf& change) {
  SweepContext changed = context;
  changed.options.reassign_lids = false;  // that is for a daemon's start: this is one that runs
  // opensm.conf may name an engine that does not exist, which is left out; here it is an error.
  for (const std::string& name : change.routing_engine)
    if (std::ranges::find(config::built_engines(), name) == config::built_engines().end())
      return wrong("/routing_engine",
                   fmt::format("routing engine '{}' {}", name, config::why_not_built(name)),
                   config::engine_remedy(name));
  if (!change.routing_engine.empty()) {
    const std::string names = fmt::format("{},no_fallback", fmt::join(change.routing_engine, ","));
    if (const auto fault =
            config::assign(*config::find_key("routing_engine"), names, changed.options);
        fault && fault->severity == config::Severity::error)
      return wrong("/routing_engine", fault->what, fault->remedy);
  }
  if (change.partitions) {
    config::Diagnostics findings;
    changed.partitioning =
        partitions::parse_partitions_conf({"partitions", *change.partitions}, findings);
    const auto error =
        std::ranges::find(findings, config::Severity::error, &config::Diagnostic::severity);
    if (error != findings.end())
      return wrong("/partitions", error->text(), "what partitions.conf may have: opensm.conf(5)");
  }
  return changed;
}

/// Returns the state of devices that the published subnet shows.
DeviceState device_state(const Subnet& subnet, const Fabric& fabric) {
  DeviceState devices;
  devices.lfts.update_from(fabric);
  devices.lfts.adopt(std::make_shared<ForwardingTables>(*subnet.lfts));
  devices.mfts.update_from(fabric);
  if (subnet.vl_tables) devices.vl_tables = *subnet.vl_tables;
  devices.vl_tables.update_from(fabric);
  return devices;
}

/// Decides members and tables of physical ports and of the vports that are served.
PartitionDecision partitions_with_vports(const SweepContext& context, const Fabric& fabric,
                                         const VPorts* vports) {
  std::vector<mad::Guid> guids;
  std::vector<PortIndex> ports;
  for (std::size_t i = 0; vports != nullptr && i < vports->vports.size(); ++i) {
    const VPort& vport = vports->vports[VPortIndex(i)];
    if (vport.index == 0 || !vport.is_served()) continue;  // index 0 is the physical port
    guids.push_back(vport.guid);
    ports.push_back(vport.port);
  }
  PartitionDecision decision;
  decision.map = partitions::partition_map(context.partitioning, fabric, context.options, guids,
                                           context.runtime.get(), context.kept.get());
  partitions::VPortKeys keys;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const auto of = decision.map.get_keys(EndPortIndex(fabric.end_ports.size() + i));
    partitions::add_vport_keys(keys, ports[i], guids[i], of, context.runtime.get());
  }
  decision.p_keys =
      partitions::p_key_targets(fabric, decision.map, context.options, keys, context.runtime.get());
  return decision;
}

std::size_t list_hosts(const SwitchGraph& graph) {
  return static_cast<std::size_t>(std::ranges::count_if(
      graph.end_ports, [](const SwitchGraph::EndPort& end) { return end.out.value != 0; }));
}

std::size_t changed_lids(const Fabric& fabric, const LidMap& lids) {
  std::size_t changed = 0;
  for (const EndPortIndex i : fabric.end_ports.indices()) {
    const mad::PortInfo& info = fabric.ports[fabric.end_ports[i]].info;
    const LidMap::Range& range = lids.of_end_port[i];
    changed +=
        info.lid() != range.base || (range.count() != 0 && info.lmc() != range.lmc) ? 1u : 0u;
  }
  return changed;
}

void add_findings(Findings findings, std::vector<Condition>& to) {
  for (auto& [source, standing] : findings) std::ranges::move(standing, std::back_inserter(to));
}

/// Returns what routing would start from if a reload changed `context` to `changed`.
RoutingStart routing_start(const Subnet& subnet, const SweepContext& context,
                           const SweepContext& changed, const WhatIf& change) {
  RoutingStart start;
  if (change.rebalance) {
    start.conflict_removal = conflict_removal_on_demand(context.options);
  } else if (subnet.routing && chooses_routes_again(context, changed, subnet.routing->engine)) {
    if (context.options.rebalance) start.conflict_removal = routing::ConflictRemoval::if_quick;
  } else {
    start.previous = subnet.lfts.get();
    start.adopt = context.options.routing_adoption;
  }
  return start;
}

void decide_partitions(const SweepContext& context, const Fabric& fabric, const VPorts* vports,
                       Target& target, std::vector<Condition>& conditions) {
  PartitionDecision partitions = partitions_with_vports(context, fabric, vports);
  std::ranges::copy(partitions.p_keys.conditions, std::back_inserter(conditions));
  target.partition_map = std::move(partitions.map);
  target.p_keys = std::move(partitions.p_keys);
}

}  // namespace

tl::expected<WhatIf, web::Response> read_what_if(std::string_view text) {
  WhatIf change;
  Body body(text);
  change.without = body.texts("without", kWithoutMax, 200).value_or(std::vector<std::string>());
  change.routing_engine = body.texts("routing_engine", 16, 40).value_or(std::vector<std::string>());
  change.rebalance = body.boolean("rebalance").value_or(false);
  change.partitions = body.text("partitions", kPartitionsBytesMax);
  change.links = body.boolean("links").value_or(false);
  body.finish();
  if (body.fault()) return Fault(*body.fault());
  return change;
}

tl::expected<WhatIfResult, web::Response> what_if(const Subnet& subnet, const SweepContext& context,
                                                  const WhatIf& change,
                                                  const RoutingQuality& before) {
  const auto changed = changed_context(context, change);
  if (!changed) return Fault(changed.error());
  auto altered = std::make_shared<Fabric>(subnet.fabric);
  Fabric& fabric = *altered;
  if (const auto taken = disable_links(fabric, subnet.lids, change.without); !taken)
    return wrong("/without", taken.error(),
                 "NODE or NODE:PORT, NODE being a LID, a GUID, a description or its first word");

  WhatIfResult result;
  result.before = before;
  const LidMap physical = virt::physical_only(subnet.lids, fabric);
  Findings findings;
  auto routed = decide_routing(*changed, fabric, physical, {},
                               routing_start(subnet, context, *changed, change), findings);
  if (!routed) {
    add_findings(std::move(findings), result.conditions);
    return Fault(
        web::problem(409,
                     fmt::format("no engine routes this fabric: {}",
                                 result.conditions.empty() ? "" : result.conditions.back().text),
                     "another routing_engine, or fewer links in without"));
  }
  Target target;
  target.lids = subnet.lids;
  const CutOff cut_off = find_cut_off(fabric, subnet.lids);
  auto tables = std::make_shared<ForwardingTables>(std::move(routed->routing.lfts));
  keep_tables(fabric, cut_off, subnet.lfts.get(), *tables);
  target.lfts = virt::with_vport_lids(std::move(tables), fabric, physical, subnet.lids);
  result.routing = target.routing =
      std::make_shared<const PublishedRouting>(static_cast<PublishedRouting&>(routed->routing));
  target.current_lfts = target.lfts;
  check_vl_settings(*changed, fabric, *target.routing, findings);
  decide_partitions(*changed, fabric, subnet.vports.get(), target, result.conditions);
  add_findings(std::move(findings), result.conditions);

  DeviceState devices = device_state(subnet, fabric);
  if (routing::VlTargets::any(changed->options, *target.routing))
    devices.update_pairs(fabric, target.lfts, subnet.mfts, true);
  result.plan = make_plan(fabric, std::move(devices), target, changed->options);
  drop_writes(fabric, cut_off, result.plan);

  const SwitchGraph graph = make_switch_graph(fabric);
  result.hosts_before = list_hosts(make_switch_graph(subnet.fabric));
  result.hosts_after = list_hosts(graph);
  result.paths_changed =
      routing::table_changes(graph, subnet.lids, *subnet.lfts, *target.lfts).paths;
  result.lids_changed = changed_lids(fabric, subnet.lids);
  result.after = *routing_quality(fabric, subnet.lids, target.lfts.get(), target.routing.get());
  result.after.lengths.lost += cut_off.pairs;
  result.cut_off = cut_off.hosts;
  result.fabric = std::move(altered);
  return result;
}

}  // namespace sm::api
