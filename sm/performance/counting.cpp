#include "sm/performance/counting.h"

#include <algorithm>
#include <limits>

#include "mad/attributes/class_port_info.h"

namespace sm {
namespace {

using mad::PerformanceAttribute;
namespace has = mad::performance_capability;

struct CounterField {
  Counter counter;
  mad::Field field;
  unsigned select;  // its bit of CounterSelect, from 16 on of CounterSelect2
};

template <mad::FieldName name>
consteval mad::Field narrow() {
  return mad::find_field(mad::PortCountersFields::kFields, name.view());
}
template <mad::FieldName name>
consteval mad::Field wide() {
  return mad::find_field(mad::PortCountersExtendedFields::kFields, name.view());
}
template <mad::FieldName name>
consteval mad::Field detail() {
  return mad::find_field(mad::PortRcvErrorDetailsFields::kFields, name.view());
}

// IBTA Vol 1, 16.1.3.5, defines the bits.
constexpr std::array kNarrow{
    CounterField{Counter::symbol_errors, narrow<"SymbolErrorCounter">(), 0},
    CounterField{Counter::link_error_recoveries, narrow<"LinkErrorRecoveryCounter">(), 1},
    CounterField{Counter::link_downed, narrow<"LinkDownedCounter">(), 2},
    CounterField{Counter::rcv_errors, narrow<"PortRcvErrors">(), 3},
    CounterField{Counter::rcv_remote_physical_errors, narrow<"PortRcvRemotePhysicalErrors">(), 4},
    CounterField{Counter::rcv_switch_relay_errors, narrow<"PortRcvSwitchRelayErrors">(), 5},
    CounterField{Counter::xmit_discards, narrow<"PortXmitDiscards">(), 6},
    CounterField{Counter::xmit_constraint_errors, narrow<"PortXmitConstraintErrors">(), 7},
    CounterField{Counter::rcv_constraint_errors, narrow<"PortRcvConstraintErrors">(), 8},
    CounterField{Counter::local_link_integrity_errors, narrow<"LocalLinkIntegrityErrors">(), 9},
    CounterField{Counter::excessive_buffer_overruns, narrow<"ExcessiveBufferOverrunErrors">(), 10},
    CounterField{Counter::vl15_dropped, narrow<"VL15Dropped">(), 11},
    CounterField{Counter::xmit_data, narrow<"PortXmitData">(), 12},
    CounterField{Counter::rcv_data, narrow<"PortRcvData">(), 13},
    CounterField{Counter::xmit_packets, narrow<"PortXmitPkts">(), 14},
    CounterField{Counter::rcv_packets, narrow<"PortRcvPkts">(), 15},
    CounterField{Counter::xmit_wait, narrow<"PortXmitWait">(), 16},
    CounterField{Counter::qp1_dropped, narrow<"QP1Dropped">(), 17},
};

// This attribute clears nothing: 64 bits do not saturate.
constexpr std::array kWide{
    CounterField{Counter::xmit_data, wide<"PortXmitData">(), 0},
    CounterField{Counter::rcv_data, wide<"PortRcvData">(), 1},
    CounterField{Counter::xmit_packets, wide<"PortXmitPkts">(), 2},
    CounterField{Counter::rcv_packets, wide<"PortRcvPkts">(), 3},
    CounterField{Counter::unicast_xmit_packets, wide<"PortUnicastXmitPkts">(), 4},
    CounterField{Counter::unicast_rcv_packets, wide<"PortUnicastRcvPkts">(), 5},
    CounterField{Counter::multicast_xmit_packets, wide<"PortMulticastXmitPkts">(), 6},
    CounterField{Counter::multicast_rcv_packets, wide<"PortMulticastRcvPkts">(), 7},
    CounterField{Counter::symbol_errors, wide<"SymbolErrorCounter">(), 16},
    CounterField{Counter::link_error_recoveries, wide<"LinkErrorRecoveryCounter">(), 17},
    CounterField{Counter::link_downed, wide<"LinkDownedCounter">(), 18},
    CounterField{Counter::rcv_errors, wide<"PortRcvErrors">(), 19},
    CounterField{Counter::rcv_remote_physical_errors, wide<"PortRcvRemotePhysicalErrors">(), 20},
    CounterField{Counter::rcv_switch_relay_errors, wide<"PortRcvSwitchRelayErrors">(), 21},
    CounterField{Counter::xmit_discards, wide<"PortXmitDiscards">(), 22},
    CounterField{Counter::xmit_constraint_errors, wide<"PortXmitConstraintErrors">(), 23},
    CounterField{Counter::rcv_constraint_errors, wide<"PortRcvConstraintErrors">(), 24},
    CounterField{Counter::local_link_integrity_errors, wide<"LocalLinkIntegrityErrors">(), 25},
    CounterField{Counter::excessive_buffer_overruns, wide<"ExcessiveBufferOverrunErrors">(), 26},
    CounterField{Counter::vl15_dropped, wide<"VL15Dropped">(), 27},
    CounterField{Counter::xmit_wait, wide<"PortXmitWait">(), 28},
    CounterField{Counter::qp1_dropped, wide<"QP1Dropped">(), 29},
};

constexpr std::array kDetails{
    CounterField{Counter::local_physical_errors, detail<"PortLocalPhysicalErrors">(), 0},
    CounterField{Counter::malformed_packet_errors, detail<"PortMalformedPacketErrors">(), 1},
    CounterField{Counter::buffer_overrun_errors, detail<"PortBufferOverrunErrors">(), 2},
    CounterField{Counter::dlid_mapping_errors, detail<"PortDLIDMappingErrors">(), 3},
    CounterField{Counter::vl_mapping_errors, detail<"PortVLMappingErrors">(), 4},
    CounterField{Counter::looping_errors, detail<"PortLoopingErrors">(), 5},
};

std::span<const CounterField> list_fields(PerformanceAttribute attribute) {
  switch (attribute) {
    case PerformanceAttribute::port_counters:
      return kNarrow;
    case PerformanceAttribute::port_counters_extended:
      return kWide;
    case PerformanceAttribute::port_rcv_error_details:
      return kDetails;
    default:
      return {};
  }
}

constexpr CounterSet kIetf =
    to_set(Counter::unicast_xmit_packets) | to_set(Counter::unicast_rcv_packets) |
    to_set(Counter::multicast_xmit_packets) | to_set(Counter::multicast_rcv_packets);
constexpr CounterSet kData = to_set(Counter::xmit_data) | to_set(Counter::rcv_data) |
                             to_set(Counter::xmit_packets) | to_set(Counter::rcv_packets);

/// Returns the counters that the attribute has by the agent's capabilities.
CounterSet offered(PerformanceAttribute attribute, const AgentCapabilities& capabilities) {
  CounterSet all = ~CounterSet{0};
  if (attribute == PerformanceAttribute::port_counters_extended) {
    if (!capabilities.has_extended_errors()) all &= kIetf | kData;
    if (!capabilities.has_ietf_counters()) all &= ~kIetf;
  } else if (attribute == PerformanceAttribute::port_counters) {
    // PortCountersExtended, if the agent has it, has these counters with 64 bits.
    if (capabilities.has_extended()) all &= ~kData;
    if ((capabilities.mask & has::kPortCountersXmitWait) == 0) all &= ~to_set(Counter::xmit_wait);
    if ((capabilities.mask & has::kQp1Drop) == 0) all &= ~to_set(Counter::qp1_dropped);
  }
  return all;
}

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

bool AgentCapabilities::has_extended() const {
  return (mask & (has::kExtendedWidth | has::kExtendedWidthNoIetf)) != 0;
}
bool AgentCapabilities::has_ietf_counters() const { return (mask & has::kExtendedWidth) != 0; }
bool AgentCapabilities::has_extended_errors() const {
  return has_extended() && (mask2 & has::kAdditionalPortCountersExtended) != 0;
}

AgentCapabilities AgentCapabilities::of(
    std::span<const std::uint8_t, mad::kGmpDataBytes> class_port_info) {
  using Info = mad::ClassPortInfoFields;
  AgentCapabilities all;
  all.mask = mad::get_field<std::uint16_t, Info, "CapabilityMask">(class_port_info);
  if ((all.mask & mad::class_capability::kCapabilityMask2) != 0)
    all.mask2 = mad::get_field<std::uint32_t, Info, "CapabilityMask2">(class_port_info);
  return all;
}

CounterReading read_counters(PerformanceAttribute attribute,
                             std::span<const std::uint8_t, mad::kGmpDataBytes> data,
                             const AgentCapabilities& capabilities) {
  CounterReading reading;
  const CounterSet wanted = offered(attribute, capabilities);
  for (const CounterField& row : list_fields(attribute)) {
    const CounterSet bit = to_set(row.counter);
    if ((wanted & bit) == 0) continue;
    const std::uint64_t value = mad::read(data, row.field);
    reading.values[static_cast<std::size_t>(row.counter)] = value;
    reading.present |= bit;
    if (value == row.field.value_max()) reading.saturated |= bit;
    if (row.field.width == 64) reading.wide |= bit;
  }
  return reading;
}

std::array<std::uint8_t, mad::kGmpDataBytes> query_of(mad::PortNum port) {
  std::array<std::uint8_t, mad::kGmpDataBytes> data{};
  mad::set_field<mad::PortCountersFields, "PortSelect">(data, port.value);
  return data;
}

std::uint8_t port_select_of(std::span<const std::uint8_t, mad::kGmpDataBytes> data) {
  return mad::get_field<std::uint8_t, mad::PortCountersFields, "PortSelect">(data);
}

std::array<std::uint8_t, mad::kGmpDataBytes> clear_of(PerformanceAttribute attribute,
                                                      mad::PortNum port, CounterSet counters) {
  std::array<std::uint8_t, mad::kGmpDataBytes> data = query_of(port);
  std::uint32_t select = 0;
  for (const CounterField& row : list_fields(attribute))
    if ((counters & to_set(row.counter)) != 0) select |= 1u << row.select;
  mad::set_field<mad::PortCountersFields, "CounterSelect">(
      data, static_cast<std::uint16_t>(select & 0xFFFFu));
  if (attribute == PerformanceAttribute::port_counters)
    mad::set_field<mad::PortCountersFields, "CounterSelect2">(
        data, static_cast<std::uint8_t>(select >> 16 & 0xFFu));
  if (attribute == PerformanceAttribute::port_counters_extended)
    mad::set_field<mad::PortCountersExtendedFields, "CounterSelect2">(data, select >> 16);
  return data;
}

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
