#pragma once
// Keys of the management classes of NVIDIA's devices: vendor specific (0x0A) and node to node
// (0x0C). The key follows the header, data begins at byte 32. Not verified on hardware.

#include "mad/attributes/performance.h"

namespace mad {

inline constexpr std::uint8_t kKeyedClassVersion = 1;
inline constexpr std::uint8_t kKeyedClassDataByte = 32;

enum class KeyedClassAttribute : std::uint16_t {
  class_port_info = 0x01,
  notice = 0x02,
  key_info = 0x0F,
};

/// These fields follow the common MAD header; offsets count from the start of the MAD.
struct KeyedClassHeaderFields {
  static constexpr std::array kFields{Field{192, 64, "Key"}};
};
/// The layout is the one of the CC_Key's attribute (IBTA Vol 1, annex A10).
struct ClassKeyInfoFields {
  static constexpr std::array kFields{Field{0, 64, "Key"}, Field{64, 1, "ProtectBit"},
                                      Field{80, 16, "LeasePeriod"}, Field{96, 16, "Violations"}};
};
/// Layout of the notice of trap 0 (KeyViolation), which names the sender of the request.
struct ClassKeyNoticeFields {
  static constexpr std::array kFields{Field{0, 1, "IsGeneric"},
                                      Field{1, 7, "Type"},
                                      Field{8, 24, "ProducerType"},
                                      Field{32, 16, "TrapNumber"},
                                      Field{48, 16, "IssuerLID"},
                                      Field{80, 16, "SLID"},
                                      Field{96, 8, "Method"},
                                      Field{112, 16, "AttributeID"},
                                      Field{144, 32, "AttributeModifier"},
                                      Field{184, 24, "QP"},
                                      Field{208, 64, "Key"}};
};
/// Trap numbers of these classes.
namespace class_key_trap {
inline constexpr std::uint16_t kViolation = 0, kMisconfigured = 1;  // the latter of class 0x0C
}
/// Bits of ClassPortInfo's CapabilityMask.
namespace class_key_capability {
inline constexpr std::uint16_t kVendorSpecific = 0x0100, kNodeToNodeTwoKeys = 0x0200;
}

}  // namespace mad
