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
  sim::Topology topology;
};

void PrintTo(const Family& family, std::ostream* out) { *out << family.name; }

std::vector<Family> families() {
  const sim::Topology tree = sim::fat_tree({.hosts = 16, .radix = 8, .levels = 2});
  return {
      {"back_to_back", sim::back_to_back()},
      {"row", sim::row({.switches = 3, .cables = 2, .hosts_per_switch = 2, .ports_per_host = 2})},
      {"fat_tree", tree},
      {"torus", sim::torus({.dimensions = {3, 3, 2}, .hosts_per_switch = 1})},
      {"mesh", sim::mesh({.dimensions = {3, 4}, .hosts_per_switch = 1})},
      {"hypercube", sim::hypercube({.dimensions = 3, .hosts_per_switch = 1})},
      {"dragonfly",
       sim::dragonfly({.switches_per_group = 3, .global_cables = 1, .hosts_per_switch = 1})},
      {"dragonfly_plus", sim::dragonfly_plus({.leaves_per_group = 2,
                                              .spines_per_group = 2,
                                              .global_cables = 1,
                                              .hosts_per_leaf = 2})},
      {"slim_fly", sim::slim_fly({.q = 3, .hosts_per_switch = 1})},
      {"random", sim::random_graph({.switches = 10, .hosts = 20, .extra_links = 10, .seed = 3})},
      {"random_regular",
       sim::random_regular({.switches = 10, .degree = 3, .hosts_per_switch = 1, .seed = 3})},
      {"two_port_hosts", sim::add_host_ports(tree, 2)},
      {"routers", sim::add_routers(tree, 2, 2)},
      {"degraded", sim::degrade(tree, 0.25, 5)},
      {"hdr", sim::with_links(sim::add_routers(tree, 1), sim::LinkWidth::x4, sim::LinkSpeed::hdr)},
      {"wide", sim::with_links(sim::add_routers(tree, 1), sim::LinkWidth::x8, sim::LinkSpeed::ddr)},
      {"narrow",
       sim::with_links(sim::add_routers(tree, 1), sim::LinkWidth::x2, sim::LinkSpeed::ndr)}};
}

// Nodes and links by GUID, independent of their order and names.
std::set<std::tuple<mad::Guid, sim::NodeType, unsigned>> find_nodes(const sim::Topology& topology) {
  std::set<std::tuple<mad::Guid, sim::NodeType, unsigned>> nodes;
  for (const sim::Node& node : topology.nodes) nodes.emplace(node.guid, node.type, node.port_count);
  return nodes;
}

std::set<std::set<std::pair<mad::Guid, unsigned>>> cables_of(const sim::Topology& topology) {
  std::set<std::set<std::pair<mad::Guid, unsigned>>> cables;
  for (const sim::Link& link : topology.links) {
    cables.insert({{topology.nodes[link.a.node].guid, link.a.port.value},
                   {topology.nodes[link.b.node].guid, link.b.port.value}});
  }
  return cables;
}

class TopologyOnIbsim : public OnIbsim, public ::testing::WithParamInterface<Family> {};

TEST_P(TopologyOnIbsim, IsTheSameGraphForIbnetdiscover) {
  const sim::Topology& topology = GetParam().topology;
  start_fabric(topology);
  const Finished seen = fabric().run({"ibnetdiscover"});
  ASSERT_TRUE(seen.ok()) << seen.err;
  const sim::TopologyFile read = sim::read_ibnetdiscover({"ibnetdiscover", seen.out});
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
  const sim::TopologyFile recorded = sim::read_ibnetdiscover({GetParam(), text});
  ASSERT_TRUE(recorded.ok());
  start_fabric(text);
  const Finished seen = fabric().run({"ibnetdiscover"});
  ASSERT_TRUE(seen.ok()) << seen.err;
  const sim::TopologyFile read = sim::read_ibnetdiscover({"ibnetdiscover", seen.out});
  ASSERT_TRUE(read.ok()) << read.findings.front().text();
  EXPECT_EQ(find_nodes(read.topology), find_nodes(recorded.topology));
  EXPECT_EQ(cables_of(read.topology), cables_of(recorded.topology));
}

INSTANTIATE_TEST_SUITE_P(Samples, RecordedOnIbsim,
                         ::testing::Values("dragonfly-4-2-2", "fattree2-16h", "fattree3-64h",
                                           "random-20s-40h", "torus-3x3x3"));

}  // namespace topologies_test
}  // namespace harness
