#include "sm/ctl/fabric_file.h"

#include <algorithm>
#include <array>
#include <bit>

#include "fabric/fabric_builder.h"
#include "mad/format.h"
#include "mad/number.h"

namespace sm::ctl {
namespace {

using Row = nlohmann::ordered_json;

mad::Guid guid_in(const Row& row, const char* name) {
  return mad::parse_guid(row.value(name, "")).value_or(mad::Guid{});
}

mad::NodeType type_in(const Row& row) {
  const std::string text = row.value("node_type", "");
  for (const mad::NodeType type : std::array{mad::NodeType::switch_, mad::NodeType::router})
    if (text == mad::name(type)) return type;
  return mad::NodeType::ca;
}

constexpr std::uint16_t kLinearFdbCap = 0xC000, kMulticastFdbCap = 0x4000;
constexpr std::uint8_t kEightVls = 4;  // code of VLCap
constexpr std::size_t kNotesMax = 10;

mad::NodeType find_type(topology::NodeType type) {
  switch (type) {
    case topology::NodeType::ca:
      return mad::NodeType::ca;
    case topology::NodeType::switch_:
      return mad::NodeType::switch_;
    case topology::NodeType::router:
      return mad::NodeType::router;
  }
  return mad::NodeType::ca;
}

mad::NodeInfo node_info(const topology::Node& node) {
  mad::NodeInfo info;
  info.set_base_version(1);
  info.set_class_version(1);
  info.set_node_type(find_type(node.type));
  info.set_num_ports(static_cast<std::uint8_t>(node.port_count));
  info.set_node_guid(node.guid);
  info.set_system_image_guid(node.system_guid == mad::Guid{} ? node.guid : node.system_guid);
  info.set_port_guid(node.port_guid(
      mad::PortNum{static_cast<std::uint8_t>(node.type == topology::NodeType::switch_ ? 0 : 1)}));
  info.set_local_port_num(
      mad::PortNum{static_cast<std::uint8_t>(node.type == topology::NodeType::switch_ ? 0 : 1)});
  info.set_vendor_id(node.vendor_id);
  info.set_device_id(node.device_id);
  return info;
}

/// The file has the present width and speed of a link, not what its ends support.
void set_speed(mad::PortInfo& info, topology::LinkWidth width, topology::LinkSpeed speed) {
  const auto bits = static_cast<std::uint8_t>(width);
  info.set_link_width_supported(bits);
  info.set_link_width_enabled(bits);
  info.set_link_width_active(bits);
  std::uint8_t basic = mad::link_speed::kQdr, extended = mad::link_speed_ext::kNone;
  switch (speed) {
    case topology::LinkSpeed::sdr:
      basic = mad::link_speed::kSdr;
      break;
    case topology::LinkSpeed::ddr:
      basic = mad::link_speed::kDdr;
      break;
    case topology::LinkSpeed::qdr:
    case topology::LinkSpeed::fdr10:
      break;
    case topology::LinkSpeed::fdr:
      extended = mad::link_speed_ext::kFdr;
      break;
    case topology::LinkSpeed::edr:
      extended = mad::link_speed_ext::kEdr;
      break;
    case topology::LinkSpeed::hdr:
      extended = mad::link_speed_ext::kHdr;
      break;
    case topology::LinkSpeed::ndr:
      extended = mad::link_speed_ext::kNdr;
      break;
    case topology::LinkSpeed::xdr:
      info.set_link_speed_ext_supported2(mad::link_speed_ext2::kXdr);
      info.set_link_speed_ext_active2(mad::link_speed_ext2::kXdr);
      break;
  }
  info.set_link_speed_supported(basic);
  info.set_link_speed_enabled(basic);
  info.set_link_speed_active(basic);
  info.set_link_speed_ext_supported(extended);
  info.set_link_speed_ext_enabled(extended);
  info.set_link_speed_ext_active(extended);
}

topology::LinkSpeed speed_of(const mad::PortInfo& info) {
  if (info.link_speed_ext_active2() & mad::link_speed_ext2::kXdr) return topology::LinkSpeed::xdr;
  switch (info.link_speed_ext_active()) {
    case mad::link_speed_ext::kFdr:
      return topology::LinkSpeed::fdr;
    case mad::link_speed_ext::kEdr:
      return topology::LinkSpeed::edr;
    case mad::link_speed_ext::kHdr:
      return topology::LinkSpeed::hdr;
    case mad::link_speed_ext::kNdr:
      return topology::LinkSpeed::ndr;
    default:
      break;
  }
  switch (info.link_speed_active()) {
    case mad::link_speed::kSdr:
      return topology::LinkSpeed::sdr;
    case mad::link_speed::kDdr:
      return topology::LinkSpeed::ddr;
    default:
      return topology::LinkSpeed::qdr;
  }
}

topology::LinkWidth width_of(const mad::PortInfo& info) {
  const unsigned bits = info.link_width_active();
  return std::has_single_bit(bits) && bits <= 16 ? static_cast<topology::LinkWidth>(bits)
                                                 : topology::LinkWidth::x4;
}

/// Builds the nodes in the order of the file.
class Construction {
 public:
  Construction(const topology::Topology& topology, std::span<const topology::StatedLid> lids)
      : topology_(topology), node_of_(topology.nodes.size(), kNoIndex) {
    for (std::size_t i = 0; i < topology.nodes.size(); ++i) add(i);
    for (const topology::Link& link : topology.links) connect(link);
    for (const topology::StatedLid& stated : lids) {
      if (node_of_[stated.port.node] == kNoIndex) continue;
      mad::PortInfo& info = port(stated.port).info;
      info.set_lid(stated.lid);
      info.set_lmc(stated.lmc);
    }
  }

