#include "sm/ops/api/topology_json.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
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

constexpr std::array<std::string_view, 7> kTopologyKinds{
    "no_switches", "one_switch", "tree", "torus", "hypercube", "dragonfly", "other"};

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

/// Returns the layer of each node: 0 for hosts and routers; for switches 1 + links to the nearest
/// switch with hosts; kNoLayer if there is none in reach.
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

/// Lists the GUIDs of the end ports of a node, in the order of their numbers.
nlohmann::json port_guids_of(const Fabric& fabric, NodeIndex node) {
  nlohmann::json guids = nlohmann::json::array();
  for (const Port& port : fabric.node_ports(node))
    if (port.guid != mad::Guid{}) guids.push_back(fmt::format("{}", port.guid));
  return guids;
}

struct MapNode {
  const Subnet& subnet;
  NodeIndex index;
  unsigned layer;
  const Node& node() const { return subnet.fabric.nodes[index]; }
};

constexpr auto kNodeColumns = std::to_array<Field<MapNode>>({
    {{"node_guid", "Guid[]"}, [](auto& of) { return fmt::format("{}", of.node().guid); }},
    {{"port_guids", "Guid[][]", "Of its end ports: what a GID has behind the subnet prefix"},
     [](auto& of) { return port_guids_of(of.subnet.fabric, of.index); }},
    {{"description", value::kTexts},
     [](auto& of) { return of.subnet.fabric.description(of.index); }},
    {{"node_type", R"({"enum":[1,2,3]}[])", "1 CA, 2 switch, 3 router"},
     [](auto& of) { return static_cast<unsigned>(of.node().type); }},
    {{"lid", value::kIntegers}, [](auto& of) { return find_lid(of.subnet, of.index); }},
    {{"layer", value::kIntegers,
      "Hosts and routers 0, switches 1 + links to the next switch with hosts, 255: none"},
     [](auto& of) { return of.layer; }},
    {{"leaf", value::kIntegers,
      "Of hosts and routers: index of the first switch that they are attached to, else -1"},
     [](auto& of) { return leaf_switch(of.subnet.fabric, of.index); }},
});

/// Collects the widths and speeds at which links run, each once.
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

struct MapLink {
  const Port &a, &b;
  std::size_t rate;
  bool degraded;
  std::int64_t load_ab, load_ba;
};

constexpr auto kLinkColumns = std::to_array<Field<MapLink>>({
    {{"a", value::kIntegers, "Index of the node"}, [](auto& of) { return of.a.node.value; }},
    {{"a_port", value::kIntegers}, [](auto& of) { return of.a.number.value; }},
    {{"b", value::kIntegers}, [](auto& of) { return of.b.node.value; }},
    {{"b_port", value::kIntegers}, [](auto& of) { return of.b.number.value; }},
    {{"port_state", value::kIntegers,
      "1 Down, 2 Init, 3 Armed, 4 Active: of the end that is less far"},
     [](auto& of) {
       return static_cast<unsigned>(std::min(of.a.info.port_state(), of.b.info.port_state()));
     }},
    {{"rate", value::kIntegers, "Index into rates"}, [](auto& of) { return of.rate; }},
    {{"degraded", R"({"enum":[0,1]}[])"}, [](auto& of) { return of.degraded ? 1 : 0; }},
    {{"load_ab", value::kIntegers,
      "Pairs (host, LID of another) by the tables; -1: not a link between switches"},
     [](auto& of) { return of.load_ab; }},
    {{"load_ba", value::kIntegers}, [](auto& of) { return of.load_ba; }},
});

/// Returns {"name": [value of each row], ...}
template <class Fields, class Rows>
nlohmann::json columns(const Fields& fields, const Rows& rows) {
  nlohmann::json all = nlohmann::json::object();
  for (const auto& field : fields) {
    nlohmann::json& column = all[std::string(field.info.name)] = nlohmann::json::array();
    for (const auto& row : rows) column.push_back(*field.value(row));
  }
  return all;
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
  std::vector<MapNode> nodes;
  const std::vector<unsigned> layers = layers_of(fabric);
  for (const NodeIndex node : fabric.nodes.indices())
    nodes.push_back({subnet, node, layers[node.value]});
  Rates rates;
  std::vector<MapLink> links;
  const auto by_port = loads ? loads_by_port(fabric, *loads) : std::vector<std::int64_t>();
  const auto load = [&](PortIndex port) { return by_port.empty() ? -1 : by_port[port]; };
  for (const PortIndex a : links_in_order(fabric)) {
    const PortIndex b = fabric.ports[a].peer;
    links.push_back({fabric.ports[a], fabric.ports[b],
                     rates.number(mad::active_rate(fabric.ports[a].info)),
                     is_degraded(fabric, a, b), load(a), load(b)});
  }
  nlohmann::json body = envelope(snapshot);
  body["sm_node"] = fabric.sm_port == kNoIndex
                        ? nlohmann::json()
                        : nlohmann::json(fabric.ports[fabric.sm_port].node.value);
  body["engine"] = subnet.routing ? nlohmann::json(subnet.routing->engine) : nullptr;
  body["kind"] = kTopologyKinds[static_cast<std::size_t>(topology.kind)];
  body["what"] = topology.what;
  body["grid"] = grid_of(topology.kind, graph);
  body["rates"] = rates.json();
  body["nodes"] = columns(kNodeColumns, nodes);
  body["links"] = columns(kLinkColumns, links);
  body["load"] = loads ? load_row(loads->loads) : nullptr;
  return to_line(body) + "\n";
}

std::string topology_schema() {
  const std::string nodes = object_schema(infos_of(kNodeColumns)),
                    links = object_schema(infos_of(kLinkColumns));
  const std::string kinds = fmt::format("{}", fmt::join(kTopologyKinds, "|"));
  return answer_schema(
      {}, std::vector<FieldInfo>{
              {"sm_node", value::kIntegerOrNull, "Index of the node that this manager runs on"},
              {"engine", value::kTextOrNull},
              {"kind", kinds},
              {"what", value::kText},
              {"grid", R"({"type":["object","null"],"required":["radix","wraps"],"properties":{
"radix":{"type":"array","items":{"type":"integer"}},
"wraps":{"type":"array","items":{"type":"boolean"}}}})"},
              {"rates", object_of({{"link_width_active", value::kText},
                                   {"link_speed_active", value::kText},
                                   {"rate_gbps", value::kNumber}}) +
                            "[]"},
              {"nodes", nodes, "Columns: value n of each is of node n"},
              {"links", links, "Columns: value n of each is of link n; each link once"},
              {"load", "Load?"}});
}

}  // namespace sm::api
