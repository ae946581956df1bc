#include "fabric/fabric_builder.h"

#include <gtest/gtest.h>

#include <vector>

#include "fabric/topology/random_source.h"
#include "support/fabrics.h"
#include "support/seeds.h"

namespace fabric {
namespace fabric_builder_test {

/// The node at the end of a route from the manager's port, over links that are up; kNoIndex if it
/// leads nowhere, or through a node that does not forward.
NodeIndex get_end(const Fabric& draft, const mad::DirectedRoute& route) {
  NodeIndex node = draft.ports[draft.sm_port].node;
  bool is_first = true;
  for (const std::uint8_t hop : route.hops()) {
    const Node& from = draft.nodes[node];
    if ((!from.is_switch() && !is_first) || hop > from.num_ports) return kNoIndex;
    const PortIndex port = draft.port(node, mad::PortNum{hop});
    if (draft.ports[port].peer == kNoIndex || !draft.ports[port].is_up()) return kNoIndex;
    node = draft.ports[draft.ports[port].peer].node;
    is_first = false;
  }
  return node;
}

/// Every link to a switch is lost, some at a time: its routes are as short as those of a
/// builder that finds all links, and lead there.
TEST(FabricBuilder, LeavesLostLinksByRoutesAsShortAsAllNewOnes) {
  seeds::for_each(300, [](std::uint64_t seed) {
    topology::Random random(seed);
    const Fabric fabric = fabrics::random_fabric(seed);
    if (fabric.sm_port == kNoIndex) return;
    FabricBuilder some(fabric);
    some.refresh_routes();
    for (int round = 0; round < 12; ++round) {
      std::vector<mad::DirectedRoute> lost;
      for (unsigned links = 1 + static_cast<unsigned>(random.below(3)); links > 0; --links) {
        const Fabric& draft = some.draft();
        const auto port = static_cast<PortIndex>(random.below(draft.ports.size()));
        const PortIndex peer = draft.ports[port].peer;
        if (peer == kNoIndex) continue;
        for (const auto& [near, far] : {std::pair(port, peer), std::pair(peer, port)}) {
          const auto route = draft.owning_node(near).route.extended(draft.ports[near].number);
          if (route && draft.owning_node(far).is_switch() && *route == draft.owning_node(far).route)
            lost.push_back(*route);
        }
        some.disconnect(port);
      }
      FabricBuilder all = some;
      some.reroute_around(lost);
      all.refresh_routes();
      for (const Switch& sw : fabric.switches) {
        ASSERT_EQ(some.is_reachable(sw.node), all.is_reachable(sw.node))
            << "round " << round << ", " << fabric.name(sw.node);
        if (!all.is_reachable(sw.node)) continue;
        const mad::DirectedRoute& route = some.node(sw.node).route;
        EXPECT_EQ(route.hop_count(), all.node(sw.node).route.hop_count()) << fabric.name(sw.node);
        EXPECT_EQ(get_end(some.draft(), route), sw.node) << fabric.name(sw.node);
      }
    }
  });
}

/// A host with two links to one switch.
struct TwoLinks {
  TwoLinks() {
    const auto add = [&](mad::NodeType type, std::uint64_t guid) {
      mad::NodeInfo info;
      info.set_node_type(type);
      info.set_num_ports(2);
      info.set_node_guid(mad::Guid{guid});
      return builder.add(info, {});
    };
    host = add(mad::NodeType::ca, 1);
    const NodeIndex sw = add(mad::NodeType::switch_, 2);
    first = builder.port_index(host, mad::PortNum{1});
    second = builder.port_index(host, mad::PortNum{2});
    builder.connect(first, builder.port_index(sw, mad::PortNum{1}));
    builder.connect(second, builder.port_index(sw, mad::PortNum{2}));
  }

  FabricBuilder builder;
  NodeIndex host;
  PortIndex first, second;
};

TEST(FabricBuilder, APortWithoutALinkHasNoRouteByAnotherPortOfItsNode) {
  TwoLinks fabric;
  ASSERT_TRUE(fabric.builder.draft().route_to(fabric.second));
  fabric.builder.disconnect(fabric.second);
  EXPECT_FALSE(fabric.builder.draft().route_to(fabric.second));
  EXPECT_TRUE(fabric.builder.draft().route_to(fabric.first));
  fabric.builder.disconnect(fabric.first);  // the node's own route is all that is known
  EXPECT_TRUE(fabric.builder.draft().route_to(fabric.second));
}

TEST(FabricBuilder, TheManagersNodeIsReachedByItsOwnPortOnlyWithoutALink) {
  TwoLinks fabric;
  fabric.builder.set_sm_port(fabric.first);
  fabric.builder.disconnect(fabric.first);
  fabric.builder.disconnect(fabric.second);
  EXPECT_TRUE(fabric.builder.draft().route_to(fabric.first));
  EXPECT_FALSE(fabric.builder.draft().route_to(fabric.second));
}

}  // namespace fabric_builder_test
}  // namespace fabric
