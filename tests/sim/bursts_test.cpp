// Many links or switches are lost at once, those included by which the manager reaches everything
// else. Nothing that is still connected is called lost, and no time-out is waited for.

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sim/laboratory.h"
#include "sm/ctl/topology/generators.h"
#include "support/seeds.h"

namespace bursts_test {

using namespace std::chrono_literals;

/// A fabric of three levels that is up, and what happens to it at once.
class Burst : public laboratory::Solo {
 public:
  explicit Burst(std::uint64_t seed)
      : Solo(topology::fat_tree({.hosts = 54, .radix = 6, .levels = 3}), seed), dice_(seed) {
    world.timing.boot = 10ms;
  }

  /// Cuts that many links between switches, the first uplink of the manager's leaf among them.
  void cut_links(std::size_t count) {
    const sim::NodeIndex leaf = neighbour(own());
    world.cut(uplinks(leaf).front());
    std::vector<sim::PortIndex> links;
    for (const sim::NodeIndex node : model.nodes.indices())
      for (const sim::PortIndex port : uplinks(node)) links.push_back(port);
    dice_.shuffle(links);
    for (const sim::PortIndex port : links)
      if (count-- > 1 && far(port) != sim::kNone) world.cut(port);
  }
  /// Switches off that many of the switches that have hosts, but for the manager's.
  void switch_leaves_off(std::size_t count) {
    std::vector<sim::NodeIndex> leaves;
    for (const sim::NodeIndex node : model.nodes.indices())
      if (is_leaf(node) && node != neighbour(own())) leaves.push_back(node);
    dice_.shuffle(leaves);
    for (const sim::NodeIndex leaf : leaves)
      if (count-- > 0) world.power(leaf, false);
  }
  /// Runs until the fabric is as it should be. `lost`: nodes that were missing from a published
  /// subnet although they are connected.
  bool recovers(mad::Duration limit, std::set<std::string>& lost) {
    const mad::TimePoint end = runtime.now() + limit;
    std::shared_ptr<const fabric::Subnet> seen = status().subnet;
    const std::vector<bool> reach = reachable();
    while (runtime.now() < end) {
      runtime.run_for(1ms);
      const auto now = status().subnet;
      if (now == seen) continue;
      seen = now;
      for (const sim::NodeIndex node : model.nodes.indices())
        if (reach[node] && !now->fabric.node_of_guid.contains(model.nodes[node].info.node_guid()))
          lost.insert(model.nodes[node].description);
      if (complaint().empty()) return true;
    }
    return complaint().empty();
  }
  topology::Random& dice() { return dice_; }

 private:
  bool is_leaf(sim::NodeIndex node) const {
    if (!model.nodes[node].is_switch()) return false;
    for (unsigned number = 1; number <= model.nodes[node].port_count(); ++number)
      if (const sim::PortIndex port = this->port(node, number);
          far(port) != sim::kNone && !model.owning_node(far(port)).is_switch())
        return true;
    return false;
  }
  /// Ports of a switch that lead to other switches.
  std::vector<sim::PortIndex> uplinks(sim::NodeIndex node) const {
    std::vector<sim::PortIndex> ports;
    if (!model.nodes[node].is_switch()) return ports;
    for (unsigned number = 1; number <= model.nodes[node].port_count(); ++number)
      if (const sim::PortIndex port = this->port(node, number);
          far(port) != sim::kNone && model.owning_node(far(port)).is_switch())
        ports.push_back(port);
    return ports;
  }

  topology::Random dice_;
};

/// No attempt that fails is waited for: shorter than the shortest time-out of a request.
constexpr mad::Duration kWithoutTimeouts = 190ms;

/// Lets `happen` change a fabric that is up, and expects that it recovers at once, and that no
/// published subnet lacks a node that is still connected.
void expect_no_false_loss(std::uint64_t seed, const std::function<void(Burst&)>& happen) {
  Burst lab(seed);
  ASSERT_TRUE(lab.start_and_settle()) << lab.complaint() << lab.tail();
  lab.heddle().forget_log();
  happen(lab);
  const mad::TimePoint begin = lab.runtime.now();
  std::set<std::string> lost;
  EXPECT_TRUE(lab.recovers(laboratory::kSweepsWithErrors, lost)) << lab.complaint() << lab.tail();
  EXPECT_TRUE(lost.empty()) << lost.size() << " nodes, " << *lost.begin() << lab.log();
  EXPECT_LE(lab.runtime.now() - begin, kWithoutTimeouts) << lab.log();
}

TEST(Bursts, OfLinksOnTheFirstRoutesLoseNothingThatIsConnected) {
  seeds::for_each(60, [](std::uint64_t seed) {
    expect_no_false_loss(seed, [](Burst& lab) { lab.cut_links(2 + lab.dice().below(14)); });
  });
}

TEST(Bursts, OfLeavesThatLosePowerLoseNothingElse) {
  seeds::for_each(30, [](std::uint64_t seed) {
    expect_no_false_loss(seed, [](Burst& lab) { lab.switch_leaves_off(2 + lab.dice().below(8)); });
  });
}

}  // namespace bursts_test
