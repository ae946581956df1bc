#include "support/fabrics.h"
#include "mad/format.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace fabrics {

using fabric::kNoIndex;
using fabric::NodeIndex;
using fabric::PortIndex;

fabric::NodeIndex Maker::add(mad::NodeType type, unsigned ports, std::string name, mad::Guid guid) {
  const auto index = fabric_.nodes.next_index();
  const bool is_switch = type == mad::NodeType::switch_;
  if (guid == mad::Guid{})
    guid.value = (is_switch ? 0x0002'c902'0000'0000u : 0x0002'c900'0000'0000u) +
                 std::uint64_t{0x100} * index;
  if (name.empty())
    name = fmt::format("{}{}",
                       is_switch                       ? "S"
                       : type == mad::NodeType::router ? "R"
                                                       : "H",
                       index.value);
  fabric::Node node;
  node.type = type;
  node.num_ports = static_cast<std::uint8_t>(ports);
  node.first_port = fabric_.ports.next_index();
  node.guid = guid;
  node.info.set_node_type(type);
  node.info.set_num_ports(node.num_ports);
  node.info.set_node_guid(guid);
  node.info.set_system_image_guid(guid);
  node.description.set_text(name);
  if (is_switch) {
    node.switch_index = fabric_.switches.next_index();
    fabric::Switch& sw = fabric_.switches.emplace_back();
    sw.node = index;
    sw.info.set_linear_fdb_cap(kFdbCap);
    sw.info.set_multicast_fdb_cap(kMulticastFdbCap);
  }
  for (unsigned number = is_switch ? 0 : 1; number <= ports; ++number) {
    fabric::Port& port = fabric_.ports.emplace_back();
    port.node = index;
    port.number = mad::PortNum{static_cast<std::uint8_t>(number)};
    port.known = is_switch;
    if (is_switch && number == 0) port.guid = guid;
    if (!is_switch) port.guid = mad::Guid{guid.value + number};
    port.info.set_vl_cap(4);  // 8 data VLs
    port.info.set_port_state(is_switch && number == 0 ? mad::PortState::active
                                                      : mad::PortState::down);
  }
  fabric_.nodes.push_back(node);
  return index;
}

void Maker::cable(NodeIndex a, unsigned port_a, NodeIndex b, unsigned port_b) {
  const PortIndex pa = fabric_.port(a, mad::PortNum{static_cast<std::uint8_t>(port_a)});
  const PortIndex pb = fabric_.port(b, mad::PortNum{static_cast<std::uint8_t>(port_b)});
  fabric_.ports[pa].peer = pb;
  fabric_.ports[pb].peer = pa;
  for (const PortIndex p : {pa, pb}) {
    fabric_.ports[p].known = true;
    fabric_.ports[p].info.set_port_state(mad::PortState::active);
  }
}

void Maker::cable(NodeIndex a, NodeIndex b, unsigned times) {
  for (unsigned i = 0; i < times; ++i) cable(a, free_port(a), b, free_port(b));
}

PortIndex Maker::host(NodeIndex sw) {
  const NodeIndex ca_node = ca();
  cable(ca_node, sw);
  return fabric_.port(ca_node, mad::PortNum{1});
}

unsigned Maker::free_port(NodeIndex node) const {
  for (unsigned number = 1; number <= fabric_.nodes[node].num_ports; ++number)
    if (fabric_.ports[fabric_.port(node, mad::PortNum{static_cast<std::uint8_t>(number)})].peer ==
        kNoIndex)
      return number;
  throw std::runtime_error(fmt::format("all ports of {} are taken", fabric_.name(node)));
}

void Maker::set_cap(NodeIndex sw, unsigned lids) {
  fabric_.switches[fabric_.nodes[sw].switch_index].info.set_linear_fdb_cap(
      static_cast<std::uint16_t>(lids));
}

void Maker::set_multicast_cap(NodeIndex sw, unsigned mlids) {
  fabric_.switches[fabric_.nodes[sw].switch_index].info.set_multicast_fdb_cap(
      static_cast<std::uint16_t>(mlids));
}

void Maker::set_state(NodeIndex node, unsigned port, mad::PortState state) {
  fabric_.ports[fabric_.port(node, mad::PortNum{static_cast<std::uint8_t>(port)})]
      .info.set_port_state(state);
}

