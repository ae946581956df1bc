#pragma once
// Tables of a port, accessed by the block: GUIDs, P_Keys, SLtoVLMapping, VLArbitration.

#include "mad/attribute.h"

namespace mad {

/// One block of a port's GUID table. Entry 0 of block 0 is the read-only port GUID; the others are
/// alias GUIDs. Shape: 8 GUIDs; the table has PortInfo::guid_cap() of them. The modifier is the
/// block, 0..31. Source: IBTA Vol 1, 14.2.5.5.
class GuidInfo : public Attribute<GuidInfo, AttributeId::guid_info> {
 public:
  static constexpr unsigned kEntries = 8;
  static constexpr auto kFields = repeated<kEntries>(0, 64, "GUID");
  static constexpr std::uint32_t modifier(unsigned block) { return block; }
  using WireRecord::WireRecord;

  /// Returns entry `index` of the block, 0..7.
  constexpr Guid guid(unsigned index) const { return {read(wire_, kFields[index])}; }
  constexpr void set_guid(unsigned index, Guid guid) { write(wire_, kFields[index], guid.value); }
};

/// One block of a port's P_Key table.
/// Shape: 32 keys; 0 is an empty entry. The capacity is NodeInfo::partition_cap() for CA, router
/// and switch port 0, SwitchInfo::partition_enforcement_cap() for the external ports of a switch.
/// Source: IBTA Vol 1, 14.2.5.7.
class PKeyTable : public Attribute<PKeyTable, AttributeId::p_key_table> {
 public:
  static constexpr unsigned kEntries = 32;
  static constexpr auto kFields = repeated<kEntries>(0, 16, "P_Key");
  /// `port` selects an external port of a switch; it is 0 for all other ports.
  static constexpr std::uint32_t modifier(std::uint16_t block, PortNum port) {
    return std::uint32_t{port.value} << 16 | block;
  }
  /// Returns the number of blocks that hold `capacity` keys.
  static constexpr unsigned blocks(unsigned capacity) {
    return (capacity + kEntries - 1) / kEntries;
  }
  using WireRecord::WireRecord;

  /// Returns entry `index` of the block, 0..31.
  constexpr PKey p_key(unsigned index) const { return from_raw<PKey>(read(wire_, kFields[index])); }
  constexpr void set_p_key(unsigned index, PKey key) { write(wire_, kFields[index], key.value); }
};

/// SL-to-VL mapping for one input and output port.
/// Shape:  16 entries by SL. VL 15 drops the packet. Heddle does not use the rest of the 64 bytes.
/// Source: IBTA Vol 1, 14.2.5.8. The wildcards need SwitchInfo's OptimizedSlToVl::wildcard.
class SlToVlMappingTable
    : public Attribute<SlToVlMappingTable, AttributeId::sl_to_vl_mapping_table> {
 public:
  static constexpr unsigned kEntries = 16;
  static constexpr auto kFields = repeated<kEntries>(0, 4, "VL");
  static constexpr Vl kDrop{15};
  /// Returns the modifier for one pair of ports of a switch. A CA's modifier is 0, which is
  /// modifier(PortNum{0}, PortNum{0}).
  static constexpr std::uint32_t modifier(PortNum in, PortNum out) {
    return std::uint32_t{in.value} << 8 | out.value;
  }
  /// Returns the modifier for all input ports to `out`; only for a Set.
  static constexpr std::uint32_t modifier_all_inputs(PortNum out) { return 1u << 17 | out.value; }
  /// This modifier addresses all pairs at once; only for a Set.
  static constexpr std::uint32_t kModifierAllPairs = 1u << 17 | 1u << 16;
  using WireRecord::WireRecord;

  /// `sl` is 0..15.
  constexpr Vl vl(Sl sl) const { return from_raw<Vl>(read(wire_, kFields[sl.value])); }
  constexpr void set_vl(Sl sl, Vl vl) { write(wire_, kFields[sl.value], vl.value); }
};

/// A quarter of a port's VL arbitration tables: half of the low or of the high priority table.
/// Shape:  32 entries; PortInfo's VLArbitrationLowCap and VLArbitrationHighCap count the entries
/// over two blocks. Units:  weight counts 64 bytes; weight 0 skips the entry. Source: IBTA Vol
/// 1, 14.2.5.9.
class VlArbitrationTable : public Attribute<VlArbitrationTable, AttributeId::vl_arbitration_table> {
 public:
  static constexpr std::size_t kEntries = 32;
  enum class Block : std::uint8_t {
    low_first = 1,
    low_second = 2,
    high_first = 3,
    high_second = 4
  };
  struct Entry {
    Vl vl;
    std::uint8_t weight = 0;
    bool operator==(const Entry&) const = default;
  };
  static constexpr std::array kFields = [] {
    std::array<Field, 2 * kEntries> out{};
    unsigned bit = 0;
    for (std::size_t row = 0; row < out.size(); row += 2, bit += 16) {
      out[row] = {bit + 4, 4, "VL"};
      out[row + 1] = {bit + 8, 8, "Weight"};
    }
    return out;
  }();
  /// `port` is the output port of a switch; a CA responds for the port that received the SMP.
  static constexpr std::uint32_t modifier(Block block, PortNum port) {
    return static_cast<std::uint32_t>(block) << 16 | port.value;
  }
  using WireRecord::WireRecord;

  /// Returns entry `index` of the block, 0..31.
  constexpr Entry entry(std::size_t index) const {
    return {from_raw<Vl>(read(wire_, kFields[2 * index])),
            static_cast<std::uint8_t>(read(wire_, kFields[2 * index + 1]))};
  }
  constexpr void set_entry(std::size_t index, Entry entry) {
    write(wire_, kFields[2 * index], entry.vl.value);
    write(wire_, kFields[2 * index + 1], entry.weight);
  }
};

}  // namespace mad
