#pragma once
// The root switches of a fabric.

#include <string>
#include <vector>

#include "fabric/condition.h"
#include "routing/core/engine.h"
#include "routing/graph/hops.h"

namespace routing {

struct NamedRoots {
  std::vector<fabric::SwitchIndex> roots;  // sorted
  std::string refusal;                     // why an engine refuses the names; "": it does not
};
/// Returns the switches that RoutingOptions::roots names. A GUID of a host or router, or of nothing
/// in the fabric, is left out: SM-GUID-MISPLACED and SM-GUID-ABSENT name it. If hosts are named and
/// no switch, the file is wrong, and the names are refused. If nothing of the file is in the
/// fabric, engines find roots as without it.
NamedRoots named_roots(const RoutingInput& input);

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
