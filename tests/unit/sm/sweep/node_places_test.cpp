#include "sm/sweep/decide/node_places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "config/guid_files.h"
#include "mad/format.h"
#include "sm/sweep/decide/changes.h"
#include "sm/sweep/decide/replaced_nodes.h"
#include "sm/sweep/devices/sweep_conditions.h"
#include "support/conditions.h"
#include "support/fabrics.h"

namespace node_places_test {

using namespace std::chrono_literals;
using fabric::Severity;
using sm::Losses;
using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

constexpr mad::Guid kSpine{0x50}, kOtherSpine{0x51}, kLeafA{0x52}, kLeafB{0x53}, kNewLeaf{0x54};
constexpr std::uint64_t kHosts = 0x1000;  // host n has this NodeGUID + 0x10 n

/// Two leaves, each with two links to a spine, and hosts at ports of the leaves.
struct Plan {
  struct Place {
    char leaf = 'a';  // or 'b'
    unsigned port = 1;
  };
  std::map<unsigned, Place> hosts = {
      {1, {'a', 21}}, {2, {'b', 22}}, {3, {'a', 23}}, {4, {'b', 24}}};
  mad::Guid leaf_b = kLeafB;
  mad::Guid spine_of_b = kSpine;
  bool has_leaf_b = true;

  fabric::Fabric build() const {
    fabrics::Maker maker;
    const auto a = maker.add(mad::NodeType::switch_, 30, "leaf-a", kLeafA);
    std::map<mad::Guid, fabric::NodeIndex> spines;
    for (const mad::Guid guid : {kSpine, kOtherSpine})
      spines[guid] = maker.add(mad::NodeType::switch_, 8, "spine", guid);
    for (const mad::Guid guid : {kSpine, kOtherSpine}) maker.cable(a, spines[guid]);
    maker.cable(a, 29, spines[kSpine], 7);
    auto b = a;
    if (has_leaf_b) {
      b = maker.add(mad::NodeType::switch_, 30, leaf_b == kLeafB ? "leaf-b" : "new", leaf_b);
      maker.cable(b, 29, spines[spine_of_b], 3);
      maker.cable(b, 30, spines[spine_of_b], 4);
    }
    for (const auto& [number, place] : hosts)
      if (place.leaf == 'a' || has_leaf_b)
        maker.cable(place.leaf == 'a' ? a : b, place.port,
                    maker.add(mad::NodeType::ca, 1, fmt::format("H{}", number), guid(number)), 1);
    return maker.build();
  }
  static mad::Guid guid(unsigned host) { return mad::Guid{kHosts + 0x10 * host}; }
};
const Plan kPlan{};

class NodePlaces : public testing::Test {
 protected:
  /// Compares with the fabric as it was before.
  void see(const Plan& plan) {
    const fabric::Fabric now = plan.build();
    losses.update_from(latest, now, mad::TimePoint{});
    latest = now;
  }
  static Plan with(std::map<unsigned, Plan::Place> changes, std::vector<unsigned> without = {}) {
    Plan plan = kPlan;
    for (const auto& [host, place] : changes) plan.hosts[host] = place;
    for (const unsigned host : without) plan.hosts.erase(host);
    return plan;
  }
  std::vector<std::string> moved() {
    const std::vector<fabric::Condition> conditions = losses.take_moves();
    for (const fabric::Condition& condition : conditions)
      EXPECT_EQ(condition.id, sm::kSweepConditions.node_moved);
    return texts(conditions);
  }
  std::vector<fabric::Condition> replaced() const {
    return sm::replaced_nodes(context, losses.replacements());
  }

