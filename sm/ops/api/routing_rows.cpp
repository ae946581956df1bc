#include "sm/ops/api/routing_rows.h"

#include <array>
#include <optional>

#include "mad/format.h"
#include "mad/link_speed.h"
#include "mad/path_units.h"
#include "sm/ops/adaptive_trace.h"
#include "sm/ops/rows.h"

namespace sm::api {

namespace {

using Json = nlohmann::json;

struct QualitySource {
  const RoutingQuality& quality;
  const PublishedRouting& routing;
};
struct LinkLoadSource {
  const Fabric& fabric;
  PortIndex a;
  const RoutingQuality& quality;
  PortIndex b() const { return fabric.ports[a].peer; }
};
struct PathEndSource {
  const Subnet& subnet;
  const PathEnd& of;
};
struct HopSource {
  const Subnet& subnet;
  const Hop& hop;
  mad::Sl sl;
  const Node& node() const { return subnet.fabric.nodes[hop.node]; }
  /// Returns the PortInfo of the egress port; null at the end of the path.
  const mad::PortInfo* out() const {
    return hop.out.value == 0 ? nullptr
                              : &subnet.fabric.ports[subnet.fabric.port(hop.node, hop.out)].info;
  }
};
struct AdaptiveHopSource {
  const Subnet& subnet;
  const AdaptiveHop& hop;
  mad::Sl sl;
};
struct AdaptiveExitSource {
  const Subnet& subnet;
  const AdaptiveHop& hop;
  const AdaptiveExit& exit;
  mad::Sl sl;
  const mad::PortInfo& out() const {
    return subnet.fabric.ports[subnet.fabric.port(hop.node, exit.out)].info;
  }
};
struct TraceSource {
  const Subnet& subnet;
  const Trace& path;
  const AdaptiveTrace& adaptive;
};

Json number_or_null(mad::PortNum number) { return number.value == 0 ? Json() : Json(number.value); }

/// Returns the VL that ports are known to use, else the VL that the routing requires, else the only
/// VL.
std::optional<unsigned> vl_of_hop(const Subnet& subnet, const Hop& hop, mad::Sl sl) {
  const PortIndex out = subnet.fabric.port(hop.node, hop.out);
  if (subnet.vl_tables && !subnet.vl_tables->is_empty()) {
    if (const auto bits = subnet.vl_tables->sl_to_vl(out, hop.in))
      return mapped_vl(*bits, sl.value);
  }
  if (hop.vl) return hop.vl;
  if (mad::data_vls(subnet.fabric.ports[out].info.operational_vls()) == 1) return 0;
  return std::nullopt;
}

/// Returns nullopt if the VL depends on the input port.
std::optional<unsigned> vl_of_exit(const AdaptiveExitSource& of) {
  std::optional<unsigned> vl;
  const std::vector<mad::PortNum> own{mad::PortNum{0}};
  for (const mad::PortNum in : of.hop.ins.empty() ? own : of.hop.ins) {
    const auto each = vl_of_hop(
        of.subnet, {.node = of.hop.node, .in = in, .out = of.exit.out, .vl = of.exit.vl}, of.sl);
    if (!each || (vl && *vl != *each)) return std::nullopt;
    vl = each;
  }
  return vl;
}

constexpr auto kLoad = std::to_array<Field<routing::LinkLoads>>({
    {{"worst", value::kInteger, "pairs (host, LID of another) on the busiest channel"},
     [](auto& of) { return of.worst; }},
    {{"p99", value::kInteger}, [](auto& of) { return of.p99; }},
    {{"mean", value::kNumber}, [](auto& of) { return of.mean; }},
    {{"variation", value::kNumber, "standard deviation / mean"},
     [](auto& of) { return of.variation; }},
    {{"unused", value::kInteger, "directions of links between switches that no pair uses"},
     [](auto& of) { return of.unused; }},
});

constexpr auto kLinkLoad = std::to_array<Field<LinkLoadSource>>({
    {{"a", "End"}, [](auto& of) { return end_row(of.fabric, of.a); }},
    {{"b", "End"}, [](auto& of) { return end_row(of.fabric, of.b()); }},
    {{"load_ab", value::kInteger, "pairs (host, LID of another) whose packets go from a to b"},
     [](auto& of) { return of.quality.by_port[of.a.value]; }},
    {{"load_ba", value::kInteger, "from b to a"},
     [](auto& of) { return of.quality.by_port[of.b().value]; }},
});

constexpr auto kQuality = std::to_array<Field<QualitySource>>({
    {{"engine", value::kText}, [](auto& of) { return of.routing.engine; }},
    {{"vls", value::kInteger, "data VLs that unicast uses"},
     [](auto& of) { return of.routing.vls; }},
    {{"credit_loops", value::kInteger, "between hosts"},
     [](auto& of) { return of.quality.credit_loops; }},
    {{"lost_pairs", value::kInteger,
      "pairs (host, LID of another) without a path; in a plan with hosts that are cut off"},
     [](auto& of) { return of.quality.lengths.lost; }},
    {{"load", "Load"}, [](auto& of) { return load_row(of.quality.loads); }},
    {{"hops",
      R"({"type":"object","properties":{"mean":{"type":"number"},"longest":{"type":"integer"}}})",
      "links between switches on a path"},
     [](auto& of) {
       return Json{{"mean", of.quality.lengths.mean}, {"longest", of.quality.lengths.longest()}};
     }},
});

constexpr auto kPathHop = std::to_array<Field<HopSource>>({
    {{"node_guid", value::kGuid}, [](auto& of) { return fmt::format("{}", of.node().guid); }},
    {{"description", value::kText},
     [](auto& of) { return of.subnet.fabric.description(of.hop.node); }},
    {{"node_type", value::kNodeType}, [](auto& of) { return mad::name(of.node().type); }},
    {{"in_port", value::kIntegerOrNull}, [](auto& of) { return number_or_null(of.hop.in); }},
    {{"out_port", value::kIntegerOrNull}, [](auto& of) { return number_or_null(of.hop.out); }},
    {{"vl", value::kIntegerOrNull,
      "the link's by which packets leave; null: as the port has it set"},
     [](auto& of) -> FieldValue {
       const auto vl = of.hop.out.value == 0 ? std::nullopt : vl_of_hop(of.subnet, of.hop, of.sl);
       return vl ? Json(*vl) : Json();
     }},
    {{"link_width_active", value::kText, "of the link by which packets leave", true},
     [](auto& of) -> FieldValue {
       return of.out() == nullptr ? std::nullopt
                                  : FieldValue(mad::width_name(mad::active_rate(*of.out()).lanes));
     }},
    {{"link_speed_active", value::kText, {}, true},
     [](auto& of) -> FieldValue {
       return of.out() == nullptr ? std::nullopt
                                  : FieldValue(mad::name(mad::active_rate(*of.out()).speed));
     }},
    {{"neighbor_mtu", value::kInteger, "bytes", true},
     [](auto& of) -> FieldValue {
       return of.out() == nullptr
                  ? std::nullopt
                  : FieldValue(mad::mtu_bytes(static_cast<std::uint8_t>(of.out()->neighbor_mtu())));
     }},
});

constexpr auto kAdaptiveExit = std::to_array<Field<AdaptiveExitSource>>({
    {{"port", value::kInteger, "by which packets leave"},
     [](auto& of) { return of.exit.out.value; }},
    {{"share", value::kNumber, "of all packets from the sender, 0 to 1"},
     [](auto& of) { return of.exit.share; }},
    {{"static", value::kBoolean, "whether the LinearForwardingTable has this port"},
     [](auto& of) { return of.exit.is_static; }},
    {{"vl", value::kIntegerOrNull, "null: as the port has it set"},
     [](auto& of) -> FieldValue {
       const auto vl = vl_of_exit(of);
       return vl ? Json(*vl) : Json();
     }},
    {{"to", "End", "the other end of the link"},
     [](auto& of) { return end_row(of.subnet.fabric, of.exit.next); }},
    {{"link_width_active", value::kText},
     [](auto& of) { return mad::width_name(mad::active_rate(of.out()).lanes); }},
    {{"link_speed_active", value::kText},
     [](auto& of) { return mad::name(mad::active_rate(of.out()).speed); }},
    {{"neighbor_mtu", value::kInteger, "bytes"},
     [](auto& of) { return mad::mtu_bytes(static_cast<std::uint8_t>(of.out().neighbor_mtu())); }},
});

constexpr auto kAdaptiveHop = std::to_array<Field<AdaptiveHopSource>>({
    {{"links", value::kInteger, "from the sender to this node"},
     [](auto& of) { return of.hop.links; }},
    {{"node_guid", value::kGuid},
     [](auto& of) { return fmt::format("{}", of.subnet.fabric.nodes[of.hop.node].guid); }},
    {{"description", value::kText},
     [](auto& of) { return of.subnet.fabric.description(of.hop.node); }},
    {{"node_type", value::kNodeType},
     [](auto& of) { return mad::name(of.subnet.fabric.nodes[of.hop.node].type); }},
    {{"share", value::kNumber, "of all packets from the sender, 0 to 1"},
     [](auto& of) { return of.hop.share; }},
    {{"in_ports", value::kIntegers},
     [](auto& of) -> FieldValue {
       Json ports = Json::array();
       for (const mad::PortNum in : of.hop.ins) ports.push_back(in.value);
       return ports;
     }},
    {{"group", value::kIntegerOrNull, "null: packets go by the LinearForwardingTable"},
     [](auto& of) { return of.hop.group == 0 ? Json() : Json(of.hop.group); }},
    {{"out_ports", "AdaptiveExit[]"},
     [](auto& of) -> FieldValue {
       Json exits = Json::array();
       for (const AdaptiveExit& exit : of.hop.exits)
         exits.push_back(row_of(kAdaptiveExit, AdaptiveExitSource{of.subnet, of.hop, exit, of.sl}));
       return exits;
     }},
});

constexpr auto kPathTrace = std::to_array<Field<TraceSource>>({
    {{"dlid", value::kInteger}, [](auto& of) { return of.path.to.value; }},
    {{"sl", value::kInteger}, [](auto& of) { return of.path.sl.value; }},
    {{"arrives", value::kBoolean}, [](auto& of) { return of.path.trouble.empty(); }},
    {{"detail", value::kTextOrNull, "why it does not arrive"},
     [](auto& of) { return of.path.trouble.empty() ? Json() : Json(of.path.trouble); }},
    {{"hops", "PathHop[]"},
     [](auto& of) -> FieldValue {
       Json hops = Json::array();
       for (const Hop& hop : of.path.hops)
         hops.push_back(row_of(kPathHop, HopSource{of.subnet, hop, of.path.sl}));
       return hops;
     }},
    {{"adaptive_hops", "AdaptiveHop[]",
      "nodes of all paths, by links from the sender, where switches choose for this SL; `hops` is "
      "the static path",
      true},
     [](auto& of) -> FieldValue {
       if (of.adaptive.hops.empty()) return std::nullopt;
       Json hops = Json::array();
       for (const AdaptiveHop& hop : of.adaptive.hops)
         hops.push_back(row_of(kAdaptiveHop, AdaptiveHopSource{of.subnet, hop, of.path.sl}));
       return hops;
     }},
    {{"adaptive_detail", value::kTextOrNull, "why some of these packets do not arrive", true},
     [](auto& of) -> FieldValue {
       if (of.adaptive.hops.empty()) return std::nullopt;
       return of.adaptive.trouble.empty() ? Json() : Json(of.adaptive.trouble);
     }},
});

constexpr auto kPathEnd = std::to_array<Field<PathEndSource>>({
    {{"port_guid", value::kGuid},
     [](auto& of) { return fmt::format("{}", of.subnet.find_guid(of.of.end)); }},
    {{"lid", value::kInteger}, [](auto& of) { return of.of.lid.value; }},
});

}  // namespace

RowInfo load_info() { return {"Load", "loads of the links between switches", infos_of(kLoad)}; }
RowInfo link_load_info() {
  return {"LinkLoad", "the load of a link between switches by the tables", infos_of(kLinkLoad)};
}
RowInfo quality_info() { return {"RoutingQuality", "the quality of routes", infos_of(kQuality)}; }
RowInfo path_hop_info() { return {"PathHop", "a node on a path", infos_of(kPathHop)}; }
RowInfo adaptive_exit_info() {
  return {"AdaptiveExit", "a port by which packets leave a node", infos_of(kAdaptiveExit)};
}
RowInfo adaptive_hop_info() {
  return {"AdaptiveHop", "a node on paths that switches choose", infos_of(kAdaptiveHop)};
}
RowInfo path_trace_info() {
  return {"PathTrace", "the path of packets in one direction", infos_of(kPathTrace)};
}
RowInfo path_end_info() {
  RowInfo info{"PathEnd", "an end of a path", end_info().fields};
  const std::vector<FieldInfo> more = infos_of(kPathEnd);
  info.fields.insert(info.fields.end(), more.begin(), more.end());
  return info;
}

nlohmann::json load_row(const routing::LinkLoads& loads) { return row_of(kLoad, loads); }

nlohmann::json link_load_row(const Fabric& fabric, PortIndex a, const RoutingQuality& quality) {
  return row_of(kLinkLoad, LinkLoadSource{fabric, a, quality});
}

nlohmann::json quality_row(const RoutingQuality& quality, const PublishedRouting& routing) {
  return row_of(kQuality, QualitySource{quality, routing});
}

nlohmann::json path_end_row(const Subnet& subnet, const PathEnd& of) {
  nlohmann::json row = end_row(subnet.fabric, of.end.port);
  row.update(row_of(kPathEnd, PathEndSource{subnet, of}));
  return row;
}

nlohmann::json trace_row(const Subnet& subnet, const PathEnd& from, const PathEnd& to) {
  static const PublishedRouting kPlain;
  const PublishedRouting& routing = subnet.routing ? *subnet.routing : kPlain;
  const Trace path = trace(subnet.fabric, subnet.lids, *subnet.lfts, routing.sls, routing.sl_to_vl,
                           from.end.port, to.lid);
  AdaptiveTrace adaptive;
  if (subnet.adaptive)
    adaptive = trace_adaptive({subnet.fabric, subnet.lids, *subnet.lfts, routing.sl_to_vl},
                              *subnet.adaptive, from.end.port, path);
  return row_of(kPathTrace, TraceSource{subnet, path, adaptive});
}

}  // namespace sm::api
