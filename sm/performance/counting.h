#pragma once
// From what a device shows to totals that never decrease. Pure.

#include <array>
#include <cstdint>
#include <memory>

#include "sm/performance/counters.h"
#include "sm/performance/noise.h"
#include "sm/performance/readings.h"

namespace sm {

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
