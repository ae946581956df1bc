#pragma once
#include "mad/attribute.h"

namespace mad {

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

  /// Entry `index` of the block, 0..31.
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
