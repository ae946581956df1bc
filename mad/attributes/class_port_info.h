#pragma once
// ClassPortInfo has the capabilities of a management class agent, and the destination of its traps.
// Its layout is the same in every class.

#include "mad/field.h"

namespace mad {

/// Offsets count from the start of the class's attribute data.
/// Source: IBTA Vol 1, 13.4.8.1.
struct ClassPortInfoFields {
  static constexpr std::size_t kBytes = 72;
  static constexpr std::array kFields{
      Field{0, 8, "BaseVersion"},
      Field{8, 8, "ClassVersion"},
      Field{16, 16, "CapabilityMask"},
      Field{32, 27, "CapabilityMask2"},
      Field{59, 5, "RespTimeValue"},
      Field{64, 64, "RedirectGID.prefix"},
      Field{128, 64, "RedirectGID.guid"},
      Field{192, 8, "RedirectTC"},
      Field{200, 4, "RedirectSL"},
      Field{204, 20, "RedirectFL"},
      Field{224, 16, "RedirectLID"},
      Field{240, 16, "RedirectP_Key"},
      Field{264, 24, "RedirectQP"},
      Field{288, 32, "RedirectQ_Key"},
      Field{320, 64, "TrapGID.prefix"},
      Field{384, 64, "TrapGID.guid"},
      Field{448, 8, "TrapTC"},
      Field{456, 4, "TrapSL"},
      Field{460, 20, "TrapFL"},
      Field{480, 16, "TrapLID"},
      Field{496, 16, "TrapP_Key"},
      Field{512, 8, "TrapHL"},
      Field{520, 24, "TrapQP"},
      Field{544, 32, "TrapQ_Key"},
  };
  static constexpr std::size_t kTrapByte = 40;  // from here on: written by the class manager
};

/// Bits of CapabilityMask that mean the same in every class.
namespace class_capability {
inline constexpr std::uint16_t kTraps = 0x0001, kNotice = 0x0002, kCapabilityMask2 = 0x0004;
}  // namespace class_capability

}  // namespace mad
