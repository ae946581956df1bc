#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/index.h"
#include "mad/attributes/forwarding_tables.h"
#include "mad/ids.h"

namespace sm {

inline constexpr unsigned kMftBlockMlids = mad::MulticastForwardingTable::kEntries;
inline constexpr unsigned kMftPositionPorts = mad::MulticastForwardingTable::kPortsPerPosition;
inline constexpr unsigned kMftBytes =
    64;  // of one MulticastForwardingTable MAD: 32 masks of 16 bits (IBTA Vol 1, 14.2.5.12)

/// The part of a switch's multicast forwarding table that one MAD holds: 32 MLIDs by 16 ports.
struct MftUnit {
  SwitchIndex sw;
  std::uint16_t block = 0;    // MLIDs from 0xC000 + 32 * block
  std::uint8_t position = 0;  // ports from 16 * position
  std::uint32_t modifier() const {
    return mad::MulticastForwardingTable::modifier(block, position);
  }
  bool operator==(const MftUnit&) const = default;
};

/// MulticastForwardingTables of all switches in one array of bytes [block][switch][position]: a
/// unit is 32 masks as on the wire, so that the block of a MAD is a slice and a difference is a
/// memcmp. Holds blocks up to the highest MLID in use; all higher ones are empty. New blocks are
/// appended, so that tables grow without a copy.
class MulticastTables {
 public:
  MulticastTables() = default;
  /// `positions`: of 16 ports each, as many as the switch with the most ports has, 1..16.
  MulticastTables(std::size_t switches, std::size_t positions)
      : switches_(switches), positions_(positions) {}

  static std::size_t index_of(mad::Mlid mlid) { return mlid.value - mad::kMlidMin.value; }
  static std::size_t block_of(mad::Mlid mlid) { return index_of(mlid) / kMftBlockMlids; }

  std::size_t switches() const { return switches_; }
  IndexRange<SwitchIndex> all_switches() const { return {SwitchIndex{0}, SwitchIndex(switches_)}; }
  std::size_t positions() const { return positions_; }
  std::size_t blocks() const { return blocks_; }
  std::size_t units() const { return blocks_ * switches_ * positions_; }
  std::size_t unit_number(MftUnit unit) const {
    return (unit.block * switches_ + unit.sw) * positions_ + unit.position;
  }
  MftUnit unit(std::size_t number) const;

  /// Extends to at least `blocks`; new ones are empty.
  void grow(std::size_t blocks);

  std::span<std::uint8_t, kMftBytes> bytes(MftUnit unit) {
    return std::span<std::uint8_t, kMftBytes>(bytes_.data() + unit_number(unit) * kMftBytes,
                                              kMftBytes);
  }
  std::span<const std::uint8_t, kMftBytes> bytes(MftUnit unit) const {
    return std::span<const std::uint8_t, kMftBytes>(bytes_.data() + unit_number(unit) * kMftBytes,
                                                    kMftBytes);
  }

  /// The ports 16 * position .. 16 * position + 15 of an MLID, lowest bit first; 0 beyond the
  /// blocks.
  std::uint16_t mask(SwitchIndex sw, mad::Mlid mlid, std::size_t position) const {
    if (block_of(mlid) >= blocks_ || position >= positions_) return 0;
    const std::uint8_t* at = bytes_.data() + offset(sw, mlid, position);
    return static_cast<std::uint16_t>(at[0] << 8 | at[1]);
  }
  /// Precondition: the block exists.
  void set_mask(SwitchIndex sw, mad::Mlid mlid, std::size_t position, std::uint16_t ports) {
    std::uint8_t* at = bytes_.data() + offset(sw, mlid, position);
    at[0] = static_cast<std::uint8_t>(ports >> 8);
    at[1] = static_cast<std::uint8_t>(ports);
  }
  bool test(SwitchIndex sw, mad::Mlid mlid, mad::PortNum port) const {
    return (mask(sw, mlid, port.value / kMftPositionPorts) >> (port.value % kMftPositionPorts) &
            1u) != 0;
  }
  /// Precondition: the block exists.
  void set(SwitchIndex sw, mad::Mlid mlid, mad::PortNum port) {
    const std::size_t position = port.value / kMftPositionPorts;
    set_mask(sw, mlid, position,
             static_cast<std::uint16_t>(mask(sw, mlid, position) |
                                        1u << (port.value % kMftPositionPorts)));
  }
  /// The highest MLID with a port on any switch; 0xBFFF, "no entries" in MulticastFDBTop, if there
  /// is none.
  mad::Mlid top() const;

  /// A copy in which switch `i` has the table of switch sources[i], or an empty one for kNoIndex;
  /// with `positions` positions.
  MulticastTables rearranged(std::span<const SwitchIndex> sources, std::size_t positions) const;

  bool operator==(const MulticastTables&) const = default;

 private:
  std::size_t offset(SwitchIndex sw, mad::Mlid mlid, std::size_t position) const {
    return ((block_of(mlid) * switches_ + sw) * positions_ + position) * kMftBytes +
           index_of(mlid) % kMftBlockMlids * 2;
  }

  std::size_t switches_ = 0, positions_ = 0, blocks_ = 0;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace sm
