#pragma once
// Restores routes after a loss ends: the routing from before the loss is remembered, and the next
// routing starts from it.

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

/// Bounds the remembered routings; the routing that was last restored is kept in addition. Their
/// tables share equal rows, so a routing costs the rows that its loss has changed, its SLs, and
/// distances and dependencies of the fabric. When there are more, the second oldest is dropped: the
/// oldest is the fabric without any loss.
inline constexpr std::size_t kRememberedMax = 4;

/// Says from which routing the next routing of one engine starts.
/// - Links or switches came back: it starts from the latest remembered routing that has the most of
///   the present ones. For that routing, everything else that is missing is a loss, which moves
///   only the routes that it must. Later routings lack the returned parts and are dropped.
/// - Links or switches were lost: it starts from the previous routing, which is remembered.
/// - After several losses, each part that comes back gets its routes back, in any order. Once all
///   are back, the first routing is restored.
/// - A part that never existed before is no return: the routing starts from the previous one, and
///   `gained` is true.
struct RoutingOrigin {
  std::optional<PreviousRouting> from;  // empty: the engine has nothing to start from
  std::shared_ptr<const RememberedRouting> returned_to;  // `from` refers to it. Null: none
  std::vector<std::shared_ptr<const RememberedRouting>> remembered;  // from now on
  bool gained = false;
};

/// Returns the routing to start from; if `returns` is false, the previous routing. Pure.
RoutingOrigin routing_origin(std::string_view engine, const RoutingInput& input, bool returns);

/// Returns the tables of an earlier routing by the switches of the input's fabric. Switches that
/// the routing did not have get no table.
fabric::ForwardingTables tables_here(const PreviousRouting& routing, const RoutingInput& input);

}  // namespace routing
