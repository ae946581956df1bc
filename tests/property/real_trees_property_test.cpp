// Trees as sites have them: every engine for trees routes them on one VL, no host is lost, and
// links carry few more flows of a shift than cuts of the fabric require.

#include <map>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "routing/graph/hops.h"
#include "routing/quality/quality.h"
#include "routing/registry.h"
#include "routing/trees/tree_levels.h"
#include "routing/trees/tree_targets.h"
#include "sm/ctl/topology/generators.h"
#include "support/dirty_trees.h"
#include "support/real_fabrics.h"
#include "support/seeds.h"

namespace real_trees_property_test {

using fabric::SwitchIndex;
using fabrics::Subnet;
using routing::ChainResult;

/// What packets of all end ports do, followed hop by hop. Shares no code with routing/.
struct Followed {
  std::size_t lost = 0;         // pairs of a switch with hosts and a LID that does not arrive
  std::size_t lost_inside = 0;  // the same between switches that have CAs inside of them only
  bool has_cycle = false;       // of channels that wait for each other, on one VL
};

class Follower {
 public:
  explicit Follower(const Subnet& subnet) : subnet_(subnet) {
    const fabric::Fabric& fabric = subnet.fabric;
    for (const fabric::Switch& sw : fabric.switches) {
      const fabric::Node& node = fabric.nodes[sw.node];
      for (unsigned port = 1; port <= node.num_ports; ++port) {
        const fabric::PortIndex peer = fabric.ports[node.first_port + port].peer;
        if (peer == fabric::kNoIndex) continue;
        const fabric::Node& other = fabric.owning_node(peer);
        if (other.is_switch()) {
          next_[{node.switch_index, port}] = other.switch_index;
        } else {
          place_[peer] = {node.switch_index, port};
          const bool inside = other.info.system_image_guid() == node.info.system_image_guid();
          (inside ? insides_ : hosts_).insert(node.switch_index);
        }
      }
    }
    number_channels();
  }

