#pragma once
// Moves entries of tables so that fewer flows of a shift permutation share a link.

#include <cstdint>
#include <span>
#include <vector>

#include "routing/core/engine.h"
#include "routing/graph/candidates.h"
#include "routing/trees/tree_targets.h"

namespace routing {

/// Bounds the work. Neighbouring shifts differ by one host of each leaf, so that every fourth one
/// is nearly as good as all.
struct RemovalEffort {
  unsigned stride = 1;  // every stride-th shift is looked at
  unsigned passes = 2;  // over all entries
};
/// All shifts of small fabrics, a part of those of large ones: at most 128 MiB of loads.
RemovalEffort effort_for(std::size_t hosts, std::size_t channels);

/// For each host and each switch with packets to it, takes of the candidates the one that costs
/// least: the sum over the path from there, and over the shifts in which the switch has packets to
/// the host, of what one flow more costs on a channel. Host number i of `hosts` sends to number
/// i + k. Candidates are legal next hops of equal length, and stay the same whichever is taken: so
/// paths keep length and direction. With more than one LID for a port, nothing is moved, since its
/// paths would meet. LIDs of switches, and of CAs inside of them, stay. Returns the number of
/// entries that were moved. Shape: a byte per channel and shift looked at.
std::size_t remove_conflicts(const RoutingInput& input, const Candidates& candidates,
                             std::span<const OrderedHost> hosts, const RemovalEffort& effort,
                             fabric::ForwardingTables& lfts);

}  // namespace routing