  fabric::Fabric latest = kPlan.build();
  Losses losses;
  sm::SweepContext context;
};

TEST_F(NodePlaces, AHostThatIsPluggedInElsewhereIsNamedWithBothPlaces) {
  see(with({{1, {'b', 25}}}));
  EXPECT_THAT(moved(), ElementsAre(fmt::format("node moved: \"H1\" ({}) from \"leaf-a\" ({}) port "
                                               "21 to \"leaf-b\" ({}) port 25",
                                               Plan::guid(1), kLeafA, kLeafB)));
  EXPECT_THAT(moved(), IsEmpty()) << "once";
  see(with({{1, {'b', 25}}}));
  EXPECT_THAT(moved(), IsEmpty());
}

TEST_F(NodePlaces, TwoHostsThatExchangeTheirCablesHaveOneText) {
  see(with({{1, {'b', 22}}, {2, {'a', 21}}}));
  EXPECT_THAT(
      moved(),
      ElementsAre(AllOf(StartsWith("nodes moved: \"H2\" ("), HasSubstr(" and \"H1\" ("),
                        HasSubstr("exchanged their places: the first is at "
                                  "\"leaf-a\""),
                        HasSubstr("port 21 now, the second at \"leaf-b\""), EndsWith("port 22"))));
}

TEST_F(NodePlaces, ALostHostThatReturnsElsewhereHasMoved) {
  see(with({}, {1}));
  EXPECT_THAT(moved(), IsEmpty());
  see(with({{1, {'b', 25}}}));
  EXPECT_THAT(moved(), ElementsAre(AllOf(StartsWith("node moved: \"H1\""), EndsWith("port 25"))));
}

TEST_F(NodePlaces, ALostHostThatReturnsToItsPlaceHasNotMoved) {
  see(with({}, {1, 2}));
  see(with({}, {2}));
  see(with({}));
  EXPECT_THAT(moved(), IsEmpty());
  EXPECT_THAT(replaced(), IsEmpty());
}

TEST_F(NodePlaces, AnExchangeThatIsSeenInTwoSurveysNamesBothAtItsEnd) {
  see(with({}, {1, 2}));
  see(with({{1, {'b', 22}}}, {2}));
  EXPECT_THAT(moved(), ElementsAre(StartsWith("node moved: \"H1\"")));
  see(with({{1, {'b', 22}}, {2, {'a', 21}}}));
  EXPECT_THAT(moved(), ElementsAre(AllOf(StartsWith("nodes moved: \"H2\""), HasSubstr("\"H1\""),
                                         HasSubstr("exchanged"))));
}

TEST_F(NodePlaces, ManyMovesAreOneConditionWithTheirNumber) {
  Plan before, after;
  for (unsigned host = 1; host <= 12; ++host) {
    before.hosts[host] = {'a', host + 5};
    after.hosts[host] = {'b', host + 5};
  }
  latest = before.build();
  see(after);
  EXPECT_THAT(moved(), ElementsAre(AllOf(StartsWith("12 nodes moved: H1..H12; the first of them: "
                                                    "node moved: \"H1\""),
                                         EndsWith("port 6"))));
}

TEST_F(NodePlaces, AForgottenHostHasNotMoved) {
  see(with({}, {1}));
  EXPECT_TRUE(losses.forget("H1"));
  see(with({{1, {'b', 25}}}));
  EXPECT_THAT(moved(), IsEmpty());
}

TEST_F(NodePlaces, ASwitchWhoseLinksAllLeadToAnotherSwitchHasMovedAndItsHostsHaveNot) {
  Plan plan = kPlan;
  plan.spine_of_b = kOtherSpine;
  see(plan);
  EXPECT_THAT(moved(), ElementsAre(AllOf(StartsWith("node moved: \"leaf-b\""),
                                         HasSubstr("; 1 more of its links leads elsewhere, too"))));
}

// ------------------------------------------------------------------------------------------
// replaced nodes

TEST_F(NodePlaces, ASwitchWithTheLinksOfALostOneHasReplacedItUntilItIsForgotten) {
  context.options.root_guid_file = "/etc/roots";
  context.files.roots = {kLeafB.value, kSpine.value};
  context.options.topo_config_file = "/etc/topology";
  context.files.expected_topology.text = std::make_shared<const std::string>(
      fmt::format("S-{:016X}\"\n0x{:x}1", kLeafB.value, kNewLeaf.value));
  Plan plan = kPlan;
  plan.has_leaf_b = false;
  see(plan);
  EXPECT_THAT(replaced(), IsEmpty());
  plan.has_leaf_b = true;
  plan.leaf_b = kNewLeaf;
  see(plan);
  EXPECT_THAT(moved(), IsEmpty()) << "its hosts are where they were";
  ASSERT_THAT(replaced(), SizeIs(1));
  const fabric::Condition condition = replaced().front();
  EXPECT_EQ(condition.id, sm::kSweepConditions.node_replaced);
  EXPECT_EQ(condition.guid, kNewLeaf);
  EXPECT_EQ(fabric::find_severity(condition), Severity::warning);
  EXPECT_EQ(condition.text,
            fmt::format("switch replaced: \"leaf-b\" ({}) was replaced by \"new\" ({}), which has "
                        "4 of its 4 links; root_guid_file (/etc/roots) and topo_config_file "
                        "(/etc/topology) name the old one",
                        kLeafB, kNewLeaf));
  context.files = {};
  EXPECT_THAT(texts(replaced()), ElementsAre(EndsWith("no file names the old one by its GUID")));
  EXPECT_TRUE(losses.forget("leaf-b"));
  EXPECT_THAT(replaced(), IsEmpty());
}

TEST_F(NodePlaces, AReplacementEndsWhenTheOldSwitchIsBack) {
  Plan plan = kPlan;
  plan.leaf_b = kNewLeaf;
  see(plan);
  EXPECT_THAT(replaced(), SizeIs(1)) << "in one survey";
  see(kPlan);
  EXPECT_THAT(replaced(), IsEmpty());
  EXPECT_THAT(moved(), IsEmpty());
}

TEST_F(NodePlaces, ANewHostAtThePlaceOfALostOneIsNamedWithItsPartitions) {
  see(with({{9, {'a', 21}}}, {1}));
  std::vector<fabric::Condition> conditions = replaced();
  ASSERT_THAT(conditions, SizeIs(1));
  EXPECT_EQ(conditions[0].guid, Plan::guid(9));
  EXPECT_EQ(fabric::find_severity(conditions[0]), Severity::info) << "nothing names the old one";
  const std::uint64_t port = Plan::guid(1).value + 1;
  context.partitioning.definitions.push_back(
      {.key = 0x10, .name = "Storage", .members = {{.first = port, .last = port}}, .groups = {}});
  conditions = replaced();
  EXPECT_EQ(fabric::find_severity(conditions[0]), Severity::warning);
  EXPECT_EQ(conditions[0].text,
            fmt::format("node replaced: \"H1\" ({}) was replaced by \"H9\" ({}), which is behind "
                        "\"leaf-a\" ({}) port 21; partition 0x0010 (Storage) of "
                        "partition_config_file names the old one",
                        Plan::guid(1), Plan::guid(9), kLeafA));
}

/// It is not new: it was there before, and has moved.
TEST_F(NodePlaces, AKnownHostAtThePlaceOfALostOneHasMovedAndReplacesNothing) {
  see(with({{3, {'a', 21}}}, {1}));
  EXPECT_THAT(moved(), ElementsAre(StartsWith("node moved: \"H3\"")));
  EXPECT_THAT(replaced(), IsEmpty());
}

TEST_F(NodePlaces, ANewHostAtAFreePortReplacesNothing) {
  see(with({{9, {'a', 28}}}, {1}));
  EXPECT_THAT(replaced(), IsEmpty());
}

}  // namespace node_places_test
