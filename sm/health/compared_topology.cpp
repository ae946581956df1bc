#include "sm/health/compared_topology.h"

#include <algorithm>
#include <set>

namespace sm {
namespace {

mad::NodeType node_type_of(topology::NodeType type) {
  switch (type) {
    case topology::NodeType::switch_:
      return mad::NodeType::switch_;
    case topology::NodeType::router:
      return mad::NodeType::router;
    case topology::NodeType::ca:
      break;
  }
  return mad::NodeType::ca;
}

unsigned lanes_of(topology::LinkWidth width) {
  switch (width) {
    case topology::LinkWidth::x1:
      return 1;
    case topology::LinkWidth::x2:
      return 2;
    case topology::LinkWidth::x4:
      return 4;
    case topology::LinkWidth::x8:
      return 8;
    case topology::LinkWidth::x12:
      return 12;
  }
  return 0;
}

mad::LaneSpeed lane_speed_of(topology::LinkSpeed speed) {
  switch (speed) {
    case topology::LinkSpeed::sdr:
      return mad::LaneSpeed::sdr;
    case topology::LinkSpeed::ddr:
      return mad::LaneSpeed::ddr;
    case topology::LinkSpeed::qdr:
    case topology::LinkSpeed::fdr10:
      return mad::LaneSpeed::qdr;
    case topology::LinkSpeed::fdr:
      return mad::LaneSpeed::fdr;
    case topology::LinkSpeed::edr:
      return mad::LaneSpeed::edr;
    case topology::LinkSpeed::hdr:
      return mad::LaneSpeed::hdr;
    case topology::LinkSpeed::ndr:
      return mad::LaneSpeed::ndr;
    case topology::LinkSpeed::xdr:
      return mad::LaneSpeed::xdr;
  }
  return mad::LaneSpeed::none;
}

}  // namespace

mad::LinkRate link_rate(topology::LinkWidth width, topology::LinkSpeed speed) {
  return {.lanes = lanes_of(width), .speed = lane_speed_of(speed)};
}

ComparedTopology compared(const topology::TopologyFile& file) {
  ComparedTopology out;
  for (const topology::Node& node : file.topology.nodes)
    out.nodes.push_back({.guid = node.guid,
                         .type = node_type_of(node.type),
                         .description = node.name,
                         .operator_name = {}});
  const std::set<std::size_t> unstated(file.links_without_rate.begin(),
                                       file.links_without_rate.end());
  for (std::size_t i = 0; i < file.topology.links.size(); ++i) {
    const topology::Link& link = file.topology.links[i];
    const mad::LinkRate rate = link_rate(link.width, link.speed);
    out.links.push_back({.a = {link.a.node, link.a.port},
                         .b = {link.b.node, link.b.port},
                         .rate = unstated.contains(i) ? mad::LinkRate{} : rate});
  }
  return out;
}

ComparedTopology compared(const Fabric& fabric) {
  ComparedTopology out;
  out.nodes.reserve(fabric.nodes.size());
  for (const NodeIndex index : fabric.nodes.indices()) {
    const fabric::Node& node = fabric.nodes[index];
    auto& its = out.nodes.emplace_back();
    its.guid = node.guid;
    its.type = node.type;
    its.description = node.description.text();
    if (std::string name = fabric.description(index); name != its.description)
      its.operator_name = std::move(name);
  }
  for (const PortIndex port : fabric.ports.indices()) {
    const PortIndex peer = fabric.ports[port].peer;
    if (peer == kNoIndex || peer < port || !fabric.is_link_up(port)) continue;
    const auto end = [&](PortIndex of) {
      return ComparedTopology::End{.node = fabric.ports[of].node.value,
                                   .port = fabric.ports[of].number};
    };
    out.links.push_back(
        {.a = end(port), .b = end(peer), .rate = mad::active_rate(fabric.ports[port].info)});
  }
  return out;
}

}  // namespace sm
