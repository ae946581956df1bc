#include "sim/world/named_counters.h"

#include <algorithm>

#include "mad/attribute.h"

namespace sim {
namespace {

template <mad::FieldName name>
consteval mad::Field narrow() {
  return mad::find_field(mad::PortCountersFields::kFields, name.view());
}
template <mad::FieldName name>
consteval mad::Field wide() {
  return mad::find_field(mad::PortCountersExtendedFields::kFields, name.view());
}

// The bits of PortCounters are in IBTA Vol 1, 16.1.3.5; the bits of CounterSelect2 of the extended
// counters follow the order of the fields.
constexpr std::array kRows{
    CounterRow{"SymbolErrorCounter", &Counters::symbol_errors, narrow<"SymbolErrorCounter">(), 0,
               wide<"SymbolErrorCounter">(), 16},
    CounterRow{"LinkErrorRecoveryCounter", &Counters::link_error_recoveries,
               narrow<"LinkErrorRecoveryCounter">(), 1, wide<"LinkErrorRecoveryCounter">(), 17},
    CounterRow{"LinkDownedCounter", &Counters::link_downed, narrow<"LinkDownedCounter">(), 2,
               wide<"LinkDownedCounter">(), 18},
    CounterRow{"PortRcvErrors", &Counters::rcv_errors, narrow<"PortRcvErrors">(), 3,
               wide<"PortRcvErrors">(), 19},
    CounterRow{"PortRcvRemotePhysicalErrors", &Counters::rcv_remote_physical_errors,
               narrow<"PortRcvRemotePhysicalErrors">(), 4, wide<"PortRcvRemotePhysicalErrors">(),
               20},
    CounterRow{"PortRcvSwitchRelayErrors", &Counters::rcv_switch_relay_errors,
               narrow<"PortRcvSwitchRelayErrors">(), 5, wide<"PortRcvSwitchRelayErrors">(), 21},
    CounterRow{"PortXmitDiscards", &Counters::xmit_discards, narrow<"PortXmitDiscards">(), 6,
               wide<"PortXmitDiscards">(), 22},
    CounterRow{"PortXmitConstraintErrors", &Counters::xmit_constraint_errors,
               narrow<"PortXmitConstraintErrors">(), 7, wide<"PortXmitConstraintErrors">(), 23},
    CounterRow{"PortRcvConstraintErrors", &Counters::rcv_constraint_errors,
               narrow<"PortRcvConstraintErrors">(), 8, wide<"PortRcvConstraintErrors">(), 24},
    CounterRow{"LocalLinkIntegrityErrors", &Counters::local_link_integrity_errors,
               narrow<"LocalLinkIntegrityErrors">(), 9, wide<"LocalLinkIntegrityErrors">(), 25},
    CounterRow{"ExcessiveBufferOverrunErrors", &Counters::excessive_buffer_overruns,
               narrow<"ExcessiveBufferOverrunErrors">(), 10, wide<"ExcessiveBufferOverrunErrors">(),
               26},
    CounterRow{"VL15Dropped", &Counters::vl15_dropped, narrow<"VL15Dropped">(), 11,
               wide<"VL15Dropped">(), 27},
    CounterRow{"PortXmitWait", &Counters::xmit_wait, narrow<"PortXmitWait">(), 16,
               wide<"PortXmitWait">(), 28},
    CounterRow{"QP1Dropped", &Counters::qp1_dropped, narrow<"QP1Dropped">(), 17,
               wide<"QP1Dropped">(), 29},
    CounterRow{"PortXmitData", &Counters::xmit_data, narrow<"PortXmitData">(), 12,
               wide<"PortXmitData">(), 0},
    CounterRow{"PortRcvData", &Counters::rcv_data, narrow<"PortRcvData">(), 13,
               wide<"PortRcvData">(), 1},
    CounterRow{"PortXmitPkts", &Counters::xmit_packets, narrow<"PortXmitPkts">(), 14,
               wide<"PortXmitPkts">(), 2},
    CounterRow{"PortRcvPkts", &Counters::rcv_packets, narrow<"PortRcvPkts">(), 15,
               wide<"PortRcvPkts">(), 3},
    CounterRow{"PortUnicastXmitPkts",
               &Counters::unicast_xmit_packets,
               {},
               0,
               wide<"PortUnicastXmitPkts">(),
               4},
    CounterRow{"PortUnicastRcvPkts",
               &Counters::unicast_rcv_packets,
               {},
               0,
               wide<"PortUnicastRcvPkts">(),
               5},
    CounterRow{"PortMulticastXmitPkts",
               &Counters::multicast_xmit_packets,
               {},
               0,
               wide<"PortMulticastXmitPkts">(),
               6},
    CounterRow{"PortMulticastRcvPkts",
               &Counters::multicast_rcv_packets,
               {},
               0,
               wide<"PortMulticastRcvPkts">(),
               7},
};

constexpr std::array kDetails{
    CounterDetails{mad::PerformanceAttribute::port_rcv_error_details,
                   mad::PortRcvErrorDetailsFields::kFields},
    CounterDetails{mad::PerformanceAttribute::port_xmit_discard_details,
                   mad::PortXmitDiscardDetailsFields::kFields},
    CounterDetails{mad::PerformanceAttribute::port_xmit_data_sl,
                   mad::PortXmitDataSlFields::kFields},
    CounterDetails{mad::PerformanceAttribute::port_rcv_data_sl, mad::PortRcvDataSlFields::kFields},
};

std::span<std::uint8_t> details_of(Model& model, PortIndex port,
                                   mad::PerformanceAttribute attribute) {
  return model.extras(port)
      .raw[{raw_key(mad::MgmtClass::performance, static_cast<std::uint16_t>(attribute)), 0}];
}

}  // namespace

std::span<const CounterRow> counter_rows() { return kRows; }
std::span<const CounterDetails> counter_details() { return kDetails; }

std::vector<std::string> counter_names() {
  std::vector<std::string> names;
  for (const CounterRow& row : kRows) names.emplace_back(row.name);
  for (const CounterDetails& details : kDetails) {
    for (std::size_t index = 0; index < details.fields.size(); ++index)
      names.push_back(mad::field_label(details.fields, index));
  }
  return names;
}

bool set_counter(Model& model, PortIndex port, std::string_view name, std::uint64_t value) {
  if (const auto row = std::ranges::find(kRows, name, &CounterRow::name); row != kRows.end()) {
    model.extras(port).counters.*row->member = value;
    return true;
  }
  for (const CounterDetails& details : kDetails) {
    for (std::size_t index = 0; index < details.fields.size(); ++index) {
      if (mad::field_label(details.fields, index) != name) continue;
      mad::write(details_of(model, port, details.attribute), details.fields[index],
                 std::min(value, details.fields[index].value_max()));
      return true;
    }
  }
  return false;
}

void add_to_details(Model& model, PortIndex port, mad::PerformanceAttribute attribute,
                    unsigned index, std::uint64_t amount) {
  const auto details = std::ranges::find(kDetails, attribute, &CounterDetails::attribute);
  if (details == kDetails.end() || index >= details->fields.size()) return;
  const mad::Field& field = details->fields[index];
  const auto bytes = details_of(model, port, attribute);
  const std::uint64_t now = mad::read(bytes, field);
  mad::write(bytes, field, amount > field.value_max() - now ? field.value_max() : now + amount);
}

}  // namespace sim
