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

void ExtendedPortInfos::update_from(const Fabric& fabric) {
  const auto find_port = [&](const PortPlace& place) {
    const auto node = fabric.node_of_guid.find(place.node);
    return node == fabric.node_of_guid.end() ||
                   place.port.value > fabric.nodes[node->second].num_ports
               ? kNoIndex
               : fabric.port(node->second, place.port);
  };
  const auto trained = [&](PortIndex port) {
    return port == kNoIndex || !fabric.ports[port].known ||
           fabric.ports[port].info.port_state() <= mad::PortState::init;
  };
  std::erase_if(known_, [&](const auto& entry) { return find_port(entry.first) == kNoIndex; });
  for (auto& [place, known] : known_)
    if (trained(find_port(place))) known.has_speeds = false;
  std::erase_if(rejected_, [&](const PortPlace& place) { return trained(find_port(place)); });
  const auto restarted = [&](mad::Guid guid) {
    const auto node = fabric.node_of_guid.find(guid);
    return node == fabric.node_of_guid.end() || !may_hold_tables(fabric, node->second);
  };
  std::erase_if(answering_, restarted);
  std::erase_if(without_, restarted);
}

void ExtendedPortInfos::forget(mad::Guid node) {
  for (auto& [place, known] : known_)
    if (place.node == node) known.has_speeds = false;
  std::erase_if(rejected_, [&](const PortPlace& place) { return place.node == node; });
  answering_.erase(node);
  without_.erase(node);
}

void ExtendedPortInfos::forget_sl_mask(const PortPlace& place) {
  if (const auto known = known_.find(place); known != known_.end())
    known->second.has_sl_mask = false;
}

void ExtendedPortInfos::forget_sl_masks() {
  for (auto& [place, known] : known_) known.has_sl_mask = false;
}

bool ExtendedPortInfos::has_speeds(const PortPlace& place) const {
  const auto known = known_.find(place);
  return known != known_.end() && known->second.has_speeds;
}

const mad::MlnxExtPortInfo* ExtendedPortInfos::with_sl_mask(const PortPlace& place) const {
  const auto known = known_.find(place);
  return known != known_.end() && known->second.has_sl_mask ? &known->second.info : nullptr;
}

std::vector<PortIndex> ExtendedPortInfos::unread_ports(const Fabric& fabric,
                                                       NodeIndex index) const {
  std::vector<PortIndex> ports;
  const Node& node = fabric.nodes[index];
  for (unsigned number = 1; number <= node.num_ports; ++number) {
    const PortIndex port = fabric.port(index, mad::PortNum{static_cast<std::uint8_t>(number)});
    if (fabric.is_link_up(port) && !has_speeds(port_place(fabric, port))) ports.push_back(port);
  }
  return ports;
}

std::vector<PortIndex> ExtendedPortInfos::first_ports(const Fabric& fabric) const {
  std::vector<PortIndex> ports;
  for (const NodeIndex index : fabric.nodes.indices()) {
    const Node& node = fabric.nodes[index];
    if (!may_have_fdr10(node.info) || answering_.contains(node.guid) ||
        without_.contains(node.guid))
      continue;
    if (const auto unread = unread_ports(fabric, index); !unread.empty())
      ports.push_back(unread.front());
  }
  return ports;
}

std::vector<PortIndex> ExtendedPortInfos::other_ports(const Fabric& fabric) const {
  std::vector<PortIndex> ports;
  for (const NodeIndex index : fabric.nodes.indices()) {
    const Node& node = fabric.nodes[index];
    if (!may_have_fdr10(node.info) || !answering_.contains(node.guid) ||
        without_.contains(node.guid))
      continue;
    const std::vector<PortIndex> unread = unread_ports(fabric, index);
    ports.insert(ports.end(), unread.begin(), unread.end());
  }
  return ports;
}

std::vector<Write> ExtendedPortInfos::fdr10_writes(const Fabric& fabric,
                                                   Fdr10Setting setting) const {
  std::vector<Write> writes;
  if (setting == Fdr10Setting::leave) return writes;
  for (const auto& [place, known] : known_) {
    const mad::MlnxExtPortInfo& info = known.info;
    if (!known.has_speeds || !has_fdr10(info) ||
        is_fdr10_on(info) == (setting == Fdr10Setting::on) || rejected_.contains(place))
      continue;
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

void ExtendedPortInfos::note(const PortPlace& place, const mad::MlnxExtPortInfo& info,
                             bool of_fdr10) {
  const bool knows_speeds = of_fdr10 || has_speeds(place) || !without_.contains(place.node);
  known_.insert_or_assign(place, Known{.info = info, .has_speeds = knows_speeds});
  answering_.insert(place.node);
}

}  // namespace sm
