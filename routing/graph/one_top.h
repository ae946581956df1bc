#pragma once
// An order of the switches in which every pair has an Up*/Down* path, close to a given one.

#include <cstdint>
#include <span>

#include "routing/graph/up_down.h"

namespace routing {

/// Returns an order with one top in each connected component: every other switch has a link to one
/// above it. From each switch, links then lead up to the top and from there down to all, so that
/// no pair lacks a path. The top is a switch with hosts; of these, one from which links lead up to
/// the most tops of `order`, then the lowest. What links lead up
/// to from it follows, nearest first; then, among switches with a link to one that is placed,
/// always the highest by `order`. On a perfect tree, all shortest paths between leaves are legal.
/// A component without hosts stays in the given order.
UpDownOrder with_one_top(const fabric::SwitchGraph& graph, const UpDownOrder& order,
                         std::span<const std::uint32_t> hosts);

}  // namespace routing
