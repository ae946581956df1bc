#include "sm/sweep/apply/optional_attributes.h"

#include "sm/sweep/devices/sweep_rows.h"

namespace sm {
namespace {

/// Returns the ports with a link, or the port by which an attribute of the node is read.
std::vector<PortIndex> ports_to_read(const Fabric& fabric, const mad::AttributeRow& attribute,
                                     NodeIndex index) {
  const Node& node = fabric.nodes[index];
  const std::uint8_t end_port = node.is_switch() ? mad::place::kSwitch : mad::place::kHost;
  std::vector<PortIndex> ports;
  if (!attribute.is_of_port()) {
    const PortIndex entry = entry_port(fabric, node);
    if ((attribute.places & end_port) != 0 && fabric.ports[entry].known) ports.push_back(entry);
    return ports;
  }
  for (unsigned number = 1; number <= node.num_ports; ++number) {
    const PortIndex port = fabric.port(index, mad::PortNum{static_cast<std::uint8_t>(number)});
    if (fabric.is_link_up(port)) ports.push_back(port);
  }
  return ports;
}

/// Adds the reads that are due of devices that have not responded (`is_first`), or that have.
void add_reads(const RowContext& context, const SweepRow& row, bool is_first,
               std::vector<RowRequest>& requests) {
  const mad::AttributeRow& attribute = mad::attribute_row(row.attribute);
  for (const NodeIndex index : context.fabric.nodes.indices()) {
    const Node& node = context.fabric.nodes[index];
    if (row.may_have != nullptr && !row.may_have(node.info)) continue;
    const bool has_responded =
        attribute.is_of_port() &&
        context.devices.table.find(device_key(node.guid, row.attribute, row.part)) != nullptr;
    if (has_responded == is_first) continue;
    std::vector<RowRequest> due =
        due_reads(context, ports_to_read(context.fabric, attribute, index), {&row});
    if (is_first && attribute.is_of_port() && due.size() > 1) due.resize(1);
    requests.insert(requests.end(), due.begin(), due.end());
  }
}

}  // namespace

std::unique_ptr<StageSource> optional_reads(const Fabric& fabric, DeviceState& devices,
                                            const config::Options& options) {
  const RowContext context{fabric, devices};
  const auto reads = [context, &options](bool is_first) {
    std::vector<RowRequest> requests;
    for (const SweepRow* const row : sweep_rows())
      if (row->is_read_after_sweeps && (row->is_used == nullptr || row->is_used(options)))
        add_reads(context, *row, is_first, requests);
    return row_stage(context, mad::Method::get, std::move(requests));
  };
  return make_steps({once([=] { return reads(true); }), once([=] { return reads(false); })});
}

std::unique_ptr<StageSource> optional_writes(const Fabric& fabric, DeviceState& devices,
                                             const config::Options& options) {
  const RowContext context{fabric, devices};
  std::vector<Steps::Step> steps;
  for (const SweepRow* const row : sweep_rows())
    if (row->wanted != nullptr)
      steps.push_back(once([=, &options] {
        return row_stage(context, mad::Method::set, due_writes(context, *row, options));
      }));
  return make_steps(std::move(steps));
}

}  // namespace sm
