#pragma once
// Groups of ports for adaptive routing, formed from what an engine may choose.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fabric/adaptive_groups.h"
#include "mad/ids.h"
#include "routing/core/engine.h"

namespace routing {

struct AssignedGroups {
  std::shared_ptr<const GroupIds> ids;   // the map given if nothing is new; not null
  std::vector<fabric::GroupId> of_leaf;  // as the leaves were given; 0: none was left
  std::size_t without = 0;               // leaves with 0
};

/// Gives each leaf (by NodeGUID) the group that `known` says, or else, in the order of
/// `neighbours` and then of their GUIDs, the lowest of 1 .. limit that `known` gives to no switch.
/// Where all are given, the lowest of a switch that is no leaf any more. Groups above the limit, or
/// that two leaves have, are replaced. `known` may be null.
/// `neighbours`: by leaf: a switch next to it; empty: none is known. Leaves with the same one have
/// the same ports at distant switches, which copy one group to the next ones.
AssignedGroups assign_groups(std::span<const mad::Guid> leaves,
                             const std::shared_ptr<const GroupIds>& known, fabric::GroupId limit,
                             std::span<const mad::Guid> neighbours = {});

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
