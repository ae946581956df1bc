// ibdmchk as the reference: it knows forwarding tables only, so it gets some in which switches
// choose members of groups at random, each LID another one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mad/format.h"
#include "routing/registry.h"
#include "sm/ctl/topology/decorate.h"
#include "sm/ctl/topology/generators.h"
#include "support/fabrics.h"
#include "support/require_tool.h"
#include "unit/routing/ibdmchk.h"

namespace ibdmchk_test {

using fabric::SwitchIndex;
using fabrics::Subnet;

/// Every entry is a member of the group, where there is one with ports.
fabric::ForwardingTables choose(const Subnet& subnet, const routing::RoutingResult& routed,
                                topology::Random& random) {
  fabric::ForwardingTables lfts = routed.lfts;
  for (const SwitchIndex sw : subnet.graph.all_switches())
    for (std::uint16_t lid = 1; lid <= subnet.lids.lid_top.value; ++lid) {
      const fabric::PortSet& members =
          routed.adaptive->ports(sw, routed.adaptive->find_group(mad::Lid{lid}));
      if (members.none()) continue;
      std::size_t port = members._Find_first();
      for (std::size_t skip = random.below(members.count()); skip > 0; --skip)
        port = members._Find_next(port);
      lfts.writable_row(sw)[lid] = static_cast<std::uint8_t>(port);
    }
  return lfts;
}

TEST(ChosenMembers, AllPathsArriveWithoutCreditLoopsSaysIbdmchk) {
  HEDDLE_REQUIRE_TOOL("ibdmchk", "ibutils");
  for (const topology::Topology& topology :
       {topology::fat_tree({.hosts = 54, .radix = 6, .levels = 3}),
        topology::degrade(topology::fat_tree({.hosts = 64, .radix = 8, .levels = 3}), 0.05, 1),
        topology::xgft({.children = {4, 4}, .parents = {1, 2}, .cables = {1, 3}})}) {
    const Subnet subnet(fabrics::from_topology(topology));
    const routing::RoutingOptions options;
    const auto routed =
        routing::route_with_chain(std::vector<std::string>{"ar_updn"}, true,
                                  {subnet.fabric, subnet.graph, subnet.lids, options});
    ASSERT_TRUE(routed) << routed.error().why;
    const auto hosts = static_cast<std::size_t>(topology.count(topology::NodeType::ca));
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      SCOPED_TRACE(seed);
      topology::Random random(seed);
      const fabric::ForwardingTables chosen = choose(subnet, routed->routing, random);
      EXPECT_NE(chosen, routed->routing.lfts);
      EXPECT_THAT(ibdmchk::check(subnet, chosen),
                  testing::AllOf(testing::HasSubstr(
                                     fmt::format("Scanned:{} CA to CA paths", hosts * (hosts - 1))),
                                 testing::HasSubstr("no credit loops found"),
                                 testing::Not(testing::HasSubstr("-E-"))));
    }
  }
}

}  // namespace ibdmchk_test
