// Sets the SLs whose packets a CA that reorders packets accepts out of order.

#include <algorithm>

#include "sm/sweep/apply/adaptive_stages.h"
#include "sm/sweep/devices/extended_port_infos.h"
#include "sm/sweep/devices/sweep_rows.h"

namespace sm {
namespace {

/// Returns the ports of CAs that reorder.
std::vector<PortIndex> reordering_ports(const RowContext& context) {
  std::vector<PortIndex> ports;
  const DeviceTable& table = context.devices.table;
  for (const auto& [key, held] : table.blocks) {
    if (key.attribute != mad::AttributeId::general_info) continue;
    const auto node = context.fabric.node_of_guid.find(key.place.node);
    if (node == context.fabric.node_of_guid.end() ||
        context.fabric.nodes[node->second].is_switch() ||
        !has_capability(table, key.place.node, mad::GeneralCapability::out_of_order) ||
        table.retried(key.place.node) != mad::AttributeId{})
      continue;
    for (const Port& port : context.fabric.node_ports(node->second))
      if (port.known && port.is_up())
        ports.push_back(context.fabric.port(node->second, port.number));
  }
  return ports;
}

/// Returns Sets of ports with another OOOSLMask: exactly `mask`, or `mask` and what they have.
std::vector<RowRequest> mask_writes(const RowContext& context, const SweepRow& row,
                                    std::uint16_t mask, bool is_exact) {
  std::vector<RowRequest> requests;
  for (const PortIndex port : reordering_ports(context)) {
    const auto known = context.devices.table.read<mad::MlnxExtPortInfo>(
        port_place(context.fabric, port), 0, kSlMaskPart);
    if (!known) continue;
    mad::MlnxExtPortInfo wanted = *known;
    wanted.set_state_change_enable(0);  // no change of speeds
    wanted.set_ooo_sl_mask(
        static_cast<std::uint16_t>(is_exact ? mask : known->ooo_sl_mask() | mask));
    if (wanted.ooo_sl_mask() == known->ooo_sl_mask()) continue;
    RowRequest& request = requests.emplace_back(row_request(context.fabric, row, port));
    std::ranges::copy(wanted.bytes(), request.write.data.begin());
  }
  return requests;
}

}  // namespace

std::unique_ptr<StageSource> reordering_stages(const Fabric& fabric, DeviceState& devices,
                                               const Target& target, const config::Options& options,
                                               Reordering part) {
  const RowContext context{fabric, devices};
  const AdaptiveSettings settings = adaptive_settings(options);
  const std::uint16_t mask =
      target.adaptive != nullptr && settings.choose ? settings.sl_mask : std::uint16_t{0};
  const bool is_last = part == Reordering::withdraw;
  const SweepRow& row = is_last ? rows::out_of_order_withdrawal : rows::out_of_order;
  return make_steps({
      once([=, &row] {
        const std::vector<PortIndex> ports =
            mask == 0 ? std::vector<PortIndex>{} : reordering_ports(context);
        return row_stage(context, mad::Method::get, due_reads(context, ports, {&row}));
      }),
      once([=, &row] {
        return part == Reordering::read
                   ? nullptr
                   : row_stage(context, mad::Method::set, mask_writes(context, row, mask, is_last));
      }),
  });
}

}  // namespace sm
