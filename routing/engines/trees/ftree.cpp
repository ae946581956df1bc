#include "routing/engines/trees/tree_engines.h"

#include <algorithm>
#include <map>
#include <optional>

#include "mad/format.h"
#include "routing/engines/trees/tree_routes.h"
#include "routing/graph/in_tree.h"
#include "routing/graph/roots.h"

namespace routing {

using fabric::SwitchIndex;

namespace {

constexpr std::uint32_t kLevelsMin = 2, kLevelsMax = 8;

class FatTree {
 public:
  explicit FatTree(const RoutingInput& input)
      : input_(input),
        compute_(input, input.options.compute_nodes),
        io_(input, input.options.io_nodes),
        all_(targets(input)) {}

  tl::expected<RoutingResult, Refusal> route() {
    if (auto why = further_lids()) return tl::unexpected(Refusal{std::move(*why)});
    TreeHints hints{.roots = named_roots(input_, notes_),
                    .leaves = {},
                    .may_be_cut = input_.options.max_reverse_hops > 0};
    if (!compute_.empty() || !io_.empty()) hints.leaves = compute_leaves();
    auto tree = tree_levels(input_, hints);
    if (!tree) return tl::unexpected(std::move(tree.error()));
    if (tree->height < kLevelsMin || tree->height > kLevelsMax)
      return tl::unexpected(
          Refusal{fmt::format("the tree has {} level{} of switches; ftree supports {} to {}",
                              tree->height, tree->height == 1 ? "" : "s", kLevelsMin, kLevelsMax)});
    if (auto why = several_levels(*tree)) return tl::unexpected(Refusal{std::move(*why)});
    const TreePlan plan(input_, std::move(*tree));
    // A tree that was even when it was first routed still counts as even: a lost link is no reason
    // to move all paths.
    if (hints.roots.empty() && input_.previous_routing == nullptr)
      if (auto why = uneven_level(plan))
        return tl::unexpected(Refusal{fmt::format("{}; root_guid_file allows uneven trees", *why)});
    const TreeTargets order = tree_targets(
        input_, plan.levels, plan.groups, [&](const Target& target) { return is_compute(target); },
        true);
    auto result = route_tree(plan, order, PathChoice::by_count, notes_);
    if (!result) return result;
    if (input_.options.quasi_ftree_indexing)
      notes_.add("quasi_ftree_indexing has no effect: switches are identified by their links");
    if (!plan.levels.cut.empty()) {
      if (auto why = too_many_reverse_hops(plan, order, result->lfts))
        return tl::unexpected(Refusal{std::move(*why)});
      result->may_deadlock = true;
      notes_.add(fmt::format(
          "{}; their paths go up after going down (max_reverse_hops); a credit loop is possible",
          plan.levels.cut));
    }
    result->conditions = notes_.take();
    return result;
  }

 private:
  bool is_compute(const Target& target) const {
    return !target.is_switch() && (compute_.empty() ? !io_.has(target) : compute_.has(target));
  }
  std::string name(SwitchIndex sw) const {
    return input_.fabric.name(input_.fabric.switches[sw].node);
  }

  std::optional<std::string> further_lids() const {
    for (const Target& target : all_)
      if (target.lids.count() > 1)
        return fmt::format("{} has {} LIDs; ftree supports one LID per port (lmc 0)",
                           input_.fabric.port_name(target.end->port), target.lids.count());
    return std::nullopt;
  }

  std::vector<SwitchIndex> compute_leaves() const {
    std::vector<SwitchIndex> out;
    for (const Target& target : all_)
      if (is_compute(target) && (out.empty() || out.back() != target.end->sw))
        out.push_back(target.end->sw);
    return out;
  }

  std::optional<std::string> several_levels(const TreeLevels& tree) const {
    const std::vector<SwitchIndex> leaves = compute_leaves();
    for (const SwitchIndex sw : leaves)
      if (tree.level[sw] != tree.level[leaves.front()])
        return fmt::format(
            "compute nodes are attached to switches of different levels, such as {} and {}; "
            "cn_guid_file or io_guid_file can exclude hosts",
            name(leaves.front()), name(sw));
    return std::nullopt;
  }

  // Holds properties that all switches of one level must share.
  struct Links {
    std::size_t links = 0, groups = 0, fewest = ~std::size_t{0},
                most = 0;  // up or down; of one group
    auto operator<=>(const Links&) const = default;
  };

