#pragma once
// Follows a packet from a port through the tables of the simulated hardware. The functions are pure
// over the model. Tests use them to check reachability between ports and the delivery of multicast
// packets, instead of comparing tables.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/world/model.h"

namespace sim {

/// Transport services, as bits of ARInfo's ByTransportDisable.
enum class Transport : std::uint8_t { ud = 1, rc = 2, uc = 4, dc = 8 };

/// The fields of a packet's headers that the walker uses.
struct PacketHeader {
  mad::Lid dlid{};  // unicast, multicast (0xC000..0xFFFE) or permissive
  mad::Sl sl{};
  mad::PKey p_key = mad::kDefaultPKeyFull;
  bool management = false;         // VL 15: no P_Key, no VL, links need not be Active
  std::optional<mad::Gid> dgid{};  // GRH: distinguishes virtual ports with one LID
  std::uint16_t from_vport = 0;    // the sender's vport; 0: the port itself
  Transport transport = Transport::rc;
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
  no_member,    // no port of the group of ports can be used
  hop_limit,    // a router got it with a hop limit of 0 or 1
  no_subnet,    // a router has no way to the subnet of the DGID
  no_such_gid,  // a router found no end port with the DGID in its subnet
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
  bool is_routed = false;  // it ended at a router, which is to send it on to another subnet
  bool delivered() const { return drop == Drop::none; }
};

/// Returns the VL on which an end port sends packets of an SL; 15 if it sends none.
mad::Vl end_port_vl(const Model& model, PortIndex port, mad::Sl sl);

/// After this number of hops, a walk reports a forwarding loop.
inline constexpr unsigned kHopsMax = 255;

/// Picks an output port of a switch with adaptive routing: one of `ports`, of which there are at
/// least two.
using Choose = std::function<std::uint8_t(NodeIndex at, std::span<const std::uint8_t> ports)>;

/// Follows a unicast packet from the end port `from`, and appends its hops to `hops`, if given.
/// Without `choose`, a switch takes the lowest port of its choices.
Walk walk_unicast(const Model& model, PortIndex from, const PacketHeader& packet,
                  std::vector<Hop>* hops = nullptr, const Choose& choose = {});

/// The end ports (or CPU ports of switches) that one multicast packet reaches.
struct Copies {
  std::vector<PortIndex>
      delivered;  // in order of arrival; a port that got two copies is there twice
  // Vports (index > 0) that can take a copy: they are Active and have the key. They are at ports
  // that a copy reached, and at the sender's port, except the sender itself.
  std::vector<std::pair<PortIndex, std::uint16_t>> vports;
  std::vector<Hop> hops;         // over all branches
  bool forwarding_loop = false;  // some copy crossed the same link in the same direction twice
};
/// Follows a multicast packet from the end port `from` by the multicast tables; a switch with
/// MulticastFDBTop uses them up to that MLID. The sender gets no copy. A port is reached if it or
/// one of its vports takes the packet.
Copies walk_multicast(const Model& model, PortIndex from, const PacketHeader& packet);

// ---- The single steps of unicast packets: where a packet begins, to which output ports a switch
// may send it, what happens on the way through one of them.

/// The output ports among which a switch may choose: one port from a forwarding table, or a group.
/// The packet is dropped if there are none.
class Exits {
 public:
  void add(std::uint8_t port) { ports_[count_++] = port; }
  std::span<const std::uint8_t> ports() const { return std::span(ports_).first(count_); }
  bool empty() const { return count_ == 0; }
  Drop drop = Drop::none;  // where there is none

 private:
  std::array<std::uint8_t, 256> ports_{};  // the first count_
  std::size_t count_ = 0;
};
/// Returns the choices of the node, which must be a switch.
Exits find_exits(const Model& model, const NodeModel& node, const PacketHeader& packet);

/// Returns the usable ports of the group's first sub-group that has any.
Exits find_members(const Model& model, const NodeModel& node, std::uint16_t group);

/// A step of a packet over one link (`hop`), or its end.
struct Passage {
  bool ended = false;
  Walk end{};
  Hop hop{};
};
/// Sends the packet from the end port `from` of a CA or router; the result may be its end. nullopt
/// for a switch's port 0: the packet begins in the switch.
std::optional<Passage> begin_at(const Model& model, PortIndex from, const PacketHeader& packet);
/// Forwards a packet that entered a switch by `here` (port 0: the switch's own packet) through port
/// `number`.
Passage pass_switch(const Model& model, PortIndex here, unsigned number,
                    const PacketHeader& packet);
/// Ends the walk of a packet that entered the node of `here`, which is no switch.
Walk end_at(const Model& model, PortIndex here, const PacketHeader& packet);

}  // namespace sim
