#include "sm/ops/api/topology_json.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "mad/format.h"
#include "mad/link_speed.h"
#include "routing/graph/grid_shape.h"
#include "routing/topology_kind.h"
#include "sm/ops/api/routing_rows.h"
#include "sm/ops/rows.h"

namespace sm::api {

namespace {

constexpr unsigned kNoLayer = 255;

std::string_view name(routing::TopologyKind kind) {
  switch (kind) {
    case routing::TopologyKind::no_switches:
      return "no_switches";
    case routing::TopologyKind::one_switch:
      return "one_switch";
    case routing::TopologyKind::tree:
      return "tree";
    case routing::TopologyKind::torus:
      return "torus";
    case routing::TopologyKind::hypercube:
      return "hypercube";
    case routing::TopologyKind::dragonfly:
      return "dragonfly";
    case routing::TopologyKind::other:
      break;
  }
  return "other";
}

/// Returns {"radix": [...], "wraps": [...]} for a torus, mesh or hypercube, else null.
nlohmann::json grid_of(routing::TopologyKind kind, const SwitchGraph& graph) {
  if (kind != routing::TopologyKind::torus && kind != routing::TopologyKind::hypercube)
    return nullptr;
  const auto dimensions = routing::grid_shape(graph);
  if (!dimensions) return nullptr;
  nlohmann::json radix = nlohmann::json::array(), wraps = nlohmann::json::array();
  for (const routing::GridDimension& dimension : *dimensions) {
    radix.push_back(dimension.radix);
    wraps.push_back(dimension.wraps);
  }
  return {{"radix", std::move(radix)}, {"wraps", std::move(wraps)}};
}

/// "name":[values] with numbers.
template <class Values>
void write_column(std::string& out, std::string_view name, const Values& values) {
  fmt::format_to(std::back_inserter(out), "\"{}\":[{}]", name, fmt::join(values, ","));
}

/// Writes an array of texts.
template <class Texts>
void write_texts(std::string& out, std::string_view name, const Texts& texts) {
  fmt::format_to(std::back_inserter(out), "\"{}\":[", name);
  bool first = true;
  for (const auto& text : texts) {
    if (!first) out += ',';
    first = false;
    out += to_line(nlohmann::json(text));
  }
  out += ']';
}

/// Hosts and routers 0; switches 1 + links to the nearest switch with hosts; kNoLayer: none is in
/// reach.
std::vector<unsigned> layers_of(const Fabric& fabric) {
  std::vector<unsigned> layer(fabric.nodes.size(), kNoLayer);
  std::vector<NodeIndex> open;
  for (const PortIndex index : fabric.ports.indices()) {
    const Port& port = fabric.ports[index];
    if (fabric.nodes[port.node].is_switch()) continue;
    layer[port.node] = 0;
    if (port.peer == kNoIndex) continue;
    const NodeIndex leaf = fabric.ports[port.peer].node;
    if (!fabric.nodes[leaf].is_switch() || layer[leaf] == 1) continue;
    layer[leaf] = 1;
    open.push_back(leaf);
  }
  for (std::size_t next = 0; next < open.size(); ++next) {
    for (const Port& port : fabric.node_ports(open[next])) {
      if (port.peer == kNoIndex) continue;
      const NodeIndex far = fabric.ports[port.peer].node;
      if (layer[far] != kNoLayer) continue;
      layer[far] = std::min(layer[open[next]] + 1, kNoLayer - 1);
      open.push_back(far);
    }
  }
  return layer;
}

std::int64_t leaf_switch(const Fabric& fabric, NodeIndex node) {
  if (fabric.nodes[node].is_switch()) return -1;
  for (std::uint32_t i = 0; i < fabric.node_ports(node).size(); ++i) {
    const SwitchIndex leaf = fabric.leaf_switch(fabric.nodes[node].first_port + i);
    if (leaf != kNoIndex) return fabric.switches[leaf].node.value;
  }
  return -1;
}

unsigned find_lid(const Subnet& subnet, NodeIndex node) {
  for (std::uint32_t i = 0; i < subnet.fabric.node_ports(node).size(); ++i) {
    const mad::Lid lid = subnet.lid_range(subnet.fabric.nodes[node].first_port + i).base;
    if (lid.value != 0) return lid.value;
  }
  return 0;
}

void write_nodes(std::string& out, const Subnet& subnet) {
  const Fabric& fabric = subnet.fabric;
  std::vector<std::string> guids, descriptions;
  std::vector<unsigned> types, lids;
  std::vector<std::int64_t> leaves;
  for (const NodeIndex node : fabric.nodes.indices()) {
    guids.push_back(fmt::format("{}", fabric.nodes[node].guid));
    descriptions.push_back(fabric.description(node));
    types.push_back(static_cast<unsigned>(fabric.nodes[node].type));
    lids.push_back(find_lid(subnet, node));
    leaves.push_back(leaf_switch(fabric, node));
  }
  out += "\"nodes\":{";
  write_texts(out, "node_guid", guids);
  out += ",\n";
  write_texts(out, "description", descriptions);
  out += ",\n";
  write_column(out, "node_type", types);
  out += ",\n";
  write_column(out, "lid", lids);
  out += ",\n";
  write_column(out, "layer", layers_of(fabric));
  out += ",\n";
  write_column(out, "leaf", leaves);
  out += '}';
}

/// Widths and speeds that links run, each once.
class Rates {
 public:
  std::size_t number(const mad::LinkRate& rate) {
    const auto known = std::ranges::find(rates_, rate);
    if (known != rates_.end()) return static_cast<std::size_t>(known - rates_.begin());
    rates_.push_back(rate);
    return rates_.size() - 1;
  }
  nlohmann::json json() const {
    nlohmann::json rows = nlohmann::json::array();
    for (const mad::LinkRate& rate : rates_)
      rows.push_back({{"link_width_active", mad::width_name(rate.lanes)},
                      {"link_speed_active", mad::name(rate.speed)},
                      {"rate_gbps", mad::gbps(rate)}});
    return rows;
  }

