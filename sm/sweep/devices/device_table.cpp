#include "sm/sweep/devices/device_table.h"

namespace sm {

const HeldBlock* DeviceTable::find(const BlockKey& key) const {
  const auto found = blocks.find(key);
  return found == blocks.end() ? nullptr : &found->second;
}

bool DeviceTable::is_due(const BlockKey& key, std::uint8_t part) const {
  const HeldBlock* const held = find(key);
  return held == nullptr || (!held->is_known(part) && held->failure == Failure::none);
}

void DeviceTable::invalidate(mad::AttributeId attribute, std::uint8_t part, mad::Guid node) {
  const auto is_meant = [&](const BlockKey& key) {
    return key.attribute == attribute && (node == mad::Guid{} || key.place.node == node);
  };
  for (auto& [key, held] : blocks)
    if (is_meant(key)) held.invalidate(part);
  std::erase_if(blocks, [&](const auto& entry) {
    return is_meant(entry.first) &&
           entry.first == device_key(entry.first.place.node, attribute, part);
  });
}

void DeviceTable::forget(std::initializer_list<mad::AttributeId> attributes, mad::Guid node) {
  std::erase_if(blocks, [&](const auto& entry) {
    return std::ranges::find(attributes, entry.first.attribute) != attributes.end() &&
           (node == mad::Guid{} || entry.first.place.node == node);
  });
}

void DeviceTable::begin(const fabric::Fabric& fabric, mad::TimePoint now) {
  std::erase_if(blocks, [&](const auto& entry) {
    return !fabric.node_of_guid.contains(entry.first.place.node);
  });
  for (auto& [key, held] : blocks) {
    if (held.failure == Failure::none) held.retry.succeeded();
    if (held.failure != Failure::retried || !held.retry.is_due(now)) continue;
    held.retry.failed(now);
    held.failure = Failure::none;
  }
}

std::vector<mad::Guid> DeviceTable::due(mad::TimePoint now) const {
  std::vector<mad::Guid> nodes;
  for (const auto& [key, held] : blocks)
    if (held.failure == Failure::retried && held.retry.is_due(now) &&
        (nodes.empty() || nodes.back() != key.place.node))
      nodes.push_back(key.place.node);
  return nodes;
}

mad::AttributeId DeviceTable::retried(mad::Guid node) const {
  for (const auto& [key, held] : node_blocks(blocks, node))
    if (held.failure == Failure::retried) return key.attribute;
  return {};
}

}  // namespace sm
