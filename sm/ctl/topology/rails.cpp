#include "mad/format.h"
#include "sm/ctl/topology/generators.h"

#include <set>
#include <vector>

#include "fabric/topology/graph.h"
#include "sm/ctl/topology/builder.h"

namespace topology {

Topology rails(const Topology& one, const RailsParams& params) {
  require(params.rails >= 1, "rails must be at least 1");
  require(params.rails <= 63, "rails must be at most 63");
  constexpr std::uint64_t kRailStride =
      std::uint64_t{1} << 34;  // six bits that neither the company nor our kinds of nodes use
  for (const Node& node : one.nodes) {
    if (params.multi_port && node.type == NodeType::ca && node.port_count * params.rails > 15) {
      throw TopologyError(fmt::format("{} would need more than 15 ports", node.name));
    }
  }
  Topology all;
  // Index of node n of rail r.
  std::vector<std::vector<std::size_t>> new_index(params.rails,
                                                  std::vector<std::size_t>(one.nodes.size()));
  const auto copy = [&](unsigned rail, std::size_t index) {
    Node node = one.nodes[index];
    const mad::Guid host_guid = node.system_guid.value != 0 ? node.system_guid : node.guid;
    node.name = fmt::format("r{}-{}", rail, node.name);
    if (!node.id.empty()) node.id = fmt::format("r{}-{}", rail, node.id);
    const std::uint64_t shift = kRailStride * rail;
    node.guid.value ^= shift;
    for (mad::Guid& guid : node.port_guids) guid.value ^= shift;
    if (node.type == NodeType::ca) {
      node.system_guid = node.guid == host_guid ? mad::Guid{} : host_guid;
    } else if (node.system_guid.value != 0) {
      node.system_guid.value ^= shift;
    }
    new_index[rail][index] = all.nodes.size();
    all.nodes.push_back(std::move(node));
  };
  const auto of_type = [&](bool ca, unsigned rail) {
    for (std::size_t i = 0; i < one.nodes.size(); ++i) {
      if ((one.nodes[i].type == NodeType::ca) == ca) copy(rail, i);
    }
  };
  if (params.multi_port) {
    for (std::size_t i = 0; i < one.nodes.size(); ++i) {
      if (one.nodes[i].type != NodeType::ca) continue;
      Node node = one.nodes[i];
      node.port_count *= params.rails;
      node.port_guids.clear();
      for (unsigned rail = 0; rail < params.rails; ++rail) new_index[rail][i] = all.nodes.size();
      all.nodes.push_back(std::move(node));
    }
  } else {
    for (unsigned rail = 0; rail < params.rails; ++rail) of_type(true, rail);
  }
  for (unsigned rail = 0; rail < params.rails; ++rail) of_type(false, rail);

  for (unsigned rail = 0; rail < params.rails; ++rail) {
    const auto moved = [&](PortRef end) {
      const Node& node = one.nodes[end.node];
      const unsigned shift =
          params.multi_port && node.type == NodeType::ca ? node.port_count * rail : 0;
      return PortRef{new_index[rail][end.node],
                     mad::PortNum{static_cast<std::uint8_t>(end.port.value + shift)}};
    };
    for (const Link& link : one.links)
      all.links.push_back({moved(link.a), moved(link.b), link.width, link.speed});
  }
  std::set<mad::Guid> guids;
  for (const Node& node : all.nodes) {
    if (!guids.insert(node.guid).second)
      throw TopologyError(fmt::format("the rails would need GUID {} twice", node.guid));
  }
  require_lid_space(all);
  return all;
}

}  // namespace topology
