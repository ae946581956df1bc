#include "sm/dumps/dumps.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

#include "mad/format.h"
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
  for (SwitchIndex sw = 0; sw < fabric.switches.size(); ++sw) {
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
  for (SwitchIndex sw = 0; sw < fabric.switches.size(); ++sw) {
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

namespace {

/// Writes a temporary file, then renames it. Streamed: the text of a large fabric does not fit into
/// memory.
template <class Write>
std::string write_file(const std::filesystem::path& path, Write&& write) {
  const std::filesystem::path beside = path.string() + ".new";
  std::ofstream out(beside);
  if (out) write(out);
  out.close();
  std::error_code error;
  if (out) std::filesystem::rename(beside, path, error);
  if (out && !error) return {};
  std::error_code ignored;
  std::filesystem::remove(beside, ignored);
  return fmt::format("{} cannot be written{}", path.string(), error ? ": " + error.message() : "");
}

}  // namespace

tl::expected<void, std::string> write_routing_dumps(const config::Options& options,
                                                    const Subnet& subnet) {
  if ((options.log_flags & kLogRouting) == 0 || !subnet.lfts || !subnet.routing) return {};
  const SwitchGraph graph = make_switch_graph(subnet.fabric);
  const dumps::Tables tables{subnet.fabric, graph, subnet.lids, *subnet.lfts};
  const PublishedRouting& routing = *subnet.routing;
  std::string problem;
  const auto write = [&](const char* name, auto&& text) {
    std::string failed = write_file(std::filesystem::path(options.dump_files_dir) / name, text);
    if (problem.empty()) problem = std::move(failed);
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