  FabricOfFile finish() {
    choose_observer();
    FabricOfFile result{.fabric = builder_.build(), .notes = std::move(notes_)};
    if (const std::size_t missing = builder_.node_count() - result.fabric.nodes.size();
        missing > 0 && builder_.draft().sm_port != kNoIndex) {
      const auto lost = std::ranges::find_if(builder_.draft().nodes, [&](const Node& node) {
        return !result.fabric.node_of_guid.contains(node.guid);
      });
      result.notes.push_back(fmt::format(
          "{} of {} nodes are left out: no cables lead to them from {} ({} is the first)", missing,
          builder_.node_count(),
          builder_.draft().name(builder_.draft().ports[builder_.draft().sm_port].node),
          result.fabric.nodes.empty() ? "" : lost->description.text()));
    }
    return result;
  }

 private:
  Port& port(const topology::PortRef& ref) {
    return builder_.port(builder_.port_index(node_of_[ref.node], ref.port));
  }

  void leave_out(const topology::Node& node, std::string_view why) {
    if (notes_.size() < kNotesMax)
      notes_.push_back(fmt::format("{} is left out: {}", node.name, why));
  }

  void add(std::size_t index) {
    const topology::Node& node = topology_.nodes[index];
    const mad::NodeInfo info = node_info(node);
    if (const auto defect = FabricBuilder::defect_of(info)) return leave_out(node, *defect);
    if (builder_.find(node.guid) != kNoIndex)
      return leave_out(node, fmt::format("another node has its GUID {}", node.guid));
    const NodeIndex at = builder_.add(info, {});
    node_of_[index] = at;
    builder_.node(at).description.set_text(node.name);
    if (node.type == topology::NodeType::switch_) {
      mad::SwitchInfo switch_info;
      switch_info.set_linear_fdb_cap(kLinearFdbCap);
      switch_info.set_multicast_fdb_cap(kMulticastFdbCap);
      builder_.set_switch_info(at, switch_info);
    }
    for (unsigned number = node.type == topology::NodeType::switch_ ? 0 : 1;
         number <= node.port_count; ++number) {
      const mad::PortNum num{static_cast<std::uint8_t>(number)};
      Port& of = builder_.port(builder_.port_index(at, num));
      of.known = true;
      if (number == 0 || node.type != topology::NodeType::switch_) of.guid = node.port_guid(num);
      of.info.set_port_state(number == 0 ? mad::PortState::active : mad::PortState::down);
      of.info.set_vl_cap(kEightVls);
      of.info.set_operational_vls(kEightVls);
      of.info.set_mtu_cap(mad::Mtu::mtu_4096);
      of.info.set_neighbor_mtu(mad::Mtu::mtu_4096);
    }
  }

