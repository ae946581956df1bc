#include "sm/sweep/decide/adoption_price.h"

#include <array>
#include <string_view>

#include "fabric/switch_graph.h"
#include "mad/format.h"
#include "routing/core/routing_conditions.h"
#include "sm/sweep/decide/decide.h"
#include "virt/vport_lids.h"

namespace sm {
namespace {
constexpr std::size_t kDestinationsAtOnce = 64;

/// Returns the tables that the engine would choose, with the LIDs of vports; null if no engine
/// routes this fabric.
std::shared_ptr<const ForwardingTables> own_choice(const SweepContext& context,
                                                   const Subnet& subnet, const LidMap& physical,
                                                   const KeptLids& kept,
                                                   const routing::RoutingState& state) {
  const KeptLids routed_too = placed(kept, subnet.fabric, subnet.lids);
  const auto copies = kept_copies(routed_too, subnet.fabric, physical);
  const bool has_copies = !copies.empty() || physical.port_of_lid != subnet.lids.port_of_lid;
  if (state.choice && !has_copies) return state.choice;
  std::shared_ptr<ForwardingTables> tables;
  if (state.choice) {
    tables = std::make_shared<ForwardingTables>(*state.choice);
  } else {
    Findings ignored;
    auto routed =
        decide_routing(context, subnet.fabric, physical, routed_too,
                       {.conflict_removal = conflict_removal_on_demand(context.options)}, ignored);
    if (!routed) return nullptr;
    tables = std::make_shared<ForwardingTables>(std::move(routed->routing.lfts));
  }
  return virt::with_vport_lids(std::move(tables), subnet.fabric, physical, subnet.lids, copies);
}

}  // namespace

std::optional<RoutingPrice> routing_price(const SweepContext& context, const Subnet& subnet,
                                          const KeptLids& kept,
                                          const routing::RoutingState& state) {
  const LidMap physical = virt::physical_only(subnet.lids, subnet.fabric);
  const auto choice = own_choice(context, subnet, physical, kept, state);
  if (!choice) return std::nullopt;
  const SwitchGraph graph = make_switch_graph(subnet.fabric);
  // Engines distribute the LIDs of physical ports; those of vports follow them.
  routing::TableComparison comparison(graph, physical, *subnet.lfts, *choice);
  if (comparison.changes().entries == 0) return std::nullopt;
  while (comparison.proceed(kDestinationsAtOnce)) {
  }
  return RoutingPrice{.changes = comparison.changes(),
                      .worst_load = comparison.worst_load_before(),
                      .worst_load_rerouted = comparison.worst_load_after(),
                      .unused = comparison.unused_before(),
                      .unused_rerouted = comparison.unused_after()};
}

bool is_unbalanced(const RoutingPrice& price) {
  return price.worst_load * 20 > price.worst_load_rerouted * 21 ||
         price.unused > price.unused_rerouted;
}

double load_ratio(const RoutingPrice& price) {
  return price.worst_load_rerouted == 0 ? 1.0
                                        : static_cast<double>(price.worst_load) /
                                              static_cast<double>(price.worst_load_rerouted);
}

std::optional<Condition> imbalance(const RoutingPrice& price, const config::Options& options,
                                   UnevenSince since) {
  if (!is_unbalanced(price)) return std::nullopt;
  constexpr std::array<std::string_view, 3> kSince{
      "tables found on the fabric do not use all links", "links or switches were added",
      "links or switches were lost, and only what went over them was moved"};
  const std::string next =
      options.rebalance && since != UnevenSince::lost
          ? fmt::format("all routes are chosen again after {} s without a change",
                        options.rebalance_quiet_time)
          : "`heddlectl rebalance` chooses all routes again";
  return Condition{
      .id = routing::kRoutingConditions.routing_unbalanced,
      .text = fmt::format("{}: greatest load of a link {} pairs, {} possible; {} channels without "
                          "load, {} necessary; {}",
                          kSince[static_cast<std::size_t>(since)], price.worst_load,
                          price.worst_load_rerouted, price.unused, price.unused_rerouted, next)};
}

Condition price_of_adoption(const RoutingPrice& price, const Subnet& subnet) {
  return Condition{
      .id = routing::kRoutingConditions.routing_adopted,
      .text = fmt::format(
          "tables found on the fabric were kept: {} paths in {} blocks differ from what {} would "
          "choose; greatest load of a link {} pairs{}; `heddlectl rebalance` replaces them",
          price.changes.paths, price.changes.blocks, subnet.routing->engine, price.worst_load,
          price.worst_load == price.worst_load_rerouted
              ? std::string(" in both cases")
              : fmt::format(" instead of {}", price.worst_load_rerouted))};
}

bool has_removable_conflicts(const SweepContext& context, const Subnet& subnet,
                             const KeptLids& kept, const routing::PreviousRouting& before) {
  const LidMap physical = virt::physical_only(subnet.lids, subnet.fabric);
  RoutingStart start{.previous = &before.lfts,
                     .before = before,
                     .conflict_removal = routing::ConflictRemoval::always};
  Findings ignored;
  const auto routed = decide_routing(context, subnet.fabric, physical,
                                     placed(kept, subnet.fabric, subnet.lids), start, ignored);
  return routed && routed->routing.lfts != before.lfts;
}

std::shared_ptr<const routing::RoutingState> without_conflicts(const routing::RoutingState& state) {
  auto own = std::make_shared<routing::RoutingState>(state);
  own->conflicts_removed = true;
  return own;
}

std::shared_ptr<const routing::RoutingState> without_adoption(const routing::RoutingState& state) {
  auto own = std::make_shared<routing::RoutingState>(state);
  own->adopted = false;
  own->choice = nullptr;
  own->conflicts_removed = true;  // as in the choice that they were compared with
  return own;
}

std::shared_ptr<const routing::RoutingState> with_unused_channels(
    const routing::RoutingState& state) {
  auto own = std::make_shared<routing::RoutingState>(state);
  own->gained = true;
  return own;
}

std::shared_ptr<const routing::RoutingState> balanced(const routing::RoutingState& state) {
  auto own = std::make_shared<routing::RoutingState>(state);
  own->gained = false;
  return own;
}

}  // namespace sm
