#include "sm/sweep/apply/possible_loops.h"

#include <cstdint>
#include <utility>

namespace sm {
namespace {

enum class Visit : std::uint8_t { none, open, done };

/// Returns the switch at the other end of the link, or kNoIndex.
SwitchIndex next_switch(const Fabric& fabric, SwitchIndex sw, unsigned number) {
  const fabric::Node& node = fabric.nodes[fabric.switches[sw].node];
  if (number == 0 || number > node.num_ports) return fabric::kNoIndex;
  const fabric::PortIndex port = node.first_port + number;
  if (!fabric.is_link_up(port)) return fabric::kNoIndex;
  return fabric.owning_node(fabric.ports[port].peer).switch_index;
}

}  // namespace

bool may_loop(const Fabric& fabric, const PossiblePorts& ports) {
  struct Open {  // a switch on the way
    SwitchIndex sw;
    fabric::PortSet left;  // ports that were not followed yet
  };
  fabric::IndexVector<SwitchIndex, Visit> visits(fabric.switches.size(), Visit::none);
  std::vector<Open> way;
  for (const SwitchIndex begin : fabric.switches.indices()) {
    if (visits[begin] != Visit::none) continue;
    visits[begin] = Visit::open;
    way.push_back({begin, ports(begin)});
    while (!way.empty()) {
      Open& last = way.back();
      if (last.left.none()) {
        visits[last.sw] = Visit::done;
        way.pop_back();
        continue;
      }
      const std::size_t number = last.left._Find_first();
      last.left.reset(number);
      const SwitchIndex next = next_switch(fabric, last.sw, static_cast<unsigned>(number));
      if (next == fabric::kNoIndex || visits[next] == Visit::done) continue;
      if (visits[next] == Visit::open) return true;
      visits[next] = Visit::open;
      way.push_back({next, ports(next)});
    }
  }
  return false;
}

}  // namespace sm
