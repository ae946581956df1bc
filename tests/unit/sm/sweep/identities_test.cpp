#include "sm/sweep/apply/sender.h"

#include <gtest/gtest.h>

#include <deque>
#include <set>

#include "sm/ctl/topology/generators.h"
#include "support/fabrics.h"

namespace identities_test {

using Standing = sm::Identities::Standing;
using namespace std::chrono_literals;

constexpr mad::TimePoint kBegin{};

/// 48 hosts at four leaves, three spines.
class IdentitiesTest : public testing::Test {
 protected:
  IdentitiesTest() {
    std::uint16_t lid = 0;
    for (const fabric::PortIndex port : fabric.end_ports)
      fabric.ports[port].info.set_lid(mad::Lid{++lid});
    find_routes();
  }
  /// As discovery does, nearest nodes first.
  void find_routes() {
    std::deque<fabric::NodeIndex> queue{fabric.ports[fabric.sm_port].node};
    std::set<fabric::NodeIndex> seen{queue.front()};
    for (; !queue.empty(); queue.pop_front()) {
      const fabric::Node& node = fabric.nodes[queue.front()];
      if (!node.is_switch() && seen.size() > 1) continue;
      for (unsigned number = 1; number <= node.num_ports; ++number) {
        const mad::PortNum out{static_cast<std::uint8_t>(number)};
        const fabric::PortIndex far = fabric.ports[fabric.port(queue.front(), out)].peer;
        if (far == fabric::kNoIndex || !seen.insert(fabric.ports[far].node).second) continue;
        fabric.nodes[fabric.ports[far].node].route = *node.route.extended(out);
        queue.push_back(fabric.ports[far].node);
      }
    }
  }
  fabric::NodeIndex own_leaf() const { return node_of(fabric.ports[fabric.sm_port].peer); }
  fabric::NodeIndex node_of(fabric::PortIndex port) const { return fabric.ports[port].node; }
  void report_change(fabric::NodeIndex node) {
    changing.note(fabric.ports[fabric.nodes[node].first_port].info.lid());
  }
  mad::NodeInfo node_info(fabric::PortIndex port) const {
    mad::NodeInfo info = fabric.owning_node(port).info;
    info.set_node_guid(fabric.owning_node(port).guid);
    info.set_local_port_num(fabric.ports[port].number);
    return info;
  }
  static sm::Write write(fabric::PortIndex port) {
    sm::Write write;
    write.attribute = mad::AttributeId::p_key_table;
    write.port = port;
    return write;
  }
  /// A host at another leaf than the manager's.
  fabric::PortIndex distant_host() const { return fabric.end_ports[fabric::EndPortIndex{47}]; }

  fabric::Fabric fabric = fabrics::from_topology(
      topology::xgft({.children = {12, 4}, .parents = {1, 3}, .cables = {}}));
  sm::ChangingSwitches changing;
  sm::Identities identities{fabric, &changing};
};

TEST_F(IdentitiesTest, NothingIsAskedWhereNoSwitchHasReportedAChange) {
  for (const fabric::PortIndex port : fabric.end_ports)
    EXPECT_EQ(identities.check(write(port), kBegin).standing, Standing::known);
}

/// The manager's own leaf is on all routes: its 11 other hosts and its links to spines are asked,
/// and not each of the 36 hosts behind these.
TEST_F(IdentitiesTest, OnePortAnswersForAllNodesBehindIt) {
  report_change(own_leaf());
  std::set<fabric::PortIndex> asked;
  for (const fabric::PortIndex port : fabric.end_ports) {
    const auto check = identities.check(write(port), kBegin);
    if (check.standing == Standing::known) continue;
    ASSERT_EQ(check.standing, Standing::open);
    EXPECT_EQ(identities.ask(check).node, fabric.owning_node(check.port).guid);
    EXPECT_EQ(identities.check(write(port), kBegin).standing, Standing::asked);
    identities.answered(check.port, node_info(check.port), kBegin);
    asked.insert(check.port);
    EXPECT_EQ(identities.check(write(port), kBegin).standing, Standing::known);
  }
  EXPECT_GE(asked.size(), 12u);
  EXPECT_LE(asked.size(), 14u);
  EXPECT_EQ(identities.check(write(distant_host()), kBegin + sm::Identities::kHold).standing,
            Standing::open)
      << "an answer does not hold for ever";
}

/// The node behind the last port in doubt has been reached over the ones before it.
TEST_F(IdentitiesTest, TheLastUnverifiedPortIsReadByTheRouteOfTheWrite) {
  const fabric::PortIndex host = distant_host();
  report_change(own_leaf());
  report_change(node_of(fabric.ports[host].peer));
  const auto check = identities.check(write(host), kBegin);
  EXPECT_EQ(check.port, host);
  EXPECT_EQ(check.route, *fabric.route_to(host));
}

TEST_F(IdentitiesTest, WhatIsBehindAPortThatLeadsElsewhereIsNotWritten) {
  report_change(own_leaf());
  const auto check = identities.check(write(distant_host()), kBegin);
  ASSERT_TRUE(fabric.owning_node(check.port).is_switch());
  identities.ask(check);
  mad::NodeInfo other = node_info(check.port);
  other.set_local_port_num(mad::PortNum{static_cast<std::uint8_t>(
      fabric.ports[check.port].number.value + 1)});  // the same spine, by another port
  identities.answered(check.port, other, kBegin);
  EXPECT_EQ(identities.check(write(distant_host()), kBegin).standing, Standing::elsewhere);
}

TEST_F(IdentitiesTest, WithoutAnAnswerItIsAskedAgain) {
  report_change(own_leaf());
  const auto check = identities.check(write(distant_host()), kBegin);
  identities.ask(check);
  identities.unanswered(check.port);
  EXPECT_EQ(identities.check(write(distant_host()), kBegin).standing, Standing::open);
}

}  // namespace identities_test
