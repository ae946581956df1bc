#include "sm/performance/counting.h"

#include <algorithm>
#include <limits>

namespace sm {
namespace {

constexpr std::uint64_t added(std::uint64_t total, std::uint64_t growth) {
  return growth > ~total ? ~std::uint64_t{0} : total + growth;
}

}  // namespace

void count(const CounterReading& reading, mad::Duration interval, PortCounters& row,
           PortMemory& memory, Growth& growth) {
  const double seconds = std::chrono::duration<double>(interval).count();
  for (std::size_t index = 0; index < kCounters; ++index) {
    const CounterSet bit = CounterSet{1} << index;
    if ((reading.present & bit) == 0) continue;
    const std::uint64_t value = reading.values[index];
    std::uint64_t grown = 0;
    const bool first = (row.present & bit) == 0;
    const bool same_width = ((reading.wide ^ memory.wide) & bit) == 0;
    if (first) {
      row.totals[index] = value;
      row.present |= bit;
    } else if (same_width) {
      const bool no_effect = (memory.cleared & reading.saturated & bit) != 0;
      if (value >= memory.raw[index]) {
        grown = no_effect ? 0 : value - memory.raw[index];
      } else {
        grown = value;
        growth.decreased = true;
      }
      row.totals[index] = added(row.totals[index], grown);
    }
    row.per_second[index] =
        seconds > 0 ? static_cast<float>(static_cast<double>(grown) / seconds) : 0.0f;
    memory.raw[index] = value;
    const auto counter = static_cast<Counter>(index);
    if (counter == Counter::xmit_wait) growth.xmit_wait = grown;
    if (const std::size_t kind = error_kind_of(counter); kind < kErrorKinds) {
      constexpr std::uint64_t kMax = std::numeric_limits<std::uint32_t>::max();
      growth.errors[kind] =
          static_cast<std::uint32_t>(std::min(kMax, growth.errors[kind] + std::min(grown, kMax)));
    }
  }
  memory.wide = (memory.wide & ~reading.present) | reading.wide;
  memory.cleared &= ~reading.present;
  row.saturated = (row.saturated & ~reading.present) | reading.saturated;
}

void note_cleared(CounterSet counters, PortCounters& row, PortMemory& memory) {
  for (std::size_t index = 0; index < kCounters; ++index)
    if ((counters & CounterSet{1} << index) != 0) memory.raw[index] = 0;
  memory.cleared |= counters;
  row.saturated &= ~counters;
}

}  // namespace sm
