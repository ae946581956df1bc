#include <iterator>
#include <string>

#include "mad/format.h"
#include "sm/dumps/dumps.h"
#include "sm/dumps/owners.h"

namespace sm::dumps {

namespace {

constexpr std::string_view kRule = "#--------------------------------------------------------\n";

void append_row(std::string& text, unsigned in, unsigned out, const SlToVlRow& row) {
  const auto to = std::back_inserter(text);
  fmt::format_to(to, "{:<3} {:<3} : ", in, out);
  for (const std::uint8_t vl : row) fmt::format_to(to, "{:<3}", vl);
  text.back() = '\n';  // one blank at the end
}

/// The ports of a switch with a link, in order: to other switches and to end nodes.
std::vector<mad::PortNum> cabled_ports(const Fabric& fabric, NodeIndex node) {
  std::vector<mad::PortNum> ports;
  for (const Port& port : fabric.ports_of(node)) {
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
    const Node& node = fabric.node_of(end);
    fmt::format_to(std::back_inserter(text),
                   "{} 0x{:016x}, base LID {}, \"{}\"\n#in out : 0  1  2  3  4  5  6  7  8  9  10 "
                   "11 12 13 14 15\n{}",
                   type_name(node.type), fabric.ports[end].guid.value, base[end].value,
                   node.description.text(), kRule);
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
                         fabric.node_of(found->second).description.text());
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
