#pragma once
// The routers of a subnet, and the other subnets that their tables say they lead to.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/fabric.h"

namespace fabric {

/// Says what is known of a router's tables.
enum class RouterState : std::uint8_t {
  not_read,     // the router was not asked yet
  read,         // they are known
  unsupported,  // it is of another vendor, or does not have the attributes
  refused,      // it rejected a request
  silent,       // it did not answer
};
/// Returns a text for people, e.g. "does not answer".
std::string_view text(RouterState state);

/// An entry of a router's tables: the router forwards packets of the partition to the subnet.
struct RouterEntry {
  std::uint64_t prefix = 0;
  mad::PKey p_key;
  bool is_adjacent = false;  // a port of the router is in the subnet
  std::uint8_t weight = 0;   // as the router says; of subnets that are not adjacent
  mad::Lid master_sm_lid;    // in that subnet; of adjacent ones
  bool operator==(const RouterEntry&) const = default;
};

/// Floating LIDs of leaf switches, unique over all subnets; 0 to 0 means that there are none.
struct FlidRange {
  std::uint32_t first = 0, last = 0;
  bool operator==(const FlidRange&) const = default;
};

struct Router {
  NodeIndex node = kNoIndex;
  RouterState state = RouterState::not_read;
  std::string reason;                             // where they are not known
  std::vector<RouterEntry> entries;               // ascending by prefix and partition
  std::uint32_t left_out = 0;                     // entries that cannot be true, or are too many
  FlidRange global_flids = {}, local_flids = {};  // of all subnets, and of this one
  bool operator==(const Router&) const = default;
};

/// Another subnet, and the ports of routers that lead there.
struct OtherSubnet {
  struct Gateway {
    PortIndex port = kNoIndex;  // in this subnet
    mad::PKey p_key;
    bool is_adjacent = false;
    std::uint8_t weight = 0;  // as the router says
    bool operator==(const Gateway&) const = default;
  };
  std::uint64_t prefix = 0;
  std::vector<Gateway> gateways;  // in the order of ports, then of partitions
  bool operator==(const OtherSubnet&) const = default;
};

/// A gateway that a router had to a subnet within the last seven days, and no longer has.
struct LostGateway {
  std::uint64_t prefix = 0;
  mad::Guid router;  // its NodeGUID; it may be gone
  bool operator==(const LostGateway&) const = default;
};

/// Holds the routers of a subnet. Indices refer to the fabric that it was made with.
struct Routers {
  std::vector<Router> routers;       // in the order of nodes
  std::vector<OtherSubnet> subnets;  // ascending by prefix
  std::vector<LostGateway> lost;     // ascending by prefix and router
  bool operator==(const Routers&) const = default;

  /// Returns null if no router leads to the subnet.
  const OtherSubnet* find(std::uint64_t prefix) const;
  /// Returns null if the node is no router.
  const Router* find(NodeIndex node) const;
  /// Returns the prefixes that were reachable, and to which no router leads any more; ascending.
  std::vector<std::uint64_t> unreachable() const;
};

/// Fills Routers::subnets from the routers' tables.
void index_subnets(const Fabric& fabric, Routers& routers);

}  // namespace fabric
