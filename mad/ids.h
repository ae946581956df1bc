#pragma once
// Identifiers of the InfiniBand architecture as types, so that a LID passed as a port number does
// not compile. All values are in host order; only code for wire formats uses big endian.

#include <array>
#include <compare>
#include <cstdint>
#include <functional>

namespace mad {

/// 64-bit EUI of a node, port or system; 0 means "none".
struct Guid {
  std::uint64_t value = 0;
  auto operator<=>(const Guid&) const = default;
};

/// Local identifier. 0 means "unassigned", 0xFFFF is the permissive LID (IBTA Vol 1, 4.1.3).
struct Lid {
  std::uint16_t value = 0;
  auto operator<=>(const Lid&) const = default;
};

/// Multicast LID, 0xC000..0xFFFE.
struct Mlid {
  std::uint16_t value = 0;
  auto operator<=>(const Mlid&) const = default;
};

/// Number of a physical port of a node: 0 is a switch's management port, 1..254 are external ports.
struct PortNum {
  std::uint8_t value = 0;
  auto operator<=>(const PortNum&) const = default;
};

/// Service level, 0..15.
struct Sl {
  std::uint8_t value = 0;
  auto operator<=>(const Sl&) const = default;
};

/// Virtual lane, 0..15; 15 carries subnet management packets only.
struct Vl {
  std::uint8_t value = 0;
  auto operator<=>(const Vl&) const = default;
};

/// Partition key: bit 15 is the membership (1 = full), the low 15 bits name the partition.
struct PKey {
  std::uint16_t value = 0;
  auto operator<=>(const PKey&) const = default;
};

/// Management key of a port (IBTA Vol 1, 14.2.4). 0 means "no check".
struct MKey {
  std::uint64_t value = 0;
  auto operator<=>(const MKey&) const = default;
};

/// 128-bit global identifier: subnet prefix and port GUID.
struct Gid {
  std::uint64_t prefix = 0;
  Guid guid;
  auto operator<=>(const Gid&) const = default;
};

inline constexpr Lid kUnicastLidMin{0x0001};
inline constexpr Lid kUnicastLidMax{0xBFFF};
inline constexpr Lid kPermissiveLid{0xFFFF};
inline constexpr Mlid kMlidMin{0xC000};
inline constexpr Mlid kMlidMax{0xFFFE};
inline constexpr PKey kDefaultPKeyFull{0xFFFF};
inline constexpr PKey kDefaultPKeyLimited{0x7FFF};
inline constexpr std::uint8_t kPortNumMax = 254;
/// This entry of a LinearForwardingTable drops the packet.
inline constexpr PortNum kNoPort{0xFF};

constexpr bool is_unicast(Lid lid) { return lid >= kUnicastLidMin && lid <= kUnicastLidMax; }
constexpr bool is_full_member(PKey key) { return (key.value & 0x8000u) != 0; }
constexpr PKey full_member_key(std::uint16_t partition) {
  return {static_cast<std::uint16_t>(partition | 0x8000u)};
}
constexpr std::uint16_t p_key_base(PKey key) {
  return static_cast<std::uint16_t>(key.value & 0x7FFFu);
}

}  // namespace mad

template <>
struct std::hash<mad::Guid> {
  // GUIDs of one vendor differ in few low bits; one multiplication distributes them over the whole
  // word.
  std::size_t operator()(mad::Guid guid) const noexcept { return guid.value * 0x9E3779B97F4A7C15u; }
};
