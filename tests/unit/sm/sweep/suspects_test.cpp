#include "sm/sweep/observe/suspects.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "sm/sweep/observe/duplicates.h"

namespace suspects_test {

using namespace std::chrono_literals;
using fabric::kNoIndex;
using fabric::NodeIndex;
using fabric::PortIndex;

/// Node n has the ports 10 n to 10 n + 9.
struct Tree {
  std::vector<PortIndex> found_behind;
  std::vector<std::uint64_t> weight;
  void add(PortIndex behind, std::uint64_t its_weight) {
    found_behind.push_back(behind);
    weight.push_back(its_weight);
  }
  std::optional<PortIndex> branch(const std::function<bool(NodeIndex)>& is_known = {}) const {
    return sm::heaviest_branch(
        found_behind, weight, [](PortIndex port) { return NodeIndex(port / 10); }, is_known,
        NodeIndex{0});
  }
};

/// The manager's node, a switch, two more switches and, behind port 3 of the last one, a device
/// with three switches behind it.
Tree fabric() {
  Tree tree;
  tree.add(kNoIndex, 1);
  tree.add(PortIndex{1}, 1);
  tree.add(PortIndex{11}, 1);
  tree.add(PortIndex{12}, 1);
  tree.add(PortIndex{33}, 1);
  for (unsigned port = 1; port <= 3; ++port) tree.add(PortIndex{40 + port}, 100);
  return tree;
}

TEST(HeaviestBranch, IsThePortBeforeTheDeviceBehindWhichNodesMultiply) {
  EXPECT_EQ(fabric().branch(), PortIndex{33});
}

TEST(HeaviestBranch, EndsAtTheFirstNodeThatWasNotThereBefore) {
  Tree chain = fabric();
  chain.weight = {1, 1, 1, 1, 1, 1000, 1, 1};
  EXPECT_EQ(chain.branch(), PortIndex{41}) << "without other evidence";
  EXPECT_EQ(chain.branch([](NodeIndex node) { return node < 4; }), PortIndex{33});
}

TEST(HeaviestBranch, IsNoneWithoutAMajorityOrBehindTheOwnPort) {
  Tree even = fabric();
  even.weight = {1, 1, 1, 1, 1, 1, 1, 1};
  even.weight[2] = 10;
  EXPECT_EQ(even.branch(), PortIndex{11});
  even.weight[2] = 8;
  even.weight[3] = 4;
  EXPECT_EQ(even.branch(), std::nullopt) << "all is behind the own port, half behind each switch";
  EXPECT_EQ(sm::heaviest_branch({}, {}, {}, {}, NodeIndex{0}), std::nullopt);
}

TEST(SuspectPorts, AreForgottenAfterAnHour) {
  sm::SuspectPorts ports;
  const mad::TimePoint now = mad::TimePoint{} + 1h;
  const sm::SuspectPort port{.node = mad::Guid{7}, .port = {3}};
  ports.remember(std::array{port}, now);
  ports.remember(std::array{port}, now + 30min);
  EXPECT_EQ(ports.current(now + 59min), std::vector{port});
  EXPECT_TRUE(ports.current(now + 60min).empty());
}

/// Each is better than all that follow, whatever they are otherwise.
TEST(GuidClaims, WhatWasKnownComesBeforeWhatIsShown) {
  const sm::PortPlace near{.node = mad::Guid{1}, .port = {1}},
      far{.node = mad::Guid{9}, .port = {1}};
  const std::vector<sm::GuidClaim> claims{{.is_own = true, .hops = 9, .front = far},
                                          {.held_guid = true, .hops = 9, .front = far},
                                          {.was_here = true, .hops = 9, .front = far},
                                          {.guids_agree = true, .hops = 9, .front = far},
                                          {.is_switch = true, .hops = 9, .front = far},
                                          {.hops = 2, .front = far},
                                          {.hops = 3, .front = near},
                                          {.hops = 3, .front = far}};
  for (std::size_t a = 0; a < claims.size(); ++a)
    for (std::size_t b = 0; b < claims.size(); ++b)
      EXPECT_EQ(sm::precedes(claims[a], claims[b]), a < b) << a << ' ' << b;
}

TEST(GuidClaims, APortGuidFollowsFromTheNodeGuid) {
  mad::NodeInfo info;
  info.set_node_guid(mad::Guid{0x10});
  info.set_num_ports(2);
  for (const auto& [port_guid, agrees] :
       {std::pair(0x10u, true), {0x11u, true}, {0x12u, true}, {0x13u, false}, {0x0Fu, false}}) {
    info.set_port_guid(mad::Guid{port_guid});
    EXPECT_EQ(sm::guids_agree(info), agrees) << port_guid;
  }
}

}  // namespace suspects_test
