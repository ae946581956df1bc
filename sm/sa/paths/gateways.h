#pragma once
// Ports of routers that lead to another subnet, and the choice among them. Pure.

#include <optional>
#include <vector>

#include "sm/sa/paths/ends.h"

namespace sa {

/// Finds ports by which packets can get to the subnet of a prefix. The first line of
/// prefix_routes_file for the prefix decides, if there is one, else the routers' tables. A router
/// whose known tables do not name the subnet is no gateway.
class Gateways {
 public:
  Gateways(const View& view, std::uint64_t prefix);

  bool empty() const { return candidates_.empty(); }
  bool owns(const View& view, mad::Lid lid) const;

  struct Candidate {
    fabric::PortIndex port = fabric::kNoIndex;
    std::optional<mad::PKey> partition;  // nullopt: any that port and source have in common
    bool is_adjacent = true;
    std::uint8_t weight = 1;
  };
  std::span<const Candidate> candidates() const { return candidates_; }

 private:
  bool add_by_prefix_routes(const View& view, std::uint64_t prefix);
  void add_port(const View& view, fabric::PortIndex port, std::uint64_t prefix);
  void add_gateway(const View& view, const fabric::OtherSubnet::Gateway& gateway,
                   const config::RouterRule* rule);

  std::vector<Candidate> candidates_;
};

/// Finds the destination. A GID of another subnet is one end beyond a router, which depends on the
/// source: choose_gateway(). The response keeps the requested GID.
Ends find_far_ends(const View& view, const EndName& name);

/// Returns the port of a router by which packets of `from` get to `to` in another subnet. Returns
/// nullopt if no router leads there in a partition of the source (in `wanted`, if given). The
/// choice is the same for the same GIDs; the loss of one router does not change the choice of
/// another.
std::optional<PathEnd> choose_gateway(const View& view, const PathEnd& from, const PathEnd& to,
                                      std::optional<mad::PKey> wanted);

}  // namespace sa
