#include "sm/dumps/dumps.h"

#include <filesystem>
#include <string_view>
#include <vector>

#include "mad/format.h"
#include "sm/store/atomic_file.h"

namespace sm {
namespace {

std::string_view type_text(mad::NodeType type) {
  switch (type) {
    case mad::NodeType::ca:
      return "CA";
    case mad::NodeType::switch_:
      return "SW";
    case mad::NodeType::router:
      return "Rt";
  }
  return "??";
}

std::string_view width_text(std::uint8_t active) {
  switch (active) {
    case mad::link_width::k1x:
      return "1x";
    case mad::link_width::k2x:
      return "2x";
    case mad::link_width::k4x:
      return "4x";
    case mad::link_width::k8x:
      return "8x";
    case mad::link_width::k12x:
      return "12x";
    default:
      return "??";
  }
}

std::string_view state_text(mad::PortState state) {
  switch (state) {
    case mad::PortState::init:
      return "INI";
    case mad::PortState::armed:
      return "ARM";
    case mad::PortState::active:
      return "ACT";
    default:
      return "DWN";
  }
}

std::string_view speed_text(const mad::PortInfo& info) {
  switch (info.link_speed_ext_active()) {
    case mad::link_speed_ext::kNone:
      break;
    case mad::link_speed_ext::kFdr:
      return "14";
    case mad::link_speed_ext::kEdr:
      return "25";
    case mad::link_speed_ext::kHdr:
      return "50";
    case mad::link_speed_ext::kNdr:
      return "100";
    default:
      return "??";
  }
  switch (info.link_speed_active()) {
    case mad::link_speed::kSdr:
      return "2.5";
    case mad::link_speed::kDdr:
      return "5";
    case mad::link_speed::kQdr:
      return "10";
    default:
      return "??";
  }
}

void append_end(std::string& out, const Fabric& fabric, const std::vector<mad::Lid>& lid_of_port,
                PortIndex index, bool is_peer) {
  const Port& port = fabric.ports[index];
  const Node& node = fabric.nodes[port.node];
  const PortIndex identity = node.is_switch() ? node.first_port : index;
  const bool has_sm = fabric.sm_port != kNoIndex && fabric.ports[fabric.sm_port].node == port.node;
  fmt::format_to(std::back_inserter(out),
                 "{{ {}{} Ports:{:02X} SystemGUID:{:016x} NodeGUID:{:016x} PortGUID:{:016x} "
                 "VenID:{:0{}X} DevID:{:04X} Rev:{:08X} {{{}}} LID:{:04X} PN:{:02X} }}",
                 type_text(node.type), has_sm ? "-SM" : "", node.num_ports,
                 node.info.system_image_guid().value, node.guid.value,
                 fabric.ports[identity].guid.value, node.info.vendor_id(), is_peer ? 8 : 6,
                 is_peer ? std::uint32_t{node.info.device_id()} << 16 : node.info.device_id(),
                 node.info.revision(), fabric.description(port.node), lid_of_port[identity].value,
                 port.number.value);
}

}  // namespace

std::string subnet_lst(const Fabric& fabric, const LidMap& lids) {
  std::vector<mad::Lid> lid_of_port(fabric.ports.size());
  for (const EndPortIndex end_port : lids.of_end_port.indices())
    lid_of_port[fabric.end_ports[end_port]] = lids.of_end_port[end_port].base;
  std::string out;
  for (const PortIndex index : fabric.ports.indices()) {
    const Port& port = fabric.ports[index];
    if (port.peer == kNoIndex || !port.is_up()) continue;
    append_end(out, fabric, lid_of_port, index, false);
    out += ' ';
    append_end(out, fabric, lid_of_port, port.peer, true);
    fmt::format_to(std::back_inserter(out), " PHY={} LOG={} SPD={}\n",
                   width_text(port.info.link_width_active()), state_text(port.info.port_state()),
                   speed_text(port.info));
  }
  return out;
}

tl::expected<void, std::string> write_subnet_lst(const config::Options& options,
                                                 const Fabric& fabric, const LidMap& lids) {
  if (!options.enable_subnet_lst) return {};
  const std::filesystem::path path =
      std::filesystem::path(options.dump_files_dir) /
      options.subnet_lst_file;  // an absolute file name has precedence
  return write_file_atomically(path, subnet_lst(fabric, lids), false);
}

}  // namespace sm
