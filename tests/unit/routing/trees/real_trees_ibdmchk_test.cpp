// ibdmchk as the reference: tables of real trees lead everywhere, and no packets wait in a cycle.

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mad/format.h"
#include "routing/registry.h"
#include "support/real_fabrics.h"
#include "support/require_tool.h"
#include "unit/routing/ibdmchk.h"

namespace real_trees_ibdmchk_test {

using fabrics::Subnet;

class RealTreesForIbdmchk : public testing::TestWithParam<const char*> {};

TEST_P(RealTreesForIbdmchk, AllPathsArriveWithoutCreditLoops) {
  HEDDLE_REQUIRE_TOOL("ibdmchk", "ibutils");
  const Subnet subnet = real_fabrics::subnet(GetParam());
  for (const std::string engine : {"dmodc", "ftree", "updn", "minhop"}) {
    SCOPED_TRACE(engine);
    const routing::RoutingOptions options;
    routing::RoutingInput input{subnet.fabric, subnet.graph, subnet.lids, options};
    input.conflict_removal = routing::ConflictRemoval::always;
    const auto routed = routing::route_with_chain({{engine}}, true, input);
    ASSERT_TRUE(routed) << routed.error().why;
    const std::size_t ends = subnet.graph.end_ports.size() - subnet.graph.switches();
    EXPECT_THAT(
        ibdmchk::check(subnet, routed->routing.lfts),
        testing::AllOf(
            testing::HasSubstr(fmt::format("Scanned:{} CA to CA paths", ends * (ends - 1))),
            testing::HasSubstr("no credit loops found"), testing::Not(testing::HasSubstr("-E-"))));
  }
}

INSTANTIATE_TEST_SUITE_P(All, RealTreesForIbdmchk, testing::Values("ndr-542", "made-director"),
                         [](const auto& tree) {
                           std::string name = tree.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace real_trees_ibdmchk_test
