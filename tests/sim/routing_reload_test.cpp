// Routing engines and their options change by SIGHUP: packets are followed after every single
// write, and the tables are those that a start without tables would choose.

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "routing/core/routing_conditions.h"
#include "routing/qos/path_sl.h"
#include "sim/watched.h"
#include "sm/ctl/topology/generators.h"
#include "support/check/checks.h"

namespace routing_reload_test {

using laboratory::Solo;
using watched::Watched;
using namespace std::chrono_literals;

using Engines = config::WordList;

/// Eight leaves with four hosts each below four spines.
topology::Topology wide_tree() {
  return topology::xgft({.children = {4, 8}, .parents = {1, 4}, .cables = {}});
}

/// A manager whose configuration an operator edits.
template <class Base>
class Edited : public Base {
 public:
  using Base::Base;

  /// SIGHUP; returns false if the engine has not written its tables soon.
  bool change_to(const Engines& engines, const std::string& expected) {
    this->options.routing_engine = engines;
    return reload() && engine() == expected;
  }
  /// SIGHUP with the options and files as they are now. Returns false if the reload stays pending.
  bool reload() {
    this->heddle().reload(this->options);
    const bool is_taken =
        this->runtime.run_until([&] { return !this->status().reload_pending; }, 10s);
    this->settle();
    return is_taken;
  }
  std::string engine() const { return this->status().subnet->routing->engine; }
  std::map<std::string, std::vector<std::uint8_t>> tables() const {
    std::map<std::string, std::vector<std::uint8_t>> all;
    for (const sim::NodeModel& node : this->model.nodes)
      if (node.is_switch()) all[node.description] = node.sw->lft;
    return all;
  }
  /// Returns a switch without hosts.
  sim::NodeIndex spine() const {
    sim::NodeIndex found{0};
    for (const sim::NodeIndex node : this->model.nodes.indices()) {
      bool has_hosts = !this->model.nodes[node].is_switch();
      for (unsigned number = 1; number <= this->model.nodes[node].port_count(); ++number)
        if (const sim::PortIndex far = this->far(this->port(node, number)); far != sim::kNone)
          has_hosts = has_hosts || !this->model.owning_node(far).is_switch();
      if (!has_hosts) found = node;
    }
    return found;
  }
  /// Returns the credit loops of packets between hosts with the service levels of their paths.
  std::string credit_loops() const {
    const auto subnet = this->status().subnet;
    const auto sl = [&](sim::PortIndex from, mad::Lid to) {
      const fabric::PortIndex sender = subnet->fabric.port_of_guid.at(this->model.ports[from].guid);
      return routing::path_sl(*subnet->routing,
                              {subnet->fabric.leaf_switch(sender), to,
                               subnet->fabric.leaf_switch(subnet->lids.owner(to))},
                              {});
    };
    return sim::first_complaint(sim::check_credit_loops(
        this->model, sim::reachable(this->model, this->own()), sim::Traffic::between_hosts, sl));
  }
};

using WatchedLab = Edited<Watched>;
using Lab = Edited<Solo>;

/// The tables of a first start with these engines.
std::map<std::string, std::vector<std::uint8_t>> tables_of_a_start(const Engines& engines) {
  WatchedLab lab(wide_tree());
  lab.make_adaptive();
  lab.options.routing_engine = engines;
  EXPECT_TRUE(lab.start_and_settle()) << lab.tail();
  return lab.tables();
}

TEST(RoutingReload, EnginesChangeAndNoPacketIsLostOrInALoop) {
  WatchedLab lab(wide_tree());
  lab.make_adaptive();
  lab.options.routing_engine = {"minhop"};
  ASSERT_TRUE(lab.start_and_watch()) << lab.tail();
  for (const std::string engine :
       {"updn", "ftree", "ar_updn", "ar_ftree", "dfsssp", "ar_minhop", "lash", "minhop", "updn"}) {
    SCOPED_TRACE(engine);
    ASSERT_TRUE(lab.change_to({engine}, engine)) << lab.engine() << lab.tail();
    EXPECT_EQ(lab.complaint(), "");
    EXPECT_EQ(lab.credit_loops(), "");
    lab.expect_all_choices_arrive();
    lab.expect_no_loss();
    EXPECT_EQ(lab.raised(routing::kRoutingConditions.routing_adopted), 0u);
    if (!engine.starts_with("ar_")) {
      EXPECT_EQ(lab.tables(), tables_of_a_start({engine}));
    }
  }
  EXPECT_GT(lab.walks, 0u);
}

/// Paths on a torus need service levels; those that clients remember are of the former engine.
TEST(RoutingReload, ClientsQueryTheirPathsAgainIfServiceLevelsChange) {
  Lab lab(topology::torus({.dimensions = {4, 4}, .hosts_per_switch = 1}));
  lab.options.connect_roots = true;
  lab.options.routing_engine = {"minhop"};
  ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  EXPECT_NE(lab.credit_loops(), "");
  ASSERT_EQ(lab.raised(routing::kRoutingConditions.routing_limit), 1u);
  const auto reregistered = [&] { return lab.sent(mad::Method::set, mad::AttributeId::port_info); };
  constexpr std::uint64_t kHosts = 16;

  ASSERT_TRUE(lab.change_to({"dfsssp"}, "dfsssp")) << lab.tail();
  EXPECT_EQ(lab.complaint(), "");
  EXPECT_EQ(lab.credit_loops(), "");
  EXPECT_EQ(lab.raised(routing::kRoutingConditions.routing_limit), 0u);
  EXPECT_GE(reregistered(), kHosts);
  lab.forget_counts();

  lab.options.sweep_interval = 20;
  ASSERT_TRUE(lab.reload());
  EXPECT_EQ(lab.sets(), 0u) << "nothing that routes depend on";

  ASSERT_TRUE(lab.change_to({"minhop"}, "minhop")) << lab.tail();
  EXPECT_EQ(lab.complaint(), "");
  EXPECT_GE(reregistered(), kHosts);
}

TEST(RoutingReload, ClientsKeepTheirPathsIfServiceLevelsStay) {
  WatchedLab lab(wide_tree());
  lab.options.routing_engine = {"minhop"};
  ASSERT_TRUE(lab.start_and_watch()) << lab.tail();
  ASSERT_TRUE(lab.change_to({"ftree"}, "ftree"));
  EXPECT_EQ(lab.sent(mad::Method::set, mad::AttributeId::port_info), 0u);
}

/// A file is named, edited, and named no longer.
TEST(RoutingReload, RootsAreThoseOfTheFile) {
  WatchedLab lab(wide_tree());
  lab.options.routing_engine = {"updn"};
  ASSERT_TRUE(lab.start_and_watch()) << lab.tail();
  const auto roots = [&] { return lab.status().subnet->routing->roots; };
  const auto found = roots();
  ASSERT_EQ(found.size(), 4u);
  const auto before = lab.tables();
  lab.options.root_guid_file = "roots";
  lab.heddle().files.roots = {found[2].value};
  ASSERT_TRUE(lab.reload());
  EXPECT_THAT(roots(), testing::ElementsAre(found[2]));
  EXPECT_NE(lab.tables(), before);
  lab.heddle().files.roots = {found[1].value};
  ASSERT_TRUE(lab.reload());
  EXPECT_THAT(roots(), testing::ElementsAre(found[1]));
  lab.options.root_guid_file.clear();
  lab.heddle().files.roots = {};
  ASSERT_TRUE(lab.reload());
  EXPECT_EQ(roots(), found);
  EXPECT_EQ(lab.tables(), before);
  lab.expect_sound();
  EXPECT_EQ(lab.complaint(), "");
}

/// Without a new choice all routes would be valid still, and the option would change nothing.
TEST(RoutingReload, ASeedOfPortsIsInForceAtOnce) {
  WatchedLab lab(wide_tree());
  lab.options.routing_engine = {"minhop"};
  ASSERT_TRUE(lab.start_and_watch()) << lab.tail();
  const auto before = lab.tables();
  lab.options.scatter_ports = 8;
  ASSERT_TRUE(lab.reload());
  EXPECT_NE(lab.tables(), before);
  lab.options.scatter_ports = 0;
  ASSERT_TRUE(lab.reload());
  EXPECT_EQ(lab.tables(), before);
  lab.forget_counts();
  lab.options.root_guid_file = "roots";  // minhop does not read it
  lab.heddle().files.roots = {0x1234};
  ASSERT_TRUE(lab.reload());
  EXPECT_EQ(lab.lft_sets(), 0u);
  lab.expect_no_loss();
}

/// A spine came back while no manager ran: the tables that were found, and adopted, do not use it.
TEST(RoutingReload, TablesThatWereFoundDoNotOutliveTheEngine) {
  for (const std::string engine : {"updn", "ftree", "dmodc"}) {
    SCOPED_TRACE(engine);
    Lab lab(wide_tree());
    lab.options.connect_roots = true;
    lab.options.routing_engine = {"minhop"};
    const sim::NodeIndex spine = lab.spine();
    ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
    lab.world.power(spine, false);
    ASSERT_TRUE(lab.settles()) << lab.complaint() << lab.tail();
    lab.heddle().stop();
    lab.world.power(spine, true);
    lab.let_nodes_boot();
    ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
    ASSERT_EQ(lab.raised(routing::kRoutingConditions.routing_adopted), 1u) << lab.tail();
    ASSERT_TRUE(lab.change_to({engine}, engine)) << lab.tail();
    EXPECT_EQ(lab.raised(routing::kRoutingConditions.routing_adopted), 0u) << lab.tail();
    EXPECT_EQ(lab.tables(), tables_of_a_start({engine}));
    EXPECT_EQ(lab.complaint(), "");
  }
}

/// The tables stay as they were; the next change is taken.
TEST(RoutingReload, AnEngineThatRefusesTheFabricWritesNothing) {
  WatchedLab lab(wide_tree());
  lab.options.routing_engine = {"updn"};
  ASSERT_TRUE(lab.start_and_watch()) << lab.tail();
  const auto before = lab.tables();
  EXPECT_FALSE(lab.change_to({"torus-2QoS", "no_fallback"}, "torus-2QoS"));
  EXPECT_EQ(lab.raised(routing::kRoutingConditions.routing_failed), 1u);
  EXPECT_EQ(lab.tables(), before);
  EXPECT_TRUE(lab.status().reload_pending);
  EXPECT_TRUE(lab.change_to({"ftree"}, "ftree")) << lab.tail();
  EXPECT_EQ(lab.raised(routing::kRoutingConditions.routing_failed), 0u);
  EXPECT_EQ(lab.tables(), tables_of_a_start({"ftree"}));
  lab.expect_no_loss();
}

}  // namespace routing_reload_test
