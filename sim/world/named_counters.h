#pragma once
// The performance counters of a port by their names in the specification, for agents, scenarios and
// the console.

#include <span>
#include <string_view>
#include <vector>

#include "mad/attributes/performance.h"
#include "sim/world/model.h"

namespace sim {

/// One counter, and its fields in the attributes.
struct CounterRow {
  std::string_view name;
  std::uint64_t Counters::* member;
  mad::Field narrow{};         // in PortCounters; width 0: absent
  unsigned narrow_select = 0;  // its bit of CounterSelect, from 16 on of CounterSelect2
  mad::Field wide{};           // in PortCountersExtended
  unsigned wide_select = 0;
};
/// Returns all counters of Counters.
std::span<const CounterRow> counter_rows();

/// Counters that few ports have, by attribute; kept in PortExtras::raw as they are on the wire.
struct CounterDetails {
  mad::PerformanceAttribute attribute;
  std::span<const mad::Field> fields;  // bit n of CounterSelect selects the n-th
};
std::span<const CounterDetails> counter_details();

/// Returns the key of PortExtras::raw for an attribute of a class other than subnet management.
constexpr std::uint16_t raw_key(mad::MgmtClass mgmt_class, std::uint16_t attribute) {
  return static_cast<std::uint16_t>(static_cast<unsigned>(mgmt_class) << 8 | (attribute & 0xFFu));
}

/// Returns every name that set_counter() takes: "SymbolErrorCounter", "PortInactiveDiscards",
/// "PortXmitDataSL[3]".
std::vector<std::string> counter_names();
/// Sets the counter of this name, saturating at its maximum. False if there is no such counter.
bool set_counter(Model& model, PortIndex port, std::string_view name, std::uint64_t value);
/// Increases the `index`-th counter of `attribute`, which is one of counter_details().
void add_to_details(Model& model, PortIndex port, mad::PerformanceAttribute attribute,
                    unsigned index, std::uint64_t amount);

}  // namespace sim
