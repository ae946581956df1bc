#include "sm/sweep/devices/device_table.h"

#include <iterator>
#include <utility>

namespace sm {
namespace {

using Blocks = DeviceTable::Blocks;
/// Returns the blocks of a node, or (node 0) of all nodes.
std::pair<Blocks::iterator, Blocks::iterator> range_of(Blocks& blocks, mad::Guid node) {
  if (node == mad::Guid{}) return {blocks.begin(), blocks.end()};
  return {blocks.lower_bound(BlockKey{.place = {.node = node}}),
          blocks.upper_bound(BlockKey{.place = {.node = node, .port = {0xFF}},
                                      .attribute = mad::AttributeId{0xFFFF},
                                      .block = ~0u})};
}

}  // namespace

const HeldBlock* DeviceTable::find(const BlockKey& key) const {
  const auto found = blocks.find(key);
  return found == blocks.end() ? nullptr : &found->second;
}

bool DeviceTable::is_due(const BlockKey& key, std::uint8_t part) const {
  const HeldBlock* const held = find(key);
  return held == nullptr || (!held->is_known(part) && held->failure == Failure::none);
}

void DeviceTable::invalidate(mad::AttributeId attribute, std::uint8_t part, mad::Guid node) {
  const auto [first, last] = range_of(blocks, node);
  for (auto block = first; block != last;) {
    const BlockKey& key = block->first;
    if (key == device_key(key.place.node, attribute, part)) {
      block = blocks.erase(block);
      continue;
    }
    if (key.attribute == attribute) block->second.invalidate(part);
    ++block;
  }
}

void DeviceTable::forget(std::initializer_list<mad::AttributeId> attributes, mad::Guid node) {
  const auto [first, last] = range_of(blocks, node);
  for (auto block = first; block != last;) {
    const bool is_meant = std::ranges::find(attributes, block->first.attribute) != attributes.end();
    block = is_meant ? blocks.erase(block) : std::next(block);
  }
}

void DeviceTable::begin(const fabric::Fabric& fabric, mad::TimePoint now) {
  std::erase_if(blocks, [&](const auto& entry) {
    return !fabric.node_of_guid.contains(entry.first.place.node);
  });
  for (auto& [key, held] : blocks) {
    const bool is_of_switch = fabric.nodes[fabric.node_of_guid.at(key.place.node)].is_switch();
    // A pause that has ended does not mean that the device answered.
    if (held.failure == Failure::none && (held.bytes || !is_of_switch)) held.retry.succeeded();
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
