#include "sm/dumps/dumps.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/lid_map.h"
#include "mad/format.h"
#include "routing/graph/hops.h"
#include "routing/graph/in_tree.h"
#include "sm/store/atomic_file.h"

namespace sm::dumps {

namespace {

std::string_view type_name(mad::NodeType type) {
  switch (type) {
    case mad::NodeType::ca:
      return "Channel Adapter";
    case mad::NodeType::switch_:
      return "Switch";
    case mad::NodeType::router:
      return "Router";
  }
  return "Unknown";
}

/// Returns the base LID by PortIndex; 0 for ports that have none.
std::vector<mad::Lid> base_lids(const Fabric& fabric, const LidMap& lids) {
  std::vector<mad::Lid> base(fabric.ports.size());
  for (const EndPortIndex end_port : lids.of_end_port.indices())
    base[fabric.end_ports[end_port]] = lids.of_end_port[end_port].base;
  return base;
}

constexpr std::uint32_t kNone = 0xFFFF'FFFFu;

/// Holds the switch and port of a LID's owner; the switch is kNoIndex if none is connected to the
/// owner.
struct Attachment {
  SwitchIndex sw = kNoIndex;
  mad::PortNum out;
};

std::vector<Attachment> attachments(const Tables& tables) {
  std::vector<Attachment> attachment_of_port(tables.fabric.ports.size()),
      attachments(tables.lids.lid_top.value + std::size_t{1});
  for (const SwitchGraph::EndPort& end : tables.graph.end_ports)
    attachment_of_port[end.port] = {end.sw, end.out};
  for (std::size_t lid = 1; lid < attachments.size(); ++lid) {
    const PortIndex owner = tables.lids.owner(mad::Lid{static_cast<std::uint16_t>(lid)});
    if (owner != kNoIndex) attachments[lid] = attachment_of_port[owner];
  }
  return attachments;
}

/// Finds the least hops from any switch to each LID's port, the last link included; kNone if there
/// is no path.
class LeastHops {
 public:
  explicit LeastHops(const SwitchGraph& graph) : unit_(routing::unit_hops(graph)) {
    if (!unit_)
      weighted_.emplace(
          routing::weighted_hops(graph, std::vector<std::uint8_t>(graph.neighbour.size(), 1)));
  }
  std::uint32_t between(SwitchIndex from, SwitchIndex to) const {
    if (unit_)
      return unit_->row(from)[to] == routing::HopTable<std::uint8_t>::kNoPath
                 ? kNone
                 : unit_->row(from)[to];
    return weighted_->row(from)[to] == routing::HopTable<std::uint16_t>::kNoPath
               ? kNone
               : weighted_->row(from)[to];
  }