fabric::Fabric Maker::build() const {
  fabric::Fabric out = fabric_;
  for (const NodeIndex n : out.nodes.indices()) out.node_of_guid[out.nodes[n].guid] = n;
  for (const PortIndex p : out.ports.indices()) {
    const fabric::Port& port = out.ports[p];
    const bool is_switch = out.owning_node(p).is_switch();
    if (is_switch ? port.number != mad::PortNum{0} : port.peer == kNoIndex) continue;
    out.end_ports.push_back(p);
    out.port_of_guid[port.guid] = p;
    if (!is_switch && out.sm_port == kNoIndex) out.sm_port = p;
  }
  if (out.sm_port == kNoIndex && !out.end_ports.empty()) out.sm_port = out.end_ports.front();
  return out;
}

fabric::Fabric from_topology(const topology::Topology& topology) {
  Maker maker;
  for (const topology::Node& node : topology.nodes) {
    const NodeIndex made = maker.add(
        node.type == topology::NodeType::switch_ ? mad::NodeType::switch_ : mad::NodeType::ca,
        node.port_count, node.name, node.guid);
    if (node.system_guid != mad::Guid{}) maker.set_system(made, node.system_guid);
  }
  for (const topology::Link& link : topology.links)
    maker.cable(NodeIndex(link.a.node), link.a.port.value, NodeIndex(link.b.node),
                link.b.port.value);
  return maker.build();
}

fabric::LidMap assign_lids(const fabric::Fabric& fabric, unsigned lmc, unsigned gap) {
  const fabric::SwitchGraph graph = fabric::make_switch_graph(fabric);
  std::vector<PortIndex> order;
  std::vector<bool> taken(fabric.ports.size(), false);
  const auto take = [&](PortIndex port) {
    if (!taken[port]) order.push_back(port);
    taken[port] = true;
  };
  for (const auto& end : graph.end_ports)
    if (end.out != mad::PortNum{0}) take(end.port);
  for (const PortIndex port : fabric.end_ports)
    if (!fabric.owning_node(port).is_switch()) take(port);
  for (const PortIndex port : fabric.end_ports) take(port);

  fabric::IndexVector<PortIndex, fabric::EndPortIndex> end_port_index(fabric.ports.size(),
                                                                      kNoIndex);
  for (const fabric::EndPortIndex end_port : fabric.end_ports.indices())
    end_port_index[fabric.end_ports[end_port]] = end_port;
  fabric::LidMap map;
  map.of_end_port.resize(fabric.end_ports.size());
  map.port_of_lid.assign(1, kNoIndex);
  unsigned next = 1;
  for (const PortIndex port : order) {
    const unsigned bits = fabric.owning_node(port).is_switch() ? 0 : lmc;
    next = (next + gap + (1u << bits) - 1) >> bits << bits;
    if (next + (1u << bits) - 1 > mad::kUnicastLidMax.value)
      throw std::runtime_error("more end ports than LIDs");
    map.of_end_port[end_port_index[port]] = {mad::Lid{static_cast<std::uint16_t>(next)},
                                             static_cast<std::uint8_t>(bits)};
    map.port_of_lid.resize(next + (1u << bits), kNoIndex);
    std::fill_n(map.port_of_lid.begin() + next, 1u << bits, port);
    next += 1u << bits;
  }
  map.lid_top = mad::Lid{static_cast<std::uint16_t>(map.port_of_lid.size() - 1)};
  return map;
}

mad::Lid Subnet::find_lid(PortIndex port) const {
  const auto it = std::ranges::find(fabric.end_ports, port);
  return it == fabric.end_ports.end()
             ? mad::Lid{}
             : lids.of_end_port[fabric::EndPortIndex(it - fabric.end_ports.begin())].base;
}

