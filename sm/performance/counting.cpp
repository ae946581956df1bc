#include "sm/performance/counting.h"

#include <algorithm>
#include <limits>

namespace sm {
namespace {

constexpr std::uint64_t added(std::uint64_t total, std::uint64_t growth) {
  return growth > ~total ? ~std::uint64_t{0} : total + growth;
}

std::uint64_t raw_of(const PortMemory& memory, const PortCounters& row, Counter counter) {
  return memory.raw ? (*memory.raw)[static_cast<std::size_t>(counter)] : row.total(counter);
}

/// Notes what the device shows, after the total has changed.
void set_raw(PortMemory& memory, const PortCounters& row, Counter counter, std::uint64_t value) {
  if (!memory.raw) {
    if (value == row.total(counter)) return;
    memory.raw = std::make_unique<std::array<std::uint64_t, kCounters>>();
    for (std::size_t index = 0; index < kCounters; ++index)
      (*memory.raw)[index] = row.total(static_cast<Counter>(index));
  }
  (*memory.raw)[static_cast<std::size_t>(counter)] = value;
}

}  // namespace

void count(const CounterReading& reading, mad::Duration interval, PortCounters& row,
           PortMemory& memory, Growth& growth) {
  const double seconds = std::chrono::duration<double>(interval).count();
  for (std::size_t index = 0; index < kCounters; ++index) {
    const CounterSet bit = CounterSet{1} << index;
    if ((reading.present & bit) == 0) continue;
    const auto counter = static_cast<Counter>(index);
    const std::uint64_t value = reading.values[index];
    std::uint64_t grown = 0;
    const bool first = (row.present & bit) == 0;
    const bool same_width = ((reading.wide ^ memory.wide) & bit) == 0;
    if (first) {
      row.values.set_total(counter, value);
      row.present |= bit;
    } else if (same_width) {
      const bool no_effect = (memory.cleared & reading.saturated & bit) != 0;
      if (const std::uint64_t before = raw_of(memory, row, counter); value >= before) {
        grown = no_effect ? 0 : value - before;
      } else {
        grown = value;
        growth.decreased = true;
      }
      row.values.set_total(counter, added(row.total(counter), grown));
    }
    row.values.set_rate(
        counter, seconds > 0 ? static_cast<float>(static_cast<double>(grown) / seconds) : 0.0f);
    set_raw(memory, row, counter, value);
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
    if ((counters & CounterSet{1} << index) != 0)
      set_raw(memory, row, static_cast<Counter>(index), 0);
  memory.cleared |= counters;
  row.saturated &= ~counters;
}

}  // namespace sm