  Followed follow(const fabric::ForwardingTables& lfts) {
    Followed out;
    std::vector<std::set<std::size_t>> waits(channels_);
    std::vector<std::size_t> channel_of(subnet_.fabric.switches.size());
    for (unsigned value = 1; value <= subnet_.lids.lid_top.value; ++value) {
      const mad::Lid lid{static_cast<std::uint16_t>(value)};
      const auto place = place_.find(subnet_.lids.owner(lid));
      if (place == place_.end()) continue;
      for (const auto* const senders : {&hosts_, &insides_})
        for (const SwitchIndex from : *senders) {
          std::size_t before = kNone;
          SwitchIndex sw = from;
          std::size_t hops = 0;
          while (sw != place->second.first && ++hops < 64) {
            const std::size_t channel = number_[sw * 256 + lfts.at(sw, lid).value];
            if (channel == kNone) break;
            if (before != kNone) waits[before].insert(channel);
            before = channel;
            sw = target_[channel];
          }
          if (sw == place->second.first && lfts.at(sw, lid).value == place->second.second) continue;
          const bool both_inside = !hosts_.contains(from) && !hosts_.contains(place->second.first);
          ++(both_inside ? out.lost_inside : out.lost);
        }
    }
    out.has_cycle = is_cyclic(waits);
    return out;
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  void number_channels() {
    number_.assign(subnet_.fabric.switches.size() * 256, kNone);
    for (const auto& [from, to] : next_) {
      number_[from.first * 256 + from.second] = channels_++;
      target_.push_back(to);
    }
  }

  /// Removes channels that do not wait, until all are removed or all that are left wait.
  static bool is_cyclic(const std::vector<std::set<std::size_t>>& waits) {
    std::vector<std::size_t> waiting(waits.size()), free;
    std::vector<std::vector<std::size_t>> behind(waits.size());
    for (std::size_t channel = 0; channel < waits.size(); ++channel) {
      waiting[channel] = waits[channel].size();
      if (waiting[channel] == 0) free.push_back(channel);
      for (const std::size_t other : waits[channel]) behind[other].push_back(channel);
    }
    std::size_t removed = 0;
    for (; !free.empty(); ++removed) {
      const std::size_t channel = free.back();
      free.pop_back();
      for (const std::size_t other : behind[channel])
        if (--waiting[other] == 0) free.push_back(other);
    }
    return removed < waits.size();
  }

  const Subnet& subnet_;
  std::map<std::pair<SwitchIndex, unsigned>, SwitchIndex> next_;
  std::map<fabric::PortIndex, std::pair<SwitchIndex, unsigned>> place_;  // of end ports
  std::set<SwitchIndex> hosts_, insides_;  // switches with hosts, with CAs inside of them
  std::vector<std::size_t> number_;        // [switch][port]
  std::vector<SwitchIndex> target_;
  std::size_t channels_ = 0;
};

tl::expected<ChainResult, routing::Refusal> route(const Subnet& subnet, const std::string& engine,
                                                  routing::ConflictRemoval removal,
                                                  const ChainResult* last = nullptr,
                                                  bool connect_roots = false) {
  routing::RoutingOptions options;
  options.connect_roots = connect_roots;
  routing::RoutingInput input{subnet.fabric, subnet.graph, subnet.lids, options};
  input.conflict_removal = removal;
  if (last == nullptr) return routing::route_with_chain({{engine}}, true, input);
  const routing::PreviousRouting before{*last->memory, last->routing.lfts, last->routing};
  input.previous_routing = &before;
  return routing::route_with_chain({{engine}}, true, input);
}

/// The highest load of a channel, mean over some shifts of the hosts along the tree.
double mean_load(const Subnet& subnet, const fabric::ForwardingTables& lfts) {
  const routing::RoutingOptions options;
  const auto hosts = routing::hosts_along_tree({subnet.fabric, subnet.graph, subnet.lids, options});
  return routing::shift_load(subnet.graph, lfts, hosts, std::max<std::size_t>(1, hosts.size() / 80))
      .mean;
}

struct RealTree {
  std::string name;
  double most;  // of mean_load(): 1.25 times the bound by cuts, or 1.05 times a known routing
  double updn;  // OpenSM 3.3.23, ftree with roots and compute nodes
};
void PrintTo(const RealTree& tree, std::ostream* out) { *out << tree.name; }

class RealTrees : public testing::TestWithParam<RealTree> {};

TEST_P(RealTrees, AreRoutedByEveryEngineForTreesNearTheirBound) {
  const Subnet subnet = real_fabrics::subnet(GetParam().name);
  Follower follower(subnet);
  const bool is_large = subnet.fabric.switches.size() > 200;
  for (const std::string engine : {"auto", "ftree", "updn", "ar_updn", "ar_ftree"}) {
    if (is_large && (engine == "updn" || engine == "ar_updn")) continue;  // takes too long
    SCOPED_TRACE(engine);
    const auto routed = route(subnet, engine, routing::ConflictRemoval::always);
    ASSERT_TRUE(routed) << routed.error().why;
    if (engine == "auto") {
      EXPECT_EQ(routed->routing.engine, "dmodc");
    }
    EXPECT_EQ(routed->routing.vls, 1u);
    const Followed followed = follower.follow(routed->routing.lfts);
    EXPECT_EQ(followed.lost, 0u);
    EXPECT_FALSE(followed.has_cycle);
    if (engine.starts_with("ar_")) continue;
    EXPECT_LE(mean_load(subnet, routed->routing.lfts),
              engine == "updn" ? GetParam().updn : GetParam().most);
  }
}

INSTANTIATE_TEST_SUITE_P(All, RealTrees,
                         testing::Values(RealTree{"ndr-542", 2.41, 3.80},
                                         RealTree{"storage-1247", 3.03, 4.84},
                                         RealTree{"made-superpod4d", 3.63, 3.89},
                                         RealTree{"made-cells", 2.46, 21.08},
                                         RealTree{"made-director", 2.07, 2.66},
                                         RealTree{"made-superpod16", 2.58, 15.48}),
                         [](const auto& tree) {
                           std::string name = tree.param.name;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(DirtyTrees, AreRoutedByEveryEngineForTrees) {
  std::size_t with_lost_inside = 0, trees = 0, several_vls = 0, refused = 0;
  seeds::for_each(600, [&](std::uint64_t seed) {
    topology::Random random(seed * 7919);
    const dirty_trees::Tree tree = dirty_trees::random_tree(random);
    const unsigned lmc = random.percent(20) ? 1 + random.below(3) : 0;
    const bool connect_roots = random.percent(20);
    const Subnet subnet(tree.maker.build(), lmc);
    const std::vector<std::uint32_t> component = routing::components(subnet.graph);
    if (std::ranges::any_of(component, [](std::uint32_t number) { return number > 0; })) return;
    ++trees;
    Follower follower(subnet);
    for (const std::string engine : {"dmodc", "ftree", "updn", "dnup", "ar_updn", "auto"}) {
      SCOPED_TRACE(engine);
      if (lmc > 0 && engine == "ftree") continue;  // one LID per port
      const auto routed =
          route(subnet, engine, routing::ConflictRemoval::always, nullptr, connect_roots);
      // A few switches with as many cables among leaves as to spines are no tree.
      if (!routed && engine != "auto") {
        ASSERT_THAT(routed.error().why, testing::AnyOf(testing::HasSubstr("not a tree"),
                                                       testing::HasSubstr("no switch has nearly")));
        ++refused;
        continue;
      }
      ASSERT_TRUE(routed) << routed.error().why;
      several_vls += routed->routing.vls > 1 ? 1u : 0u;
      if (engine == "auto" && routed->routing.vls > 1) continue;
      ASSERT_EQ(routed->routing.vls, 1u);
      const Followed followed = follower.follow(routed->routing.lfts);
      ASSERT_EQ(followed.lost, 0u);
      ASSERT_FALSE(followed.has_cycle);
      ASSERT_TRUE(!connect_roots || followed.lost_inside == 0);
      with_lost_inside += followed.lost_inside > 0 ? 1u : 0u;
    }
  });
  if (!seeds::are_default()) return;
  EXPECT_GT(trees, 400u);
  EXPECT_GT(with_lost_inside, 20u);
  EXPECT_LT(refused, trees / 8) << "of five engines";
  EXPECT_LT(several_vls, trees / 15) << "with auto, by dfsssp";
}

/// The last resort of Up*/Down* engines, whatever the order was: no pair lacks a path.
TEST(OneTop, GivesEveryPairAPath) {
  seeds::for_each(600, [](std::uint64_t seed) {
    topology::Random random(seed * 15'485'863);
    const Subnet subnet(dirty_trees::random_tree(random).maker.build());
    const std::size_t switches = subnet.graph.switches();
    std::vector<std::uint32_t> hosts(switches, 0);
    for (const auto& end : subnet.graph.end_ports) hosts[end.sw] += end.is_host() ? 1u : 0u;
    routing::UpDownOrder order(switches);
    std::iota(order.begin(), order.end(), 0u);
    for (std::size_t i = switches; i > 1; --i)
      std::swap(order[i - 1], order[random.below(static_cast<std::uint32_t>(i))]);
    const routing::UpDownOrder out = routing::with_one_top(subnet.graph, order, hosts);
    std::set<std::uint32_t> positions(out.begin(), out.end());
    ASSERT_EQ(positions.size(), switches);
    const std::vector<std::uint32_t> component = routing::components(subnet.graph);
    std::map<std::uint32_t, std::uint32_t> hosts_of;
    for (std::size_t sw = 0; sw < switches; ++sw) hosts_of[component[sw]] += hosts[sw];
    const auto distances = routing::up_down_distances(
        subnet.graph, out, {std::vector<std::uint8_t>(switches, 0), hosts, {}});
    ASSERT_TRUE(distances);
    for (const SwitchIndex from : subnet.graph.all_switches())
      for (const SwitchIndex to : subnet.graph.all_switches()) {
        if (component[from] != component[to] || hosts_of[component[from]] == 0) continue;
        ASSERT_NE(distances->legal.row(from)[to], 255);
      }
  });
}

/// On perfect trees, such paths between leaves are as short as any.
TEST(OneTop, KeepsPathsBetweenLeavesOfPerfectTrees) {
  for (const unsigned levels : {2u, 3u, 4u}) {
    const unsigned radix = levels == 4 ? 4 : 8;
    unsigned most = 2;
    for (unsigned level = 0; level < levels; ++level) most *= radix / 2;
    const Subnet subnet(fabrics::from_topology(
        topology::fat_tree({.hosts = most, .radix = radix, .levels = levels})));
    std::vector<std::uint32_t> hosts(subnet.graph.switches(), 0);
    for (const auto& end : subnet.graph.end_ports) hosts[end.sw] += end.is_host() ? 1u : 0u;
    const routing::RoutingOptions options;
    const auto tree = routing::tree_levels({subnet.fabric, subnet.graph, subnet.lids, options}, {});
    ASSERT_TRUE(tree);
    const auto distances = routing::up_down_distances(
        subnet.graph, routing::with_one_top(subnet.graph, tree->order, hosts),
        {std::vector<std::uint8_t>(hosts.size(), 0), hosts, {}});
    const auto hops = routing::unit_hops(subnet.graph);
    ASSERT_TRUE(distances && hops);
    for (const SwitchIndex from : subnet.graph.all_switches())
      for (const SwitchIndex to : subnet.graph.all_switches())
        if (hosts[from] > 0 && hosts[to] > 0) {
          ASSERT_EQ(distances->legal.row(from)[to], hops->row(from)[to]);
        }
  }
}

/// Shapes other than trees, with a CA inside of each switch: every engine that routes the shape
/// routes it.
TEST(OtherShapes, AreRoutedWithCasInsideOfSwitches) {
  const std::map<std::string, topology::Topology> shapes{
      {"torus", topology::torus({.dimensions = {4, 4, 3}})},
      {"mesh", topology::mesh({.dimensions = {4, 4}})},
      {"hypercube", topology::hypercube({.dimensions = 4})},
      {"dragonfly", topology::dragonfly({})},
      {"dragonfly+", topology::dragonfly_plus({})},
      {"random", topology::random_graph({})}};
  for (const auto& [name, shape] : shapes) {
    fabrics::Maker maker;
    for (const topology::Node& node : shape.nodes) {
      const bool is_switch = node.type == topology::NodeType::switch_;
      const fabric::NodeIndex made =
          maker.add(is_switch ? mad::NodeType::switch_ : mad::NodeType::ca,
                    node.port_count + (is_switch ? 1 : 0), node.name, node.guid);
      if (is_switch) maker.set_system(made, node.guid);
    }
    for (const topology::Link& link : shape.links)
      maker.cable(fabric::NodeIndex(link.a.node), link.a.port.value, fabric::NodeIndex(link.b.node),
                  link.b.port.value);
    for (std::uint32_t i = 0; i < shape.nodes.size(); ++i) {
      if (shape.nodes[i].type != topology::NodeType::switch_) continue;
      const fabric::NodeIndex inside = maker.ca();
      maker.set_system(inside, shape.nodes[i].guid);
      maker.cable(fabric::NodeIndex(i), inside);
    }
    const Subnet subnet(maker.build());
    Follower follower(subnet);
    for (const std::string engine : {"minhop", "dfsssp", "nue", "auto"}) {
      SCOPED_TRACE(name + " " + engine);
      const auto routed = route(subnet, engine, routing::ConflictRemoval::none);
      ASSERT_TRUE(routed) << routed.error().why;
      const Followed followed = follower.follow(routed->routing.lfts);
      ASSERT_EQ(followed.lost + followed.lost_inside, 0u);
      if (engine != "minhop") {
        ASSERT_TRUE(routed->credit_loops.ok());
      }
    }
  }
}

/// A link is lost and comes back: nothing else moves, and the tables are as they were.
TEST(DirtyTrees, ALossMovesLittleAndItsEndMovesItBack) {
  seeds::for_each(200, [](std::uint64_t seed) {
    topology::Random random(seed * 104'729);
    dirty_trees::Tree tree = dirty_trees::random_tree(random);
    const Subnet whole(tree.maker.build());
    if (tree.cables.empty()) return;
    const auto [a, b] = tree.cables[random.below(static_cast<std::uint32_t>(tree.cables.size()))];
    for (const std::string engine : {"dmodc", "ftree", "updn", "minhop"}) {
      SCOPED_TRACE(engine);
      const auto first = route(whole, engine, routing::ConflictRemoval::always);
      if (!first) continue;
      fabric::Fabric damaged = whole.fabric;
      const fabric::Node& node = damaged.nodes[a];
      for (unsigned port = 1; port <= node.num_ports; ++port) {
        fabric::Port& end = damaged.ports[node.first_port + port];
        if (end.peer == fabric::kNoIndex || damaged.ports[end.peer].node != b) continue;
        damaged.ports[end.peer].peer = fabric::kNoIndex;
        end.peer = fabric::kNoIndex;
        break;
      }
      const Subnet less(damaged, whole.lids);
      const auto second = route(less, engine, routing::ConflictRemoval::none, &*first);
      if (!second) continue;  // it was the last link to something
      const auto third = route(whole, engine, routing::ConflictRemoval::none, &*second);
      ASSERT_TRUE(third) << third.error().why;
      ASSERT_EQ(third->routing.lfts, first->routing.lfts);
    }
  });
}

}  // namespace real_trees_property_test
