#include "sm/agents/addresses.h"

#include <algorithm>

#include "mad/attributes/class_port_info.h"
#include "mad/format.h"
#include "routing/qos/path_sl.h"

namespace sm {
namespace {

using Fields = mad::ClassPortInfoFields;

mad::Sl path_sl_to(const Subnet& subnet, mad::Lid lid, mad::Sl requested) {
  const PortIndex to = subnet.lids.owner(lid);
  if (!subnet.routing || to == kNoIndex) return requested;
  const Fabric& fabric = subnet.fabric;
  return routing::path_sl(*subnet.routing,
                          {fabric.leaf_switch(fabric.sm_port), lid, fabric.leaf_switch(to)},
                          requested);
}

/// Returns the index in the own port's table; nullopt if the table does not have the key.
std::optional<std::uint16_t> compute_index(const Fabric& fabric, mad::PKey key) {
  std::uint16_t index = 0;
  for (const mad::PKeyTable& block : fabric.p_keys(fabric.sm_port)) {
    for (unsigned entry = 0; entry < mad::PKeyTable::kEntries; ++entry, ++index) {
      const mad::PKey own = block.p_key(entry);
      if (own.value != 0 && mad::p_key_base(own) == mad::p_key_base(key)) return index;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<mad::MadAddress> agent_address(const Subnet& subnet, PortIndex port,
                                             mad::Sl requested) {
  const Fabric& fabric = subnet.fabric;
  const PortIndex end =
      fabric.owning_node(port).is_switch() ? fabric.owning_node(port).first_port : port;
  const mad::Lid lid = subnet.lid_range(end).base;
  if (!mad::is_unicast(lid)) return std::nullopt;
  return mad::MadAddress{.lid = lid,
                         .qpn = 1,
                         .qkey = mad::kQp1QKey,
                         .sl = path_sl_to(subnet, lid, requested),
                         .pkey_index = compute_index(fabric, mad::kDefaultPKeyFull).value_or(0)};
}

bool redirects_from(const mad::MadAddress& current,
                    std::span<const std::uint8_t, mad::kGmpDataBytes> class_port_info) {
  const auto lid = mad::get_field<mad::Lid, Fields, "RedirectLID">(class_port_info);
  const auto guid = mad::get_field<mad::Guid, Fields, "RedirectGID.guid">(class_port_info);
  const auto qpn = mad::get_field<std::uint32_t, Fields, "RedirectQP">(class_port_info);
  if (lid == mad::Lid{} && guid == mad::Guid{}) return false;
  return lid != current.lid || (qpn != 0 && qpn != current.qpn);
}

tl::expected<mad::MadAddress, std::string> redirect_target(
    const Subnet& subnet, NodeIndex node, RedirectScope scope,
    std::span<const std::uint8_t, mad::kGmpDataBytes> class_port_info) {
  mad::MadAddress target;
  target.lid = mad::get_field<mad::Lid, Fields, "RedirectLID">(class_port_info);
  const auto guid = mad::get_field<mad::Guid, Fields, "RedirectGID.guid">(class_port_info);
  // A target without a LID is named by its GID. Inside the subnet its LID serves as well, without a
  // GRH.
  if (target.lid == mad::Lid{}) {
    const EndPoint end = subnet.find(guid);
    if (end.port == kNoIndex)
      return tl::unexpected(fmt::format("to port GUID {}, which is not in this subnet", guid));
    target.lid = subnet.lid_range(end).base;
  }
  const PortIndex port = mad::is_unicast(target.lid) ? subnet.lids.owner(target.lid) : kNoIndex;
  if (port == kNoIndex)
    return tl::unexpected(fmt::format("to LID {}, which no port has", target.lid.value));
  if (scope == RedirectScope::same_node && subnet.fabric.ports[port].node != node)
    return tl::unexpected(
        fmt::format("to LID {}, a port of another node, and perfmgr_redir_other_nodes is FALSE",
                    target.lid.value));
  target.qpn = mad::get_field<std::uint32_t, Fields, "RedirectQP">(class_port_info);
  if (target.qpn == 0) return tl::unexpected(std::string("to queue pair 0"));
  target.qkey = mad::get_field<std::uint32_t, Fields, "RedirectQ_Key">(class_port_info);
  if (target.qpn == 1 || target.qkey == 0) target.qkey = mad::kQp1QKey;
  target.sl = mad::get_field<mad::Sl, Fields, "RedirectSL">(class_port_info);
  const auto key = mad::get_field<mad::PKey, Fields, "RedirectP_Key">(class_port_info);
  const auto index = compute_index(subnet.fabric, key == mad::PKey{} ? mad::kDefaultPKeyFull : key);
  if (!index && key != mad::PKey{})
    return tl::unexpected(
        fmt::format("with P_Key {:#06x}, which the own port does not have", key.value));
  target.pkey_index = index.value_or(0);
  return target;
}

}  // namespace sm