Subnet renumbered(const Subnet& subnet, std::uint64_t seed) {
  const fabric::Fabric& old = subnet.fabric;
  topology::Random random(seed);
  std::vector<NodeIndex> order(old.nodes.size());
  std::iota(order.begin(), order.end(), NodeIndex{0});
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[random.below(static_cast<std::uint32_t>(i))]);

  fabric::Fabric out;
  std::vector<PortIndex> new_port(old.ports.size(), kNoIndex);
  for (const NodeIndex from : order) {
    fabric::Node node = old.nodes[from];
    node.first_port = out.ports.next_index();
    if (node.is_switch()) {
      fabric::Switch sw = old.switches[node.switch_index];
      node.switch_index = out.switches.next_index();
      sw.node = out.nodes.next_index();
      out.switches.push_back(sw);
    }
    const auto ports = old.node_ports(from);
    for (std::size_t i = 0; i < ports.size(); ++i) {
      new_port[old.nodes[from].first_port + i] = out.ports.next_index();
      fabric::Port port = ports[i];
      port.node = out.nodes.next_index();
      out.ports.push_back(port);
    }
    out.node_of_guid[node.guid] = out.nodes.next_index();
    out.nodes.push_back(node);
  }
  for (fabric::Port& port : out.ports)
    if (port.peer != kNoIndex) port.peer = new_port[port.peer];
  fabric::LidMap map;
  map.lid_top = subnet.lids.lid_top;
  std::vector<PortIndex> old_port(out.ports.size(), kNoIndex);
  for (const PortIndex p : old.ports.indices()) old_port[new_port[p]] = p;
  for (const PortIndex p : out.ports.indices()) {
    const auto it = std::ranges::find(old.end_ports, old_port[p]);
    if (it == old.end_ports.end()) continue;
    out.end_ports.push_back(p);
    out.port_of_guid[out.ports[p].guid] = p;
    map.of_end_port.push_back(
        subnet.lids.of_end_port[fabric::EndPortIndex(it - old.end_ports.begin())]);
  }
  for (const PortIndex p : subnet.lids.port_of_lid)
    map.port_of_lid.push_back(p == kNoIndex ? kNoIndex : new_port[p]);
  out.sm_port = old.sm_port == kNoIndex ? kNoIndex : new_port[old.sm_port];
  return {std::move(out), std::move(map)};
}

fabric::Fabric random_fabric(std::uint64_t seed) {
  topology::Random random(seed);
  Maker maker;
  const unsigned switches = random.below(13), others = random.below(25);
  constexpr unsigned port_range = 200;  // more than the sum of below() can be
  std::vector<NodeIndex> sws, ends;
  std::vector<unsigned> end_port_counts;
  for (unsigned i = 0; i < switches; ++i) {
    sws.push_back(maker.sw(port_range));
    if (random.percent(15) && i > 0) maker.set_system(sws[i], mad::Guid{0x5000u + random.below(3)});
    if (random.percent(5)) maker.set_system(sws[i], mad::Guid{});
  }
  for (unsigned i = 0; i < others; ++i) {
    const unsigned ports = random.percent(75) ? 1 : 1 + random.below(4);
    end_port_counts.push_back(ports);
    ends.push_back(random.percent(90) ? maker.ca(ports) : maker.router(ports));
  }
  std::vector<std::vector<unsigned>> taken(switches);
  const auto take_port = [&](unsigned i) {
    for (;;) {
      const unsigned number = 1 + random.below(port_range);
      if (std::ranges::find(taken[i], number) != taken[i].end()) continue;
      taken[i].push_back(number);
      return number;
    }
  };
  const auto join = [&](unsigned a, unsigned b) {
    const unsigned pa = take_port(a), pb = take_port(b);
    maker.cable(sws[a], pa, sws[b], pb);
    if (random.percent(4))
      maker.set_state(sws[a], pa, mad::PortState::down);
    else if (random.percent(10))
      maker.set_state(sws[b], pb, mad::PortState::init);
  };
  const bool not_connected = random.percent(15);
  for (unsigned i = 1; i < switches; ++i) {
    if (not_connected && random.percent(30)) continue;
    const unsigned to = random.below(i), times = random.percent(70) ? 1 : 1 + random.below(4);
    for (unsigned k = 0; k < times; ++k) join(i, to);
  }
  for (unsigned extra = switches == 0 ? 0 : random.below(2 * switches); extra > 0; --extra) {
    const unsigned a = random.below(switches), b = random.below(switches);
    if (a != b || random.percent(20)) join(a, b);
  }
  for (std::size_t i = 0; i < ends.size() && switches > 0; ++i) {
    for (unsigned port = 1; port <= end_port_counts[i] && random.percent(90); ++port) {
      const unsigned sw = random.below(switches);
      maker.cable(ends[i], port, sws[sw], take_port(sw));
      if (random.percent(3)) maker.set_state(ends[i], port, mad::PortState::down);
    }
  }
  return maker.build();
}

}  // namespace fabrics
