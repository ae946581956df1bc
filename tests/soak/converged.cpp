#include "soak/converged.h"

#include <algorithm>
#include <map>
#include <set>

#include "config/check.h"
#include "mad/records/path_records.h"
#include "routing/quality/quality.h"
#include "routing/registry.h"
#include "sm/health/health_conditions.h"
#include "sm/sweep/decide/engine_options.h"
#include "sm/sweep/devices/sweep_conditions.h"
#include "support/check/checked_conditions.h"
#include "support/check/checks.h"
#include "support/check/ports.h"

namespace soak {
namespace {

using laboratory::Instance;
using laboratory::Laboratory;

bool leads(const Instance* instance) {
  return instance != nullptr && instance->runs() &&
         instance->manager().status().state == mad::SmState::master;
}

const Instance* master_of(const Managers& managers) {
  const auto found = std::ranges::find_if(managers, leads);
  return found == managers.end() ? nullptr : *found;
}

std::string managers_complaint(const Managers& managers) {
  for (const Instance* instance : managers) {
    if (instance == nullptr || !instance->runs()) continue;
    if (const auto end = instance->ended()) return "manager: ended by itself, " + *end;
    if (instance->in_flight_max() > Laboratory::kInFlightMax)
      return fmt::format("manager: {} SMPs in flight", instance->in_flight_max());
  }
  if (const auto masters = std::ranges::count_if(managers, leads); masters != 1)
    return fmt::format("manager: {} masters", masters);
  return "";
}

/// Linked end ports of nodes that the manager reaches, by GUID.
std::map<mad::Guid, sim::PortIndex> end_ports(const sim::Model& model,
                                              const std::vector<bool>& reach) {
  std::map<mad::Guid, sim::PortIndex> ports;
  sim::for_each_end_port(model, reach,
                         [&](sim::PortIndex port) { ports.emplace(model.ports[port].guid, port); });
  return ports;
}

/// A manager that has lost sight of a part that still forwards has not converged, although nothing
/// is wrong with the ports.
std::string unknown_port(const sim::Model& model, const Instance& master) {
  const auto subnet = master.manager().status().subnet;
  for (const auto& [guid, port] : end_ports(model, sim::reachable(model, master.port())))
    if (!subnet || !subnet->fabric.port_of_guid.contains(guid))
      return fmt::format("manager: {} is reachable, and not in its subnet", model.name(port));
  return "";
}

/// True if one of the configured engines does.
bool may_withhold_switch_lids(const config::Options& options) {
  return std::ranges::any_of(options.routing_engine, [](const std::string& name) {
    const routing::Engine* const engine = routing::find_engine(name);
    return engine != nullptr && engine->may_withhold_switch_lids;
  });
}

/// The SLs of all paths; a complaint about the first record that is wrong.
struct Paths {
  std::map<std::pair<sim::PortIndex, mad::Lid>, mad::Sl> sls;
  std::string complaint;
};
Paths ask_paths(const Laboratory& lab, Clients& clients, const std::vector<bool>& reach,
                bool switch_lids_may_be_withheld) {
  const sim::Model& model = lab.model;
  Paths paths;
  const auto reply = clients.program(0).query(
      {.method = mad::Method::get_table, .attribute = mad::SaAttributeId::path_record});
  if (!reply || reply->status() != 0) {
    paths.complaint = reply ? fmt::format("paths: status {:#x}", reply->status())
                            : std::string("paths: no answer to GetTable(PathRecord)");
    return paths;
  }
  const std::map<mad::Guid, sim::PortIndex> ports = end_ports(model, reach);
  std::set<std::pair<sim::PortIndex, sim::PortIndex>> pairs;
  for (std::size_t at = 0; at < reply->count() && paths.complaint.empty(); ++at) {
    const mad::PathRecord record(std::span<const std::uint8_t, mad::PathRecord::kBytes>(
        reply->record(at).data(), mad::PathRecord::kBytes));
    const auto from = ports.find(record.get<mad::Guid, "SGID.guid">()),
               to = ports.find(record.get<mad::Guid, "DGID.guid">());
    if (from == ports.end() || to == ports.end()) {
      paths.complaint = "paths: a path of a port that is not there";
      return paths;
    }
    pairs.emplace(from->second, to->second);
    paths.sls.emplace(std::pair(from->second, record.get<mad::Lid, "DLID">()),
                      record.get<mad::Sl, "SL">());
    paths.complaint =
        sim::first_complaint(sim::check_path_record(model, from->second, to->second, record));
  }
  for (const auto& [from_guid, from] : ports) {
    for (const auto& [to_guid, to] : ports) {
      const bool to_a_switch =
          model.owning_node(from).is_switch() || model.owning_node(to).is_switch();
      if (!paths.complaint.empty() || pairs.contains({from, to}) ||
          (to_a_switch && switch_lids_may_be_withheld))
        continue;
      paths.complaint = fmt::format("paths: none from {} to {}", model.name(from), model.name(to));
    }
  }
  return paths;
}

/// Ports of links that the manager says keep their settings until they train again: the device
/// rejected them when the link came up.
std::set<sim::PortIndex> waiting_settings(const sim::Model& model, const Instance& master) {
  std::set<sim::PortIndex> ports;
  for (const auto& [condition, since, times] : master.manager().status().conditions) {
    if (condition.id != sm::kWriteConditions.link_setting_pending) continue;
    for (const sim::PortIndex port : model.ports.indices()) {
      const std::string name =
          fmt::format("({:#018x}) port {} ", model.owning_node(port).info.node_guid().value,
                      model.ports[port].number);
      if (condition.text.find(name) != std::string::npos) ports.insert(port);
    }
  }
  return ports;
}

bool promises_no_credit_loops(const Instance& master) {
  const auto subnet = master.manager().status().subnet;
  if (!subnet || !subnet->routing || subnet->routing->may_deadlock) return false;
  const routing::Engine* const engine = routing::find_engine(subnet->routing->engine);
  return engine != nullptr && engine->promises_no_credit_loops;
}

/// Without those of vports, which are forwarded as their ports' are.
fabric::LidMap lids_of_ports(const fabric::Subnet& subnet) {
  fabric::LidMap lids{.of_end_port = subnet.lids.of_end_port, .port_of_lid = {}, .lid_top = {}};
  lids.port_of_lid.assign(subnet.lids.port_of_lid.size(), fabric::kNoIndex);
  for (const fabric::EndPortIndex end : lids.of_end_port.indices()) {
    const fabric::LidMap::Range& range = lids.of_end_port[end];
    for (unsigned offset = 0; offset < range.count(); ++offset) {
      const mad::Lid lid{static_cast<std::uint16_t>(range.base.value + offset)};
      lids.lid_top = std::max(lids.lid_top, lid);
      lids.port_of_lid[lid.value] = subnet.fabric.end_ports[end];
    }
  }
  lids.port_of_lid.resize(lids.lid_top.value + 1u);
  return lids;
}

/// Engines of the chain before the one in use that refuse the fabric as it is; all of them if none
/// routes it. The one in use may refuse to route from nothing what it has routed change by change:
/// its paths and channels are compared by other checks.
std::set<std::string> refusing_engines(const Instance& master) {
  const auto subnet = master.manager().status().subnet;
  const sm::SharedContext context = master.manager().context();
  const routing::RoutingOptions options = sm::routing_options(context->options, context->files);
  const fabric::SwitchGraph graph = fabric::make_switch_graph(subnet->fabric);
  const fabric::LidMap lids = lids_of_ports(*subnet);
  std::set<std::string> refusing;
  for (const std::string_view engine : config::runnable_engines(context->options)) {
    const std::vector<std::string> chain{std::string(engine)};
    const routing::RoutingInput input{subnet->fabric, graph, lids, options};
    if (subnet->routing->engine == engine || routing::route_with_chain(chain, true, input)) break;
    refusing.emplace(engine);
  }
  return refusing;
}

/// Service levels as the master's path records have them.
sim::ServiceLevel service_levels(const Laboratory& lab, const Instance& master) {
  return [&model = lab.model, subnet = master.manager().status().subnet](sim::PortIndex from,
                                                                         mad::Lid to) {
    const fabric::Fabric& fabric = subnet->fabric;
    const auto attached = [&](fabric::PortIndex port) {
      if (port == fabric::kNoIndex) return fabric::SwitchIndex(fabric::kNoIndex);
      const fabric::Node& node = fabric.owning_node(port);
      if (node.is_switch()) return node.switch_index;
      const fabric::PortIndex peer = fabric.ports[port].peer;
      return peer == fabric::kNoIndex ? fabric::SwitchIndex(fabric::kNoIndex)
                                      : fabric.owning_node(peer).switch_index;
    };
    const auto source = fabric.port_of_guid.find(model.ports[from].guid);
    if (source == fabric.port_of_guid.end()) return mad::Sl{};
    const fabric::SwitchIndex here = attached(source->second),
                              there = attached(subnet->lids.owner(to));
    if (here == fabric::kNoIndex || there == fabric::kNoIndex) return mad::Sl{};
    return subnet->routing->sls.at(here, to, there);
  };
}

/// The tables in the world beside those of a routing from nothing; nullopt if the engine in use
/// does not route the fabric from nothing.
std::optional<sim::TableBalance> balance(const Laboratory& lab, const Instance& master) {
  const auto subnet = master.manager().status().subnet;
  const sm::SharedContext context = master.manager().context();
  const routing::RoutingOptions options = sm::routing_options(context->options, context->files);
  const fabric::SwitchGraph graph = fabric::make_switch_graph(subnet->fabric);
  const fabric::LidMap lids = lids_of_ports(*subnet);
  const routing::RoutingInput input{subnet->fabric, graph, lids, options};
  const std::vector<std::string> chain{subnet->routing->engine};
  const auto rerouted = routing::route_with_chain(chain, true, input);
  if (!rerouted) return std::nullopt;
  fabric::ForwardingTables tables(subnet->fabric.switches.size(), lids.lid_top);
  for (const fabric::SwitchIndex sw : tables.all_switches()) {
    const mad::Guid guid = subnet->fabric.nodes[subnet->fabric.switches[sw].node].guid;
    for (const sim::NodeModel& node : lab.model.nodes) {
      if (node.info.node_guid() != guid || !node.is_switch()) continue;
      const auto row = tables.writable_row(sw);
      // LIDs of vports follow those of their ports.
      for (std::size_t lid = 0; lid < std::min(row.size(), node.sw->lft.size()); ++lid)
        if (lids.owner(mad::Lid{static_cast<std::uint16_t>(lid)}) != fabric::kNoIndex)
          row[lid] = node.sw->lft[lid];
    }
  }
  routing::TableComparison comparison(graph, lids, tables, rerouted->routing.lfts);
  while (comparison.proceed(lids.port_of_lid.size())) {
  }
  return sim::TableBalance{
      .entries_differ = comparison.changes().entries,
      .is_even = comparison.worst_load_before() * 20 <= comparison.worst_load_after() * 21 &&
                 comparison.unused_before() <= comparison.unused_after()};
}

/// MLIDs for which the master has made trees.
std::set<mad::Mlid> mlids_with_trees(const Instance& master) {
  std::set<mad::Mlid> mlids;
  const auto tables = master.manager().status().subnet->mfts;
  if (!tables) return mlids;
  for (std::size_t number = 0; number < tables->units(); ++number) {
    const fabric::MftUnit unit = tables->unit(number);
    const auto bytes = tables->bytes(unit);
    for (std::size_t i = 0; i < bytes.size(); ++i)
      if (bytes[i] != 0)
        mlids.insert(mad::Mlid{static_cast<std::uint16_t>(
            mad::kMlidMin.value + unit.block * fabric::kMftBlockMlids + i / 2)});
  }
  return mlids;
}

/// Master and standbys share these expectations.
sim::Expected expectation(const Laboratory& lab, const Instance& master, bool vports) {
  sim::Expected expected = laboratory::expected_of(master.options());
  expected.master = master.port();
  expected.p_keys = lab.default_partition();
  if (vports) expected.vports_enabled = true;
  return expected;
}

}  // namespace

std::string conditions_complaint(const Laboratory& lab, const Managers& managers, bool vports) {
  const Instance* const master = master_of(managers);
  if (master == nullptr) return "conditions: no master";
  for (const Instance* instance : managers) {
    if (instance == nullptr || !instance->runs()) continue;
    std::vector<fabric::Condition> active;
    for (const auto& raised : instance->manager().status().conditions)
      active.push_back(raised.condition);
    sim::ObservedManager observed{.port = instance->port(),
                                  .leads = instance == master,
                                  .expected = expectation(lab, *master, vports)};
    // Faults lose a link again and again; counters of losses end with a reboot of the device.
    observed.caused.insert(sm::kHealthConditions.link_flapping);
    if (observed.leads) {
      observed.mlids = mlids_with_trees(*master);
      observed.refusing_engines = refusing_engines(*master);
      observed.sl = service_levels(lab, *master);
      observed.balance = balance(lab, *master);
    }
    const std::string wrong =
        sim::first_complaint(sim::check_conditions(lab.model, observed, active));
    if (!wrong.empty()) return wrong;
  }
  return "";
}

std::string complaint(const Laboratory& lab, const Managers& managers, const Clients& clients,
                      bool vports) {
  if (std::string wrong = managers_complaint(managers); !wrong.empty()) return wrong;
  const Instance& master = *master_of(managers);
  const sim::Model& model = lab.model;
  sim::Expected expected = expectation(lab, master, vports);
  expected.switch_lids_may_be_withheld = may_withhold_switch_lids(master.options());
  expected.settings_wait = waiting_settings(model, master);
  if (std::string wrong = sim::first_complaint(sim::check_subnet(model, master.port(), expected));
      !wrong.empty())
    return wrong;
  if (std::string wrong = unknown_port(model, master); !wrong.empty()) return wrong;
  return clients.complaint();
}

std::string paths_complaint(const Laboratory& lab, const Managers& managers, Clients& clients) {
  const Instance& master = *master_of(managers);
  return ask_paths(lab, clients, sim::reachable(lab.model, master.port()),
                   may_withhold_switch_lids(master.options()))
      .complaint;
}

std::string deep_complaint(Laboratory& lab, const Managers& managers, Clients& clients) {
  if (std::string wrong = managers_complaint(managers); !wrong.empty()) return wrong;
  const Instance& master = *master_of(managers);
  const std::vector<bool> reach = sim::reachable(lab.model, master.port());
  const Paths paths = ask_paths(lab, clients, reach, may_withhold_switch_lids(master.options()));
  if (!paths.complaint.empty()) return paths.complaint;
  if (promises_no_credit_loops(master)) {
    const auto sl = [&](sim::PortIndex from, mad::Lid to) {
      const auto found = paths.sls.find({from, to});
      return found == paths.sls.end() ? mad::Sl{} : found->second;
    };
    const std::string wrong = sim::first_complaint(
        sim::check_credit_loops(lab.model, reach, sim::Traffic::between_hosts, sl));
    if (!wrong.empty())
      return fmt::format("{} with {}", wrong, master.manager().status().subnet->routing->engine);
  }
  return clients.reports_complaint();
}

}  // namespace soak
