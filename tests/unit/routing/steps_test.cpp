
#include <gmock/gmock.h>

#include "routing/core/routing_conditions.h"
#include "routing/engines/distance/distance_engines.h"
#include "routing/engines/trees/tree_engines.h"
#include "routing/graph/sub_fabric.h"
#include "routing/registry.h"
#include "support/fabrics.h"

namespace steps_test {

using fabrics::Subnet;
using routing::ChainStep;
using routing::FabricPart;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A ring of five switches with a host each, and a tree of two spines and three leaves with two
/// hosts each; leaf 0 is linked to ring switch 0.
class Steps : public testing::Test {
 protected:
  static constexpr unsigned kRing = 5, kLeaves = 3;

  Steps() : subnet_(build()) {
    for (const fabric::NodeIndex node : ring_) add(ring_part_, node);
    for (const fabric::NodeIndex node : tree_) add(tree_part_, node);
    for (const fabric::PortIndex port : ring_hosts_)
      ring_part_.end_ports.push_back(subnet_.fabric.ports[port].guid);
    for (const fabric::PortIndex port : tree_hosts_)
      tree_part_.end_ports.push_back(subnet_.fabric.ports[port].guid);
  }

  fabric::Fabric build() {
    fabrics::Maker maker;
    for (unsigned i = 0; i < kRing; ++i) ring_.push_back(maker.sw());
    for (unsigned i = 0; i < kLeaves + 2; ++i) tree_.push_back(maker.sw());
    for (unsigned i = 0; i < kRing; ++i) maker.cable(ring_[i], ring_[(i + 1) % kRing]);
    for (unsigned leaf = 0; leaf < kLeaves; ++leaf)
      for (unsigned spine = 0; spine < 2; ++spine) maker.cable(tree_[leaf], tree_[kLeaves + spine]);
    maker.cable(ring_[0], tree_[0]);
    for (const fabric::NodeIndex node : ring_) ring_hosts_.push_back(maker.host(node));
    for (unsigned i = 0; i < 2 * kLeaves; ++i) tree_hosts_.push_back(maker.host(tree_[i / 2]));
    return maker.build();
  }
  void add(FabricPart& part, fabric::NodeIndex node) const {
    part.switches.push_back({.sw = subnet_.fabric.nodes[node].guid});
  }
  static ChainStep step(std::uint64_t id, std::string engine, const FabricPart* part = nullptr,
                        std::uint64_t fallback_to = 0) {
    return {.id = id,
            .engine = std::move(engine),
            .part = part != nullptr ? std::make_shared<const FabricPart>(*part) : nullptr,
            .fallback_to = fallback_to};
  }
  routing::RoutingInput input() const {
    return {subnet_.fabric, subnet_.graph, subnet_.lids, options_};
  }
  tl::expected<routing::ChainResult, routing::Refusal> run(std::vector<ChainStep> steps) {
    options_.chain_steps = std::move(steps);
    return routing::route_with_chain(std::vector<std::string>{"chain"}, true, input());
  }
  std::vector<std::string> texts(const routing::ChainResult& result) const {
    std::vector<std::string> out;
    for (const fabric::Condition& condition : result.routing.conditions)
      if (condition.id == routing::kRoutingConditions.routing_refused)
        out.push_back(condition.text);
    return out;
  }
  /// The switches of the part have the entries that the engine gives it as a fabric of its own.
  void expect_routes(const fabric::ForwardingTables& lfts, const FabricPart& part,
                     routing::RoutingFunction engine) const {
    const routing::SubFabric sub = routing::sub_fabric(subnet_.fabric, subnet_.lids, part);
    const Subnet own(sub.fabric, sub.lids);
    const auto alone = engine({own.fabric, own.graph, own.lids, options_});
    ASSERT_TRUE(alone);
    for (const fabric::PortIndex port : own.fabric.end_ports) {
      const mad::Lid lid = own.find_lid(port);
      if (std::ranges::any_of(own.graph.all_switches(), [&](fabric::SwitchIndex sw) {
            return alone->lfts.at(sw, lid) == mad::kNoPort;
          }))
        continue;  // such a LID keeps the routes of the steps before
      for (const fabric::SwitchIndex sw : own.graph.all_switches())
        EXPECT_EQ(lfts.at(sub.original[sw], lid), alone->lfts.at(sw, lid))
            << lid.value << " at " << sub.original[sw].value;
    }
  }