  void connect(const topology::Link& link) {
    if (node_of_[link.a.node] == kNoIndex || node_of_[link.b.node] == kNoIndex) return;
    builder_.connect(builder_.port_index(node_of_[link.a.node], link.a.port),
                     builder_.port_index(node_of_[link.b.node], link.b.port));
    for (const topology::PortRef& end : {link.a, link.b}) {
      Port& of = port(end);
      of.info.set_port_state(mad::PortState::active);
      of.info.set_port_physical_state(mad::PortPhysicalState::link_up);
      set_speed(of.info, link.width, link.speed);
    }
  }

  void choose_observer() {
    const Fabric& draft = builder_.draft();
    for (const PortIndex at : draft.ports.indices()) {
      if (draft.ports[at].peer == kNoIndex || draft.nodes[draft.ports[at].node].is_switch())
        continue;
      return builder_.set_sm_port(at);
    }
    if (!draft.nodes.empty()) builder_.set_sm_port(draft.nodes.front().first_port);
  }

  const topology::Topology& topology_;
  FabricBuilder builder_;
  std::vector<NodeIndex> node_of_;  // by index in the topology
  std::vector<std::string> notes_;
};

}  // namespace

Fabric named_fabric(const Row& nodes) {
  Fabric fabric;
  for (const Row& row : nodes) {
    const mad::Guid guid = guid_in(row, "node_guid");
    if (guid == mad::Guid{} || !row.contains("ports")) continue;
    const NodeIndex index = fabric.nodes.next_index();
    Node& node = fabric.nodes.emplace_back();
    node.guid = guid;
    node.type = type_in(row);
    node.description.set_text(row.value("description", ""));
    node.first_port = fabric.ports.next_index();
    const std::size_t first = fabric.ports.size();
    for (const Row& of : row.at("ports")) {
      const PortIndex at = fabric.ports.next_index();
      Port& port = fabric.ports.emplace_back();
      port.node = index;
      port.number = mad::PortNum{of.value("port", std::uint8_t{0})};
      port.guid = guid_in(of, "port_guid");
      port.known = true;
      fabric.port_of_guid.emplace(port.guid, at);
    }
    // Port 0 of a switch is its only end port, and is not counted.
    const std::size_t ports = fabric.ports.size() - first;
    if (node.is_switch() && ports == 0) fabric.ports.emplace_back().node = index;
    node.num_ports = node.is_switch() ? std::uint8_t{0} : static_cast<std::uint8_t>(ports);
    fabric.node_of_guid.emplace(guid, index);
  }
  return fabric;
}

FabricOfFile build_fabric(const topology::Topology& topology,
                          std::span<const topology::StatedLid> lids) {
  return Construction(topology, lids).finish();
}

topology::Topology make_topology(const Fabric& fabric) {
  topology::Topology topology;
  for (const NodeIndex index : fabric.nodes.indices()) {
    const Node& node = fabric.nodes[index];
    topology::Node& made = topology.nodes.emplace_back();
    made.type = node.is_switch()                     ? topology::NodeType::switch_
                : node.type == mad::NodeType::router ? topology::NodeType::router
                                                     : topology::NodeType::ca;
    made.name = fabric.description(index);
    made.guid = node.guid;
    made.port_count = node.num_ports;
    made.id = fmt::format("{}", node.guid);
  }
  for (const PortIndex port : fabric.ports.indices()) {
    const Port& from = fabric.ports[port];
    if (!fabric.is_link_up(port) || from.peer < port) continue;
    const Port& to = fabric.ports[from.peer];
    topology.links.push_back(
        {{from.node, from.number}, {to.node, to.number}, width_of(from.info), speed_of(from.info)});
  }
  return topology;
}

}  // namespace sm::ctl
