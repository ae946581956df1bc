#pragma once
// Attributes of performance management as counters, and from these to totals that never decrease.
// Pure.

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "mad/attributes/performance.h"
#include "sm/performance/counters.h"
#include "sm/performance/noise.h"

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

/// State of a port besides its published counters.
struct PortMemory {
  CounterSet wide = 0;     // the device showed 64 bits latest
  CounterSet cleared = 0;  // by this manager since they were read latest
  /// As the device showed them latest; null as long as these are the totals.
  std::unique_ptr<std::array<std::uint64_t, kCounters>> raw;
  std::unique_ptr<ErrorWindow> errors;  // null: no error was counted
};

/// The growth that one poll of a port has found so far.
struct Growth {
  ErrorCounts errors{};
  std::uint64_t xmit_wait = 0;
  bool decreased = false;  // some counter
};

/// Adds the growth of the counters of one reading to the totals.
/// - First reading: the total begins with the value.
/// - Smaller than before: others have cleared the counter, or the node has restarted. It has
/// counted
///   from 0 since.
/// - Another width than before (the agent offers other attributes now): counted from this value on.
/// - Cleared by this manager, and at its largest value nevertheless: nothing is known of its
/// growth. `interval`: since the previous reading of the port; 0: there was none.
void count(const CounterReading& reading, mad::Duration interval, PortCounters& row,
           PortMemory& memory, Growth& growth);

/// The agent has cleared these counters, which were saturated.
void note_cleared(CounterSet counters, PortCounters& row, PortMemory& memory);

}  // namespace sm
