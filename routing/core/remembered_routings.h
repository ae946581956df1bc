#pragma once
// Routes that a loss moved go back when what was lost comes back: the routing from before the loss
// is remembered, and the next routing starts from it.

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "fabric/forwarding_tables.h"
#include "fabric/published_routing.h"
#include "routing/core/engine.h"
#include "routing/core/routing_state.h"

namespace routing {

/// A verified routing from before a loss. Immutable.
struct RememberedRouting {
  std::shared_ptr<const RoutingState> memory;  // itself without remembered routings
  fabric::ForwardingTables lfts;
  fabric::PublishedRouting published;
};

/// Memory: at most this many routings, and the latest that was returned to. Their tables share the
/// rows that are equal, so one takes the rows that its loss has changed, its SLs, and distances and
/// dependencies of the fabric. Beyond it, the second oldest is given up: the oldest one is the
/// fabric without any loss.
inline constexpr std::size_t kRememberedMax = 4;

/// Where the next routing of one engine starts.
/// - Links or switches came back: at the latest remembered routing with the most of what is there
///   now. For that routing all else that is missing is a loss, which moves nothing but what it has
///   to. Later ones are given up; they lack what came back.
/// - Something was lost: at the previous routing, which is remembered.
/// - Several losses: what comes back first takes back what it had, in any order. Once all is back,
///   the first routing is there again.
/// - What was never there before is no return: the routing starts at the previous one, and
///   `gained` says so.
struct RoutingOrigin {
  std::optional<PreviousRouting> from;  // empty: the engine has nothing to start from
  std::shared_ptr<const RememberedRouting> returned_to;  // `from` refers to it. Null: none
  std::vector<std::shared_ptr<const RememberedRouting>> remembered;  // from now on
  bool gained = false;
};

/// `returns` false: the previous routing is where it starts, whatever came back. Pure.
RoutingOrigin routing_origin(std::string_view engine, const RoutingInput& input, bool returns);

/// The tables of an earlier routing, by the switches of the fabric of the input; switches that it
/// did not have have none.
fabric::ForwardingTables tables_here(const PreviousRouting& routing, const RoutingInput& input);

}  // namespace routing
