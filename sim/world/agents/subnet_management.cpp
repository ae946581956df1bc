// The subnet management agent: M_Key check and dispatch by attribute.

#include "mad/attributes/node_info.h"
#include "mad/attributes/port_info.h"
#include "mad/attributes/vendor.h"
#include "sim/world/agents/agents.h"

namespace sim {
namespace {

using mad::AttributeId;
using mad::Method;
namespace status = mad::status;

Verdict serve_node_info(const Arrival& arrival, mad::SmpView smp) {
  if (smp.method() != Method::get) return status::kMethodAttributeUnsupported;
  mad::NodeInfo info = arrival.at().info;
  const PortModel& port = arrival.world.model.ports[arrival.entry];
  info.set_local_port_num({port.number});
  info.set_port_guid(port.guid);
  smp.set_data(info.bytes());
  return status::kOk;
}

Verdict serve_node_description(const Arrival& arrival, mad::SmpView smp) {
  NodeModel& node = arrival.at();
  if (smp.method() == Method::set) node.description = mad::NodeDescription(smp.data()).text();
  mad::NodeDescription description;
  description.set_text(node.description);
  smp.set_data(description.bytes());
  return status::kOk;
}

/// Stores an attribute that has no effect in the simulation, as written.
Verdict keep(RawAttributes& raw, mad::SmpView smp) {
  auto& kept = raw[{static_cast<std::uint16_t>(smp.attribute_id()), smp.attribute_modifier()}];
  const auto bytes = std::span(kept).first<mad::kAttributeBytes>();
  if (smp.method() == Method::set) std::ranges::copy(smp.data(), bytes.begin());
  smp.set_data(bytes);
  return status::kOk;
}

/// Serves a node without faults: no entries, and no further index.
Verdict serve_vendor_diag(mad::SmpView smp) {
  if (smp.method() != Method::get) return status::kMethodAttributeUnsupported;
  smp.set_data(mad::VendorDiag{}.bytes());
  return status::kOk;
}

Verdict dispatch(const Arrival& arrival, mad::SmpView smp) {
  const bool is_switch = arrival.at().is_switch();
  switch (smp.attribute_id()) {
    case AttributeId::node_info:
      return serve_node_info(arrival, smp);
    case AttributeId::node_description:
      return serve_node_description(arrival, smp);
    case AttributeId::port_info:
      return serve_port_info(arrival, smp);
    case AttributeId::switch_info:
      return is_switch ? serve_switch_info(arrival, smp) : status::kMethodAttributeUnsupported;
    case AttributeId::linear_forwarding_table:
      return is_switch ? serve_lft(arrival, smp) : status::kMethodAttributeUnsupported;
    case AttributeId::multicast_forwarding_table:
      return is_switch ? serve_mft(arrival, smp) : status::kMethodAttributeUnsupported;
    case AttributeId::switch_port_state_table:
      return is_switch ? serve_switch_port_states(arrival, smp)
                       : status::kMethodAttributeUnsupported;
    case AttributeId::p_key_table:
      return serve_p_keys(arrival, smp);
    case AttributeId::sl_to_vl_mapping_table:
      return serve_sl_to_vl(arrival, smp);
    case AttributeId::vl_arbitration_table:
      return serve_vl_arbitration(arrival, smp);
    case AttributeId::guid_info:
      return serve_guid_info(arrival, smp);
    case AttributeId::port_info_extended:
      return serve_port_info_extended(arrival, smp);
    case AttributeId::hierarchy_info:
      return serve_hierarchy_info(arrival, smp);
    case AttributeId::vendor_diag:
      return serve_vendor_diag(smp);
    case AttributeId::led_info:
      return keep(arrival.at().raw, smp);
    default:
      return static_cast<std::uint16_t>(smp.attribute_id()) >= 0xFF00
                 ? serve_vendor_attribute(arrival, smp)
                 : status::kMethodAttributeUnsupported;
  }
}

}  // namespace

/// Applies IBTA Vol 1, 14.2.4: every Set, and a Get from protection level 2, needs the key of the
/// port (of a switch: port 0). A request with the key stops the lease.
bool m_key_allows(const Arrival& arrival, mad::ConstSmpView smp, mad::Lid slid) {
  const PortIndex guard = arrival.management_port();
  const mad::PortInfo& info = arrival.world.model.ports[guard].info;
  if (info.m_key() == mad::MKey{}) return true;
  if (info.m_key() == smp.m_key()) {
    arrival.world.stop_lease(guard);
    return true;
  }
  if (smp.method() == Method::get && info.m_key_protect_bits() < 2) return true;
  arrival.world.m_key_violated(guard, smp, slid);
  return false;
}

Verdict serve_smp(const Arrival& arrival, mad::SmpView smp, mad::Lid slid) {
  if (smp.class_version() != mad::kSmpClassVersion) return status::kBadVersion;
  if (!m_key_allows(arrival, smp, slid)) return std::nullopt;
  return dispatch(arrival, smp);
}

}  // namespace sim
