#include "routing/qos/operational_vls.h"

#include <algorithm>

#include "config/qos_settings.h"
#include "mad/attributes/port_info.h"

namespace routing {
namespace {

/// Clamps a code from the wire to the codes that stand for a number of VLs.
std::uint8_t vls_code(std::uint8_t code) { return std::clamp<std::uint8_t>(code, 1, 5); }

/// Returns the code that both ends of a running link have; 0 if one end does not report it.
std::uint8_t running_code(const fabric::Fabric& fabric, fabric::PortIndex index) {
  const fabric::Port& port = fabric.ports[index];
  const std::uint8_t own = port.info.operational_vls();
  return fabric.ports[port.peer].known
             ? std::min(own, fabric.ports[port.peer].info.operational_vls())
             : own;
}

}  // namespace

config::QosScope qos_scope(const fabric::Fabric& fabric, fabric::PortIndex port) {
  const fabric::Node& node = fabric.owning_node(port);
  if (node.is_switch())
    return fabric.ports[port].number.value == 0 ? config::QosScope::sw0 : config::QosScope::swe;
  return node.type == mad::NodeType::router ? config::QosScope::rtr : config::QosScope::ca;
}

bool link_runs(const fabric::Fabric& fabric, fabric::PortIndex index) {
  const fabric::Port& port = fabric.ports[index];
  if (port.peer == fabric::kNoIndex) return false;
  const auto is_active = [](const fabric::Port& end) {
    return end.known && end.info.port_state() >= mad::PortState::active;
  };
  return is_active(port) || is_active(fabric.ports[port.peer]);
}

std::uint8_t link_operational_vls(const fabric::Fabric& fabric, fabric::PortIndex index,
                                  const config::Options& options) {
  const std::uint8_t code = link_runs(fabric, index) ? running_code(fabric, index) : 0;
  return code == 0 ? desired_operational_vls(fabric, index, options) : vls_code(code);
}

unsigned usable_data_vls(const fabric::Fabric& fabric, fabric::PortIndex index) {
  const std::uint8_t code = link_runs(fabric, index) ? running_code(fabric, index) : 0;
  // A reserved code counts as 1: every port has VL 0.
  return std::max(1u, mad::data_vls(code == 0 ? fabric.ports[index].info.vl_cap() : code));
}

std::uint8_t desired_operational_vls(const fabric::Fabric& fabric, fabric::PortIndex index,
                                     const config::Options& options) {
  const auto allowed = [&](fabric::PortIndex port) {
    // The order of the codes is the order of the numbers.
    const std::uint8_t code =
        std::min(vls_code(fabric.ports[port].info.vl_cap()), vls_code(options.max_op_vls));
    return options.qos
               ? std::min(code, mad::vl_code(
                                    config::qos_settings(options, qos_scope(fabric, port)).vls_max))
               : code;
  };
  const fabric::PortIndex peer = fabric.ports[index].peer;
  return peer == fabric::kNoIndex || !fabric.ports[peer].known
             ? allowed(index)
             : std::min(allowed(index), allowed(peer));
}

unsigned data_vls(const RoutingInput& input) {
  const fabric::SwitchGraph& graph = input.graph;
  if (graph.port.empty()) return 1;  // no links between switches
  unsigned vls = std::clamp(input.options.vls_max, 1u, 15u);
  for (const fabric::SwitchIndex sw : graph.all_switches()) {
    const fabric::Node& node = input.fabric.nodes[input.fabric.switches[sw].node];
    for (const mad::PortNum port : graph.out_ports(sw))
      vls = std::min(vls, usable_data_vls(input.fabric, node.first_port + port.value));
  }
  return vls;
}

}  // namespace routing
