#include "partitions/default_partition.h"

namespace partitions {

std::vector<mad::PKeyTable> p_key_blocks(std::span<const mad::PKeyTable> observed, unsigned capacity) {
  constexpr unsigned per_block = mad::PKeyTable::kEntries;
  std::vector<mad::PKeyTable> blocks(mad::PKeyTable::blocks(capacity));
  if (blocks.empty()) return blocks;
  blocks.front().set_p_key(0, mad::kDefaultPKeyFull);
  if (observed.size() >= blocks.size())
    for (unsigned index = capacity; index % per_block != 0; ++index)
      blocks.back().set_p_key(index % per_block, observed[blocks.size() - 1].p_key(index % per_block));
  return blocks;
}

unsigned p_key_capacity(const sm::Fabric& fabric, sm::PortIndex port) {
  const sm::Node& node = fabric.node_of(port);
  if (node.is_switch() && fabric.ports[port].number.value != 0) return fabric.switches[node.switch_index].info.partition_enforcement_cap();
  return node.info.partition_cap();
}

Enforcement enforcement(const sm::Fabric& fabric, sm::PortIndex port, config::PartEnforce wanted) {
  const sm::Node& node = fabric.node_of(port);
  const sm::Port& p = fabric.ports[port];
  if (!node.is_switch() || p.number.value == 0 || p.peer == sm::kNoIndex || fabric.node_of(p.peer).is_switch()) return {};
  const mad::SwitchInfo& info = fabric.switches[node.switch_index].info;
  if (info.partition_enforcement_cap() == 0) return {};
  using enum config::PartEnforce;
  return {.inbound = info.inbound_enforcement_cap() && (wanted == in || wanted == both),
          .outbound = info.outbound_enforcement_cap() && (wanted == out || wanted == both)};
}

}  // namespace partitions
