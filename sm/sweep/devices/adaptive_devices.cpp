#include "sm/sweep/devices/adaptive_devices.h"

#include <algorithm>

namespace sm {

FormBlocks::Id FormBlocks::number(const FormBlock& block) {
  const auto [found, is_new] = numbers_.try_emplace(block, static_cast<Id>(blocks_.size() + 1));
  if (is_new) blocks_.push_back(block);
  return found->second;
}

void HeldGroups::set(fabric::GroupId group, const fabric::PortSet& ports) {
  if (shared_) own_ = *std::exchange(shared_, nullptr);
  auto same = std::ranges::find(own_.sets, ports);
  if (same == own_.sets.end()) same = own_.sets.insert(same, ports);
  if (group >= own_.set_of.size()) own_.set_of.resize(group + std::size_t{1}, 0);
  own_.set_of[group] = static_cast<std::uint16_t>(same - own_.sets.begin());
}

void HeldGroups::set_known(std::uint16_t block, bool value) {
  if (block >= known_.size()) known_.resize(block + std::size_t{1}, false);
  known_[block] = value;
}

bool has_capability(const DeviceTable& table, mad::Guid node, mad::GeneralCapability capability) {
  const auto info = table.read<mad::GeneralInfo>({.node = node}, mad::GeneralInfo::kCapabilityMask);
  return info && info->has(capability);
}

bool AdaptiveDevices::any_active() const {
  return std::ranges::any_of(switches_, [](const auto& of) { return of.second.is_active(); });
}

void AdaptiveDevices::invalidate() {
  for (auto& [guid, device] : switches_) device.rewrites = device.is_active();
}

void AdaptiveDevices::update_from(const fabric::Fabric& fabric) {
  std::erase_if(switches_, [&](const auto& of) { return !fabric.node_of_guid.contains(of.first); });
  compact();
}

void AdaptiveDevices::begin(const fabric::Fabric& fabric, mad::TimePoint now) {
  for (auto& [guid, device] : switches_) {
    if (!device.may_recover()) {
      if (device.is_active()) device.retry.succeeded();
      continue;
    }
    if (!device.retry.is_due(now)) continue;
    device.retry.failed(now);
    if (device.obstacle == fabric::AdaptiveState::mismatch) {
      device.forget_tables();
      if (const auto node = fabric.node_of_guid.find(guid); node != fabric.node_of_guid.end())
        proven.erase(AdaptiveModel::of(fabric.nodes[node->second].info));
    }
    device.obstacle = fabric::AdaptiveState::off;
    device.reason.clear();
  }
}

std::vector<mad::Guid> AdaptiveDevices::due(mad::TimePoint now) const {
  std::vector<mad::Guid> nodes;
  for (const auto& [guid, device] : switches_)
    if (device.may_recover() && device.retry.is_due(now)) nodes.push_back(guid);
  return nodes;
}

/// Removes forms that no switch has any more, once most forms are such.
void AdaptiveDevices::compact() {
  constexpr std::size_t kWorthIt = 50'000;
  if (blocks.size() < std::max(kWorthIt, 2 * blocks_in_use_)) return;
  FormBlocks used;
  for (auto& [guid, device] : switches_)
    for (FormBlocks::Id& form : device.forms)
      if (form != 0) form = used.number(blocks.block(form));
  blocks = std::move(used);
  blocks_in_use_ = blocks.size();
}

}  // namespace sm
