#pragma once
// Groups of ports for adaptive routing, formed from what an engine may choose.

#include <cstddef>
#include <cstdint>

#include "routing/core/engine.h"

namespace routing {

/// The ports of a group, besides the one that the forwarding tables name.
enum class GroupRule : std::uint8_t {
  none,            // the engine routes by forwarding tables alone
  candidates,      // all that the engine may choose from: RoutingResult::candidates
  same_neighbour,  // all that lead to the same switch as the port that the tables name
};

struct FormedGroups {
  bool moved = false;       // some entries of the tables
  std::size_t without = 0;  // switches with hosts that are beyond the limit
};

/// Sets result.adaptive and result.group_ids: a group for each switch that hosts or routers are
/// attached to, with the same number on all switches. All LIDs behind a switch, and its own, share
/// its group, except input.static_lids. An entry of result.lfts outside its group becomes the
/// member with the fewest LIDs of hosts. Rows that are equal, also to those
/// of the previous routing, are the same object. A note says how many switches are beyond the
/// limit. Precondition: result.candidates is set, for GroupRule::candidates.
FormedGroups form_groups(const RoutingInput& input, GroupRule rule, RoutingResult& result);

/// True if every choice of ports that `result` allows is one that the previous routing allowed and
/// that was verified: after a loss groups have fewer members, after a return the members that they
/// had before it. A part of the choices has no other paths and no other channel dependencies than
/// all of them. Costs what differs between the rows of the switches.
/// Returns false if that is not known, and groups have to be verified. Precondition: `result` has
/// groups, and all destination switches have one.
bool are_verified_choices(const RoutingInput& input, const RoutingResult& result);

}  // namespace routing
