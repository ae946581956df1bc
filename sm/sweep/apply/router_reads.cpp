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

/// Returns a port of each router. Only the attributes of one vendor are known.
std::vector<PortIndex> router_ports(const Fabric& fabric, DeviceTable& table) {
  const mad::Announcement& announced = mad::attribute_row(mad::RouterInfo::kId).announced;
  std::vector<PortIndex> ports;
  for (const Node& node : fabric.nodes) {
    if (node.type != mad::NodeType::router) continue;
    if (!announced.is_made(node.info, {}))
      table.blocks[{.place = {.node = node.guid}, .attribute = mad::RouterInfo::kId}].fail(
          0, Failure::unsupported);
    const PortIndex port = router_port(fabric, node);
    if (port == kNoIndex) continue;
    ports.push_back(port);
    for (auto& [key, held] : node_blocks(table.blocks, node.guid)) held.take_opportunity();
  }
  return ports;
}

}  // namespace

std::unique_ptr<StageSource> router_reads(const Fabric& fabric, DeviceState& devices) {
  const RowContext context{fabric, devices};
  const std::vector<PortIndex> ports = router_ports(fabric, devices.table);
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
