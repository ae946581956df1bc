#pragma once
// Describes virtual Ethernet switches as the administrator configures them, and reads their file.

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "config/diagnostic.h"
#include "mad/attributes/vnic.h"
#include "mad/ids.h"

namespace vnic {

/// Identifies a virtual Ethernet switch on the wire.
struct VeswKey {
  std::uint16_t fabric_id = 0;  // 10 bits
  std::uint16_t vesw_id = 0;    // 12 bits, not 0
  auto operator<=>(const VeswKey&) const = default;
};
inline constexpr std::uint16_t kFabricIdMax = 0x3FF, kVeswIdMax = 0xFFF;
inline constexpr unsigned kVnicNumberMax = 255;
/// A frame fits into 10,240 bytes with its VLAN tag, its Ethernet header and the Omni-Path header.
inline constexpr unsigned kMtuMin = 68, kMtuMax = 10178;

/// SC and VL of one kind of frames, by the priority of the VLAN (PCP).
struct Lanes {
  std::array<std::uint8_t, mad::kVlanPriorities> sc{}, vl{};
  std::uint8_t untagged_sc = 0, untagged_vl = 0;
  bool operator==(const Lanes&) const = default;
};
inline constexpr std::uint8_t kScMax = 31, kVlMax = 31;

/// Entitles ports to a VNIC.
struct Member {
  bool all = false;                       // every channel adapter port
  mad::Guid port_guid;                    // 0: not by PortGUID
  std::string description;                // a pattern with * and ?; empty: not by description
  std::optional<mad::Mac> base_mac = {};  // with a PortGUID only
  bool operator==(const Member&) const = default;
};

struct SwitchConfiguration {
  std::string name;
  VeswKey key;
  mad::PKey p_key = mad::kDefaultPKeyFull;
  unsigned mtu = 1500;                // of frames, without their header
  unsigned vnic = 0;                  // number of the VNIC on each port; 0: one is chosen
  std::uint32_t multicast_lid = 0;    // 0: that of a group at subnet administration
  std::uint32_t routing_control = 0;  // as VESWPortInfo has it
  Lanes unicast, multicast;
  std::vector<Member> members;
  std::vector<mad::Guid> default_ports;  // where frames to unknown addresses go; up to 16
  bool operator==(const SwitchConfiguration&) const = default;
};

/// An end port of the fabric.
struct EndPort {
  mad::Guid guid;
  mad::Lid lid;
  std::string description;  // NodeDescription
  bool operator==(const EndPort&) const = default;
};

struct Configuration {
  mad::Guid port_guid;                // the own port; 0: chosen as heddle does
  std::chrono::seconds interval{30};  // between two passes if no trap arrives
  unsigned macs_per_port_max = 64;    // that an interface may have beside its base MAC
  std::vector<EndPort> ports;         // empty: all that subnet administration knows
  std::vector<SwitchConfiguration> switches;
  bool operator==(const Configuration&) const = default;
};
inline constexpr unsigned kMacsPerPortMax = 2048;
inline constexpr std::size_t kSwitchesMax = kVnicNumberMax;

/// Reads a file of virtual Ethernet switches (heddle-vnic.yaml(5)). Errors: all defects, each with
/// its position and a remedy.
tl::expected<Configuration, config::Diagnostics> read_configuration(const config::Source& source);

/// True if `text` matches a pattern in which * stands for any text and ? for one character.
bool fits(std::string_view pattern, std::string_view text);

/// Returns a text like "02:00:05:01:00:00".
std::string text(mad::Mac mac);
/// Parses six octets of two hexadecimal digits, separated by colons.
std::optional<mad::Mac> parse_mac(std::string_view text);

}  // namespace vnic
