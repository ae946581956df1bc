// Whole managers on fabrics that lose switches and links and have them back: what a loss moved goes
// back, and what is new gets its share.

#include <map>
#include <string>
#include <vector>

#include "routing/core/routing_conditions.h"
#include "sim/sa_lab.h"
#include "sm/ctl/topology/generators.h"

namespace returns_test {

using laboratory::SaLab;
using namespace std::chrono_literals;

/// Six leaves with four hosts each below four spines.
topology::Topology tree() {
  return topology::xgft({.children = {4, 6}, .parents = {1, 4}, .cables = {}});
}

class Fabric : public SaLab {
 public:
  explicit Fabric(const topology::Topology& topology = tree()) : SaLab(topology) {
    options.connect_roots = true;  // the simulator's checks expect paths between spines
    options.audit_interval = 0;
  }

  /// LFTs and MFTs by NodeDescription.
  struct Tables {
    std::vector<std::uint8_t> lft;
    std::vector<std::vector<std::uint16_t>> mft;
    bool operator==(const Tables&) const = default;
  };
  std::map<std::string, Tables> tables() const {
    std::map<std::string, Tables> all;
    for (const sim::NodeModel& node : model.nodes) {
      if (!node.is_switch() || !node.health.powered) continue;
      Tables& of_node = all[node.description];
      of_node.lft = node.sw->lft;
      of_node.lft.resize(0xC000, mad::kNoPort.value);
      of_node.mft = node.sw->mft;  // as far as there are entries
      for (auto& position : of_node.mft)
        while (!position.empty() && position.back() == 0) position.pop_back();
      while (!of_node.mft.empty() && of_node.mft.back().empty()) of_node.mft.pop_back();
    }
    return all;
  }
  bool is_host(sim::PortIndex port) const {
    return port != sim::kNone && !model.owning_node(port).is_switch();
  }
  std::vector<sim::NodeIndex> spines() const {
    std::vector<sim::NodeIndex> all;
    for (const sim::NodeIndex node : model.nodes.indices()) {
      bool has_hosts = false;
      for (unsigned number = 1; number <= model.nodes[node].port_count(); ++number)
        has_hosts = has_hosts || is_host(far(port(node, number)));
      if (model.nodes[node].is_switch() && !has_hosts) all.push_back(node);
    }
    return all;
  }
  /// Ports of a switch with a link.
  std::vector<sim::PortIndex> linked(sim::NodeIndex node) const {
    std::vector<sim::PortIndex> ports;
    for (unsigned number = 1; number <= model.nodes[node].port_count(); ++number)
      if (far(port(node, number)) != sim::kNone) ports.push_back(port(node, number));
    return ports;
  }
  /// The highest number of pairs of hosts on a link between switches, one direction.
  unsigned worst_load() const {
    std::map<sim::PortIndex, unsigned> loads;
    for (const sim::PortIndex from : model.ports.indices())
      for (const sim::PortIndex to : model.ports.indices()) {
        if (from == to || !is_host(from) || !is_host(to) || !model.link_up(from) ||
            !model.link_up(to))
          continue;
        std::vector<sim::Hop> hops;
        const sim::Walk walk =
            sim::walk_unicast(model, from, {.dlid = model.ports[to].info.lid()}, &hops);
        EXPECT_TRUE(walk.delivered());
        for (const sim::Hop& hop : hops)
          if (!is_host(hop.out) && !is_host(far(hop.out))) ++loads[hop.out];
      }
    unsigned worst = 0;
    for (const auto& [port, load] : loads) worst = std::max(worst, load);
    return worst;
  }
  bool is_unbalanced() const { return raised(routing::kRoutingConditions.routing_unbalanced) > 0; }
};

class Returns : public testing::TestWithParam<const char*> {};

/// With several groups, whose trees have different roots, and with LMC.
TEST_P(Returns, ARebootOfEverySpineLeavesTablesAndTreesAsTheyWere) {
  Fabric lab;
  const std::string engine = GetParam();
  lab.options.routing_engine = {engine};
  lab.options.lmc = engine == "ftree" ? 0 : 1;
  ASSERT_TRUE(lab.start_and_settle()) << lab.complaint() << lab.tail();
  for (unsigned group = 0; group < 8; ++group) {
    const mad::Gid mgid{0xff12401bffff0000, mad::Guid{0x100 + group}};
    ASSERT_EQ(lab.read_status("H1", lab.create_request("H1", mgid)), 0);
    for (const char* member : {"H5", "H9", "H13", "H17", "H21"})
      ASSERT_TRUE(lab.join(member, mgid));
  }
  lab.settle();
  const auto before = lab.tables();
  for (const sim::NodeIndex spine : lab.spines()) {
    SCOPED_TRACE(lab.model.nodes[spine].description);
    lab.world.power(spine, false);
    ASSERT_TRUE(lab.settles()) << lab.complaint() << lab.tail();
    EXPECT_NE(lab.tables(), before);
    lab.world.power(spine, true);
    lab.let_nodes_boot();
    ASSERT_TRUE(lab.settles()) << lab.complaint() << lab.tail();
    EXPECT_EQ(lab.tables(), before);
    EXPECT_FALSE(lab.is_unbalanced());
  }
  lab.runtime.run_for(10min);
  EXPECT_EQ(lab.tables(), before);
  EXPECT_FALSE(lab.heddle().says("rebalance"));
}

INSTANTIATE_TEST_SUITE_P(Engines, Returns,
                         testing::Values("minhop", "updn", "dnup", "dor", "sssp", "dfsssp", "dmodc",
                                         "ftree", "lash", "nue"),
                         [](const auto& test) { return std::string(test.param); });

/// What a loss moved is spread over what was left as it was; nothing else moves.
TEST(Returns, RoutesThatALossLeftUnevenAreReportedAfterQuietTime) {
  Fabric lab;
  lab.options.routing_engine = {"minhop"};
  ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  EXPECT_EQ(lab.status().routing_load_ratio, 1.0);
  const auto quiet = std::chrono::seconds(lab.options.rebalance_quiet_time) + 10s;
  std::vector<std::pair<sim::PortIndex, sim::PortIndex>> cut;
  const auto cut_links = [&] {  // all of one leaf but one
    const sim::NodeIndex leaf = lab.neighbour(lab.port("H5"));
    for (unsigned number = 1; number <= lab.model.nodes[leaf].port_count(); ++number) {
      const sim::PortIndex port = lab.port(leaf, number), far = lab.far(port);
      if (far == sim::kNone || !lab.model.owning_node(far).is_switch()) continue;
      cut.emplace_back(port, far);
    }
    cut.pop_back();
    for (const auto& [port, far] : cut) lab.world.cut(port);
  };
  cut_links();
  ASSERT_TRUE(lab.settles()) << lab.complaint() << lab.tail();
  EXPECT_EQ(lab.status().routing_load_ratio, std::nullopt);
  const unsigned load = lab.worst_load();
  lab.runtime.run_for(quiet);
  const std::optional<double> ratio = lab.status().routing_load_ratio;
  ASSERT_TRUE(ratio);
  EXPECT_EQ(lab.is_unbalanced(), *ratio > 1.05) << *ratio;
  EXPECT_EQ(lab.worst_load(), load) << "nothing is moved";
  ASSERT_TRUE(lab.heddle().order_rebalance());
  lab.settle();
  EXPECT_FALSE(lab.is_unbalanced());
  EXPECT_EQ(lab.worst_load(), std::lround(load / *ratio));
  for (const auto& [port, far] : cut) lab.plug(port, far);
  ASSERT_TRUE(lab.settles()) << lab.complaint() << lab.tail();
  lab.runtime.run_for(quiet);
  EXPECT_EQ(lab.status().routing_load_ratio, 1.0);
}

/// Found by a restart, the loss is all that the manager knows: what comes back is chosen again.
TEST(Returns, WhatComesBackAfterARestartGetsItsShareAfterQuietTime) {
  for (const bool rebalances : {true, false}) {
    SCOPED_TRACE(rebalances);
    Fabric lab;
    lab.options.routing_engine = {"minhop"};
    lab.options.rebalance = rebalances;
    ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
    const unsigned load = lab.worst_load();
    const sim::NodeIndex spine = lab.spines().front();
    lab.world.power(spine, false);
    ASSERT_TRUE(lab.settles()) << lab.complaint() << lab.tail();
    lab.heddle().stop();
    ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
    lab.world.power(spine, true);
    lab.let_nodes_boot();
    ASSERT_TRUE(lab.settles()) << lab.complaint() << lab.tail();
    EXPECT_GT(lab.worst_load(), load);
    EXPECT_TRUE(lab.is_unbalanced()) << lab.tail();
    lab.runtime.run_for(std::chrono::seconds(lab.options.rebalance_quiet_time) + 10s);
    EXPECT_EQ(lab.worst_load() == load, rebalances) << lab.tail();
    EXPECT_EQ(lab.is_unbalanced(), !rebalances);
    EXPECT_EQ(lab.complaint(), "");
    const auto settled = lab.tables();
    lab.runtime.run_for(20min);
    EXPECT_EQ(lab.tables(), settled) << "once";
    if (rebalances) continue;
    ASSERT_TRUE(lab.heddle().order_rebalance());
    lab.settle();
    EXPECT_EQ(lab.worst_load(), load);
    EXPECT_FALSE(lab.is_unbalanced());
  }
}

/// The manager did not see it come back: the tables that it finds do not use the spine.
TEST(Returns, WhatComesBackWhileTheManagerIsDownGetsItsShareAfterQuietTime) {
  for (const char* engine : {"minhop", "ftree"}) {
    for (const bool rebalances : {true, false}) {
      SCOPED_TRACE(testing::Message() << engine << ", rebalance " << rebalances);
      Fabric lab;
      lab.options.routing_engine = {engine};
      lab.options.rebalance = rebalances;
      ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
      const unsigned load = lab.worst_load();
      const sim::NodeIndex spine = lab.spines().front();
      lab.world.power(spine, false);
      ASSERT_TRUE(lab.settles()) << lab.complaint() << lab.tail();
      lab.heddle().stop();
      lab.world.power(spine, true);
      lab.let_nodes_boot();
      ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
      EXPECT_GT(lab.worst_load(), load);
      EXPECT_TRUE(lab.is_unbalanced()) << lab.tail();
      EXPECT_EQ(lab.raised(routing::kRoutingConditions.routing_adopted), 1u);
      lab.runtime.run_for(std::chrono::seconds(lab.options.rebalance_quiet_time) + 10s);
      EXPECT_EQ(lab.worst_load() == load, rebalances) << lab.tail();
      EXPECT_EQ(lab.is_unbalanced(), !rebalances);
      EXPECT_EQ(lab.raised(routing::kRoutingConditions.routing_adopted), rebalances ? 0u : 1u);
      EXPECT_EQ(lab.complaint(), "");
      const auto settled = lab.tables();
      lab.runtime.run_for(20min);
      EXPECT_EQ(lab.tables(), settled) << "once";
    }
  }
}

/// A spine that was not there when the manager started.
TEST(Returns, ANewSpineGetsItsShareAfterQuietTime) {
  Fabric lab;
  lab.options.routing_engine = {"ftree"};
  lab.options.rebalance_quiet_time = 60;
  const sim::NodeIndex spine = lab.spines().back();
  lab.world.power(spine, false);
  ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  const unsigned without = lab.worst_load();
  lab.world.power(spine, true);
  lab.let_nodes_boot();
  ASSERT_TRUE(lab.settles()) << lab.complaint() << lab.tail();
  EXPECT_TRUE(lab.is_unbalanced()) << lab.tail();
  const auto before = lab.tables();
  lab.runtime.run_for(40s);
  EXPECT_EQ(lab.tables(), before) << "not before the time";
  lab.runtime.run_for(40s);
  EXPECT_LT(lab.worst_load(), without) << lab.tail();
  EXPECT_FALSE(lab.is_unbalanced());
  EXPECT_EQ(lab.complaint(), "");
  // From now on it is one of those whose routes come back.
  const auto whole = lab.tables();
  lab.world.power(spine, false);
  ASSERT_TRUE(lab.settles()) << lab.complaint() << lab.tail();
  lab.world.power(spine, true);
  lab.let_nodes_boot();
  ASSERT_TRUE(lab.settles()) << lab.complaint() << lab.tail();
  EXPECT_EQ(lab.tables(), whole);
}

// ---- a fallback

/// With one VL, dfsssp refuses a ring.
class FallenBack : public Fabric {
 public:
  explicit FallenBack(const std::string& first_engine = "dfsssp") {
    options.max_op_vls = 1;
    options.routing_engine = {first_engine};
    EXPECT_TRUE(start_and_settle()) << tail();
    whole = tables();
    // Leaves are a ring instead of leading to spines.
    std::vector<std::pair<sim::PortIndex, sim::PortIndex>> ends;
    const std::vector<sim::NodeIndex> all_spines = spines();
    for (const sim::NodeIndex node : model.nodes.indices()) {
      if (!model.nodes[node].is_switch() || std::ranges::find(all_spines, node) != all_spines.end())
        continue;
      const std::vector<sim::PortIndex> ports = linked(node);
      ends.emplace_back(ports[ports.size() - 2], ports.back());
      for (const sim::PortIndex port : ports)
        if (model.owning_node(far(port)).is_switch()) cables.emplace_back(port, far(port));
    }
    for (const auto& [port, peer] : cables) world.cut(port);
    for (std::size_t i = 0; i < ends.size(); ++i) {
      ring.push_back(ends[i].second);
      world.connect(ends[i].second, ends[(i + 1) % ends.size()].first);
    }
    let_links_train();
    EXPECT_TRUE(settles()) << complaint() << tail();
    options.routing_engine = {"dfsssp"};
  }
  void restart() {
    heddle().stop();
    EXPECT_TRUE(start_and_settle()) << tail();
    EXPECT_EQ(engine(), "minhop");
    EXPECT_EQ(raised(routing::kRoutingConditions.routing_refused), 1u);
  }
  void repair() {
    for (const sim::PortIndex port : ring) world.cut(port);
    for (const auto& [port, peer] : cables) world.connect(port, peer);
    let_links_train();
  }
  std::string engine() const { return status().subnet->routing->engine; }

