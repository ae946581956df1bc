#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include <fmt/ostream.h>

#include "fabric/topology/write.h"
#include "mad/format.h"

namespace topology {

namespace {

// ibsim reserves '#' and '@', and keeps 64 characters.
std::string id_text(std::string_view key) {
  std::string id(key.substr(0, 64));
  for (char& c : id) {
    if (c == '"' || c == '#' || c == '@' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      c = '_';
  }
  return id;
}

std::string description_text(std::string_view name) {
  std::string text(name);
  for (char& c : text) {
    if (c == '"') c = '\'';
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '_';
  }
  return text;
}

// Returns the id that ibnetdiscover gives a node. It serves nodes whose id is empty, or not unique
// after the replacement.
std::string guid_id(const Node& node) {
  const char kind = node.type == NodeType::switch_ ? 'S' : node.type == NodeType::ca ? 'H' : 'R';
  return fmt::format("{}-{:016x}", kind, node.guid.value);
}

std::vector<std::string> file_ids(const Topology& topology) {
  std::vector<std::string> ids;
  std::set<std::string> taken;
  for (const Node& node : topology.nodes) {
    std::string id = id_text(node.key());
    if (id.empty() || taken.contains(id)) id = guid_id(node);
    for (unsigned i = 2; taken.contains(id); ++i) id = fmt::format("{}-{}", guid_id(node), i);
    taken.insert(id);
    ids.push_back(std::move(id));
  }
  return ids;
}

// Returns the value of "w=": all widths up to this one, as in hardware, except that 8x and 2x are
// single bits, as in ibsim's own tables.
unsigned enabled_widths(LinkWidth width) {
  return width == LinkWidth::x12  ? 1 + 2 + 8
         : width == LinkWidth::x4 ? 1 + 2
                                  : static_cast<unsigned>(width);
}

// The reader, and ibsim, keep these values from node to node.
struct Sticky {
  std::uint32_t vendor_id = 0x2c9;
  std::uint16_t device_id = 0;
};

}  // namespace

void write_ibsim(const Topology& topology, std::ostream& out) {
  struct Plug {
    unsigned port;
    PortRef peer;
    const Link* link;
  };
  std::vector<std::vector<Plug>> plugs(topology.nodes.size());
  for (const Link& link : topology.links) {
    plugs[link.a.node].push_back({link.a.port.value, link.b, &link});
    plugs[link.b.node].push_back({link.b.port.value, link.a, &link});
  }
  const std::vector<std::string> ids = file_ids(topology);
  Sticky sticky;
  for (std::size_t i = 0; i < topology.nodes.size(); ++i) {
    const Node& node = topology.nodes[i];
    std::ranges::sort(plugs[i], {}, &Plug::port);
    const bool is_switch = node.type == NodeType::switch_;
    if (node.vendor_id != sticky.vendor_id) fmt::print(out, "vendid={:#x}\n", node.vendor_id);
    if (node.device_id != sticky.device_id) fmt::print(out, "devid={:#x}\n", node.device_id);
    sticky = {node.vendor_id, node.device_id};
    if (node.system_guid.value != 0) fmt::print(out, "sysimgguid=0x{:x}\n", node.system_guid.value);
    fmt::print(out, "{}=0x{:x}\n{}\t{} \"{}\"\t\t# \"{}\"{}\n",
               is_switch                   ? "switchguid"
               : node.type == NodeType::ca ? "caguid"
                                           : "rtguid",
               node.guid.value,
               is_switch                   ? "Switch"
               : node.type == NodeType::ca ? "Ca"
                                           : "Rt",
               node.port_count, ids[i], description_text(node.name),
               node.enhanced_port0 ? " enhanced port 0 lid 0 lmc 0" : "");
    for (const Plug& plug : plugs[i]) {
      const std::string own_guid =
          !is_switch && !node.port_guids.empty()
              ? fmt::format("({:x})", node.port_guid({static_cast<std::uint8_t>(plug.port)}).value)
              : "";
      fmt::print(out, "[{}]{}\t\"{}\"[{}]", plug.port, own_guid, ids[plug.peer.node],
                 plug.peer.port);
      if (plug.link->width != LinkWidth::x4 || plug.link->speed != LinkSpeed::qdr) {
        // ibsim ignores the comment of a router's port, and stops if the two ends have no common
        // width.
        if (node.type == NodeType::router)
          fmt::print(out, " w={}", enabled_widths(plug.link->width));
        fmt::print(out, "\t\t# {}\"{}\" lid 0 {}{}", is_switch ? "" : "lid 0 lmc 0 ",
                   description_text(topology.nodes[plug.peer.node].name), text_of(plug.link->width),
                   text_of(plug.link->speed));
      }
      out << '\n';
    }
    out << '\n';
  }
}

}  // namespace topology
