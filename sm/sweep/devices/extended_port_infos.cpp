#include "sm/sweep/devices/extended_port_infos.h"

#include <algorithm>
#include <array>

#include "sm/sweep/devices/table_memory.h"

namespace sm {
namespace {

constexpr std::uint8_t kFdr10 = mad::MlnxExtPortInfo::kFdr10;

bool has_fdr10(const mad::MlnxExtPortInfo& info) {
  return (info.link_speed_supported() & kFdr10) != 0;
}

/// Returns the ports of a device that have a link and whose speeds are not known.
std::vector<PortIndex> unread_ports(const DeviceTable& table, const Fabric& fabric,
                                    NodeIndex index) {
  std::vector<PortIndex> ports;
  const Node& node = fabric.nodes[index];
  for (unsigned number = 1; number <= node.num_ports; ++number) {
    const PortIndex port = fabric.port(index, mad::PortNum{static_cast<std::uint8_t>(number)});
    if (fabric.is_link_up(port) && !table.read<mad::MlnxExtPortInfo>(port_place(fabric, port)))
      ports.push_back(port);
  }
  return ports;
}

}  // namespace

bool may_have_fdr10(const mad::NodeInfo& info) {
  constexpr std::uint32_t kBull = 0x119F;
  constexpr std::array<std::uint16_t, 21> kOfBull{
      0x1B02, 0x1B33, 0x1B40, 0x1B41, 0x1B50, 0x1B60, 0x1B61, 0x1B73, 0x1B83, 0x1B93, 0x1B94,
      0x1BA0, 0x1BB4, 0x1BB5, 0x1BC4, 0x1BD0, 0x1BD1, 0x1BD2, 0x1BD3, 0x1BD4, 0x1BD5};
  const std::uint16_t device = info.device_id();
  if (info.vendor_id() == kBull) return std::ranges::binary_search(kOfBull, device);
  const bool is_switch = (device >= 0xC738 && device <= 0xC73B) || device == 0xCB20 ||
                         device == 0xCF08;                     // SwitchX, Switch-IB
  return is_switch || (device >= 0x1003 && device <= 0x1017);  // ConnectX-3 to ConnectX-5
}

bool is_fdr10_on(const mad::MlnxExtPortInfo& info) {
  return (info.link_speed_enabled() & kFdr10) != 0;
}

Fdr10Setting fdr10_setting(const config::Options& options) {
  switch (options.fdr10) {
    case 1:
      return Fdr10Setting::on;
    case 2:
      return Fdr10Setting::off;
    default:
      return Fdr10Setting::leave;
  }
}

void update_extended_ports(DeviceTable& table, const Fabric& fabric) {
  std::erase_if(table.blocks, [&](const auto& entry) {
    const auto& [key, held] = entry;
    if (key.attribute != mad::AttributeId::mlnx_ext_port_info) return false;
    if (key.place.port.value != 0) return find_place(fabric, key.place) == kNoIndex;
    if (key != fdr10_key(key.place.node)) return false;
    const auto node = fabric.node_of_guid.find(key.place.node);
    return node == fabric.node_of_guid.end() || !may_hold_tables(fabric, node->second);
  });
  for (auto& [key, held] : table.blocks) {
    if (key.attribute != mad::AttributeId::mlnx_ext_port_info || key.place.port.value == 0)
      continue;
    const Port& port = fabric.ports[find_place(fabric, key.place)];
    if (!port.known || port.info.port_state() <= mad::PortState::init) held.invalidate(kSpeedsPart);
  }
}

std::vector<PortIndex> first_ports(const DeviceTable& table, const Fabric& fabric) {
  std::vector<PortIndex> ports;
  for (const NodeIndex index : fabric.nodes.indices()) {
    const Node& node = fabric.nodes[index];
    if (!may_have_fdr10(node.info) || table.find(fdr10_key(node.guid)) != nullptr) continue;
    if (const auto unread = unread_ports(table, fabric, index); !unread.empty())
      ports.push_back(unread.front());
  }
  return ports;
}

std::vector<PortIndex> other_ports(const DeviceTable& table, const Fabric& fabric) {
  std::vector<PortIndex> ports;
  for (const NodeIndex index : fabric.nodes.indices()) {
    const Node& node = fabric.nodes[index];
    const HeldBlock* const device = table.find(fdr10_key(node.guid));
    if (!may_have_fdr10(node.info) || device == nullptr || device->failure != Failure::none)
      continue;
    const std::vector<PortIndex> unread = unread_ports(table, fabric, index);
    ports.insert(ports.end(), unread.begin(), unread.end());
  }
  return ports;
}

std::vector<Write> fdr10_writes(const DeviceTable& table, const Fabric& fabric,
                                Fdr10Setting setting) {
  std::vector<Write> writes;
  if (setting == Fdr10Setting::leave) return writes;
  for (const auto& [key, held] : table.blocks) {
    if (key.attribute != mad::AttributeId::mlnx_ext_port_info || !held.is_known(kSpeedsPart) ||
        (held.rejected & kSpeedsPart) != 0)
      continue;
    const PortPlace& place = key.place;
    const mad::MlnxExtPortInfo info(*held.bytes);
    if (!has_fdr10(info) || is_fdr10_on(info) == (setting == Fdr10Setting::on)) continue;
    const auto node = fabric.node_of_guid.find(place.node);
    if (node == fabric.node_of_guid.end() || !may_have_fdr10(fabric.nodes[node->second].info))
      continue;
    mad::MlnxExtPortInfo wanted = info;
    // The attribute is not documented; OpenSM and ibportstate set it like this. The field seems to
    // be the mask of the speeds that the Set is about.
    wanted.set_state_change_enable(kFdr10);
    wanted.set_link_speed_enabled(static_cast<std::uint8_t>(
        setting == Fdr10Setting::on ? info.link_speed_enabled() | kFdr10
                                    : info.link_speed_enabled() & ~kFdr10));
    writes.push_back(make_write(wanted, mad::MlnxExtPortInfo::modifier(place.port),
                                fabric.port(node->second, place.port)));
  }
  return writes;
}

}  // namespace sm
