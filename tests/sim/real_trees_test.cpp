// Whole managers on a fabric as a site has it: 542 hosts, aggregation nodes in all switches,
// management leaves, missing cables.

#include "routing/core/routing_conditions.h"
#include "routing/quality/quality.h"
#include "routing/trees/tree_targets.h"
#include "sim/laboratory.h"
#include "support/real_fabrics.h"

namespace real_trees_test {

using laboratory::Solo;
using mad::AttributeId;
using mad::Method;
using namespace std::chrono_literals;

class RealTree : public Solo {
 public:
  explicit RealTree(const char* engine) : Solo(real_fabrics::read("ndr-542")) {
    options.routing_engine = {engine};
    options.connect_roots = true;  // the simulator's checks expect paths between spines
  }

  double load() const {
    const auto subnet = status().subnet;
    const fabric::SwitchGraph graph = fabric::make_switch_graph(subnet->fabric);
    const routing::RoutingOptions of_routing;
    const auto hosts = routing::hosts_along_tree({subnet->fabric, graph, subnet->lids, of_routing});
    return routing::shift_load(graph, *subnet->lfts, hosts, 7).mean;
  }
  std::map<std::string, std::vector<std::uint8_t>> tables() const {
    std::map<std::string, std::vector<std::uint8_t>> all;
    for (const sim::NodeModel& node : model.nodes)
      if (node.is_switch()) all[node.description] = node.sw->lft;
    return all;
  }
  std::uint64_t lft_sets() { return sent(Method::set, AttributeId::linear_forwarding_table); }
  /// A link between switches, not the first ones.
  sim::PortIndex uplink() const {
    std::size_t skip = 200;
    for (const sim::PortIndex port : model.ports.indices())
      if (model.owning_node(port).is_switch() && far(port) != sim::kNone &&
          model.owning_node(far(port)).is_switch() && skip-- == 0)
        return port;
    return sim::kNone;
  }
};

TEST(RealTrees, RoutesMoveOnceAfterTheBringUpAndAreKept) {
  RealTree lab("auto");
  ASSERT_TRUE(lab.start_and_settle()) << lab.complaint() << lab.tail();
  EXPECT_EQ(lab.status().subnet->routing->engine, "dmodc");
  EXPECT_EQ(lab.raised(routing::kRoutingConditions.routing_limit), 0u) << lab.tail();
  const double first = lab.load();
  lab.runtime.run_for(20s);
  EXPECT_EQ(lab.complaint(), "");
  EXPECT_TRUE(lab.says("fewer flows of shift permutations share a link")) << lab.tail();
  EXPECT_LT(lab.load(), first - 0.5);
  EXPECT_LE(lab.load(), 2.41);
  const auto tables = lab.tables();
  EXPECT_LE(lab.lft_sets(), 400u);  // blocks: 40 switches with 10 each

  // Nothing more moves, and a second start keeps all.
  lab.forget_counts();
  lab.runtime.run_for(60s);
  EXPECT_EQ(lab.lft_sets(), 0u);
  lab.heddle().stop();
  ASSERT_TRUE(lab.start_and_settle()) << lab.complaint() << lab.tail();
  lab.runtime.run_for(60s);
  EXPECT_EQ(lab.lft_sets(), 0u);
  EXPECT_TRUE(lab.tables() == tables) << lab.log();
  EXPECT_EQ(lab.raised(routing::kRoutingConditions.routing_adopted), 0u) << lab.tail();

  // What a loss moves comes back.
  const sim::PortIndex link = lab.uplink();
  const sim::PortIndex other = lab.far(link);
  lab.world.cut(link);
  ASSERT_TRUE(lab.settles()) << lab.complaint() << lab.tail();
  lab.runtime.run_for(30s);
  EXPECT_FALSE(lab.tables() == tables);
  lab.world.connect(link, other);
  ASSERT_TRUE(lab.settles()) << lab.complaint() << lab.tail();
  lab.runtime.run_for(30s);
  EXPECT_TRUE(lab.tables() == tables);
}

TEST(RealTrees, NothingMovesWithoutRebalance) {
  RealTree lab("dmodc");
  lab.options.rebalance = false;
  ASSERT_TRUE(lab.start_and_settle()) << lab.complaint() << lab.tail();
  lab.forget_counts();
  lab.runtime.run_for(400s);
  EXPECT_EQ(lab.lft_sets(), 0u);
}

class RealTreeWith : public testing::TestWithParam<const char*> {};

TEST_P(RealTreeWith, EveryHostIsReachedWithoutACreditLoop) {
  RealTree lab(GetParam());
  ASSERT_TRUE(lab.start_and_settle()) << lab.complaint() << lab.tail();
  EXPECT_EQ(lab.status().subnet->routing->engine, GetParam());
  EXPECT_EQ(lab.raised(routing::kRoutingConditions.routing_refused), 0u) << lab.tail();
}
INSTANTIATE_TEST_SUITE_P(All, RealTreeWith, testing::Values("updn", "dnup", "ftree", "minhop"));

}  // namespace real_trees_test
