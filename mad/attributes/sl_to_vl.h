#pragma once
#include "mad/attribute.h"

namespace mad {

/// SL-to-VL mapping for one input and output port.
/// Shape:  16 entries by SL. VL 15 drops the packet. Heddle does not use the rest of the 64 bytes.
/// Source: IBTA Vol 1, 14.2.5.8. The wildcards need SwitchInfo's OptimizedSlToVl::wildcard.
class SlToVlMappingTable
    : public Attribute<SlToVlMappingTable, AttributeId::sl_to_vl_mapping_table> {
 public:
  static constexpr unsigned kEntries = 16;
  static constexpr auto kFields = repeated<kEntries>(0, 4, "VL");
  static constexpr Vl kDrop{15};
  /// One pair of ports of a switch. A CA's modifier is 0, which is modifier(PortNum{0},
  /// PortNum{0}).
  static constexpr std::uint32_t modifier(PortNum in, PortNum out) {
    return std::uint32_t{in.value} << 8 | out.value;
  }
  /// From every input port to `out`; only in a Set.
  static constexpr std::uint32_t modifier_all_inputs(PortNum out) { return 1u << 17 | out.value; }
  /// All pairs at once; only in a Set.
  static constexpr std::uint32_t kModifierAllPairs = 1u << 17 | 1u << 16;
  using WireRecord::WireRecord;

  /// `sl` is 0..15.
  constexpr Vl vl(Sl sl) const { return from_raw<Vl>(read(wire_, kFields[sl.value])); }
  constexpr void set_vl(Sl sl, Vl vl) { write(wire_, kFields[sl.value], vl.value); }
};

}  // namespace mad
