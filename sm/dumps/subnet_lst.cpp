#include "sm/dumps/dumps.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

#include "mad/hex.h"
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
  using enum mad::HexDigits;
  const auto add = [&out](std::string_view name, std::uint64_t value, unsigned digits_min,
                          mad::HexDigits digits) {
    out += name;
    mad::append_hex(out, value, digits_min, digits);
  };
  out += "{ ";
  out += type_text(node.type);
  if (has_sm) out += "-SM";
  add(" Ports:", node.num_ports, 2, upper);
  add(" SystemGUID:", node.info.system_image_guid().value, 16, lower);
  add(" NodeGUID:", node.guid.value, 16, lower);
  add(" PortGUID:", fabric.ports[identity].guid.value, 16, lower);
  add(" VenID:", node.info.vendor_id(), is_peer ? 8 : 6, upper);
  const std::uint32_t device = node.info.device_id();
  add(" DevID:", is_peer ? device << 16 : device, 4, upper);
  add(" Rev:", node.info.revision(), 8, upper);
  out += " {";
  out += fabric.description(port.node);
  add("} LID:", lid_of_port[identity].value, 4, upper);
  add(" PN:", port.number.value, 2, upper);
  out += " }";
}

}  // namespace

std::string subnet_lst(const Fabric& fabric, const LidMap& lids) {
  std::vector<mad::Lid> lid_of_port(fabric.ports.size());
  for (const EndPortIndex end_port : lids.of_end_port.indices())
    lid_of_port[fabric.end_ports[end_port]] = lids.of_end_port[end_port].base;
  constexpr std::size_t kLine = 400;  // mostly less
  const auto is_listed = [](const Port& port) { return port.peer != kNoIndex && port.is_up(); };
  std::string out;
  out.reserve(static_cast<std::size_t>(std::ranges::count_if(fabric.ports, is_listed)) * kLine);
  for (const PortIndex index : fabric.ports.indices()) {
    const Port& port = fabric.ports[index];
    if (!is_listed(port)) continue;
    append_end(out, fabric, lid_of_port, index, false);
    out += ' ';
    append_end(out, fabric, lid_of_port, port.peer, true);
    for (const std::string_view part :
         {std::string_view(" PHY="), width_text(port.info.link_width_active()),
          std::string_view(" LOG="), state_text(port.info.port_state()), std::string_view(" SPD="),
          speed_text(port.info), std::string_view("\n")})
      out += part;
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
