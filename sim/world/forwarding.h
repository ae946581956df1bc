#pragma once
// The walker: where a packet goes from a port, as the tables of the simulated hardware say at this
// moment. Pure over the model, so that a test asks "may A talk to B" or "does a broadcast reach all
// members once" instead of reading tables.

#include <optional>
#include <string>
#include <vector>

#include "sim/world/model.h"

namespace sim {

/// What the walker needs to know of a packet's headers.
struct PacketHeader {
  mad::Lid dlid{};  // unicast, multicast (0xC000..0xFFFE) or permissive
  mad::Sl sl{};
  mad::PKey p_key = mad::kDefaultPKeyFull;
  bool management = false;         // VL 15: no P_Key, no VL, links need not be Active
  std::optional<mad::Gid> dgid{};  // GRH: tells virtual ports of one LID apart
};

enum class Drop : std::uint8_t {
  none,
  no_cable,    // the output port leads nowhere, or the link is down
  not_active,  // the link is up, but one end does not pass data packets
  no_route,    // the table has no port for the LID, or is not long enough
  wrong_end,   // reached an end port that does not own the LID
  p_key_in,
  p_key_out,  // a switch port enforces partitions and does not have the key
  p_key_end,  // the destination does not have the key
  vl,         // SLtoVL says 15, or a VL that is not operational
  too_long,   // circulates
  dead_node,  // powered off or hung
  no_vport,   // no virtual port has the GID
};
std::string_view name(Drop drop);

/// One passage over a cable: from `out` to `in`, on `vl`.
struct Hop {
  PortIndex out = kNone, in = kNone;
  mad::Vl vl;
};

/// How a unicast packet fared.
struct Walk {
  Drop drop = Drop::none;
  PortIndex end = kNone;               // where it was delivered, or where it was dropped
  std::optional<std::uint16_t> vport;  // the virtual port whose it is, if it has one
  bool delivered() const { return drop == Drop::none; }
};

/// The VL on which an end port sends packets of an SL; 15 where it sends none.
mad::Vl end_port_vl(const Model& model, PortIndex port, mad::Sl sl);

/// Longest way that the walker follows.
inline constexpr unsigned kHopsMax = 255;

/// Follows a unicast packet from the end port `from`. The passages are appended to `hops`, if
/// given.
Walk walk_unicast(const Model& model, PortIndex from, const PacketHeader& packet,
                  std::vector<Hop>* hops = nullptr);

/// One copy of a multicast packet that reached an end port (or the CPU port of a switch).
struct Copies {
  std::vector<PortIndex>
      delivered;            // in order of arrival; a port that got two copies is there twice
  std::vector<Hop> hops;    // over all branches
  bool circulates = false;  // some copy crossed the same cable in the same direction twice
};
/// Follows a multicast packet from the end port `from`, by the multicast tables up to
/// MulticastFDBTop, where a switch has one. The sender does not get its own copy back.
Copies walk_multicast(const Model& model, PortIndex from, const PacketHeader& packet);

}  // namespace sim
