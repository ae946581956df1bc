#pragma once
#include "mad/attributes/port_info.h"

namespace mad {

/// The PortState of 128 ports of a switch in one SMP; for switches with
/// capability2::kSwitchPortStateTable. Read only. Shape:  entry n is port 128 * block + n. Blocks
/// are 0 and 1. Source: IBTA Vol 1, 14.2.5 (SwitchPortStateTable).
class SwitchPortStateTable
    : public Attribute<SwitchPortStateTable, AttributeId::switch_port_state_table> {
 public:
  static constexpr unsigned kEntries = 128;
  static constexpr auto kFields = repeated<kEntries>(0, 4, "PortState");
  /// `active_defer`: the sender accepts PortState::active_defer in the response.
  static constexpr std::uint32_t modifier(unsigned block, bool active_defer) {
    return (block & 1u) | (active_defer ? PortInfo::kActiveDefer : 0u);
  }
  static constexpr unsigned block_of(PortNum port) { return port.value / kEntries; }
  using WireRecord::WireRecord;

  /// Entry `index` of the block, 0..127.
  constexpr PortState port_state(unsigned index) const {
    return from_raw<PortState>(read(wire_, kFields[index]));
  }
  constexpr void set_port_state(unsigned index, PortState state) {
    write(wire_, kFields[index], to_raw(state));
  }
};

}  // namespace mad
