#pragma once
// The root switches of a fabric.

#include <string>
#include <vector>

#include "fabric/condition.h"
#include "routing/core/engine.h"
#include "routing/graph/hops.h"

namespace routing {

/// The switches that RoutingOptions::roots names: a switch itself, or those that a host or router
/// is attached to. Sorted. Adds a note for each GUID that is not in the fabric.
std::vector<fabric::SwitchIndex> named_roots(const RoutingInput& input,
                                             fabric::ConditionList& notes);

struct FoundRoots {
  std::vector<fabric::SwitchIndex> roots;  // sorted; empty: none was found
  std::string how;                         // the criterion, or why none was found
};
/// Source: the distances of the hosts, see engines.h.
FoundRoots find_roots(const RoutingInput& input);

/// Adds a root for each connected component that has none: the switch that `before` orders first.
template <class Before>
void root_every_component(const fabric::SwitchGraph& graph, std::vector<fabric::SwitchIndex>& roots,
                          Before&& before) {
  const std::vector<std::uint32_t> component = components(graph);
  std::vector<fabric::SwitchIndex> first(graph.switches(), fabric::kNoIndex);
  std::vector<bool> rooted(graph.switches(), false);
  for (const fabric::SwitchIndex root : roots) rooted[component[root]] = true;
  for (const fabric::SwitchIndex sw : graph.all_switches())
    if (first[component[sw]] == fabric::kNoIndex || before(sw, first[component[sw]]))
      first[component[sw]] = sw;
  for (std::size_t i = 0; i < first.size(); ++i)
    if (first[i] != fabric::kNoIndex && !rooted[i]) roots.push_back(first[i]);
}

}  // namespace routing
