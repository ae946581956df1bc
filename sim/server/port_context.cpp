#include "sim/server/port_context.h"

#include <endian.h>
#include <algorithm>

#include "mad/attributes/virtualization.h"
#include "sim/world/ca_vports.h"
#include "sim/world/world.h"

namespace sim::server {
namespace {

std::uint16_t write_answer(const Model& model, PortIndex port, std::uint16_t index,
                           mad::SmpView smp) {
  const PortModel& of = model.ports[port];
  const VPort* const vport = find_vport(of, index);
  if (!vport) return mad::status::kInvalidValue;
  switch (smp.attribute_id()) {
    case mad::AttributeId::node_info:
      smp.set_data(vport_node_info(model, port, index).bytes());
      return mad::status::kOk;
    case mad::AttributeId::node_description: {
      mad::NodeDescription description;
      description.set_text(vport->description.empty() ? model.owning_node(port).description
                                                      : vport->description);
      smp.set_data(description.bytes());
      return mad::status::kOk;
    }
    case mad::AttributeId::port_info:
      smp.set_data(vport_port_info(model, port, index).bytes());
      return mad::status::kOk;
    case mad::AttributeId::p_key_table:
      if (smp.attribute_modifier() >= vport_p_key_blocks(model, port, index)) break;
      smp.set_data(vport_p_keys(model, port, index, smp.attribute_modifier()).bytes());
      return mad::status::kOk;
    case mad::AttributeId::guid_info: {
      mad::GuidInfo guids;
      guids.set_guid(0, vport_info(of, index).port_guid());
      smp.set_data(guids.bytes());
      return mad::status::kOk;
    }
    default:
      return mad::status::kMethodAttributeUnsupported;
  }
  return mad::status::kInvalidValue;
}

}  // namespace

void put_gid(wire::Control& record, mad::Gid gid) {
  record.data = {};
  const std::uint64_t prefix_be = htobe64(gid.prefix);
  std::memcpy(record.data.data(), &prefix_be, sizeof prefix_be);
  std::memcpy(record.data.data() + sizeof prefix_be, &gid.guid.value, sizeof gid.guid.value);
}

std::optional<mad::GlobalRoute> grh_of(const wire::PacketRoute& route) {
  if (route.grh_present == 0) return std::nullopt;
  std::uint64_t prefix_be = 0, guid_be = 0;
  std::memcpy(&prefix_be, route.gid.data(), sizeof prefix_be);
  std::memcpy(&guid_be, route.gid.data() + sizeof prefix_be, sizeof guid_be);
  return mad::GlobalRoute{.peer = {be64toh(prefix_be), {be64toh(guid_be)}},
                          .own_gid_index = route.own_gid_index,
                          .hop_limit = route.hop_limit,
                          .traffic_class = route.traffic_class,
                          .flow_label = route.flow_label};
}

wire::PacketRoute route_of(const mad::MadAddress& from) {
  wire::PacketRoute route{.p_key_index = from.pkey_index, .sl = from.sl.value};
  if (!from.grh) return route;
  route.grh_present = 1;
  const std::uint64_t prefix_be = htobe64(from.grh->peer.prefix),
                      guid_be = htobe64(from.grh->peer.guid.value);
  std::memcpy(route.gid.data(), &prefix_be, sizeof prefix_be);
  std::memcpy(route.gid.data() + sizeof prefix_be, &guid_be, sizeof guid_be);
  route.own_gid_index = from.grh->own_gid_index;
  route.hop_limit = from.grh->hop_limit;
  route.traffic_class = from.grh->traffic_class;
  route.flow_label = from.grh->flow_label;
  return route;
}

bool answer_from_port_context(const Model& model, PortIndex at, wire::Control& record) {
  const PortModel& port = model.ports[at];
  const NodeModel& node = model.nodes[port.node];
  switch (record.type) {
    case wire::ControlType::get_port:
      put(record, wire::LidAndState{.lid = port.info.lid().value,
                                    .state = static_cast<std::uint8_t>(port.info.port_state())});
      return true;
    case wire::ControlType::get_vendor:
      put(record, wire::Vendor{.vendor_id = node.info.vendor_id(),
                               .device_id = node.info.device_id(),
                               .revision = node.info.revision(),
                               .firmware = 1});
      return true;
    case wire::ControlType::get_gid:
      put_gid(record, {port.info.gid_prefix(), port.guid});
      return true;
    case wire::ControlType::get_guid:
      put(record, port.guid.value);
      return true;
    case wire::ControlType::get_node_info: {
      mad::NodeInfo info = node.info;
      info.set_port_guid(port.guid);
      info.set_local_port_num({port.number});
      std::ranges::copy(info.bytes(), record.data.begin());
      return true;
    }
    case wire::ControlType::get_port_info: {
      const PortIndex other = record.data[0] == 0 ? at : model.port(port.node, record.data[0]);
      std::ranges::copy(model.ports[other == kNone ? at : other].info.bytes(), record.data.begin());
      return true;
    }
    case wire::ControlType::get_p_keys:
      std::ranges::copy(model.p_keys(at, 0).bytes(), record.data.begin());
      return true;
    default:
      return false;
  }
}

mad::NodeInfo vport_node_info(const Model& model, PortIndex port, std::uint16_t index) {
  const VPort& vport = *find_vport(model.ports[port], index);
  mad::NodeInfo info = model.owning_node(port).info;
  info.set_num_ports(1);
  info.set_local_port_num({1});
  info.set_node_guid(vnode_info(vport).vnode_guid());
  info.set_port_guid(vport_info(vport).port_guid());
  info.set_partition_cap(vport.p_key_capacity);
  return info;
}

mad::PortInfo vport_port_info(const Model& model, PortIndex port, std::uint16_t index) {
  const PortModel& of = model.ports[port];
  const mad::VPortInfo vport = vport_info(of, index);
  mad::PortInfo info = of.info;
  info.set_local_port_num({1});
  info.set_port_state(vport_state(of, index));
  info.set_lid(vport_lid(of, index));
  info.set_lmc(0);
  info.set_guid_cap(vport.guid_cap());
  info.set_capability_mask(
      mad::port_capabilities_of(vport.capability_mask(), info.capability_mask()));
  info.set_m_key({});
  return info;
}

void answer_from_vport_context(const Model& model, PortIndex port, std::uint16_t index,
                               mad::SmpView smp) {
  const std::uint16_t status = smp.method() == mad::Method::get
                                   ? write_answer(model, port, index, smp)
                                   : mad::status::kMethodAttributeUnsupported;
  mad::make_response(smp, status);
}

bool answer_from_vport_context(const Model& model, PortIndex port, std::uint16_t index,
                               wire::Control& record) {
  const PortModel& of = model.ports[port];
  if (!find_vport(of, index)) return false;
  switch (record.type) {
    case wire::ControlType::get_port:
      put(record, wire::LidAndState{.lid = vport_lid(of, index).value,
                                    .state = static_cast<std::uint8_t>(vport_state(of, index))});
      return true;
    case wire::ControlType::get_gid:
      put_gid(record, vport_gid(of, index));
      return true;
    case wire::ControlType::get_guid:
      put(record, vport_gid(of, index).guid.value);
      return true;
    case wire::ControlType::get_node_info:
      std::ranges::copy(vport_node_info(model, port, index).bytes(), record.data.begin());
      return true;
    case wire::ControlType::get_port_info:
      std::ranges::copy(vport_port_info(model, port, index).bytes(), record.data.begin());
      return true;
    case wire::ControlType::get_p_keys:
      std::ranges::copy(vport_p_keys(model, port, index, 0).bytes(), record.data.begin());
      return true;
    default:
      return false;
  }
}

}  // namespace sim::server
