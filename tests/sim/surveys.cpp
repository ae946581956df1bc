#include "sim/surveys.h"

#include <algorithm>
#include <queue>

namespace surveys {

using fake::PortRef;

sm::Survey Observer::discover() {
  auto survey = runtime.run(sm::discover(client, options));
  EXPECT_TRUE(survey) << "the survey does not end";
  return survey ? std::move(*survey) : sm::Survey{};
}

sm::Survey Observer::rediscover(const sm::Fabric& known, const std::vector<mad::Guid>& changed) {
  auto survey = runtime.run(sm::rediscover(client, options, known, changed));
  EXPECT_TRUE(survey) << "the survey does not end";
  return survey ? std::move(*survey) : sm::Survey{};
}

std::vector<mad::Guid> Observer::changed_switches() const {
  std::vector<mad::Guid> changed;
  const std::vector<bool> reachable = fabric.reachable();
  for (std::size_t index = 0; index < fabric.nodes.size(); ++index) {
    const fake::Node& node = fabric.nodes[index];
    if (reachable[index] && node.is_switch() && node.switch_info.port_state_change()) changed.push_back(node.info.node_guid());
  }
  return changed;
}

namespace {

/// Hops from the manager's node, over switches.
std::vector<unsigned> distances(const fake::FakeFabric& real) {
  std::vector<unsigned> distance(real.nodes.size(), ~0u);
  std::queue<std::size_t> queue;
  distance[real.own.node] = 0;
  queue.push(real.own.node);
  for (; !queue.empty(); queue.pop()) {
    const fake::Node& node = real.nodes[queue.front()];
    if (!node.is_switch() && queue.front() != real.own.node) continue;
    for (unsigned number = 0; number < node.ports.size(); ++number) {
      const auto& peer = node.ports[number].peer;
      if (!peer || distance[peer->node] != ~0u || real.nodes[peer->node].silent || (!node.is_switch() && number != real.own.port.value)) continue;
      distance[peer->node] = distance[queue.front()] + 1;
      queue.push(peer->node);
    }
  }
  return distance;
}

}  // namespace

std::string compare(const sm::Fabric& surveyed, const fake::FakeFabric& real) {
  const std::vector<bool> reachable = real.reachable();
  const std::vector<unsigned> distance = distances(real);
  if (surveyed.nodes.size() != static_cast<std::size_t>(std::ranges::count(reachable, true))) {
    return fmt::format("{} nodes of {}", surveyed.nodes.size(), std::ranges::count(reachable, true));
  }
  for (std::size_t index = 0; index < real.nodes.size(); ++index) {
    const fake::Node& node = real.nodes[index];
    const auto found = surveyed.node_of_guid.find(node.info.node_guid());
    if (found == surveyed.node_of_guid.end()) {
      if (reachable[index]) return node.name + " is missing";
      continue;
    }
    const sm::Node& seen = surveyed.nodes[found->second];
    if (seen.description.text() != node.name) return fmt::format("{} is called {}", node.name, seen.description.text());
    if (seen.type != node.info.node_type() || seen.num_ports != node.info.num_ports()) return node.name + " is another kind of node";
    if ((seen.is_switch() || index == real.own.node) && seen.route.hop_count() != distance[index]) {
      return fmt::format("{} is {} hops away, its route is {}", node.name, distance[index], seen.route.text());
    }
    if (seen.is_switch() && !(surveyed.switches[seen.switch_index].info == node.switch_info)) return "SwitchInfo of " + node.name;
    for (unsigned number = seen.is_switch() ? 0 : 1; number < node.ports.size(); ++number) {
      const fake::Port& port = node.ports[number];
      const sm::PortIndex seen_index = surveyed.port(found->second, {static_cast<std::uint8_t>(number)});
      const sm::Port& seen_port = surveyed.ports[seen_index];
      const auto name = [&] { return fmt::format("{} port {}", node.name, number); };
      const bool in_reach = seen.is_switch() || (port.peer && reachable[port.peer->node]) || real.own == PortRef{index, {static_cast<std::uint8_t>(number)}};
      if (seen_port.known != in_reach) return fmt::format("{} {} known", name(), seen_port.known ? "is" : "is not");
      if (!in_reach) continue;
      if (!(seen_port.info == port.info)) return "PortInfo of " + name();
      const bool cabled = port.peer && reachable[port.peer->node];
      if (cabled != (seen_port.peer != sm::kNoIndex)) return fmt::format("{} {} cable", name(), cabled ? "has lost its" : "has a");
      if (cabled) {
        const sm::Port& far = surveyed.ports[seen_port.peer];
        if (surveyed.nodes[far.node].guid != real.nodes[port.peer->node].info.node_guid() || far.number != port.peer->port) return "the cable at " + name();
      }
      const bool end_port = !seen.is_switch() || number == 0;
      if (end_port && seen_port.guid != node.port_guids[number]) return "PortGUID of " + name();
      if (end_port && surveyed.p_keys(seen_index).size() != port.p_keys.size()) return "P_Keys of " + name();
      for (std::size_t block = 0; end_port && block < port.p_keys.size(); ++block) {
        if (!(surveyed.p_keys(seen_index)[block] == port.p_keys[block])) return "P_Keys of " + name();
      }
    }
  }
  const sm::Port& own = surveyed.ports[surveyed.sm_port];
  if (surveyed.nodes[own.node].guid != real.nodes[real.own.node].info.node_guid() || own.number != real.own.port) return "the manager's port";
  return "";
}

std::string compare(const sm::Fabric& a, const sm::Fabric& b) {
  if (a.nodes.size() != b.nodes.size()) return fmt::format("{} nodes and {}", a.nodes.size(), b.nodes.size());
  if (a.ports.size() != b.ports.size() || a.switches.size() != b.switches.size()) return "ports or switches";
  for (sm::NodeIndex i = 0; i < a.nodes.size(); ++i) {
    const sm::Node &x = a.nodes[i], &y = b.nodes[i];
    if (x.guid != y.guid) return fmt::format("node {} is {} and {}", i, a.name(i), b.name(i));
    // NodeInfo's LocalPortNum and PortGUID say by which port a node was met first, which is not a property of it.
    if (!(x.description == y.description) || x.type != y.type || x.num_ports != y.num_ports || x.first_port != y.first_port) return a.name(i);
    if (!(x.route == y.route)) return fmt::format("route to {}: {} and {}", a.name(i), x.route.text(), y.route.text());
    if (x.is_switch() && !(a.switches[x.switch_index].info == b.switches[y.switch_index].info)) return "SwitchInfo of " + a.name(i);
  }
  for (sm::PortIndex i = 0; i < a.ports.size(); ++i) {
    const sm::Port &x = a.ports[i], &y = b.ports[i];
    if (x.peer != y.peer) return "cable at " + a.port_name(i);
    if (x.known != y.known) return fmt::format("{} is {}known and {}known", a.port_name(i), x.known ? "" : "un", y.known ? "" : "un");
    if (!x.known) continue;
    if (x.guid != y.guid) return "PortGUID of " + a.port_name(i);
    if (!(x.info == y.info)) return "PortInfo of " + a.port_name(i);
    // The table of a switch port counts only while the port faces an end port; a partial survey keeps what it knew of it.
    const bool counts = a.is_end_port(i) || (x.peer != sm::kNoIndex && !a.node_of(x.peer).is_switch());
    if (counts && !std::ranges::equal(a.p_keys(i), b.p_keys(i))) return "P_Keys of " + a.port_name(i);
  }
  if (a.end_ports != b.end_ports) return "end ports";
  if (a.port_of_guid != b.port_of_guid || a.node_of_guid != b.node_of_guid) return "GUID maps";
  return a.sm_port == b.sm_port ? "" : "the manager's port";
}

std::string texts(const sm::Fabric& fabric, sm::Finding::Kind kind) {
  std::string text;
  for (const sm::Finding& finding : fabric.findings) {
    if (finding.kind == kind) text += finding.text + '\n';
  }
  return text;
}

std::size_t count(const sm::Fabric& fabric, sm::Finding::Kind kind) {
  return static_cast<std::size_t>(std::ranges::count(fabric.findings, kind, &sm::Finding::kind));
}

std::string all_texts(const sm::Fabric& fabric) {
  std::string text;
  for (const sm::Finding& finding : fabric.findings) text += finding.text + '\n';
  return text;
}

std::vector<std::pair<std::string, sim::Topology>> shapes() {
  return {{"two hosts back to back", sim::back_to_back()},
          {"one switch", sim::row({.switches = 1, .hosts_per_switch = 4})},
          {"a row with parallel cables", sim::row({.switches = 3, .cables = 3, .hosts_per_switch = 2})},
          {"hosts with two ports", sim::row({.switches = 3, .cables = 1, .hosts_per_switch = 2, .ports_per_host = 2})},
          {"a fat tree of two levels", sim::xgft({.children = {4, 6}, .parents = {1, 3}, .cables = {}})},
          {"a fat tree of three levels", sim::xgft({.children = {3, 3, 4}, .parents = {1, 3, 3}, .cables = {}})},
          {"a torus", sim::torus({.dimensions = {3, 3, 2}, .hosts_per_switch = 1})},
          {"a random graph", sim::random_graph({.switches = 20, .hosts = 40, .extra_links = 20, .seed = 7})}};
}

}  // namespace surveys
