#include "sm/sweep/decide/adoption_price.h"

#include <gtest/gtest.h>

#include "sm/ctl/topology/generators.h"
#include "sm/sweep/decide/decide.h"
#include "support/fabrics.h"
#include "virt/vport_lids.h"

namespace adoption_price_test {

/// Two levels, four spines. The host with LID 1 has vports with LIDs of their own.
struct AdoptionPrice : testing::Test {
  static constexpr unsigned kVports = 20;

  AdoptionPrice() {
    subnet.fabric = fabrics::from_topology(
        topology::xgft({.children = {3, 4}, .parents = {1, 4}, .cables = {}}));
    physical = fabrics::assign_lids(subnet.fabric);
    subnet.lids = physical;
    subnet.lids.port_of_lid.resize(physical.lid_top.value + 1u + kVports,
                                   physical.owner(mad::Lid{1}));
    subnet.lids.lid_top = mad::Lid{static_cast<std::uint16_t>(physical.lid_top.value + kVports)};
    context.options.routing_engine = {"minhop"};
    sm::Findings findings;
    auto routed = sm::decide_routing(context, subnet.fabric, physical, {}, {}, findings);
    own = std::make_shared<fabric::ForwardingTables>(std::move(routed->routing.lfts));
    use(*own);
    chosen.choice = own;
  }
  /// These tables, with the LIDs of vports, are the ones in use.
  void use(const fabric::ForwardingTables& tables) {
    subnet.lfts = virt::with_vport_lids(std::make_shared<fabric::ForwardingTables>(tables),
                                        subnet.fabric, physical, subnet.lids);
  }
  auto price(const routing::RoutingState& state) const {
    return sm::routing_price(context, subnet, {}, state);
  }

  fabric::Subnet subnet;
  fabric::LidMap physical;
  sm::SweepContext context;
  std::shared_ptr<fabric::ForwardingTables> own;
  routing::RoutingState chosen, not_computed;  // with and without the choice of the engine
};

TEST_F(AdoptionPrice, OwnTablesWithLidsOfVportsAreNoOthers) {
  EXPECT_FALSE(price(chosen));
  EXPECT_FALSE(price(not_computed));
}

TEST_F(AdoptionPrice, LoadsAreOfTheLidsThatTheEngineDistributes) {
  const fabric::SwitchGraph graph = fabric::make_switch_graph(subnet.fabric);
  fabric::ForwardingTables found = *own;
  const fabric::SwitchIndex leaf =
      subnet.fabric.owning_node(subnet.fabric.ports[physical.owner(mad::Lid{1})].peer).switch_index;
  const std::span<std::uint8_t> row = found.writable_row(leaf);
  for (unsigned lid = 4; lid <= 12; ++lid) row[lid] = row[4];  // all other leaves by one link
  use(found);
  for (const routing::RoutingState* state : {&chosen, &not_computed}) {
    const auto found_price = price(*state);
    ASSERT_TRUE(found_price);
    EXPECT_EQ(found_price->worst_load, routing::all_to_all(graph, physical, found).worst);
    EXPECT_EQ(found_price->worst_load_rerouted, routing::all_to_all(graph, physical, *own).worst);
  }
}

}  // namespace adoption_price_test
