#pragma once
#include "mad/attribute.h"

namespace mad {

/// One block of a switch's linear forwarding table: the output port of 64 consecutive LIDs.
/// Shape:  bytes()[n] is the port of LID 64 * block + n, so a block is a slice of a table kept as
/// bytes. kNoPort drops. Source: IBTA Vol 1, 14.2.5.10.
class LinearForwardingTable
    : public Attribute<LinearForwardingTable, AttributeId::linear_forwarding_table> {
 public:
  static constexpr unsigned kEntries = 64;
  static constexpr auto kFields = repeated<kEntries>(0, 8, "Port");
  static constexpr std::uint32_t modifier(unsigned block) { return block; }
  static constexpr unsigned block_of(Lid lid) { return lid.value / kEntries; }
  using WireRecord::WireRecord;

  /// Entry `index` of the block, 0..63.
  constexpr PortNum port(unsigned index) const { return {wire_[index]}; }
  constexpr void set_port(unsigned index, PortNum port) { wire_[index] = port.value; }
};

}  // namespace mad
