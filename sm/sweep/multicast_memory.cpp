#include "sm/sweep/multicast_memory.h"

#include <algorithm>
#include <unordered_map>

namespace sm {

void MulticastMemory::follow(const Fabric& fabric) {
  std::vector<mad::Guid> switches;
  std::size_t positions = 1;
  for (const Switch& sw : fabric.switches) {
    switches.push_back(fabric.nodes[sw.node].guid);
    positions =
        std::max<std::size_t>(positions, fabric.nodes[sw.node].num_ports / kMftPositionPorts + 1u);
  }
  if (switches == switches_ && positions == positions_) return;

  std::unordered_map<mad::Guid, std::uint32_t> old_rows;
  for (std::uint32_t row = 0; row < switches_.size(); ++row) old_rows.emplace(switches_[row], row);
  std::vector<std::uint32_t> rows;
  for (const mad::Guid guid : switches) {
    const auto old = old_rows.find(guid);
    rows.push_back(old == old_rows.end() ? kNoIndex : old->second);
  }
  routing::HeldMulticast held(switches.size(), positions);
  held.tables = held_.tables.rearranged(rows, positions);
  held.knowledge.assign(held.tables.units(), routing::MftKnowledge::unknown);
  for (std::size_t number = 0; number < held.knowledge.size(); ++number) {
    const MftUnit unit = held.tables.unit(number);
    if (rows[unit.sw] == kNoIndex || unit.position >= held_.tables.positions()) continue;
    held.knowledge[number] = held_.of({rows[unit.sw], unit.block, unit.position});
  }
  held_ = std::move(held);
  if (wanted_)
    wanted_ = std::make_shared<const MulticastTables>(wanted_->rearranged(rows, positions));
  switches_ = std::move(switches);
  positions_ = positions;
}

void MulticastMemory::forget(SwitchIndex sw) { held_.forget(sw); }

void MulticastMemory::distrust() {
  for (SwitchIndex sw = 0; sw < switches_.size(); ++sw) held_.forget(sw);
}

void MulticastMemory::forget_all() {
  held_ = routing::HeldMulticast(switches_.size(), positions_);
  wanted_.reset();
}

}  // namespace sm
