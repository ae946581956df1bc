#pragma once
// Blocks of the forwarding tables of a switch.

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
  static constexpr unsigned block_index(Lid lid) { return lid.value / kEntries; }
  using WireRecord::WireRecord;

  /// Returns entry `index` of the block, 0..63.
  constexpr PortNum port(unsigned index) const { return {wire_[index]}; }
  constexpr void set_port(unsigned index, PortNum port) { wire_[index] = port.value; }
};

/// One block of a switch's multicast forwarding table: for 32 consecutive MLIDs the output ports,
/// 16 ports at a time. Shape: entry n is the mask of MLID kMlidMin + 32 * block + n; its lowest bit
/// is port 16 * position. Positions are 0..15. Source: IBTA Vol 1, 14.2.5.12.
class MulticastForwardingTable
    : public Attribute<MulticastForwardingTable, AttributeId::multicast_forwarding_table> {
 public:
  static constexpr unsigned kEntries = 32;
  static constexpr unsigned kPortsPerPosition = 16;
  static constexpr auto kFields = repeated<kEntries>(0, 16, "PortMask");
  /// `block` is 0..511, `position` 0..15.
  static constexpr std::uint32_t modifier(unsigned block, unsigned position) {
    return position << 28 | (block & 0x1FFu);
  }
  /// Returns the block of an MLID, which must be kMlidMin or higher.
  static constexpr unsigned block_index(Mlid mlid) {
    return (mlid.value - kMlidMin.value) / kEntries;
  }
  using WireRecord::WireRecord;

  /// Returns entry `index` of the block, 0..31.
  constexpr std::uint16_t port_mask(unsigned index) const {
    return static_cast<std::uint16_t>(read(wire_, kFields[index]));
  }
  constexpr void set_port_mask(unsigned index, std::uint16_t mask) {
    write(wire_, kFields[index], mask);
  }
};

}  // namespace mad
