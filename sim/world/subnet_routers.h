#pragma once
// Routers that join simulated subnets. A subnet is what cables and switches connect: a part of a
// World, or all of it; all Worlds share one EventQueue. A router is a node with a port in each of
// its subnets; if these are in several Worlds, it has a node of one GUID in each World. Its
// firmware finds the subnets of its ports, learns from other routers what they reach, shows both in
// its tables (trap 1148), and forwards packets by their GRH.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "mad/attributes/router_info.h"
#include "sim/world/world.h"

namespace sim {

/// A switch port in a subnet, with a cable to a port of a router.
struct RouterCable {
  World* world = nullptr;  // not owned
  PortIndex to = kNone;
};

/// Sets the tables that the router of this port shows; if they differ from the previous ones, the
/// router sends trap 1148.
void show_tables(World& world, PortIndex port,
                 std::span<const mad::AdjacentSubnetsTable::Entry> adjacent,
                 std::span<const mad::NextHopTable::Entry> next_hops);

struct RouterFaults {
  bool dlid_from_dgid = false;  // the DLID is the low 16 bits of the DGID
  bool forwards = true;         // false: it drops what it should forward
  bool shows_changes = true;    // false: its tables stay as they are
  /// Entries that it shows although they are false.
  std::vector<mad::NextHopTable::Entry> lies;
  /// The port number by which it forwards packets for a prefix, regardless of its routes.
  std::map<std::uint64_t, std::uint8_t> detours;
};

/// Describes the end of a data packet with a GRH, and the headers that it has there.
struct Forwarded {
  Walk walk;
  const World* world = nullptr;
  mad::Lid slid, dlid;
  std::uint8_t hop_limit = 0;
};

/// A packet's path through subnets and the routers between them.
struct Journey {
  Drop drop = Drop::none;
  const World* world = nullptr;  // where it ended
  PortIndex end = kNone;
  std::vector<std::size_t> routers;         // that forwarded it, in order
  std::vector<std::vector<Hop>> hops = {};  // in each subnet
  bool delivered() const { return drop == Drop::none; }
};

class SubnetRouters {
 public:
  static constexpr mad::Duration kPeriod = std::chrono::milliseconds(10);

  /// The firmware of all routers checks its ports every `period`.
  explicit SubnetRouters(EventQueue& events, mad::Duration period = kPeriod);
  ~SubnetRouters();
  SubnetRouters(const SubnetRouters&) = delete;
  SubnetRouters& operator=(const SubnetRouters&) = delete;

  /// Adds a router, whose port n has the cable `cables`[n - 1]. Returns its number.
  std::size_t add(const std::string& name, mad::Guid guid, const std::vector<RouterCable>& cables);
  /// Gives the routers among the nodes of the world this firmware.
  void adopt(World& world);
  /// Returns the number of the router that a node of a world belongs to.
  std::optional<std::size_t> find(const World& world, NodeIndex node) const;
  std::size_t size() const { return routers_.size(); }
  RouterFaults& faults(std::size_t router) { return routers_[router].faults; }
  /// Return the node or the port of a router in a subnet.
  NodeIndex node(std::size_t router, const World& world) const;
  PortIndex port(std::size_t router, const World& world) const;
  std::uint64_t forwarded(std::size_t router) const { return routers_[router].forwarded; }

  /// A subnet that a router leads to: the port by which packets leave, and the router that takes
  /// them there, unless the port is in that subnet.
  struct Reached {
    std::uint64_t prefix = 0;
    PortIndex by = kNone;
    std::optional<std::size_t> next;
  };
  std::vector<Reached> reached(std::size_t router) const;

  /// Lets the firmware of all routers check its ports and show what they reach, as it does every
  /// period.
  void update();

  /// Follows a data packet from an end port to a GID: `packet` is its header in the first subnet.
  Journey walk(const World& from, PortIndex port, mad::Gid dgid, PacketHeader packet,
               std::uint8_t hop_limit = 255) const;
  /// Sends a data packet with a GRH from an end port, through routers, as World::send_data does
  /// in one subnet.
  Forwarded send_data(World& from, PortIndex port, PacketHeader packet, std::size_t size_bytes,
                      std::uint8_t hop_limit);

 private:
  struct Side {
    World* world = nullptr;
    NodeIndex node{0};
    PortIndex port = kNone;
    PortIndex peer = kNone;    // the far end of its cable when its subnet was found
    PortIndex subnet = kNone;  // the first port of its subnet
  };
  struct Route {
    std::size_t side = 0;
    std::optional<std::size_t> next;  // another router; nothing: the subnet is adjacent
    unsigned hops = 0;
  };
  struct Router {
    std::vector<Side> sides;
    RouterFaults faults;
    std::map<std::uint64_t, Route> routes;  // by prefix
    std::uint64_t forwarded = 0;
  };
  /// A port of a router.
  struct Place {
    std::size_t router = 0, side = 0;
  };
  /// The port by which a router sends a packet, and the LID that it sends to.
  struct Step {
    Drop drop = Drop::none;
    std::size_t router = 0;
    const Side* by = nullptr;
    mad::Lid dlid{};
  };
  /// True if the port's subnet manager has set it up.
  static bool is_in_use(const Side& side);
  static std::uint64_t prefix(const Side& side);
  static bool in_one_subnet(const Side& a, const Side& b) {
    return a.world == b.world && a.subnet == b.subnet;
  }
  void find_subnets();
  void find_routes();
  void show(std::size_t router) const;
  std::set<std::uint16_t> common_keys(std::size_t router, std::size_t in, std::uint64_t prefix,
                                      unsigned depth = 0) const;
  const Side* side_in(std::size_t router, const World& world) const;
  const Side* side_beside(std::size_t router, const Side& other) const;
  std::optional<Place> find_port(const World& world, PortIndex port) const;
  Step next_step(const World& world, PortIndex at, mad::Gid dgid, mad::PKey p_key,
                 std::uint8_t hop_limit) const;
  std::optional<Route> choose_route(Place at, std::uint64_t prefix) const;
  bool forward(World& in, const Packet& packet);

  EventQueue& events_;
  const mad::Duration period_;
  std::vector<Router> routers_;
  std::shared_ptr<bool> runs_ = std::make_shared<bool>(true);
};

}  // namespace sim
