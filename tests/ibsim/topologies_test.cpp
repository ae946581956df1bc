// ibsim accepts the topologies of heddle-topo, of every family, and ibnetdiscover's output of them
// is the same graph for read_topology().

#include <map>
#include <set>
#include <tuple>

#include "fabric/topology/read.h"
#include "ibsim/fixture.h"
#include "sm/ctl/topology/decorate.h"
#include "sm/ctl/topology/generators.h"

namespace harness {
namespace topologies_test {

struct Family {
  std::string name;
  topology::Topology topology;
};

void PrintTo(const Family& family, std::ostream* out) { *out << family.name; }

std::vector<Family> families() {
  const topology::Topology tree = topology::fat_tree({.hosts = 16, .radix = 8, .levels = 2});
  return {
      {"back_to_back", topology::back_to_back()},
      {"row",
       topology::row({.switches = 3, .cables = 2, .hosts_per_switch = 2, .ports_per_host = 2})},
      {"fat_tree", tree},
      {"torus", topology::torus({.dimensions = {3, 3, 2}, .hosts_per_switch = 1})},
      {"mesh", topology::mesh({.dimensions = {3, 4}, .hosts_per_switch = 1})},
      {"hypercube", topology::hypercube({.dimensions = 3, .hosts_per_switch = 1})},
      {"dragonfly",
       topology::dragonfly({.switches_per_group = 3, .global_cables = 1, .hosts_per_switch = 1})},
      {"dragonfly_plus", topology::dragonfly_plus({.leaves_per_group = 2,
                                                   .spines_per_group = 2,
                                                   .global_cables = 1,
                                                   .hosts_per_leaf = 2})},
      {"slim_fly", topology::slim_fly({.q = 3, .hosts_per_switch = 1})},
      {"random",
       topology::random_graph({.switches = 10, .hosts = 20, .extra_links = 10, .seed = 3})},
      {"random_regular",
       topology::random_regular({.switches = 10, .degree = 3, .hosts_per_switch = 1, .seed = 3})},
      {"two_port_hosts", topology::add_host_ports(tree, 2)},
      {"routers", topology::add_routers(tree, 2, 2)},
      {"degraded", topology::degrade(tree, 0.25, 5)},
      {"hdr", topology::with_links(topology::add_routers(tree, 1), topology::LinkWidth::x4,
                                   topology::LinkSpeed::hdr)},
      {"wide", topology::with_links(topology::add_routers(tree, 1), topology::LinkWidth::x8,
                                    topology::LinkSpeed::ddr)},
      {"narrow", topology::with_links(topology::add_routers(tree, 1), topology::LinkWidth::x2,
                                      topology::LinkSpeed::ndr)}};
}

// Nodes and links by GUID, independent of their order and names.
std::set<std::tuple<mad::Guid, topology::NodeType, unsigned>> find_nodes(
    const topology::Topology& topology) {
  std::set<std::tuple<mad::Guid, topology::NodeType, unsigned>> nodes;
  for (const topology::Node& node : topology.nodes)
    nodes.emplace(node.guid, node.type, node.port_count);
  return nodes;
}

std::set<std::set<std::pair<mad::Guid, unsigned>>> cables_of(const topology::Topology& topology) {
  std::set<std::set<std::pair<mad::Guid, unsigned>>> cables;
  for (const topology::Link& link : topology.links) {
    cables.insert({{topology.nodes[link.a.node].guid, link.a.port.value},
                   {topology.nodes[link.b.node].guid, link.b.port.value}});
  }
  return cables;
}

class TopologyOnIbsim : public OnIbsim, public ::testing::WithParamInterface<Family> {};

TEST_P(TopologyOnIbsim, IsTheSameGraphForIbnetdiscover) {
  const topology::Topology& topology = GetParam().topology;
  start_fabric(topology);
  const Finished seen = fabric().run({"ibnetdiscover"});
  ASSERT_TRUE(seen.ok()) << seen.err;
  const topology::TopologyFile read = topology::read_ibnetdiscover({"ibnetdiscover", seen.out});
  for (const config::Diagnostic& finding : read.findings) ADD_FAILURE() << finding.text();
  EXPECT_EQ(find_nodes(read.topology), find_nodes(topology));
  EXPECT_EQ(cables_of(read.topology), cables_of(topology));
}

INSTANTIATE_TEST_SUITE_P(Families, TopologyOnIbsim, ::testing::ValuesIn(families()),
                         [](const ::testing::TestParamInfo<Family>& test) {
                           return test.param.name;
                         });

class RecordedOnIbsim : public OnIbsim, public ::testing::WithParamInterface<const char*> {};

TEST_P(RecordedOnIbsim, IsTheSameGraphForIbnetdiscover) {
  const std::string text = sample_net(GetParam());
  const topology::TopologyFile recorded = topology::read_ibnetdiscover({GetParam(), text});
  ASSERT_TRUE(recorded.ok());
  start_fabric(text);
  const Finished seen = fabric().run({"ibnetdiscover"});
  ASSERT_TRUE(seen.ok()) << seen.err;
  const topology::TopologyFile read = topology::read_ibnetdiscover({"ibnetdiscover", seen.out});
  ASSERT_TRUE(read.ok()) << read.findings.front().text();
  EXPECT_EQ(find_nodes(read.topology), find_nodes(recorded.topology));
  EXPECT_EQ(cables_of(read.topology), cables_of(recorded.topology));
}

INSTANTIATE_TEST_SUITE_P(Samples, RecordedOnIbsim,
                         ::testing::Values("dragonfly-4-2-2", "fattree2-16h", "fattree3-64h",
                                           "random-20s-40h", "torus-3x3x3"));

}  // namespace topologies_test
}  // namespace harness
