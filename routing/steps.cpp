#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "config/engine_names.h"
#include "routing/core/routing_conditions.h"
#include "routing/graph/hops.h"
#include "routing/graph/sub_fabric.h"
#include "routing/registry.h"

namespace routing {
namespace {

/// The fabric that a step routes; without a part, the fabric of the input.
struct StepPart {
  std::optional<SubFabric> own;
  std::optional<fabric::SwitchGraph> own_graph;
};

std::string title(const ChainStep& step) {
  return fmt::format("step {} ({})", step.id, step.engine);
}

/// The tables of one step, of a part that is not empty.
struct RoutedStep {
  StepPart part;
  RoutingResult result;
};

tl::expected<RoutedStep, Refusal> route_step(const RoutingInput& input, const ChainStep& step) {
  const auto refusal = [&](std::string_view why) {
    return tl::unexpected(Refusal{fmt::format("{}: {}", title(step), why)});
  };
  const auto names = config::step_engines();
  if (std::ranges::find(names, step.engine) == names.end())
    return refusal("this engine cannot route a part");
  RoutedStep out;
  if (step.part != nullptr) {
    out.part.own = sub_fabric(input.fabric, input.lids, *step.part);
    if (out.part.own->fabric.switches.empty()) return refusal("no switch is in its part");
    out.part.own_graph = fabric::make_switch_graph(out.part.own->fabric);
  }
  const RoutingOptions& options = step.options != nullptr ? *step.options : input.options;
  const bool is_whole = !out.part.own.has_value();
  auto routed = find_engine(step.engine)
                    ->route({.fabric = is_whole ? input.fabric : out.part.own->fabric,
                             .graph = is_whole ? input.graph : *out.part.own_graph,
                             .lids = is_whole ? input.lids : out.part.own->lids,
                             .options = options});
  if (!routed) return refusal(routed.error().why);
  if (routed->vls > 1) return refusal("it would need virtual lanes of its own");
  routed->candidates = nullptr;  // of a fabric that is not the one of the input
  out.result = std::move(*routed);
  return out;
}

/// Routes the step, or the first of its fallbacks that is not refused; appends to `refusals`.
std::optional<RoutedStep> route_with_fallbacks(const RoutingInput& input, const ChainStep& step,
                                               std::vector<std::string>& refusals) {
  const auto attempt = [&](const ChainStep& tried) -> std::optional<RoutedStep> {
    auto routed = route_step(input, tried);
    if (routed) return std::move(*routed);
    refusals.push_back(std::move(routed.error().why));
    return std::nullopt;
  };
  if (auto routed = attempt(step)) return routed;
  for (const ChainStep& fallback : input.options.chain_steps) {
    if (fallback.fallback_to != step.id) continue;
    if (auto routed = attempt(fallback)) return routed;
  }
  return std::nullopt;
}

/// A LID of a part for which the engine has routes on all switches connected to the LID's switch.
struct RoutedLid {
  mad::Lid lid;
  std::uint32_t component;
};

std::vector<RoutedLid> routed_lids(const SubFabric& part, const fabric::SwitchGraph& graph,
                                   const std::vector<std::uint32_t>& component,
                                   const fabric::ForwardingTables& routes) {
  std::vector<RoutedLid> out;
  fabric::IndexVector<fabric::PortIndex, fabric::LidMap::Range> lids(part.fabric.ports.size());
  for (const fabric::EndPortIndex end_port : part.fabric.end_ports.indices())
    lids[part.fabric.end_ports[end_port]] = part.lids.of_end_port[end_port];
  for (const fabric::SwitchGraph::EndPort& end : graph.end_ports) {
    for (unsigned i = 0; i < lids[end.port].count(); ++i) {
      const RoutedLid to{mad::Lid{static_cast<std::uint16_t>(lids[end.port].base.value + i)},
                         component[end.sw]};
      bool is_complete = true;
      for (const fabric::SwitchIndex sw : graph.all_switches())
        is_complete &= component[sw] != to.component || routes.at(sw, to.lid) != mad::kNoPort;
      if (is_complete) out.push_back(to);
    }
  }
  return out;
}

/// Writes the routes of the part's LIDs into the tables of its switches.
void write_over(const SubFabric& part, const fabric::SwitchGraph& graph,
                const fabric::ForwardingTables& routes, fabric::ForwardingTables& tables) {
  const std::vector<std::uint32_t> component = components(graph);
  const std::vector<RoutedLid> lids = routed_lids(part, graph, component, routes);
  for (const fabric::SwitchIndex sw : graph.all_switches()) {
    const std::span<std::uint8_t> row = tables.writable_row(part.original[sw]);
    for (const RoutedLid& to : lids)
      if (to.component == component[sw]) row[to.lid.value] = routes.at(sw, to.lid).value;
  }
}

void add_conditions(const ChainStep& step, RoutingResult& from, RoutingResult& to) {
  for (fabric::Condition& condition : from.conditions) {
    condition.text = fmt::format("{}: {}", title(step), condition.text);
    to.conditions.push_back(std::move(condition));
  }
}

}  // namespace

tl::expected<RoutingResult, Refusal> route_in_steps(const RoutingInput& input) {
  std::optional<RoutingResult> result;
  for (const ChainStep& step : input.options.chain_steps) {
    if (step.fallback_to != 0) continue;
    std::vector<std::string> refusals;
    auto routed = route_with_fallbacks(input, step, refusals);
    const std::string why = fmt::format("{}", fmt::join(refusals, "; "));
    if (!result) {
      if (!routed) return tl::unexpected(Refusal{why});
      if (routed->part.own)
        return tl::unexpected(Refusal{title(step) + ": the first step has to route the fabric"});
      std::vector<fabric::Condition> conditions = std::exchange(routed->result.conditions, {});
      result.emplace(std::move(routed->result));
      routed->result.conditions = std::move(conditions);
      result->rows = nullptr;
    } else if (routed) {
      result->may_deadlock |= routed->result.may_deadlock;
      if (routed->part.own)
        write_over(*routed->part.own, *routed->part.own_graph, routed->result.lfts, result->lfts);
      else
        result->lfts = routed->result.lfts;
    }
    if (!refusals.empty())
      result->conditions.push_back(
          {.id = kRoutingConditions.routing_refused,
           .text = routed ? fmt::format("chain: {}; its fallback is used", why)
                          : fmt::format("chain: {}; the part keeps its routes", why)});
    if (routed) add_conditions(step, routed->result, *result);
  }
  if (!result) return tl::unexpected(Refusal{"no step is configured (rch_policy_file)"});
  result->multicast_up.clear();
  return std::move(*result);
}

}  // namespace routing
