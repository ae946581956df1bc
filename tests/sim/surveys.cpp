#include "sim/surveys.h"
#include "mad/format.h"
#include "sm/ctl/topology/generators.h"
#include "sm/sweep/decide/changes.h"

#include <algorithm>
#include <queue>

namespace surveys {

sm::Survey Observer::discover() {
  auto survey = runtime.run(sm::discover(client, options));
  EXPECT_TRUE(survey) << "the survey does not end";
  return survey ? std::move(*survey) : sm::Survey{};
}

namespace {

/// The links that the two fabrics do not both have, as they are found among all nodes, and among
/// those that the survey has touched.
void expect_touched_are_all(const fabric::Fabric& known, const sm::Survey& survey) {
  EXPECT_EQ(sm::arrivals(known, survey.fabric, survey.touched), sm::arrivals(known, survey.fabric));
  sm::Losses some, all;
  some.update_from(known, survey.fabric, {}, survey.touched);
  all.update_from(known, survey.fabric, {});
  EXPECT_EQ(some.conditions(), all.conditions());
  for (const fabric::NodeIndex index : survey.fabric.nodes.indices()) {
    const fabric::Node& now = survey.fabric.nodes[index];
    if (fabric::may_differ(survey.touched, now.guid)) continue;
    const auto before = known.node_of_guid.find(now.guid);
    ASSERT_NE(before, known.node_of_guid.end()) << survey.fabric.name(index);
    const auto ports = survey.fabric.node_ports(index), then = known.node_ports(before->second);
    ASSERT_EQ(ports.size(), then.size()) << survey.fabric.name(index);
    for (std::size_t port = 0; port < ports.size(); ++port)
      EXPECT_TRUE(ports[port].known == then[port].known && ports[port].info == then[port].info)
          << survey.fabric.name(index) << " port " << unsigned{ports[port].number.value};
  }
}

}  // namespace

sm::Survey Observer::rediscover(const fabric::Fabric& known,
                                const std::vector<mad::Guid>& changed) {
  auto survey = runtime.run(sm::rediscover(client, options, known, changed));
  EXPECT_TRUE(survey) << "the survey does not end";
  if (survey) expect_touched_are_all(known, *survey);
  return survey ? std::move(*survey) : sm::Survey{};
}

std::vector<mad::Guid> Observer::changed_switches() const {
  std::vector<mad::Guid> changed;
  const std::vector<bool> reach = reachable();
  for (const sim::NodeIndex index : model.nodes.indices()) {
    const sim::NodeModel& node = model.nodes[index];
    if (reach[index] && node.is_switch() && node.sw->info.port_state_change())
      changed.push_back(node.info.node_guid());
  }
  return changed;
}

void Observer::forget_counts() {
  attachment->forget_counts();
  for (sim::NodeModel& node : model.nodes) node.gets = node.sets = 0;
}

bool same(mad::PortInfo a, const mad::PortInfo& b) {
  a.set_local_port_num(b.local_port_num());
  return a == b;
}

namespace {

/// Hops from the manager's node, over switches.
std::vector<unsigned> distances(const laboratory::Hardware& real) {
  std::vector<unsigned> distance(real.model.nodes.size(), ~0u);
  std::queue<sim::NodeIndex> queue;
  const sim::NodeIndex own = real.owning_node(real.own());
  distance[own] = 0;
  queue.push(own);
  for (; !queue.empty(); queue.pop()) {
    const sim::NodeIndex index = queue.front();
    const sim::NodeModel& node = real.model.nodes[index];
    if (!node.is_switch() && index != own) continue;
    for (unsigned number = 1; number <= node.port_count(); ++number) {
      const sim::PortIndex port = real.port(index, number);
      if (!real.model.link_up(port) || (!node.is_switch() && port != real.own())) continue;
      const sim::NodeIndex next = real.neighbour(port);
      if (distance[next] != ~0u || !real.model.alive(next)) continue;
      distance[next] = distance[index] + 1;
      queue.push(next);
    }
  }
  return distance;
}

/// A port that the manager can read, as its agent answers.
std::string compare_port(const fabric::Fabric& surveyed, fabric::PortIndex seen_index,
                         const laboratory::Hardware& real, sim::PortIndex index,
                         const std::vector<bool>& reach) {
  const sim::PortModel& port = real.model.ports[index];
  const fabric::Port& seen = surveyed.ports[seen_index];
  if (!same(seen.info, port.info)) return "PortInfo of " + real.model.name(index);
  const bool cabled = real.leads_somewhere(index, reach);
  if (cabled != (seen.peer != fabric::kNoIndex))
    return fmt::format("{} {} link", real.model.name(index), cabled ? "has lost its" : "has a");
  if (cabled) {
    const fabric::Port& far = surveyed.ports[seen.peer];
    if (surveyed.nodes[far.node].guid != real.model.owning_node(port.peer).info.node_guid() ||
        far.number.value != real.model.ports[port.peer].number) {
      return "the link at " + real.model.name(index);
    }
  }
  if (!real.model.is_end_port(index)) return "";
  if (seen.guid != port.guid) return "PortGUID of " + real.model.name(index);
  if (surveyed.p_keys(seen_index).size() != real.model.p_key_blocks(index))
    return "P_Keys of " + real.model.name(index);
  for (unsigned block = 0; block < real.model.p_key_blocks(index); ++block) {
    if (!(surveyed.p_keys(seen_index)[block] == real.model.p_keys(index, block)))
      return "P_Keys of " + real.model.name(index);
  }
  return "";
}

}  // namespace

std::string compare(const fabric::Fabric& surveyed, const laboratory::Hardware& real) {
  const std::vector<bool> reach = real.reachable();
  const std::vector<unsigned> distance = distances(real);
  if (surveyed.nodes.size() != static_cast<std::size_t>(std::ranges::count(reach, true))) {
    return fmt::format("{} nodes of {}", surveyed.nodes.size(), std::ranges::count(reach, true));
  }
  for (const sim::NodeIndex index : real.model.nodes.indices()) {
    const sim::NodeModel& node = real.model.nodes[index];
    const std::string& name = node.description;
    const auto found = surveyed.node_of_guid.find(node.info.node_guid());
    if (found == surveyed.node_of_guid.end()) {
      if (reach[index]) return name + " is missing";
      continue;
    }
    const fabric::Node& seen = surveyed.nodes[found->second];
    if (seen.description.text() != name)
      return fmt::format("{} is called {}", name, seen.description.text());
    if (seen.type != node.info.node_type() || seen.num_ports != node.info.num_ports())
      return name + " is another kind of node";
    if ((seen.is_switch() || index == real.owning_node(real.own())) &&
        seen.route.hop_count() != distance[index]) {
      return fmt::format("{} is {} hops away, its route is {}", name, distance[index],
                         seen.route.text());
    }
    if (seen.is_switch() && !(surveyed.switches[seen.switch_index].info == node.sw->info))
      return "SwitchInfo of " + name;
    for (unsigned number = seen.is_switch() ? 0 : 1; number <= node.port_count(); ++number) {
      const sim::PortIndex port = real.port(index, number);
      const fabric::PortIndex seen_port =
          surveyed.port(found->second, {static_cast<std::uint8_t>(number)});
      const bool in_reach =
          seen.is_switch() || real.leads_somewhere(port, reach) || port == real.own();
      if (surveyed.ports[seen_port].known != in_reach)
        return fmt::format("{} {} known", real.model.name(port), in_reach ? "is not" : "is");
      if (!in_reach) continue;
      if (std::string wrong = compare_port(surveyed, seen_port, real, port, reach); !wrong.empty())
        return wrong;
    }
  }
  const fabric::Port& own = surveyed.ports[surveyed.sm_port];
  const bool right =
      surveyed.nodes[own.node].guid == real.model.owning_node(real.own()).info.node_guid() &&
      own.number.value == real.model.ports[real.own()].number;
  return right ? "" : "the manager's port";
}

std::string compare(const fabric::Fabric& a, const fabric::Fabric& b) {
  if (a.nodes.size() != b.nodes.size())
    return fmt::format("{} nodes and {}", a.nodes.size(), b.nodes.size());
  if (a.ports.size() != b.ports.size() || a.switches.size() != b.switches.size())
    return "ports or switches";
  for (const fabric::NodeIndex i : a.nodes.indices()) {
    const fabric::Node &x = a.nodes[i], &y = b.nodes[i];
    if (x.guid != y.guid) return fmt::format("node {} is {} and {}", i.value, a.name(i), b.name(i));
    // NodeInfo's LocalPortNum and PortGUID depend on the port by which a node was found first,
    // which is not a property of the node.
    if (!(x.description == y.description) || x.type != y.type || x.num_ports != y.num_ports ||
        x.first_port != y.first_port)
      return a.name(i);
    if (!(x.route == y.route))
      return fmt::format("route to {}: {} and {}", a.name(i), x.route.text(), y.route.text());
    if (x.is_switch() && !(a.switches[x.switch_index].info == b.switches[y.switch_index].info))
      return "SwitchInfo of " + a.name(i);
  }
  for (const fabric::PortIndex i : a.ports.indices()) {
    const fabric::Port &x = a.ports[i], &y = b.ports[i];
    if (x.peer != y.peer) return "link at " + a.port_name(i);
    if (x.known != y.known)
      return fmt::format("{} is {}known and {}known", a.port_name(i), x.known ? "" : "un",
                         y.known ? "" : "un");
    if (!x.known) continue;
    if (x.guid != y.guid) return "PortGUID of " + a.port_name(i);
    if (!same(x.info, y.info)) return "PortInfo of " + a.port_name(i);
    // The table of a switch port counts only while the port faces an end port; a partial survey
    // keeps the previous one.
    const bool counts =
        a.is_end_port(i) || (x.peer != fabric::kNoIndex && !a.owning_node(x.peer).is_switch());
    if (counts && !std::ranges::equal(a.p_keys(i), b.p_keys(i)))
      return "P_Keys of " + a.port_name(i);
  }
  if (a.end_ports != b.end_ports) return "end ports";
  if (a.port_of_guid != b.port_of_guid || a.node_of_guid != b.node_of_guid) return "GUID maps";
  return a.sm_port == b.sm_port ? "" : "the manager's port";
}

std::string texts(const fabric::Fabric& fabric, fabric::ConditionId id) {
  std::string text;
  for (const fabric::Condition& condition : fabric.conditions) {
    if (condition.id == id) text += condition.text + '\n';
  }
  return text;
}

std::size_t count(const fabric::Fabric& fabric, fabric::ConditionId id) {
  return static_cast<std::size_t>(
      std::ranges::count(fabric.conditions, id, &fabric::Condition::id));
}

std::string all_texts(const fabric::Fabric& fabric) {
  std::string text;
  for (const fabric::Condition& condition : fabric.conditions) text += condition.text + '\n';
  return text;
}

std::vector<std::pair<std::string, topology::Topology>> shapes() {
  return {{"two hosts back to back", topology::back_to_back()},
          {"one switch", topology::row({.switches = 1, .hosts_per_switch = 4})},
          {"a row with parallel links",
           topology::row({.switches = 3, .cables = 3, .hosts_per_switch = 2})},
          {"hosts with two ports",
           topology::row({.switches = 3, .cables = 1, .hosts_per_switch = 2, .ports_per_host = 2})},
          {"a fat tree of two levels",
           topology::xgft({.children = {4, 6}, .parents = {1, 3}, .cables = {}})},
          {"a fat tree of three levels",
           topology::xgft({.children = {3, 3, 4}, .parents = {1, 3, 3}, .cables = {}})},
          {"a torus", topology::torus({.dimensions = {3, 3, 2}, .hosts_per_switch = 1})},
          {"a random graph",
           topology::random_graph({.switches = 20, .hosts = 40, .extra_links = 20, .seed = 7})}};
}

}  // namespace surveys
