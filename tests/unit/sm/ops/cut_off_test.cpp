// Hosts that a plan without a switch cuts off, and writes that it leaves out.

#include "sm/ops/cut_off.h"

#include <gmock/gmock.h>

#include "mad/format.h"
#include "unit/sm/ops/api/published.h"

namespace cut_off_test {

using fabric::PortIndex;
using testing::HasSubstr;

class CutOff : public testing::Test {
 protected:
  sm::CutOff without(const std::vector<std::string>& names) {
    const auto taken = sm::disable_links(fabric, subnet->lids, names);
    EXPECT_TRUE(taken) << taken.error();
    return sm::find_cut_off(fabric, subnet->lids);
  }
  PortIndex first_port(const char* name) const {
    for (const fabric::NodeIndex node : fabric.nodes.indices())
      if (fabric.description(node) == name) return fabric.nodes[node].first_port;
    return fabric::kNoIndex;
  }

  std::shared_ptr<const fabric::Subnet> subnet = published::routed(published::small_tree());
  fabric::Fabric fabric = subnet->fabric;
};

TEST_F(CutOff, ASwitchThatGoesTakesItsHostsWithIt) {
  const sm::CutOff cut_off = without({"leaf-1"});
  EXPECT_EQ(cut_off.hosts.size(), 2u);
  EXPECT_EQ(cut_off.pairs, 10u) << "of 12 pairs of hosts 2 are left";
  EXPECT_THAT(sm::cut_off_text(fabric, cut_off),
              HasSubstr("2 hosts would be cut off: \"n2 mlx5_0\""));
  sm::Plan plan;
  plan.stages.push_back({.kind = sm::StageKind::forwarding_tables, .writes = {}});
  for (const char* name : {"leaf-0", "leaf-1", "spine-0", "n0 mlx5_0", "n3 mlx5_0"})
    plan.stages[0].writes.push_back({.port = first_port(name)});
  plan.stages.push_back(
      {.kind = sm::StageKind::forwarding_tables, .writes = {{.port = first_port("leaf-1")}}});
  sm::drop_writes(fabric, cut_off, plan);
  ASSERT_EQ(plan.stages.size(), 1u);
  ASSERT_EQ(plan.stages[0].writes.size(), 3u);
  EXPECT_EQ(plan.stages[0].writes[2].port, first_port("n0 mlx5_0"));
}

/// The manager is at the first host.
TEST_F(CutOff, TheSwitchOfTheManagerTakesNoMoreHostsWithIt) {
  const sm::CutOff cut_off = without({"leaf-0"});
  EXPECT_EQ(cut_off.hosts.size(), 2u);
  EXPECT_EQ(cut_off.pairs, 10u);
}

TEST_F(CutOff, ASwitchWithoutUplinksKeepsItsHosts) {
  const sm::CutOff cut_off = without({"leaf-1:3", "leaf-1:4"});
  EXPECT_EQ(cut_off.hosts.size(), 2u);
  EXPECT_EQ(cut_off.pairs, 0u) << "tables say what becomes of them";
}

TEST_F(CutOff, ASpineThatGoesCutsOffNoHost) {
  const sm::CutOff cut_off = without({"spine-0"});
  EXPECT_TRUE(cut_off.hosts.empty());
  EXPECT_EQ(sm::cut_off_text(fabric, cut_off), "");
  EXPECT_TRUE(without({}).hosts.empty());
}

TEST_F(CutOff, NothingTakenAwayIsEmpty) {
  EXPECT_TRUE(sm::find_cut_off(subnet->fabric, subnet->lids).is_empty());
}

}  // namespace cut_off_test