  std::map<std::string, Tables> whole;
  std::vector<std::pair<sim::PortIndex, sim::PortIndex>> cables;
  std::vector<sim::PortIndex> ring;
};

TEST(Fallback, WhatAFallbackWroteIsNotKeptAgainstTheConfiguredEngine) {
  FallenBack lab;
  lab.restart();
  lab.repair();
  ASSERT_TRUE(lab.settles()) << lab.complaint() << lab.tail();
  EXPECT_EQ(lab.engine(), "dfsssp");
  EXPECT_EQ(lab.tables(), lab.whole);
  EXPECT_EQ(lab.raised(routing::kRoutingConditions.routing_refused), 0u);
  EXPECT_EQ(lab.raised(routing::kRoutingConditions.routing_limit), 0u) << lab.tail();
  EXPECT_EQ(lab.raised(routing::kRoutingConditions.routing_adopted), 0u) << lab.tail();
}

/// Adopted by the fallback, not by the configured engine, which refused at the takeover.
TEST(Fallback, TablesOfAnotherManagerAreNotKeptThroughIt) {
  FallenBack lab("updn");
  lab.restart();
  lab.repair();
  ASSERT_TRUE(lab.settles()) << lab.complaint() << lab.tail();
  EXPECT_EQ(lab.engine(), "dfsssp");
  EXPECT_EQ(lab.raised(routing::kRoutingConditions.routing_adopted), 0u) << lab.tail();
  const auto tables = lab.tables();
  ASSERT_TRUE(lab.heddle().order_rebalance());
  lab.settle();
  EXPECT_EQ(lab.tables(), tables) << "they are the engine's own choice";
}

/// Repaired while the manager is down: the mark on disk says who wrote the tables.
TEST(Fallback, IsKnownAfterARestart) {
  FallenBack lab;
  lab.restart();
  lab.heddle().stop();
  lab.repair();
  ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  EXPECT_EQ(lab.engine(), "dfsssp");
  EXPECT_EQ(lab.tables(), lab.whole);
  EXPECT_EQ(lab.raised(routing::kRoutingConditions.routing_adopted), 0u) << lab.tail();
  // The next restart finds the engine's own tables.
  lab.heddle().stop();
  lab.forget_counts();
  ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  EXPECT_EQ(lab.tables(), lab.whole);
}

/// A restart during the fault writes nothing: the fallback keeps its own tables.
TEST(Fallback, KeepsItsTablesWhileTheConfiguredEngineRefuses) {
  FallenBack lab;
  lab.restart();
  const auto tables = lab.tables();
  lab.heddle().stop();
  ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  EXPECT_EQ(lab.tables(), tables);
  EXPECT_EQ(lab.engine(), "minhop");
}

}  // namespace returns_test
