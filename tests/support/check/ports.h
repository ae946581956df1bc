#pragma once
// Shared by all checks: which ports count, and how many complaints are kept.

#include <string>
#include <utility>
#include <vector>

#include "support/check/checks.h"

namespace sim {

inline constexpr std::size_t kComplaintsMax = 20;  // of one check: more are not read

inline void complain(Complaints& complaints, std::string text) {
  if (complaints.size() < kComplaintsMax) complaints.push_back(std::move(text));
}

/// The end port is up: port 0 of a switch always, others with a trained link to a node that runs.
inline bool linked(const Model& model, const std::vector<bool>& reach, PortIndex port) {
  if (model.owning_node(port).is_switch()) return model.ports[port].number == 0;
  return model.link_up(port) && reach[model.ports[model.ports[port].peer].node];
}

/// LIDs of the port itself, then of its virtual ports that have their own.
std::vector<mad::Lid> lid_range(const Model& model, PortIndex port);

/// All end ports that are up, of reachable nodes.
template <class Each>
void for_each_end_port(const Model& model, const std::vector<bool>& reach, Each each) {
  for (const PortIndex port : model.ports.indices()) {
    if (reach[model.ports[port].node] && model.is_end_port(port) &&
        (model.ports[port].number != 0 || model.owning_node(port).is_switch()) &&
        linked(model, reach, port))
      each(port);
  }
}

}  // namespace sim
