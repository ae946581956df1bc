#include "sm/sweep/apply/router_reads.h"

#include "sm/sweep/devices/sweep_rows.h"

namespace sm {
namespace {

PortIndex router_port(const Fabric& fabric, const Node& node) {
  for (PortIndex port = node.first_port; port < node.first_port + node.num_ports; ++port)
    if (fabric.is_end_port(port) && fabric.ports[port].known && fabric.ports[port].peer != kNoIndex)
      return port;
  return kNoIndex;
}

/// Returns a port of each router.
std::vector<PortIndex> router_ports(const Fabric& fabric, RouterDevices& devices) {
  std::vector<PortIndex> ports;
  devices.update_from(fabric);
  for (const Node& node : fabric.nodes) {
    if (node.type != mad::NodeType::router) continue;
    RouterDevice& device = devices.of_node[node.guid];
    if (!is_announced(fabric, node.first_port, mad::AttributeId::router_info))
      device.state = RouterState::unsupported;
    if (const PortIndex port = router_port(fabric, node); port != kNoIndex) ports.push_back(port);
  }
  return ports;
}

}  // namespace

std::unique_ptr<StageSource> router_reads(const Fabric& fabric, DeviceState& devices) {
  const RowContext context{fabric, devices};
  const std::vector<PortIndex> ports = router_ports(fabric, devices.routers);
  return make_steps({
      once([=] {
        return row_stage(context, mad::Method::get,
                         due_reads(context, ports, {&rows::router_info}));
      }),
      once([=] {
        return row_stage(context, mad::Method::get,
                         due_reads(context, ports, {&rows::adjacent_subnets, &rows::next_hops}));
      }),
  });
}

}  // namespace sm
