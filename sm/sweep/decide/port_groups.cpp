#include "sm/sweep/decide/port_groups.h"

#include <regex.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "config/value.h"
#include "sm/sweep/decide/engine_options.h"

namespace sm {
namespace {

using GroupPorts = std::vector<PortIndex>;  // ascending

/// Compiles an extended regular expression; the configuration has checked it.
class Expression {
 public:
  explicit Expression(const std::string& text)
      : is_valid_(regcomp(&compiled_, text.c_str(), REG_EXTENDED | REG_NOSUB) == 0) {}
  ~Expression() {
    if (is_valid_) regfree(&compiled_);
  }
  Expression(const Expression&) = delete;
  Expression& operator=(const Expression&) = delete;
  bool finds(const std::string& text) const {
    return is_valid_ && regexec(&compiled_, text.c_str(), 0, nullptr, 0) == 0;
  }

 private:
  regex_t compiled_{};
  bool is_valid_;
};

/// Matches a NodeDescription "NAME HCA-1" or "NAME mlx5_1": the host's name is the first word, the
/// number of the HCA is at the end.
bool describes(const std::string& description, const config::PortGroup::Host& host) {
  const std::string_view text(description);
  const std::size_t blank = std::min(text.find(' '), text.size());
  if (text.substr(0, blank) != host.name) return false;
  if (!host.hca) return true;
  const std::size_t mark = text.find_last_of("-_");
  if (mark == std::string_view::npos || mark < blank) return false;
  const auto number = config::parse_number(text.substr(mark + 1), 10);
  return number && *number == *host.hca;
}

/// Finds the members of all groups.
class PortGroups {
 public:
  PortGroups(const config::RoutingChains& chains, const Fabric& fabric) : fabric_(fabric) {
    for (const PortIndex port : fabric.ports.indices()) {
      all_.push_back(port);
      (fabric.owning_node(port).is_switch() ? switches_ : cas_).push_back(port);
    }
    for (const NodeIndex node : fabric.nodes.indices())
      descriptions_.push_back(fabric.nodes[node].description.text());
    for (const config::PortGroup& group : chains.groups) sets_[group.name] = members(group);
  }

  const GroupPorts& find(const std::string& name) const {
    static const GroupPorts kNone;
    if (name == config::kAllPorts) return all_;
    if (name == config::kAllSwitches) return switches_;
    if (name == config::kAllCas) return cas_;
    const auto found = sets_.find(name);
    return found == sets_.end() ? kNone : found->second;
  }