 private:
  std::optional<routing::HopTable<std::uint8_t>> unit_;
  std::optional<routing::HopTable<std::uint16_t>> weighted_;
};

const Node& owning_node(const Tables& tables, SwitchIndex sw) {
  return tables.fabric.nodes[tables.fabric.switches[sw].node];
}

/// Returns the least hops to `to` and the lowest port of the paths with that many.
std::pair<std::uint32_t, mad::PortNum> best_exit(const SwitchGraph& graph, const LeastHops& least,
                                                 SwitchIndex from, const Attachment& to) {
  if (from == to.sw) return {0, to.out};
  for (const ChannelIndex channel : graph.channels(from)) {
    const std::uint32_t rest = least.between(graph.neighbour[channel], to.sw);
    if (rest != kNone && rest + 1 == least.between(from, to.sw))
      return {rest + 1, graph.port[channel]};
  }
  return {kNone, mad::kNoPort};
}

}  // namespace

void write_lfts(std::ostream& out, const Tables& tables) {
  const std::vector<mad::Lid> base = base_lids(tables.fabric, tables.lids);
  std::string text;
  for (const SwitchIndex sw : tables.graph.all_switches()) {
    const Node& node = owning_node(tables, sw);
    const auto to = std::back_inserter(text);
    fmt::format_to(to, "Unicast lids [0-{}] of switch Lid {} guid 0x{:016x} ('{}'):\n",
                   tables.lids.lid_top.value, base[node.first_port].value, node.guid.value,
                   tables.fabric.description(tables.fabric.switches[sw].node));
    for (unsigned lid = 1; lid <= tables.lids.lid_top.value; ++lid) {
      const mad::Lid of{static_cast<std::uint16_t>(lid)};
      const mad::PortNum exit = tables.lfts.at(sw, of);
      const PortIndex owner = tables.lids.owner(of);
      if (exit == mad::kNoPort || owner == kNoIndex) continue;
      const Node& owner_node = tables.fabric.owning_node(owner);
      fmt::format_to(to, "0x{:04x} {:03} # {} portguid 0x{:016x}: '{}'\n", lid, exit.value,
                     type_name(owner_node.type), tables.fabric.ports[owner].guid.value,
                     tables.fabric.description(tables.fabric.ports[owner].node));
    }
    fmt::format_to(to, "{} lids dumped\n",
                   tables.lids.lid_top.value);  // OpenSM counts the LIDs that it visits
    out << text;
    text.clear();
  }
}

void write_lid_matrix(std::ostream& out, const Tables& tables) {
  const LeastHops least(tables.graph);
  const std::vector<Attachment> where = attachments(tables);
  std::string text;
  for (const SwitchIndex sw : tables.graph.all_switches()) {
    const Node& node = owning_node(tables, sw);
    const auto to = std::back_inserter(text);
    fmt::format_to(to, "Switch: guid 0x{:016x}\n", node.guid.value);
    std::vector<ChannelIndex> channel_of_port(node.num_ports + std::size_t{1}, kNoIndex);
    for (const ChannelIndex channel : tables.graph.channels(sw))
      channel_of_port[tables.graph.port[channel].value] = channel;
    for (std::size_t lid = 1; lid < where.size(); ++lid) {
      const PortIndex owner = tables.lids.port_of_lid[lid];
      if (owner == kNoIndex || !tables.fabric.owning_node(owner).is_switch() ||
          where[lid].sw == kNoIndex)
        continue;
      const auto hops_text = [](std::uint32_t hops) { return std::min(hops, 0xFFu); };
      fmt::format_to(to, "0x{:04x}: {:02x}", lid, hops_text(least.between(sw, where[lid].sw)));
      for (std::size_t port = 1; port < channel_of_port.size(); ++port) {
        const std::uint32_t rest =
            channel_of_port[port] == kNoIndex
                ? kNone
                : least.between(tables.graph.neighbour[channel_of_port[port]], where[lid].sw);
        fmt::format_to(to, " {:02x}", hops_text(rest == kNone ? kNone : rest + 1));
      }
      fmt::format_to(to, " # portguid 0x{:016x}\n", tables.fabric.ports[owner].guid.value);
    }
    out << text;
    text.clear();
  }
}

void write_fdbs(std::ostream& out, const Tables& tables) {
  constexpr std::uint16_t kLost = 0xFFFF;
  const LeastHops least(tables.graph);
  const std::vector<Attachment> where = attachments(tables);
  const std::size_t switches = tables.graph.switches();
  std::vector<std::uint16_t> walked(switches * where.size(),
                                    kLost);  // [switch][LID], without the last link to a host
  routing::InTree tree(tables.graph, tables.lfts);
  for (std::size_t lid = 1; lid < where.size(); ++lid) {
    if (where[lid].sw == kNoIndex) continue;
    tree.trace(mad::Lid{static_cast<std::uint16_t>(lid)}, where[lid].sw, where[lid].out);
    for (SwitchIndex sw{0}; sw < switches; ++sw) {
      if (tree.arrives(sw))
        walked[sw * where.size() + lid] = static_cast<std::uint16_t>(tree.hops(sw));
    }
  }
  std::string text;
  for (SwitchIndex sw{0}; sw < switches; ++sw) {
    const auto to = std::back_inserter(text);
    fmt::format_to(to, "dump_ucast_routes: Switch 0x{:016x}\nLID    : Port : Hops : Optimal\n",
                   owning_node(tables, sw).guid.value);
    for (std::size_t lid = 1; lid < where.size(); ++lid) {
      const std::uint16_t hops = walked[sw * where.size() + lid];
      if (hops == kLost) {
        fmt::format_to(to, "0x{:04X} : UNREACHABLE\n", lid);
        continue;
      }
      const unsigned last =
          where[lid].out == mad::PortNum{0} ? 0 : 1;  // the link to a host or router
      fmt::format_to(to, "0x{:04X} : {:03}  : {:02}   : ", lid, tables.lfts.row(sw)[lid],
                     hops + last);
      const auto [fewest, port] = best_exit(tables.graph, least, sw, where[lid]);
      if (hops <= fewest) {
        text += "yes\n";
      } else {
        fmt::format_to(to, "No {} hop path possible via port {}!\n", fewest + last, port.value);
      }
    }
    out << text;
    text.clear();
  }
}

void write_path_sls(std::ostream& out, const Tables& tables, const PathSls& sls) {
  const std::vector<Attachment> where = attachments(tables);
  std::string text;
  for (const SwitchGraph::EndPort& source : tables.graph.end_ports) {
    if (source.out == mad::PortNum{0}) continue;
    for (std::size_t lid = 1; lid < where.size(); ++lid) {
      if (where[lid].sw == kNoIndex || where[lid].out == mad::PortNum{0}) continue;
      const mad::Sl sl =
          sls.at(source.sw, mad::Lid{static_cast<std::uint16_t>(lid)}, where[lid].sw);
      fmt::format_to(std::back_inserter(text), "0x{:016x} {} {}\n",
                     tables.fabric.owning_node(source.port).guid.value, lid, sl.value);
    }
    out << text;
    text.clear();
  }
}

namespace {

constexpr std::string_view kRule = "#--------------------------------------------------------\n";

void append_row(std::string& text, unsigned in, unsigned out, const SlToVlRow& row) {
  const auto to = std::back_inserter(text);
  fmt::format_to(to, "{:<3} {:<3} : ", in, out);
  for (const std::uint8_t vl : row) fmt::format_to(to, "{:<3}", vl);
  text.back() = '\n';  // one blank at the end
}

/// Returns the ports of a switch that have a link, in order: to other switches and to end nodes.
std::vector<mad::PortNum> cabled_ports(const Fabric& fabric, NodeIndex node) {
  std::vector<mad::PortNum> ports;
  for (const Port& port : fabric.node_ports(node)) {
    if (port.number.value > 0 && port.peer != kNoIndex) ports.push_back(port.number);
  }
  return ports;
}

}  // namespace

void write_mcfdbs(std::ostream& out, const Fabric& fabric, const MulticastTables& tables) {
  const unsigned top = tables.top().value;
  std::string text;
  for (const SwitchIndex sw : fabric.switches.indices()) {
    const Node& node = fabric.nodes[fabric.switches[sw].node];
    bool any = false;
    for (unsigned value = mad::kMlidMin.value; value <= top; ++value) {
      const mad::Mlid mlid{static_cast<std::uint16_t>(value)};
      std::string ports;
      for (unsigned port = 0; port <= node.num_ports; ++port) {
        if (tables.test(sw, mlid, mad::PortNum{static_cast<std::uint8_t>(port)}))
          fmt::format_to(std::back_inserter(ports), "0x{:03X}  ", port);
      }
      if (ports.empty()) continue;
      ports.pop_back();  // one blank at the end
      if (!any)
        fmt::format_to(std::back_inserter(text), "\nSwitch 0x{:016x}\nLID    : Out Port(s)\n",
                       node.guid.value);
      any = true;
      fmt::format_to(std::back_inserter(text), "0x{:04X} : {}\n", value, ports);
    }
    out << text;
    text.clear();
  }
}

void write_sl_to_vl(std::ostream& out, const Fabric& fabric, const LidMap& lids,
                    const SlToVl& sl_to_vl) {
  const std::vector<mad::Lid> base = base_lids(fabric, lids);
  std::string text;
  for (const PortIndex end : fabric.end_ports) {
    const Node& node = fabric.owning_node(end);
    fmt::format_to(std::back_inserter(text),
                   "{} 0x{:016x}, base LID {}, \"{}\"\n#in out : 0  1  2  3  4  5  6  7  8  9  10 "
                   "11 12 13 14 15\n{}",
                   type_name(node.type), fabric.ports[end].guid.value, base[end].value,
                   fabric.description(fabric.ports[end].node), kRule);
    if (node.is_switch()) {
      const std::vector<mad::PortNum> ports = cabled_ports(fabric, fabric.ports[end].node);
      for (const mad::PortNum to : ports) {
        append_row(text, 0, to.value, sl_to_vl.of_end_ports);
        for (const mad::PortNum from : ports)
          append_row(text, from.value, to.value, sl_to_vl.at(node.switch_index, from, to));
      }
    } else {
      append_row(text, 0, 0, sl_to_vl.of_end_ports);
    }
    fmt::format_to(std::back_inserter(text), "{}\n", kRule);
    out << text;
    text.clear();
  }
}

void write_roots(std::ostream& out, std::span<const mad::Guid> roots) {
  for (const mad::Guid root : roots) out << fmt::format("0x{:x}\n", root.value);
}

void write_ca_order(std::ostream& out, const Fabric& fabric, const LidMap& lids,
                    std::span<const mad::Guid> port_guids) {
  const std::vector<mad::Lid> base = base_lids(fabric, lids);
  for (const mad::Guid guid : port_guids) {
    const auto found = fabric.port_of_guid.find(guid);
    if (found == fabric.port_of_guid.end()) {
      out << "0xFFFF\tDUMMY\n";
    } else {
      out << fmt::format("0x{:04x}\t{}\n", base[found->second].value,
                         fabric.description(fabric.ports[found->second].node));
    }
  }
}

void write_switch_sl_to_vl(std::ostream& out, const Fabric& fabric, const SlToVl& sl_to_vl) {
  std::string text;
  for (const SwitchIndex sw : fabric.switches.indices()) {
    const NodeIndex node = fabric.switches[sw].node;
    const std::vector<mad::PortNum> ports = cabled_ports(fabric, node);
    for (const mad::PortNum from : ports) {
      for (const mad::PortNum to : ports) {
        fmt::format_to(std::back_inserter(text), "0x{:016x} {} {}", fabric.nodes[node].guid.value,
                       from.value, to.value);
        const SlToVlRow& row = sl_to_vl.at(sw, from, to);
        for (std::size_t sl = 0; sl < row.size(); sl += 2)
          fmt::format_to(std::back_inserter(text), " 0x{:x}{:x}", row[sl], row[sl + 1]);
        text += '\n';
      }
    }
    out << text;
    text.clear();
  }
}

}  // namespace sm::dumps

