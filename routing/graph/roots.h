#pragma once
// Which switches are the top of a fabric.

#include <string>
#include <vector>

#include "routing/core/engine.h"
#include "routing/core/note_list.h"
#include "routing/graph/hops.h"

namespace routing {

/// The switches that RoutingOptions::roots names: a switch itself, or those that a host or router
/// hangs on. Sorted; GUIDs that the fabric does not have are noted.
std::vector<sm::SwitchIndex> named_roots(const RoutingInput& input, NoteList& notes);

struct FoundRoots {
  std::vector<sm::SwitchIndex> roots;  // sorted; empty: none
  std::string how;                     // or why none, in an operator's words
};
/// By the distances of the hosts, see updn.h.
FoundRoots find_roots(const RoutingInput& input);

/// Adds a root for each piece of the fabric that has none yet: the switch that `before` puts first.
template <class Before>
void root_every_piece(const sm::SwitchGraph& graph, std::vector<sm::SwitchIndex>& roots,
                      Before&& before) {
  const std::vector<std::uint32_t> piece = components(graph);
  std::vector<sm::SwitchIndex> first(graph.switches(), sm::kNoIndex);
  std::vector<bool> rooted(graph.switches(), false);
  for (const sm::SwitchIndex root : roots) rooted[piece[root]] = true;
  for (sm::SwitchIndex sw = 0; sw < graph.switches(); ++sw)
    if (first[piece[sw]] == sm::kNoIndex || before(sw, first[piece[sw]])) first[piece[sw]] = sw;
  for (std::size_t i = 0; i < first.size(); ++i)
    if (first[i] != sm::kNoIndex && !rooted[i]) roots.push_back(first[i]);
}

}  // namespace routing
