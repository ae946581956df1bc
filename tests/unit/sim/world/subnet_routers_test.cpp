// A router between two subnets of one fabric: what it shows at each port, also after its cable was
// moved. Whole managers: tests/sim/routers_test.cpp and tests/sim_server/joined_subnets_test.cpp.

#include "sim/world/subnet_routers.h"

#include <gmock/gmock.h>

#include "mad/smp.h"
#include "sim/world/virtual_runtime.h"

namespace subnet_routers_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using topology::NodeType;

constexpr std::uint64_t kFirst = 0xFEC0000000000001, kSecond = 0xFEC0000000000002;

/// The switches S0 and S1 come first, with a host each, and the routers R0 and R1 between them.
topology::Topology make_fabric() {
  topology::Topology fabric;
  const auto add = [&](NodeType type, const std::string& name, unsigned ports) {
    const std::size_t number = fabric.nodes.size();
    fabric.nodes.push_back(
        {.type = type, .name = name, .guid = mad::Guid{0x10 * (number + 1)}, .port_count = ports});
  };
  const auto plug = [&](std::size_t node, std::uint8_t port, std::size_t sw, std::uint8_t at) {
    fabric.links.push_back({.a = {node, mad::PortNum{port}}, .b = {sw, mad::PortNum{at}}});
  };
  for (const char* const name : {"S0", "S1"}) add(NodeType::switch_, name, 4);
  for (const char* const name : {"H0", "H1"}) add(NodeType::ca, name, 1);
  for (const char* const name : {"R0", "R1"}) add(NodeType::router, name, 2);
  for (const std::size_t subnet : {0u, 1u}) {
    plug(2 + subnet, 1, subnet, 1);
    plug(4, static_cast<std::uint8_t>(subnet + 1), subnet, 2);
    plug(5, static_cast<std::uint8_t>(subnet + 1), subnet, 3);
  }
  return fabric;
}

struct RoutersOfOneFabric : testing::Test {
  RoutersOfOneFabric() {
    routers.adopt(world);
    for (const char* const router : {"R0", "R1"}) {
      set_up(port(router, 1), kFirst);
      set_up(port(router, 2), kSecond);
    }
    routers.update();
  }
  sim::PortIndex port(const std::string& node, unsigned number) const {
    return world.model.port(world.model.find(node), number);
  }
  /// As a subnet manager does.
  void set_up(sim::PortIndex at, std::uint64_t prefix) {
    mad::PortInfo& info = world.model.ports[at].info;
    info.set_lid({next_lid++});
    info.set_gid_prefix(prefix);
    info.set_port_state(mad::PortState::active);
  }
  /// The prefixes of the adjacent subnets that the router shows at this port.
  std::vector<std::uint64_t> adjacent(sim::PortIndex at) {
    const auto get = [&](mad::AttributeId attribute) {
      mad::MadBytes bytes;
      mad::make_dr_smp(bytes, mad::Method::get, attribute, 0, mad::DirectedRoute(), {}, 1);
      EXPECT_TRUE(world.query_own_agents(at, bytes));
      return bytes;
    };
    const auto data = [](mad::MadBytes& bytes) {
      return mad::SmpView(std::span<std::uint8_t, mad::kMadSizeBytes>(bytes)).data();
    };
    mad::MadBytes info = get(mad::AttributeId::router_info),
                  table = get(mad::AdjacentSubnetsTable::kId);
    std::vector<std::uint64_t> prefixes;
    for (unsigned entry = 0; entry < mad::RouterInfo(data(info)).adj_top(); ++entry)
      prefixes.push_back(kFirst - 1 +
                         mad::AdjacentSubnetsTable(data(table)).entry(entry).subnet_prefix);
    return prefixes;
  }

  std::uint16_t next_lid = 1;
  sim::VirtualRuntime runtime;
  sim::World world{runtime.events(), make_fabric()};
  sim::SubnetRouters routers{runtime.events()};
};

TEST_F(RoutersOfOneFabric, ShowAtEachPortWhatIsBehindTheOther) {
  EXPECT_THAT(adjacent(port("R0", 1)), ElementsAre(kSecond));
  EXPECT_THAT(adjacent(port("R0", 2)), ElementsAre(kFirst));
}

TEST_F(RoutersOfOneFabric, LearnFromOthersInTheSubnetOfAPort) {
  world.cut(port("R0", 2));
  routers.update();
  const auto reached = routers.reached(0);
  ASSERT_EQ(reached.size(), 2u);
  EXPECT_EQ(reached.back().prefix, kSecond);
  EXPECT_EQ(reached.back().by, port("R0", 1));
  EXPECT_EQ(reached.back().next, 1u);
  EXPECT_THAT(adjacent(port("R0", 1)), IsEmpty()) << "R1 shows it there";
}

TEST_F(RoutersOfOneFabric, FindTheSubnetOfAMovedCable) {
  world.cut(port("R0", 2));
  world.connect(port("R0", 2), port("S0", 4));
  runtime.run_for(100ms);
  set_up(port("R0", 2), kFirst);
  routers.update();
  EXPECT_THAT(adjacent(port("R0", 1)), IsEmpty()) << "both ports are in one subnet";
  EXPECT_THAT(adjacent(port("R0", 2)), IsEmpty());
  EXPECT_THAT(adjacent(port("R1", 1)), ElementsAre(kSecond));
}

}  // namespace subnet_routers_test
