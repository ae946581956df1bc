#pragma once
// Which switches are the top of a fabric.

#include <string>
#include <vector>

#include "routing/engine.h"
#include "routing/note_list.h"

namespace routing {

/// The switches that RoutingOptions::roots names: a switch itself, or those that a host or router hangs on. Sorted; GUIDs that the fabric does not have are noted.
std::vector<sm::SwitchIndex> named_roots(const RoutingInput& input, NoteList& notes);

struct FoundRoots {
  std::vector<sm::SwitchIndex> roots;  // sorted; empty: none
  std::string how;                     // or why none, in an operator's words
};
/// By the distances of the hosts, see updn.h.
FoundRoots find_roots(const RoutingInput& input);

}  // namespace routing