namespace sm {

tl::expected<void, std::string> write_routing_dumps(const config::Options& options,
                                                    const Subnet& subnet) {
  if ((options.log_flags & kLogRouting) == 0 || !subnet.lfts || !subnet.routing) return {};
  const SwitchGraph graph = make_switch_graph(subnet.fabric);
  const dumps::Tables tables{subnet.fabric, graph, subnet.lids, *subnet.lfts};
  const PublishedRouting& routing = *subnet.routing;
  std::string problem;
  const auto write = [&](const char* name, auto&& text) {
    // The text is streamed, since that of a large fabric does not fit into memory.
    const auto written =
        write_stream_atomically(std::filesystem::path(options.dump_files_dir) / name, text, false);
    if (!written && problem.empty()) problem = written.error();
  };
  write("opensm-lfts.dump", [&](std::ostream& out) { dumps::write_lfts(out, tables); });
  write("opensm-lid-matrix.dump", [&](std::ostream& out) { dumps::write_lid_matrix(out, tables); });
  write("opensm.fdbs", [&](std::ostream& out) { dumps::write_fdbs(out, tables); });
  if (subnet.mfts)
    write("opensm.mcfdbs",
          [&](std::ostream& out) { dumps::write_mcfdbs(out, subnet.fabric, *subnet.mfts); });
  if (!routing.roots.empty())
    write("opensm-updn-roots.dump",
          [&](std::ostream& out) { dumps::write_roots(out, routing.roots); });
  if (!routing.ca_order.empty())
    write("opensm-ftree-ca-order.dump", [&](std::ostream& out) {
      dumps::write_ca_order(out, subnet.fabric, subnet.lids, routing.ca_order);
    });
  if (!routing.sl_to_vl.empty())
    write("opensm-sl2vl.dump", [&](std::ostream& out) {
      dumps::write_sl_to_vl(out, subnet.fabric, subnet.lids, routing.sl_to_vl);
    });
  if (!problem.empty()) return tl::unexpected(problem);
  return {};
}

}  // namespace sm