 private:
  std::vector<mad::LinkRate> rates_;
};

void write_links(std::string& out, const Fabric& fabric, const std::vector<std::int64_t>& loads) {
  std::vector<unsigned> a, a_port, b, b_port, state, degraded;
  std::vector<std::size_t> rate;
  std::vector<std::int64_t> load_ab, load_ba;
  Rates rates;
  for (const PortIndex index : links_in_order(fabric)) {
    const PortIndex far = fabric.ports[index].peer;
    const Port &one = fabric.ports[index], &other = fabric.ports[far];
    a.push_back(one.node.value);
    a_port.push_back(one.number.value);
    b.push_back(other.node.value);
    b_port.push_back(other.number.value);
    state.push_back(
        static_cast<unsigned>(std::min(one.info.port_state(), other.info.port_state())));
    rate.push_back(rates.number(mad::active_rate(one.info)));
    degraded.push_back(is_degraded(fabric, index, far) ? 1 : 0);
    load_ab.push_back(loads.empty() ? -1 : loads[index]);
    load_ba.push_back(loads.empty() ? -1 : loads[far]);
  }
  out += "\"rates\":" + to_line(rates.json()) + ",\n\"links\":{";
  write_column(out, "a", a);
  out += ",\n";
  write_column(out, "a_port", a_port);
  out += ",\n";
  write_column(out, "b", b);
  out += ",\n";
  write_column(out, "b_port", b_port);
  out += ",\n";
  write_column(out, "port_state", state);
  out += ",\n";
  write_column(out, "rate", rate);
  out += ",\n";
  write_column(out, "degraded", degraded);
  out += ",\n";
  write_column(out, "load_ab", load_ab);
  out += ",\n";
  write_column(out, "load_ba", load_ba);
  out += '}';
}

}  // namespace

std::vector<PortIndex> links_in_order(const Fabric& fabric) {
  std::vector<PortIndex> links;
  for (const PortIndex index : fabric.ports.indices()) {
    if (fabric.ports[index].peer != kNoIndex && index < fabric.ports[index].peer)
      links.push_back(index);
  }
  return links;
}

std::string topology_json(const Snapshot& snapshot) {
  static const Subnet kNone;
  const Subnet& subnet = snapshot.subnet ? *snapshot.subnet : kNone;
  const Fabric& fabric = subnet.fabric;
  const std::optional<Loads> loads = loads_of(fabric, subnet.lids, subnet.lfts.get());
  const SwitchGraph graph = loads ? loads->graph : make_switch_graph(fabric);
  const routing::RoutingOptions options;
  const routing::Topology topology = routing::recognise({fabric, graph, subnet.lids, options});
  nlohmann::json head = envelope(snapshot);
  head["sm_node"] = fabric.sm_port == kNoIndex
                        ? nlohmann::json()
                        : nlohmann::json(fabric.ports[fabric.sm_port].node.value);
  head["engine"] = subnet.routing ? nlohmann::json(subnet.routing->engine) : nullptr;
  head["kind"] = name(topology.kind);
  head["what"] = topology.what;
  head["grid"] = grid_of(topology.kind, graph);
  head["load"] = loads ? load_row(loads->loads) : nullptr;
  std::string out = to_line(head);
  out.pop_back();
  out += ",\n";
  write_nodes(out, subnet);
  out += ",\n";
  write_links(out, fabric, loads ? loads_by_port(fabric, *loads) : std::vector<std::int64_t>());
  out += "}\n";
  return out;
}

}  // namespace sm::api