 private:
  GroupPorts members(const config::PortGroup& group) const {
    GroupPorts out;
    for (const PortIndex index : all_) {
      const Port& port = fabric_.ports[index];
      const mad::Guid node = fabric_.nodes[port.node].guid;
      const auto is_named = [&](const config::PortGroup::Guids& guids) {
        const auto is_in = [&](mad::Guid guid) {
          return guids.first <= guid.value && guid.value <= guids.last;
        };
        return (is_in(node) || is_in(fabric_.m_key_port(index))) &&
               (guids.ports.empty() || guids.ports.contains(port.number.value));
      };
      if (std::ranges::any_of(group.guids, is_named)) out.push_back(index);
    }
    for (const config::PortGroup::Host& host : group.hosts) {
      add_described(out, host.port, [&](NodeIndex node) {
        return !fabric_.nodes[node].is_switch() && describes(descriptions_[node], host);
      });
    }
    for (const config::PortGroup::Pattern& pattern : group.patterns) {
      const Expression expression(pattern.expression);
      add_described(out, pattern.port,
                    [&](NodeIndex node) { return expression.finds(descriptions_[node]); });
    }
    for (const config::PortGroup::Combination& of : group.combinations) {
      const GroupPorts &first = find(of.first), &second = find(of.second);
      if (of.subtract)
        std::ranges::set_difference(first, second, std::back_inserter(out));
      else
        std::ranges::set_union(first, second, std::back_inserter(out));
    }
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  void add_described(GroupPorts& out, std::optional<std::uint8_t> number, auto is_meant) const {
    for (const NodeIndex node : fabric_.nodes.indices()) {
      if (!is_meant(node)) continue;
      const PortIndex first = fabric_.nodes[node].first_port;
      for (unsigned i = 0; i < fabric_.node_ports(node).size(); ++i)
        if (!number || fabric_.ports[first + i].number.value == *number) out.push_back(first + i);
    }
  }

  const Fabric& fabric_;
  GroupPorts all_, switches_, cas_;
  IndexVector<NodeIndex, std::string> descriptions_;
  std::map<std::string, GroupPorts, std::less<>> sets_;
};

/// Adds the nodes of the group: switches by their NodeGUID or, with `by_port`, by that of port 0.
void add_guids(const PortGroups& groups, const Fabric& fabric,
               const std::vector<std::string>& names, bool by_port, std::vector<mad::Guid>& out) {
  for (const std::string& name : names) {
    for (const PortIndex index : groups.find(name)) {
      const Node& node = fabric.owning_node(index);
      mad::Guid guid = fabric.ports[index].guid;
      if (node.is_switch()) guid = by_port ? fabric.ports[node.first_port].guid : node.guid;
      const bool is_there = node.is_switch() || fabric.port_of_guid.contains(guid);
      if (is_there && (out.empty() || out.back() != guid)) out.push_back(guid);
    }
  }
}

void add_lists(const config::NamedGroups& named, const PortGroups& groups, const Fabric& fabric,
               routing::RoutingOptions& options) {
  add_guids(groups, fabric, named.routing_order, true, options.guid_routing_order);
  add_guids(groups, fabric, named.roots, false, options.roots);
  add_guids(groups, fabric, named.compute_nodes, false, options.compute_nodes);
  add_guids(groups, fabric, named.io_nodes, false, options.io_nodes);
}

routing::FabricPart part_of(const config::ChainTopology& topology, const PortGroups& groups,
                            const Fabric& fabric) {
  routing::FabricPart part;
  for (const PortIndex index : groups.find(topology.switches)) {
    const Node& node = fabric.owning_node(index);
    if (!node.is_switch()) continue;
    if (part.switches.empty() || part.switches.back().sw != node.guid)
      part.switches.push_back({.sw = node.guid});
    part.switches.back().ports.push_back(fabric.ports[index].number);
  }
  for (routing::FabricPart::SwitchPorts& entry : part.switches) {
    const Node& node = fabric.nodes[fabric.node_of_guid.at(entry.sw)];
    if (entry.ports.size() == node.num_ports + 1u) entry.ports.clear();
  }
  for (const PortIndex index : groups.find(topology.hosts))
    if (!fabric.owning_node(index).is_switch() &&
        fabric.port_of_guid.contains(fabric.ports[index].guid))
      part.end_ports.push_back(fabric.ports[index].guid);
  return part;
}

}  // namespace

void add_port_groups(const config::InputFiles& files, const Fabric& fabric,
                     routing::RoutingOptions& options) {
  const config::RoutingChains& chains = files.chains;
  if (chains.groups.empty() && chains.steps.empty()) return;
  const PortGroups groups(chains, fabric);
  add_lists(files.named_groups, groups, fabric, options);
  std::map<std::uint64_t, std::shared_ptr<const routing::FabricPart>> parts;
  for (const config::ChainTopology& topology : chains.topologies)
    parts[topology.id] =
        std::make_shared<const routing::FabricPart>(part_of(topology, groups, fabric));
  for (std::size_t i = 0; i < chains.steps.size(); ++i) {
    const config::ChainStep& step = chains.steps[i];
    routing::ChainStep out{.id = step.id, .engine = step.engine};
    out.fallback_to = step.fallback_to.value_or(0);
    if (step.topology != 0) out.part = parts[step.topology];
    const config::StepSettings& settings = files.chain_steps.steps->at(i);
    auto own = std::make_shared<routing::RoutingOptions>(
        routing_options(settings.options, settings.files));
    add_lists(settings.files.named_groups, groups, fabric, *own);
    out.options = std::move(own);
    options.chain_steps.push_back(std::move(out));
  }
}

std::vector<std::uint8_t> port_group_facts(const config::InputFiles& files, const Fabric& fabric) {
  std::vector<std::uint8_t> facts;
  if (files.chains.groups.empty()) return facts;
  for (const Node& node : fabric.nodes) {
    const auto bytes = node.description.bytes();
    facts.insert(facts.end(), bytes.begin(), bytes.end());
  }
  return facts;
}

}  // namespace sm
