#include "routing/engines/trees/tree_engines.h"

#include <optional>

#include "mad/format.h"
#include "routing/core/routing_conditions.h"
#include "routing/graph/roots.h"
#include "routing/trees/tree_routes.h"

namespace routing {

using fabric::SwitchIndex;

namespace {

class FatTree {
 public:
  explicit FatTree(const RoutingInput& input)
      : input_(input),
        compute_(input, input.options.compute_nodes),
        io_(input, input.options.io_nodes),
        all_(targets(input)) {}

  tl::expected<RoutingResult, Refusal> route() {
    if (auto why = further_lids()) return tl::unexpected(Refusal{std::move(*why)});
    NamedRoots named = named_roots(input_);
    if (!named.refusal.empty()) return tl::unexpected(Refusal{std::move(named.refusal)});
    TreeHints hints{.roots = std::move(named.roots), .leaf_hosts = {}};
    if (!compute_.empty() || !io_.empty()) hints.leaf_hosts = compute_per_switch();
    auto tree = tree_levels(input_, hints);
    if (!tree) return tl::unexpected(std::move(tree.error()));
    const TreePlan plan(input_, std::move(*tree));
    const TreeTargets order = tree_targets(
        input_, plan.levels, plan.groups, [&](const Target& target) { return is_compute(target); });
    auto result = route_tree(plan, order, PathChoice::by_count, notes_);
    if (!result) return result;
    if (input_.options.quasi_ftree_indexing)
      notes_.add("quasi_ftree_indexing has no effect: switches are identified by their links");
    if (input_.options.max_reverse_hops > 0)
      notes_.add("max_reverse_hops has no effect: every pair of hosts has a path");
    result->conditions = notes_.take();
    return result;
  }

 private:
  bool is_compute(const Target& target) const {
    return target.is_host() && (compute_.empty() ? !io_.has(target) : compute_.has(target));
  }

  std::optional<std::string> further_lids() const {
    for (const Target& target : all_)
      if (target.lids.count() > 1)
        return fmt::format("{} has {} LIDs; ftree supports one LID per port (lmc 0)",
                           input_.fabric.port_name(target.end->port), target.lids.count());
    return std::nullopt;
  }

  std::vector<std::uint32_t> compute_per_switch() const {
    std::vector<std::uint32_t> out(input_.graph.switches(), 0);
    for (const Target& target : all_) out[target.end->sw] += is_compute(target) ? 1u : 0u;
    return out;
  }

  const RoutingInput& input_;
  PortList compute_, io_;
  std::vector<Target> all_;
  fabric::ConditionList notes_{kRoutingConditions.routing_note};
};

}  // namespace

tl::expected<RoutingResult, Refusal> ftree(const RoutingInput& input) {
  return FatTree(input).route();
}

}  // namespace routing
