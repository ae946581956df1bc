#include "sm/sweep/decide/adoption_price.h"

#include "fabric/switch_graph.h"
#include "mad/format.h"
#include "sm/sweep/decide/decide.h"

namespace sm {
namespace {
constexpr std::size_t kDestinationsAtOnce = 64;
}

std::optional<RoutingPrice> routing_price(const SweepContext& context, const Subnet& subnet,
                                          const KeptLids& kept,
                                          const routing::RoutingState& state) {
  std::shared_ptr<const ForwardingTables> choice = state.choice;
  if (!choice) {
    Findings ignored;
    const KeptLids routed_too = placed(kept, subnet.fabric, subnet.lids);
    auto routed = decide_routing(context, subnet.fabric, subnet.lids, routed_too, {}, ignored);
    if (!routed) return std::nullopt;
    choice = std::make_shared<const ForwardingTables>(std::move(routed->routing.lfts));
  }
  const SwitchGraph graph = make_switch_graph(subnet.fabric);
  routing::TableComparison comparison(graph, subnet.lids, *subnet.lfts, *choice);
  if (comparison.changes().entries == 0) return std::nullopt;
  while (comparison.proceed(kDestinationsAtOnce)) {
  }
  return RoutingPrice{.changes = comparison.changes(),
                      .worst_load = comparison.worst_load_before(),
                      .worst_load_anew = comparison.worst_load_after(),
                      .unused = comparison.unused_before(),
                      .unused_anew = comparison.unused_after()};
}

bool is_unbalanced(const RoutingPrice& price) {
  return price.worst_load * 20 > price.worst_load_anew * 21 || price.unused > price.unused_anew;
}

std::optional<Condition> imbalance(const RoutingPrice& price, const config::Options& options,
                                   bool adopted) {
  if (!is_unbalanced(price)) return std::nullopt;
  const std::string next =
      options.rebalance ? fmt::format("all routes are chosen again after {} s without a change",
                                      options.rebalance_quiet_time)
                        : "`heddlectl rebalance` chooses all routes again";
  return Condition{
      .id = ConditionId::routing_unbalanced,
      .text = fmt::format("{}: greatest load of a link {} pairs, {} possible; {} channels without "
                          "load, {} necessary; {}",
                          adopted ? "tables found on the fabric do not use all links"
                                  : "links or switches were added",
                          price.worst_load, price.worst_load_anew, price.unused, price.unused_anew,
                          next)};
}

Condition price_of_adoption(const RoutingPrice& price, const Subnet& subnet) {
  return Condition{
      .id = ConditionId::routing_adopted,
      .text = fmt::format(
          "tables found on the fabric were kept: {} paths in {} blocks differ from what {} would "
          "choose; greatest load of a link {} pairs instead of {}; `heddlectl rebalance` replaces "
          "them",
          price.changes.paths, price.changes.blocks, subnet.routing->engine, price.worst_load,
          price.worst_load_anew)};
}

std::shared_ptr<const routing::RoutingState> without_adoption(const routing::RoutingState& state) {
  auto own = std::make_shared<routing::RoutingState>(state);
  own->adopted = false;
  own->choice = nullptr;
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
