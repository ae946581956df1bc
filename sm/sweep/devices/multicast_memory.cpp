#include "sm/sweep/devices/multicast_memory.h"

#include <algorithm>
#include <unordered_map>

namespace sm {

void MulticastMemory::update_from(const Fabric& fabric) {
  IndexVector<SwitchIndex, mad::Guid> switches;
  std::size_t positions = 1;
  for (const Switch& sw : fabric.switches) {
    switches.push_back(fabric.nodes[sw.node].guid);
    positions =
        std::max<std::size_t>(positions, fabric.nodes[sw.node].num_ports / kMftPositionPorts + 1u);
  }
  held_.mark_pending();  // a switch may show another MulticastFDBCap
  if (switches == switches_ && positions == positions_) return;

  std::unordered_map<mad::Guid, SwitchIndex> previous_index;
  for (const SwitchIndex sw : switches_.indices()) previous_index.emplace(switches_[sw], sw);
  IndexVector<SwitchIndex, SwitchIndex> sources;
  for (const mad::Guid guid : switches) {
    const auto previous = previous_index.find(guid);
    sources.push_back(previous == previous_index.end() ? kNoIndex : previous->second);
  }
  routing::HeldMulticast held(switches.size(), positions);
  MulticastTables::Moved moved;
  held.tables = held_.tables.rearranged(sources, positions, moved);
  held.knowledge.assign(held.tables.units(), routing::MftKnowledge::unknown);
  for (std::size_t number = 0; number < held.knowledge.size(); ++number) {
    const MftUnit unit = held.tables.unit(number);
    if (sources[unit.sw] == kNoIndex || unit.position >= held_.tables.positions()) continue;
    held.knowledge[number] = held_.of({sources[unit.sw], unit.block, unit.position});
  }
  held_ = std::move(held);
  if (wanted_)
    wanted_ =
        std::make_shared<const MulticastTables>(wanted_->rearranged(sources, positions, moved));
  switches_ = std::move(switches);
  positions_ = positions;
}

void MulticastMemory::forget(SwitchIndex sw) { held_.forget(sw); }

void MulticastMemory::invalidate() {
  for (SwitchIndex sw{0}; sw < switches_.size(); ++sw) held_.forget(sw);
}

void MulticastMemory::forget_all() {
  held_ = routing::HeldMulticast(switches_.size(), positions_);
  wanted_.reset();
}

}  // namespace sm
