#include "fabric/vl_tables.h"

#include <algorithm>
#include <unordered_map>

namespace fabric {

void VlTables::update_from(const Fabric& fabric) {
  std::vector<NodePorts> nodes;
  nodes.reserve(fabric.nodes.size());
  std::vector<std::uint32_t> first_table{0};
  first_table.reserve(fabric.ports.size() + 1);
  for (const NodeIndex index : fabric.nodes.indices()) {
    const Node& node = fabric.nodes[index];
    const auto ports = static_cast<std::uint32_t>(fabric.node_ports(index).size());
    nodes.push_back({node.guid, node.first_port, ports, node.is_switch()});
    for (std::uint32_t port = 0; port < ports; ++port)
      first_table.push_back(first_table.back() + (node.is_switch() ? ports : 1));
  }
  std::vector<Number> tables(first_table.back()), blocks(fabric.ports.size() * kArbitrationBlocks);

  std::unordered_map<mad::Guid, const NodePorts*> before;
  for (const NodePorts& node : nodes_) before.emplace(node.guid, &node);
  for (const NodePorts& node : nodes) {
    const auto previous = before.find(node.guid);
    if (previous == before.end() || previous->second->ports != node.ports ||
        previous->second->is_switch != node.is_switch)
      continue;
    const NodePorts& old = *previous->second;
    std::copy(tables_.begin() + first_table_[old.first],
              tables_.begin() + first_table_[old.first + old.ports],
              tables.begin() + first_table[node.first]);
    std::copy_n(blocks_.begin() + old.first * kArbitrationBlocks, node.ports * kArbitrationBlocks,
                blocks.begin() + node.first * kArbitrationBlocks);
  }
  nodes_ = std::move(nodes);
  first_table_ = std::move(first_table);
  tables_ = std::move(tables);
  blocks_ = std::move(blocks);
}

void VlTables::forget(NodeIndex node) {
  const NodePorts& of = nodes_[node];
  std::fill(tables_.begin() + first_table_[of.first],
            tables_.begin() + first_table_[of.first + of.ports], Number{0});
  std::fill_n(blocks_.begin() + of.first * kArbitrationBlocks, of.ports * kArbitrationBlocks,
              Number{0});
}

void VlTables::forget_all() {
  std::ranges::fill(tables_, Number{0});
  std::ranges::fill(blocks_, Number{0});
}

std::uint16_t VlTables::dropped_sls() const {
  std::vector<bool> held(sl_to_vl_.values().size() + 1);  // by number
  for (const Number number : tables_) held[number] = true;
  unsigned sls = 0;
  for (std::size_t number = 1; number < held.size(); ++number) {
    if (!held[number]) continue;
    const SlToVlBits bits = sl_to_vl_.value(static_cast<Number>(number));
    for (unsigned sl = 0; sl < 16; ++sl) sls |= (mapped_vl(bits, sl) == 15 ? 1u : 0u) << sl;
  }
  return static_cast<std::uint16_t>(sls);
}

}  // namespace fabric
