// Rows of nodes, ports, links, LIDs.

#include <algorithm>

#include "mad/format.h"
#include "mad/link_speed.h"
#include "mad/path_units.h"
#include "sm/ops/rows.h"

namespace sm {

namespace {

using Json = nlohmann::json;
using Answered = nlohmann::ordered_json;

struct PortSource {
  const Subnet& subnet;
  PortIndex index;
  const Port& port() const { return subnet.fabric.ports[index]; }
  bool has_lids() const {
    return subnet.end_port_index.has(index) && subnet.end_port_index[index] != kNoIndex;
  }
  bool has_link() const { return port().peer != kNoIndex; }
  const Node& node() const { return subnet.fabric.nodes[port().node]; }
};

struct NodeSource {
  const Subnet& subnet;
  NodeIndex index;
  const Node& node() const { return subnet.fabric.nodes[index]; }
  std::string description() const { return subnet.fabric.description(index); }
};

struct EndSource {
  const Fabric& fabric;
  PortIndex port;
};

struct LinkSource {
  const Fabric& fabric;
  PortIndex a, b;
  const mad::PortInfo& info() const { return fabric.ports[a].info; }
  const mad::PortInfo& far() const { return fabric.ports[b].info; }
  mad::LinkRate active() const { return mad::active_rate(info()); }
  mad::LinkRate best() const { return mad::best_common_rate(info(), far()); }
};

struct LidSource {
  const Subnet& subnet;
  PortIndex index;
  LidMap::Range lids;
  mad::Guid guid;
  VPortIndex vport;
};

Json guid_text(mad::Guid guid) { return fmt::format("{}", guid); }

constexpr auto kEnd = std::to_array<Field<EndSource>>({
    {{"node_guid", value::kGuid},
     [](const EndSource& end) -> FieldValue {
       return guid_text(end.fabric.owning_node(end.port).guid);
     }},
    {{"description", value::kText, "the operator's name of the node, else its NodeDescription"},
     [](const EndSource& end) -> FieldValue {
       return end.fabric.description(end.fabric.ports[end.port].node);
     }},
    {{"port", value::kInteger},
     [](const EndSource& end) -> FieldValue { return end.fabric.ports[end.port].number.value; }},
});

constexpr auto kEndPort = std::to_array<Field<PortSource>>({
    {{"port", value::kInteger}, [](auto& of) { return of.port().number.value; }},
    {{"port_guid", value::kGuid}, [](auto& of) { return guid_text(of.port().guid); }},
    {{"lid", value::kInteger}, [](auto& of) { return of.subnet.lid_range(of.index).base.value; }},
    {{"lmc", value::kInteger}, [](auto& of) { return of.subnet.lid_range(of.index).lmc; }},
    {{"port_state", value::kText}, [](auto& of) { return mad::name(of.port().info.port_state()); }},
});

constexpr auto kNode = std::to_array<Field<NodeSource>>({
    {{"node_guid", value::kGuid}, [](auto& of) { return guid_text(of.node().guid); }},
    {{"node_type", value::kNodeType}, [](auto& of) { return mad::name(of.node().type); }},
    {{"description", value::kText, "the operator's name for it, else its NodeDescription"},
     [](auto& of) { return of.description(); }},
    {{"node_description", value::kText, "its NodeDescription, if the operator has another name",
      true},
     [](auto& of) -> FieldValue {
       std::string text = of.node().description.text();
       return text == of.description() ? std::nullopt : FieldValue(std::move(text));
     }},
    {{"system_image_guid", value::kGuid},
     [](auto& of) { return guid_text(of.node().info.system_image_guid()); }},
    {{"vendor_id", value::kText},
     [](auto& of) { return fmt::format("{:#08x}", of.node().info.vendor_id()); }},
    {{"device_id", value::kText},
     [](auto& of) { return fmt::format("{:#06x}", of.node().info.device_id()); }},
    {{"num_ports", value::kInteger}, [](auto& of) { return of.node().num_ports; }},
    {{"ports_up", value::kInteger, "physical ports with a link"},
     [](auto& of) {
       return std::ranges::count_if(of.subnet.fabric.node_ports(of.index), [](const Port& port) {
         return port.number.value != 0 && port.is_up();
       });
     }},
    {{"ports", "EndPort[]", "its end ports"},
     [](auto& of) -> FieldValue {
       Json ports = Json::array();
       for (std::uint32_t i = 0; i < of.subnet.fabric.node_ports(of.index).size(); ++i) {
         const PortSource port{of.subnet, of.node().first_port + i};
         if (port.has_lids()) ports.push_back(row_of(kEndPort, port));
       }
       return ports;
     }},
});

/// Returns the value for a port with a link; nullopt for others.
template <class Value>
FieldValue if_linked(const PortSource& of, Value value) {
  return of.has_link() ? FieldValue(value(of.port().info)) : std::nullopt;
}

/// Returns the value for a port with a link whose PortInfo is known; nullopt for others.
template <class Value>
FieldValue if_known(const PortSource& of, Value value) {
  return of.port().known ? if_linked(of, value) : std::nullopt;
}

constexpr auto kPort = std::to_array<Field<PortSource>>({
    {{"node_type", value::kNodeType}, [](auto& of) { return mad::name(of.node().type); }},
    {{"port_state", value::kTextOrNull, "null: its PortInfo is not known"},
     [](auto& of) {
       return of.port().known ? Json(mad::name(of.port().info.port_state())) : Json();
     }},
    {{"port_physical_state", value::kTextOrNull, "null: of port 0 of a switch, or not known"},
     [](auto& of) -> FieldValue {
       const bool is_physical = of.port().number.value != 0 || !of.node().is_switch();
       return of.port().known && is_physical ? Json(mad::name(of.port().info.port_physical_state()))
                                             : Json();
     }},
    {{"isolated", value::kBoolean, "true: kept out of use", true},
     [](auto& of) -> FieldValue { return of.port().isolated ? FieldValue(true) : std::nullopt; }},
    {{"port_guid", value::kGuid, "of an end port, as are lid and lmc", true},
     [](auto& of) -> FieldValue {
       return of.has_lids() ? FieldValue(guid_text(of.port().guid)) : std::nullopt;
     }},
    {{"lid", value::kInteger, {}, true},
     [](auto& of) -> FieldValue {
       return of.has_lids() ? FieldValue(of.subnet.lid_range(of.index).base.value) : std::nullopt;
     }},
    {{"lmc", value::kInteger, {}, true},
     [](auto& of) -> FieldValue {
       return of.has_lids() ? FieldValue(of.subnet.lid_range(of.index).lmc) : std::nullopt;
     }},
    {{"link_width_active", value::kText,
      "of a port with a link; absent: its PortInfo is not known, as for those that follow", true},
     [](const PortSource& of) {
       return if_known(of, [](const mad::PortInfo& info) {
         return mad::width_name(mad::active_rate(info).lanes);
       });
     }},
    {{"link_speed_active", value::kText, {}, true},
     [](const PortSource& of) {
       return if_known(
           of, [](const mad::PortInfo& info) { return mad::name(mad::active_rate(info).speed); });
     }},
    {{"neighbor_mtu", value::kInteger, "bytes", true},
     [](const PortSource& of) {
       return if_known(of, [](const mad::PortInfo& info) {
         return mad::mtu_bytes(static_cast<std::uint8_t>(info.neighbor_mtu()));
       });
     }},
    {{"operational_vls", value::kInteger, "data VLs", true},
     [](const PortSource& of) {
       return if_known(
           of, [](const mad::PortInfo& info) { return mad::data_vls(info.operational_vls()); });
     }},
    {{"degraded", value::kBoolean, "slower or narrower than both ends support", true},
     [](const PortSource& of) {
       return if_linked(of, [&](const mad::PortInfo&) {
         return is_degraded(of.subnet.fabric, of.index, of.port().peer);
       });
     }},
    {{"peer", "End", {}, true},
     [](const PortSource& of) {
       return if_linked(
           of, [&](const mad::PortInfo&) { return end_row(of.subnet.fabric, of.port().peer); });
     }},
});

constexpr auto kLink = std::to_array<Field<LinkSource>>({
    {{"a", "End"},
     [](const LinkSource& link) -> FieldValue { return end_row(link.fabric, link.a); }},
    {{"b", "End"},
     [](const LinkSource& link) -> FieldValue { return end_row(link.fabric, link.b); }},
    {{"port_state", value::kText, "of the end that is less far"},
     [](const LinkSource& link) -> FieldValue {
       return mad::name(std::min(link.info().port_state(), link.far().port_state()));
     }},
    {{"link_width_active", value::kText},
     [](const LinkSource& link) -> FieldValue { return mad::width_name(link.active().lanes); }},
    {{"link_speed_active", value::kText},
     [](const LinkSource& link) -> FieldValue { return mad::name(link.active().speed); }},
    {{"link_width_max", value::kText, "what both ends support"},
     [](const LinkSource& link) -> FieldValue { return mad::width_name(link.best().lanes); }},
    {{"link_speed_max", value::kText, "what both ends support"},
     [](const LinkSource& link) -> FieldValue { return mad::name(link.best().speed); }},
    {{"degraded", value::kBoolean, "slower or narrower than both ends support"},
     [](const LinkSource& link) -> FieldValue { return is_degraded(link.fabric, link.a, link.b); }},
    {{"neighbor_mtu", value::kInteger, "bytes"},
     [](const LinkSource& link) -> FieldValue {
       return mad::mtu_bytes(static_cast<std::uint8_t>(link.info().neighbor_mtu()));
     }},
    {{"operational_vls", value::kInteger, "data VLs"},
     [](const LinkSource& link) -> FieldValue {
       return mad::data_vls(link.info().operational_vls());
     }},
    {{"isolated", value::kBoolean, "kept out of use: flapping, errors, or by order"},
     [](const LinkSource& link) -> FieldValue {
       return link.fabric.ports[link.a].isolated || link.fabric.ports[link.b].isolated;
     }},
});

constexpr auto kLid = std::to_array<Field<LidSource>>({
    {{"lid", value::kInteger, "the base LID"}, [](auto& of) { return of.lids.base.value; }},
    {{"lmc", value::kInteger}, [](auto& of) { return of.lids.lmc; }},
    {{"port_guid", value::kGuid}, [](auto& of) { return guid_text(of.guid); }},
    {{"node_type", value::kNodeType},
     [](auto& of) { return mad::name(of.subnet.fabric.owning_node(of.index).type); }},
    {{"vport", value::kInteger, "index of the vport whose own LID it is", true},
     [](auto& of) -> FieldValue {
       return of.vport == kNoIndex ? std::nullopt
                                   : FieldValue(of.subnet.vports->vports[of.vport].index);
     }},
});

/// Returns `fields`, preceded by the place of a port.
template <class Fields>
std::vector<FieldInfo> with_end(const Fields& fields) {
  std::vector<FieldInfo> all = infos_of(kEnd), own = infos_of(fields);
  all.insert(all.end(), own.begin(), own.end());
  return all;
}

std::string lids_text(const Answered& node) {
  std::string text;
  for (const Answered& port : node.at("ports"))
    text += (text.empty() ? "" : ",") + field_text(port, "lid");
  return text;
}

std::string rate_text(const Answered& link, std::string_view width, std::string_view speed) {
  return field_text(link, width) + " " + field_text(link, speed);
}

std::string remark_text(const Answered& link) {
  if (link.value("isolated", false)) return "isolated: no path uses it";
  if (!link.at("degraded").get<bool>()) return "";
  return "degraded: both ends can " + rate_text(link, "link_width_max", "link_speed_max");
}

}  // namespace

std::string end_text(const Answered& end) {
  return fmt::format("{} port {}", field_text(end, "description"), field_text(end, "port"));
}

RowInfo end_info() { return {"End", "one end of a link", infos_of(kEnd)}; }
RowInfo end_port_info() { return {"EndPort", "an end port of a node", infos_of(kEndPort)}; }

RowInfo node_info() {
  return {"Node",
          "a node",
          infos_of(kNode),
          {{"NodeGUID", "node_guid"},
           {"type", "node_type"},
           {"ports up",
            {},
            [](const Answered& node) {
              return field_text(node, "ports_up") + " of " + field_text(node, "num_ports");
            }},
           {"LID", {}, lids_text},
           {"description", "description"}}};
}

RowInfo port_info() {
  return {"Port",
          "a port",
          with_end(kPort),
          {{"port without a link", {}, end_text},
           {"physical state", {}, [](const Answered& port) {
              return field_text(port, "port_physical_state") +
                     (port.value("isolated", false) ? ", the host there is isolated" : "");
            }}}};
}

RowInfo link_info() {
  return {"Link",
          "a link",
          infos_of(kLink),
          {{"link", {}, [](const Answered& link) { return end_text(link.at("a")); }},
           {"", {}, [](const Answered& link) { return end_text(link.at("b")); }},
           {"rate",
            {},
            [](const Answered& link) {
              return rate_text(link, "link_width_active", "link_speed_active");
            }},
           {"state", "port_state"},
           {"", {}, remark_text}}};
}

RowInfo lid_info() {
  return {"Lid",
          "a LID with its port",
          with_end(kLid),
          {{"LID", "lid"},
           {"LMC", "lmc"},
           {"PortGUID", "port_guid"},
           {"type", "node_type"},
           {"port", {}, [](const Answered& lid) {
              return end_text(lid) +
                     (lid.contains("vport") ? " vport " + field_text(lid, "vport") : "");
            }}}};
}

Json end_row(const Fabric& fabric, PortIndex port) { return row_of(kEnd, EndSource{fabric, port}); }

Json node_row(const Subnet& subnet, NodeIndex node) {
  return row_of(kNode, NodeSource{subnet, node});
}

bool is_degraded(const Fabric& fabric, PortIndex a, PortIndex b) {
  if (!fabric.ports[a].is_up() || !fabric.ports[b].is_up()) return false;
  const LinkSource link{fabric, a, b};
  const mad::LinkRate active = link.active(), best = link.best();
  return active.lanes < best.lanes || active.speed < best.speed;
}

Json port_row(const Subnet& subnet, PortIndex port) {
  Json row = end_row(subnet.fabric, port);
  row.update(row_of(kPort, PortSource{subnet, port}));
  return row;
}

Json link_row(const Fabric& fabric, PortIndex a, PortIndex b) {
  return row_of(kLink, LinkSource{fabric, a, b});
}

std::optional<Json> lid_row(const Subnet& subnet, mad::Lid lid) {
  const PortIndex index = subnet.lids.owner(lid);
  if (index == kNoIndex) return std::nullopt;
  LidSource source{subnet, index, subnet.lid_range(index), subnet.fabric.ports[index].guid,
                   subnet.vports ? subnet.vports->owner(lid) : VPortIndex(kNoIndex)};
  if (source.vport != kNoIndex) {
    source.lids = {.base = lid};
    source.guid = subnet.vports->vports[source.vport].guid;
  } else if (source.lids.base != lid) {
    return std::nullopt;  // another of the port's 2^LMC
  }
  Json row = end_row(subnet.fabric, index);
  row.update(row_of(kLid, source));
  return row;
}

}  // namespace sm
