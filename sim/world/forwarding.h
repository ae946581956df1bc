#pragma once
// The walker: follows a packet from a port through the tables of the simulated hardware. Pure over
// the model. Tests check reachability between ports and the delivery of multicast packets with it,
// instead of comparing tables.

#include <optional>
#include <string>
#include <vector>

#include "sim/world/model.h"

namespace sim {

/// The fields of a packet's headers that the walker uses.
struct PacketHeader {
  mad::Lid dlid{};  // unicast, multicast (0xC000..0xFFFE) or permissive
  mad::Sl sl{};
  mad::PKey p_key = mad::kDefaultPKeyFull;
  bool management = false;         // VL 15: no P_Key, no VL, links need not be Active
  std::optional<mad::Gid> dgid{};  // GRH: distinguishes virtual ports with one LID
  std::uint16_t from_vport = 0;    // the sender's vport; 0: the port itself
};

enum class Drop : std::uint8_t {
  none,
  no_link,     // the output port has no link, or the link is down
  not_active,  // the link is up, but one end does not pass data packets
  no_route,    // the table has no port for the LID, or is too short
  wrong_end,   // reached an end port that does not own the LID
  p_key_in,
  p_key_out,    // a switch port enforces partitions and does not have the key
  p_key_end,    // the destination does not have the key
  p_key_start,  // the sending vport does not have the key
  vl,           // SLtoVL says 15, or a VL that is not operational
  too_long,     // forwarding loop
  dead_node,    // powered off or hung
  lost,         // by the link, as its quality says
  no_vport,     // no virtual port has the GID, or there is no sender of this index
};
std::string_view name(Drop drop);

/// One link of a path: from `out` to `in`, on `vl`.
struct Hop {
  PortIndex out = kNone, in = kNone;
  mad::Vl vl;
};

/// The end of a unicast packet.
struct Walk {
  Drop drop = Drop::none;
  PortIndex end = kNone;               // where it was delivered or dropped
  std::optional<std::uint16_t> vport;  // the virtual port that it was for, if any
  bool delivered() const { return drop == Drop::none; }
};

/// The VL on which an end port sends packets of an SL; 15 where it sends none.
mad::Vl end_port_vl(const Model& model, PortIndex port, mad::Sl sl);

/// Number of hops after which the walker reports a forwarding loop.
inline constexpr unsigned kHopsMax = 255;

/// Follows a unicast packet from the end port `from`. Its hops are appended to `hops`, if given.
Walk walk_unicast(const Model& model, PortIndex from, const PacketHeader& packet,
                  std::vector<Hop>* hops = nullptr);

/// One copy of a multicast packet that reached an end port (or the CPU port of a switch).
struct Copies {
  std::vector<PortIndex>
      delivered;  // in order of arrival; a port that got two copies is there twice
  // Vports (index > 0) that can take a copy: Active, with the key; of all ports that a copy
  // reached, and of the sender's, besides the sender itself.
  std::vector<std::pair<PortIndex, std::uint16_t>> vports;
  std::vector<Hop> hops;         // over all branches
  bool forwarding_loop = false;  // some copy crossed the same link in the same direction twice
};
/// Follows a multicast packet from the end port `from`, by the multicast tables up to
/// MulticastFDBTop, where a switch has one. The sender does not get its own copy back. A port is
/// reached if it or one of its vports takes the packet.
Copies walk_multicast(const Model& model, PortIndex from, const PacketHeader& packet);

}  // namespace sim
