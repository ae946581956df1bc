#include "sm/performance/counters.h"

#include <algorithm>
#include <array>

namespace sm {

std::string_view name(Counter counter) {
  constexpr std::array<std::string_view, kCounters> kNames{
      "PortXmitData",
      "PortRcvData",
      "PortXmitPkts",
      "PortRcvPkts",
      "PortUnicastXmitPkts",
      "PortUnicastRcvPkts",
      "PortMulticastXmitPkts",
      "PortMulticastRcvPkts",
      "SymbolErrorCounter",
      "LinkErrorRecoveryCounter",
      "LinkDownedCounter",
      "PortRcvErrors",
      "PortRcvRemotePhysicalErrors",
      "PortRcvSwitchRelayErrors",
      "PortXmitDiscards",
      "PortXmitConstraintErrors",
      "PortRcvConstraintErrors",
      "LocalLinkIntegrityErrors",
      "ExcessiveBufferOverrunErrors",
      "VL15Dropped",
      "PortXmitWait",
      "QP1Dropped",
      "PortLocalPhysicalErrors",
      "PortMalformedPacketErrors",
      "PortBufferOverrunErrors",
      "PortDLIDMappingErrors",
      "PortVLMappingErrors",
      "PortLoopingErrors",
  };
  return kNames[static_cast<std::size_t>(counter)];
}

std::string_view name(PortReading reading) {
  constexpr std::array<std::string_view, 5> kNames{"none", "read", "down", "refused", "silent"};
  return kNames[static_cast<std::size_t>(reading)];
}

void CounterValues::set_total(Counter counter, std::uint64_t value) {
  if (value == 0 && find(counter) == nullptr) return;
  Cell& its = cell(counter);
  its.total_low = static_cast<std::uint32_t>(value);
  its.total_high = static_cast<std::uint32_t>(value >> 32);
}

void CounterValues::set_rate(Counter counter, float per_second) {
  if (per_second == 0 && find(counter) == nullptr) return;
  cell(counter).per_second = per_second;
}

void CounterValues::clear_rates() {
  for (Cell& its : cells_) its.per_second = 0;
}

CounterValues::Cell& CounterValues::cell(Counter counter) {
  const auto at = static_cast<std::ptrdiff_t>(position(counter));
  if (find(counter) == nullptr) {
    cells_.insert(cells_.begin() + at, Cell{});
    held_ |= to_set(counter);
  }
  return cells_[static_cast<std::size_t>(at)];
}

const PortCounters* NodeCounters::find(mad::PortNum port) const {
  if (ports.empty() || port < ports.front().port || port > ports.back().port) return nullptr;
  return &ports[static_cast<std::size_t>(port.value - ports.front().port.value)];
}

const NodeCounters* PortCounterTable::find(mad::Guid node) const {
  const auto found = std::ranges::lower_bound(
      nodes, node, {}, [](const std::shared_ptr<const NodeCounters>& of) { return of->node; });
  return found == nodes.end() || (*found)->node != node ? nullptr : found->get();
}

const PortCounters* PortCounterTable::find(mad::Guid node, mad::PortNum port) const {
  const NodeCounters* const of = find(node);
  return of == nullptr ? nullptr : of->find(port);
}

}  // namespace sm
