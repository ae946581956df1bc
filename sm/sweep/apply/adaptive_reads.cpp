// Adaptive routing: reads what devices support and hold.

#include <algorithm>
#include <tuple>

#include "sm/sweep/apply/adaptive_stages.h"
#include "sm/sweep/devices/sweep_rows.h"

namespace sm {
namespace {

/// Switch-IB is the first model with attributes of this form.
constexpr std::uint16_t kFirstSwitch = 0xCB20;

PortIndex asked_port(const Fabric& fabric, NodeIndex index) {
  const Node& node = fabric.nodes[index];
  if (node.is_switch()) return node.first_port;
  for (PortIndex port = node.first_port; port < node.first_port + node.num_ports; ++port)
    if (fabric.ports[port].known) return port;
  return kNoIndex;
}

bool is_queried(const Fabric& fabric, const AdaptiveQueries& queries, NodeIndex index) {
  const Node& node = fabric.nodes[index];
  if (!node.is_switch()) return queries.cas && node.type == mad::NodeType::ca;
  return queries.switches ||
         ((queries.known == nullptr || !queries.known->node_of_guid.contains(node.guid)) &&
          node.info.device_id() >= kFirstSwitch && may_hold_tables(fabric, index));
}

/// Returns a port of each node whose capabilities may matter.
std::vector<PortIndex> queried_ports(const Fabric& fabric, const AdaptiveQueries& queries) {
  std::vector<PortIndex> ports;
  for (const NodeIndex index : fabric.nodes.indices())
    if (const PortIndex port = asked_port(fabric, index);
        port != kNoIndex && is_queried(fabric, queries, index))
      ports.push_back(port);
  return ports;
}

std::vector<PortIndex> switch_ports(const Fabric& fabric) {
  std::vector<PortIndex> ports;
  for (const Switch& sw : fabric.switches) ports.push_back(fabric.nodes[sw.node].first_port);
  return ports;
}

/// Returns reads in turns over all switches, so that neighbours go to different nodes.
std::vector<RowRequest> found_tables(const RowContext& context) {
  std::vector<RowRequest> requests =
      due_reads(context, switch_ports(context.fabric),
                {&rows::found_groups, &rows::found_notification, &rows::found_entries});
  for (const RowRequest& request : requests)
    context.devices.adaptive.at(context.fabric.owning_node(request.write.port).guid).tables_read =
        true;
  std::ranges::sort(requests, {}, [](const RowRequest& request) {
    return std::tuple(request.write.attribute, request.write.modifier, request.write.port);
  });
  return requests;
}

}  // namespace

std::unique_ptr<StageSource> adaptive_reads(const Fabric& fabric, DeviceState& devices,
                                            AdaptiveQueries queries) {
  const RowContext context{fabric, devices};
  return make_steps({
      once([=] {
        return row_stage(
            context, mad::Method::get,
            due_reads(context, queried_ports(context.fabric, queries), {&rows::general_info}));
      }),
      once([=] {
        return row_stage(context, mad::Method::get,
                         due_reads(context, switch_ports(context.fabric), {&rows::ar_info}));
      }),
      once([=] { return row_stage(context, mad::Method::get, found_tables(context)); }),
  });
}

}  // namespace sm
