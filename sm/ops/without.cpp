#include "sm/ops/without.h"

#include "fabric/find_port.h"
#include "mad/format.h"

namespace sm {

tl::expected<void, std::string> disable_links(Fabric& fabric, const LidMap& lids,
                                              std::span<const std::string> without) {
  for (const std::string& what : without) {
    const auto found = find_node(fabric, lids, what);
    if (!found) return tl::unexpected(fmt::format("{}: {}", what, found.error()));
    const Node& node = fabric.nodes[found->node];
    bool any = false;
    for (std::uint32_t i = 0; i < fabric.node_ports(found->node).size(); ++i) {
      Port& port = fabric.ports[node.first_port + i];
      if (port.peer == kNoIndex || (found->number && port.number.value != *found->number)) continue;
      port.info.set_port_state(mad::PortState::down);
      fabric.ports[port.peer].info.set_port_state(mad::PortState::down);
      any = true;
    }
    if (!any) return tl::unexpected(fmt::format("{}: there is no cable", what));
  }
  return {};
}

}  // namespace sm
