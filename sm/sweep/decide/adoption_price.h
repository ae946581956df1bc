#pragma once
// The price of adoption is the load that kept tables or routes add over fresh ones.

#include <memory>
#include <optional>

#include "config/options.h"
#include "fabric/condition.h"
#include "fabric/subnet.h"
#include "routing/core/routing_state.h"
#include "routing/quality/quality.h"
#include "sm/context/sweep_context.h"
#include "sm/sweep/decide/kept_lids.h"

namespace sm {

/// Compares the tables of a subnet with those that its engine would choose from the beginning.
struct RoutingPrice {
  routing::TableChanges changes;
  std::uint64_t worst_load = 0, worst_load_rerouted = 0;  // pairs over a channel, the highest
  std::size_t unused = 0, unused_rerouted = 0;            // channels that no pair uses
};
/// True if routes from the beginning lower the highest load by more than a twentieth, or use more
/// channels. Pure.
bool is_unbalanced(const RoutingPrice& price);
/// Returns the highest load over that of routes from the beginning. It is at least 1, except for
/// engines whose fresh routes are no better.
double load_ratio(const RoutingPrice& price);
/// Says why links or switches carry less than they could.
enum class UnevenSince : std::uint8_t {
  adopted,  // the tables that were found on the fabric leave them unused
  gained,   // they were added
  lost,     // others were lost, or taken out of use: what went over them is moved, and nothing else
};
/// Returns nullopt if routes are even. Pure.
std::optional<Condition> imbalance(const RoutingPrice& price, const config::Options& options,
                                   UnevenSince since);

/// Returns the price of the tables; nullopt if they are equal or no engine routes this fabric.
/// Pure; takes as long as a routing and following all paths twice. `kept`: LIDs that are routed
/// besides those of the subnet. Precondition: the subnet has tables and a routing of state `state`.
std::optional<RoutingPrice> routing_price(const SweepContext& context, const Subnet& subnet,
                                          const KeptLids& kept, const routing::RoutingState& state);
/// Describes the price of tables that were found on the fabric.
Condition price_of_adoption(const RoutingPrice& price, const Subnet& subnet);

/// Returns whether routes could move so that fewer flows of shift permutations share a link
/// (routing::ConflictRemoval). Pure; takes as long as a routing and that. `before`: the routing of
/// the subnet.
bool has_removable_conflicts(const SweepContext& context, const Subnet& subnet,
                             const KeptLids& kept, const routing::PreviousRouting& before);
/// Returns the state of tables without such conflicts.
std::shared_ptr<const routing::RoutingState> without_conflicts(const routing::RoutingState& state);

/// Returns the state of tables that are the engine's own choice.
std::shared_ptr<const routing::RoutingState> without_adoption(const routing::RoutingState& state);
/// Returns the state of tables that leave channels unused which the engine would use. A switch was
/// down when they were written, and came back while no manager ran.
std::shared_ptr<const routing::RoutingState> with_unused_channels(
    const routing::RoutingState& state);
/// Returns the state of tables that use what was added as they could.
std::shared_ptr<const routing::RoutingState> balanced(const routing::RoutingState& state);

}  // namespace sm
