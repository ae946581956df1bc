#include "sm/performance/counters.h"

#include <algorithm>

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
