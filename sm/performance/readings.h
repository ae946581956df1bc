#pragma once
// This file converts the attributes of performance management to counters.

#include <array>
#include <cstdint>
#include <span>

#include "mad/attributes/performance.h"
#include "sm/performance/counters.h"

namespace sm {

/// Holds the capabilities of an agent, from its ClassPortInfo.
struct AgentCapabilities {
  std::uint16_t mask = 0;
  std::uint32_t mask2 = 0;

  /// True if the agent has PortCountersExtended.
  bool has_extended() const;
  /// True if PortCountersExtended has counts of unicast and multicast packets.
  bool has_ietf_counters() const;
  /// True if PortCountersExtended also has errors and PortXmitWait: PortCounters then has nothing
  /// more.
  bool has_extended_errors() const;
  static AgentCapabilities of(std::span<const std::uint8_t, mad::kGmpDataBytes> class_port_info);
};

/// Holds the values of one attribute of one port.
struct CounterReading {
  CounterSet present = 0;
  CounterSet saturated = 0;  // stand at their largest value
  CounterSet wide = 0;       // of 64 bits
  std::array<std::uint64_t, kCounters> values{};
};

/// Reads PortCounters, PortCountersExtended or PortRcvErrorDetails. Counters that the agent lacks
/// by its capabilities are not present, whatever their bytes are.
CounterReading read_counters(mad::PerformanceAttribute attribute,
                             std::span<const std::uint8_t, mad::kGmpDataBytes> data,
                             const AgentCapabilities& capabilities);

/// Returns the data of a query: PortSelect alone.
std::array<std::uint8_t, mad::kGmpDataBytes> query_of(mad::PortNum port);
std::uint8_t port_select_of(std::span<const std::uint8_t, mad::kGmpDataBytes> data);
/// Returns the data of a Set that clears exactly these counters. Counters that the attribute lacks
/// have no effect.
std::array<std::uint8_t, mad::kGmpDataBytes> clear_of(mad::PerformanceAttribute attribute,
                                                      mad::PortNum port, CounterSet counters);

}  // namespace sm