  std::vector<fabric::NodeIndex> ring_, tree_;
  std::vector<fabric::PortIndex> ring_hosts_, tree_hosts_;
  Subnet subnet_;
  FabricPart ring_part_, tree_part_;
  routing::RoutingOptions options_;
};

TEST_F(Steps, APartIsAFabricOfItsOwn) {
  const routing::SubFabric sub = routing::sub_fabric(subnet_.fabric, subnet_.lids, tree_part_);
  const fabric::SwitchGraph graph = fabric::make_switch_graph(sub.fabric);
  EXPECT_EQ(graph.switches(), kLeaves + 2);
  EXPECT_EQ(graph.port.size(), 2 * 2 * kLeaves);  // not the link to the ring
  EXPECT_EQ(graph.end_ports.size(), kLeaves + 2 + 2 * kLeaves);
  for (const fabric::EndPortIndex end_port : sub.fabric.end_ports.indices()) {
    const fabric::PortIndex port = sub.fabric.end_ports[end_port];
    const mad::Lid lid = sub.lids.of_end_port[end_port].base;
    EXPECT_EQ(sub.lids.owner(lid), port);
    EXPECT_EQ(subnet_.fabric.ports[subnet_.lids.owner(lid)].guid, sub.fabric.ports[port].guid);
  }
  for (const fabric::PortIndex port : ring_hosts_)
    EXPECT_EQ(sub.lids.owner(subnet_.find_lid(port)), fabric::kNoIndex);
}

TEST_F(Steps, PortsThatAPartDoesNotListLeadOut) {
  tree_part_.switches.front().ports = {mad::PortNum{1}};  // leaf 0 has one link to spine 0
  const routing::SubFabric sub = routing::sub_fabric(subnet_.fabric, subnet_.lids, tree_part_);
  const fabric::SwitchGraph graph = fabric::make_switch_graph(sub.fabric);
  EXPECT_EQ(graph.port.size(), 2 * (2 * kLeaves - 1));
  EXPECT_EQ(graph.end_ports.size(), kLeaves + 2 + 2 * kLeaves);
}

TEST_F(Steps, EachPartHasTheRoutesOfItsEngine) {
  const auto result =
      run({step(1, "minhop"), step(2, "dor", &ring_part_), step(3, "ftree", &tree_part_)});
  ASSERT_TRUE(result) << result.error().why;
  EXPECT_EQ(result->routing.engine, "chain");
  EXPECT_TRUE(result->verification.ok());
  EXPECT_THAT(texts(*result), IsEmpty());
  expect_routes(result->routing.lfts, ring_part_, routing::dor);
  expect_routes(result->routing.lfts, tree_part_, routing::ftree);
  const auto whole = routing::minhop(input());
  for (const fabric::PortIndex port : ring_hosts_)
    EXPECT_EQ(result->routing.lfts.at(subnet_.sw(tree_[1]), subnet_.find_lid(port)),
              whole->lfts.at(subnet_.sw(tree_[1]), subnet_.find_lid(port)));
}

TEST_F(Steps, ACreditLoopOfAPartIsReported) {
  options_.roots = {subnet_.fabric.nodes[tree_[kLeaves]].guid};
  const auto result = run({step(1, "updn"), step(2, "minhop", &ring_part_)});
  ASSERT_TRUE(result) << result.error().why;
  const auto of_updn = run({step(1, "updn")});
  ASSERT_TRUE(of_updn) << of_updn.error().why;
  EXPECT_TRUE(of_updn->credit_loops.ok());
  ASSERT_FALSE(result->credit_loops.ok());
  EXPECT_THAT(result->routing.conditions.back().text, HasSubstr("chain: "));
  EXPECT_EQ(result->routing.conditions.back().id, routing::kRoutingConditions.routing_limit);
}

TEST_F(Steps, ANodeInTwoPartsHasTheRoutesOfTheLast) {
  FabricPart both = tree_part_;
  for (const auto& entry : ring_part_.switches) both.switches.push_back(entry);
  for (const mad::Guid guid : ring_part_.end_ports) both.end_ports.push_back(guid);
  const auto ring_last =
      run({step(1, "minhop"), step(2, "updn", &both), step(3, "dor", &ring_part_)});
  ASSERT_TRUE(ring_last) << ring_last.error().why;
  expect_routes(ring_last->routing.lfts, ring_part_, routing::dor);
  const auto both_last =
      run({step(1, "minhop"), step(2, "dor", &ring_part_), step(3, "dnup", &both)});
  ASSERT_TRUE(both_last) << both_last.error().why;
  const auto alone = routing::dnup(input());
  ASSERT_TRUE(alone);
  for (const fabric::PortIndex port : ring_hosts_)
    for (const fabric::SwitchIndex sw : subnet_.graph.all_switches())
      EXPECT_EQ(both_last->routing.lfts.at(sw, subnet_.find_lid(port)),
                alone->lfts.at(sw, subnet_.find_lid(port)));
}

TEST_F(Steps, AFallbackIsUsedWhereAnEngineRefuses) {
  const auto result = run({step(1, "minhop"), step(2, "ftree", &ring_part_),
                           step(3, "dor", &ring_part_, 2), step(4, "updn", &ring_part_, 2)});
  ASSERT_TRUE(result) << result.error().why;
  EXPECT_THAT(texts(*result),
              ElementsAre(testing::AllOf(HasSubstr("chain: step 2 (ftree): "),
                                         testing::EndsWith("; its fallback is used"))));
  expect_routes(result->routing.lfts, ring_part_, routing::dor);
}

TEST_F(Steps, APartThatNoEngineRoutesKeepsItsRoutes) {
  const FabricPart nothing;
  const auto result =
      run({step(1, "minhop"), step(2, "ftree", &ring_part_), step(3, "dor", &nothing)});
  ASSERT_TRUE(result) << result.error().why;
  EXPECT_THAT(texts(*result),
              ElementsAre(testing::EndsWith("; the part keeps its routes"),
                          "chain: step 3 (dor): no switch is in its part; the part keeps its "
                          "routes"));
  EXPECT_EQ(result->routing.lfts, routing::minhop(input())->lfts);
}

TEST_F(Steps, Refusals) {
  EXPECT_EQ(run({}).error().why, "chain: no step is configured (rch_policy_file)");
  EXPECT_THAT(run({step(1, "file")}).error().why, HasSubstr("chain: step 1 (file): "));
  EXPECT_EQ(run({step(1, "minhop", &ring_part_)}).error().why,
            "chain: step 1 (minhop): the first step has to route the fabric");
  EXPECT_EQ(run({step(1, "lash")}).error().why,
            "chain: step 1 (lash): this engine cannot route a part");
}

TEST_F(Steps, AStepHasItsOptions) {
  auto own = std::make_shared<routing::RoutingOptions>();
  own->roots = {subnet_.fabric.nodes[ring_[2]].guid};
  ChainStep with = step(2, "updn", &ring_part_);
  with.options = own;
  const auto result = run({step(1, "minhop"), with});
  ASSERT_TRUE(result) << result.error().why;
  options_.roots = own->roots;
  expect_routes(result->routing.lfts, ring_part_, routing::updn);
  options_.roots.clear();
}

}  // namespace steps_test