  Links links_to(const TreePlan& plan, SwitchIndex sw, std::uint32_t level) const {
    Links out;
    for (const LinkGroup& group : plan.groups.of(sw)) {
      if (plan.levels.level[group.to] != level || plan.levels.idle[group.to] != 0) continue;
      out.links += group.links;
      ++out.groups;
      out.fewest = std::min<std::size_t>(out.fewest, group.links);
      out.most = std::max<std::size_t>(out.most, group.links);
    }
    return out;
  }

  // Names the first switch that differs from most of its level, and one that does not.
  std::optional<std::string> uneven_level(const TreePlan& plan) const {
    const auto by_level = switches_by_level(plan.levels);
    for (std::uint32_t level = 0; level < by_level.size(); ++level)
      for (const bool up : {true, false}) {
        if (up ? level + 1 == by_level.size() : level == 0) continue;
        std::map<Links, std::size_t> kinds;
        for (const SwitchIndex sw : by_level[level])
          ++kinds[links_to(plan, sw, up ? level + 1 : level - 1)];
        if (kinds.size() < 2) continue;
        const Links usual = std::ranges::max_element(kinds, {}, [](const auto& kind) {
                              return kind.second;
                            })->first;
        const auto is_usual = [&](SwitchIndex sw) {
          return links_to(plan, sw, up ? level + 1 : level - 1) == usual;
        };
        const SwitchIndex odd = *std::ranges::find_if_not(by_level[level], is_usual),
                          other = *std::ranges::find_if(by_level[level], is_usual);
        return difference(odd, links_to(plan, odd, up ? level + 1 : level - 1), other, usual, level,
                          up);
      }
    return std::nullopt;
  }

  std::string difference(SwitchIndex odd, const Links& has, SwitchIndex other, const Links& usual,
                         std::uint32_t level, bool up) const {
    const std::string subject = level == 0 ? fmt::format("leaf {}", name(odd)) : name(odd);
    const char* const direction = up ? "up" : "down";
    if (has.links != usual.links)
      return fmt::format("{} has {} {}-links, {} has {}", subject, has.links, direction,
                         name(other), usual.links);
    if (has.groups != usual.groups)
      return fmt::format("{} has {}-links to {} switches, {} to {}", subject, direction, has.groups,
                         name(other), usual.groups);
    return fmt::format("{} has {} to {} {}-links to each switch, {} has {} to {}", subject,
                       has.fewest, has.most, direction, name(other), usual.fewest, usual.most);
  }

  std::optional<std::string> too_many_reverse_hops(const TreePlan& plan, const TreeTargets& order,
                                                   const fabric::ForwardingTables& lfts) const {
    const fabric::SwitchGraph& graph = input_.graph;
    const std::vector<std::uint32_t> hosts = hosts_per_switch(input_);
    InTree tree(graph, lfts);
    std::vector<unsigned> reverse(graph.switches());  // hops down before the last hop up
    std::vector<bool> climbs(graph.switches());
    for (const TreeTargets::Run& run : order.runs) {
      const auto lid =
          std::find_if(order.lid.begin() + run.begin, order.lid.begin() + run.hosts_end,
                       [](std::uint16_t value) { return value != 0; });
      if (lid == order.lid.begin() + run.hosts_end) continue;
      tree.trace(mad::Lid{*lid}, run.sw,
                 mad::PortNum{order.out[static_cast<std::size_t>(lid - order.lid.begin())]});
      reverse[run.sw] = 0;
      climbs[run.sw] = false;
      for (const SwitchIndex sw : tree.near_first()) {
        const SwitchIndex next = graph.neighbour[tree.channel(sw)];
        const bool up = plan.levels.order[next] < plan.levels.order[sw];
        reverse[sw] = reverse[next] + (!up && climbs[next] ? 1u : 0u);
        climbs[sw] = up || climbs[next];
        if (hosts[sw] > 0 && reverse[sw] > input_.options.max_reverse_hops)
          return fmt::format(
              "the path from {} to {} goes down {} times before it goes up; "
              "max_reverse_hops is {}",
              name(sw), name(run.sw), reverse[sw], input_.options.max_reverse_hops);
      }
    }
    return std::nullopt;
  }

  const RoutingInput& input_;
  PortList compute_, io_;
  std::vector<Target> all_;
  fabric::ConditionList notes_{fabric::ConditionId::routing_note};
};

}  // namespace

tl::expected<RoutingResult, Refusal> ftree(const RoutingInput& input) {
  return FatTree(input).route();
}

}  // namespace routing
