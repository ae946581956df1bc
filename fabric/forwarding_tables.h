#pragma once

#include <cstdint>
#include <cstring>
#include <span>

#include "fabric/index.h"
#include "fabric/large_array.h"
#include "mad/ids.h"

namespace sm {

inline constexpr unsigned kLftBlockLids =
    64;  // entries of one LinearForwardingTable MAD (IBTA Vol 1, 14.2.5.10)

/// LinearForwardingTables of all switches in one array of bytes [switch][LID]: an entry is the
/// output port, 0xFF drops. The table of each switch is padded to whole blocks, so that the block
/// of a MAD is a slice and a difference is a memcmp.
class ForwardingTables {
 public:
  ForwardingTables() = default;
  /// LIDs 0..lid_top on every switch, all entries 0xFF.
  ForwardingTables(std::size_t switches, mad::Lid lid_top)
      : lid_top_(lid_top),
        blocks_(lid_top.value / kLftBlockLids + 1u),
        switches_(switches),
        bytes_(switches * pitch(), mad::kNoPort.value) {}

  std::size_t switches() const { return switches_; }
  IndexRange<SwitchIndex> all_switches() const { return {SwitchIndex{0}, SwitchIndex(switches_)}; }
  std::size_t blocks() const { return blocks_; }
  std::size_t pitch() const { return blocks_ * kLftBlockLids; }
  mad::Lid lid_top() const { return lid_top_; }

  std::span<std::uint8_t> row(SwitchIndex sw) { return {bytes_.data() + sw * pitch(), pitch()}; }
  std::span<const std::uint8_t> row(SwitchIndex sw) const {
    return {bytes_.data() + sw * pitch(), pitch()};
  }
  std::span<std::uint8_t, kLftBlockLids> block(SwitchIndex sw, std::size_t block) {
    return std::span<std::uint8_t, kLftBlockLids>(
        bytes_.data() + sw * pitch() + block * kLftBlockLids, kLftBlockLids);
  }
  std::span<const std::uint8_t, kLftBlockLids> block(SwitchIndex sw, std::size_t block) const {
    return std::span<const std::uint8_t, kLftBlockLids>(
        bytes_.data() + sw * pitch() + block * kLftBlockLids, kLftBlockLids);
  }
  /// The output port of a LID; LIDs above lid_top are dropped.
  mad::PortNum at(SwitchIndex sw, mad::Lid lid) const {
    return lid.value < pitch() ? mad::PortNum{row(sw)[lid.value]} : mad::kNoPort;
  }

  bool operator==(const ForwardingTables&) const = default;

 private:
  mad::Lid lid_top_;
  std::size_t blocks_ = 0;
  std::size_t switches_ = 0;
  LargeArray<std::uint8_t> bytes_;
};

}  // namespace sm
