#pragma once
#include "mad/attribute.h"

namespace mad {

/// One block of a port's P_Key table.
/// Shape: 32 keys; 0 is an empty entry. The capacity is NodeInfo::partition_cap() for CA, router
/// and switch port 0, SwitchInfo::partition_enforcement_cap() for the external ports of a switch.
/// Source: IBTA Vol 1, 14.2.5.7.
class PKeyTable : public Attribute<PKeyTable, AttributeId::p_key_table> {
 public:
  static constexpr unsigned kEntries = 32;
  static constexpr auto kFields = repeated<kEntries>(0, 16, "P_Key");
  /// `port` selects an external port of a switch; 0 for anything else.
  static constexpr std::uint32_t modifier(std::uint16_t block, PortNum port) {
    return std::uint32_t{port.value} << 16 | block;
  }
  /// Blocks that hold `capacity` keys.
  static constexpr unsigned blocks(unsigned capacity) {
    return (capacity + kEntries - 1) / kEntries;
  }
  using WireRecord::WireRecord;

  /// Entry `index` of the block, 0..31.
  constexpr PKey p_key(unsigned index) const { return from_raw<PKey>(read(wire_, kFields[index])); }
  constexpr void set_p_key(unsigned index, PKey key) { write(wire_, kFields[index], key.value); }
};

}  // namespace mad
