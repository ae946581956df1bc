// A sweeper's multicast on a simulated fabric: every SMP travels, may be lost, and finds the
// hardware as it is.

#include <gtest/gtest.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>

#include <filesystem>
#include <set>
#include <sstream>

#include "mad/attributes/forwarding_blocks.h"
#include "mad/format.h"
#include "sim/surveys.h"
#include "sm/ctl/topology/generators.h"
#include "sm/sweep/sweeper.h"
#include "support/scratch.h"
#include "support/seeds.h"
#include "support/sweep_clients.h"

namespace multicast_test {

using namespace std::chrono_literals;
using mad::AttributeId, mad::Method;

constexpr mad::Mlid mlid(unsigned index) {
  return {static_cast<std::uint16_t>(mad::kMlidMin.value + index)};
}

topology::Topology tree() {
  return topology::xgft({.children = {3, 4}, .parents = {1, 3}, .cables = {}});
}

/// A sweeper without the manager around it, and groups of hosts by name.
class Lab : public surveys::Observer {
 public:
  explicit Lab(const topology::Topology& topology, std::uint64_t seed = 1)
      : Observer(topology, seed, {.timeout = 50ms, .retries = 2}) {
    logger = std::make_shared<spdlog::logger>(
        "multicast", std::make_shared<spdlog::sinks::ostream_sink_st>(log));
    logger->set_pattern("%v");
    folder = support::parent_of_scratch() /
             fmt::format("heddle-multicast-{}-{}", ::getpid(), static_cast<const void*>(this));
    std::filesystem::create_directory(folder);
    settings.cache_files_dir = settings.dump_files_dir = folder.string();
    settings.enable_subnet_lst = false;
    settings.fsync_high_avail_files = false;
    for (sim::NodeModel& node : model.nodes) {
      if (!node.is_switch()) continue;
      mad::PortInfo& port0 = model.ports[node.first_port].info;
      port0.set_capability_mask(port0.capability_mask() | mad::capability::kMulticastFdbTop);
    }
    restart();
    // Whatever has arrived: no packet circulates, and none comes twice.
    tap.on_request = [this](mad::ConstSmpView) { watch(); };
  }
  ~Lab() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }

  /// What is configured now.
  sm::SharedContext context() const { return sm::make_context(settings, files, partitioning); }
  void restart() {
    conditions.emplace([this] { return runtime.now(); }, *logger);
    sweeper = std::make_unique<sm::Sweeper>(client, *logger, *conditions, clients);
    clients.groups = [this](const fabric::Subnet& subnet) {
      const fabric::Fabric& fabric = subnet.fabric;
      std::vector<routing::MulticastGroup> all;
      for (const auto& [of, members] : groups) {
        routing::MulticastGroup& group = all.emplace_back();
        group.mlid = of;
        for (const sim::PortIndex member : members) {
          const auto found = fabric.port_of_guid.find(model.ports[member].guid);
          if (found != fabric.port_of_guid.end()) group.receivers.push_back(found->second);
        }
      }
      return all;
    };
  }

  sm::SweepEnd sweep(bool trust_tables = true) {
    const auto both = [this, trust_tables]() -> boost::asio::awaitable<sm::PassResult> {
      const sm::PassRequest order{.everything = true, .trust_tables = trust_tables, .why = "test"};
      sm::Survey survey = co_await sweeper->observe(context(), order, true);
      co_return co_await sweeper->pass(context(), order, std::move(survey));
    };
    const auto result = runtime.run(both());
    EXPECT_TRUE(result.has_value());
    return result ? result->end : sm::SweepEnd::errors;
  }
  sm::PassResult change() {
    const auto end = runtime.run(sweeper->pass(context(), {.groups = true}));
    EXPECT_TRUE(end.has_value());
    return end.value_or(sm::PassResult{});
  }

  std::string complaint() const {
    std::vector<sim::ExpectedGroup> expected;
    for (const auto& [of, members] : groups) {
      sim::ExpectedGroup& group = expected.emplace_back();
      group.mlid = of;
      group.members = members;
    }
    return sim::first_complaint(sim::check_multicast(model, expected));
  }
  void watch() {
    for (const auto& [of, members] : groups) {
      for (unsigned i = 0; i < 2; ++i) {
        const sim::PortIndex from = hosts[next_host++ % hosts.size()];
        const sim::Copies copies = sim::walk_multicast(model, from, {.dlid = mad::Lid{of.value}});
        EXPECT_FALSE(copies.forwarding_loop) << of.value << " from " << model.name(from);
        EXPECT_EQ(std::set<sim::PortIndex>(copies.delivered.begin(), copies.delivered.end()).size(),
                  copies.delivered.size());
        ++walks;
      }
    }
  }
  std::uint64_t mft_sets() const {
    return attachment->sent(Method::set, AttributeId::multicast_forwarding_table);
  }
  std::uint64_t mft_gets() const {
    return attachment->sent(Method::get, AttributeId::multicast_forwarding_table);
  }
  std::set<std::uint16_t> tops() const {
    std::set<std::uint16_t> all;
    for (const sim::NodeModel& node : model.nodes) {
      if (node.is_switch()) all.insert(node.sw->info.multicast_fdb_top());
    }
    return all;
  }

  config::Options settings;
  config::InputFiles files;
  partitions::Configuration partitioning = partitions::default_configuration();
  std::map<mad::Mlid, std::set<sim::PortIndex>> groups;
  std::vector<sim::PortIndex> hosts = [this] {
    std::vector<sim::PortIndex> all;
    for (const sim::NodeIndex node : model.nodes.indices()) {
      if (!model.nodes[node].is_switch()) all.push_back(port(node));
    }
    return all;
  }();
  std::ostringstream log;
  std::shared_ptr<spdlog::logger> logger;
  std::filesystem::path folder;
  std::optional<sm::ConditionLog> conditions;
  support::SweepClients clients;
  std::unique_ptr<sm::Sweeper> sweeper;
  std::size_t next_host = 0, walks = 0;
};

TEST(SweepMulticast, GroupsWorkWhenTheSubnetIsUp) {
  Lab lab(tree());
  lab.groups[mlid(0)] = {lab.hosts.begin(), lab.hosts.end()};
  lab.groups[mlid(40)] = {lab.hosts[0], lab.hosts[5], lab.hosts[11]};
  ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up) << lab.log.str();
  EXPECT_EQ(lab.complaint(), "");
  EXPECT_EQ(lab.tops(), (std::set<std::uint16_t>{mlid(40).value}));
  ASSERT_NE(lab.sweeper->subnet()->mfts, nullptr);
  EXPECT_EQ(lab.sweeper->subnet()->mfts->top(), mlid(40));

  lab.attachment->forget_counts();
  ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up);
  EXPECT_EQ(lab.mft_sets() + lab.mft_gets(), 0u) << "nothing changed";
  EXPECT_GT(lab.walks, 0u);
}

TEST(SweepMulticast, ARestartKeepsTheTreesThatAreThere) {
  Lab lab(tree());
  lab.groups[mlid(0)] = {lab.hosts.begin(), lab.hosts.end()};
  lab.groups[mlid(1)] = {lab.hosts[1], lab.hosts[7]};
  ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up);
  lab.restart();
  lab.attachment->forget_counts();
  ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up);
  EXPECT_EQ(lab.mft_sets(), 0u);
  EXPECT_EQ(lab.mft_gets(), 7u) << "one block of every switch";
  EXPECT_EQ(lab.complaint(), "");
  lab.attachment->forget_counts();
  ASSERT_EQ(lab.sweep(false), sm::SweepEnd::subnet_up);
  EXPECT_EQ(lab.mft_gets(), 6u) << "of those in a tree";
  EXPECT_EQ(lab.mft_sets(), 0u);
}

TEST(SweepMulticast, AJoinWritesOnlyTheSwitchesOfItsBranchAndNothingElseIsRead) {
  Lab lab(tree());
  lab.groups[mlid(0)] = {lab.hosts[0], lab.hosts[3]};
  ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up);
  const auto before = lab.sweeper->subnet();
  lab.attachment->forget_counts();
  lab.groups[mlid(0)].insert(lab.hosts[1]);  // next to host 0
  EXPECT_EQ(lab.change().groups_changed, 1u);
  EXPECT_EQ(lab.attachment->sets(), 1u);
  lab.groups[mlid(0)].insert(lab.hosts[10]);  // on a leaf without members
  EXPECT_FALSE(lab.change().again);
  EXPECT_EQ(lab.attachment->sets(), 3u) << "its leaf and the spine";
  EXPECT_EQ(lab.attachment->gets(), 0u);
  EXPECT_EQ(lab.complaint(), "");
  EXPECT_NE(lab.sweeper->subnet(), before);
  EXPECT_NE(*lab.sweeper->subnet()->mfts, *before->mfts);
  EXPECT_EQ(lab.change().groups_changed, 0u);
  EXPECT_EQ(lab.attachment->sets(), 3u);
}

TEST(SweepMulticast, JoinsOfAWholeClusterAreOneTree) {
  Lab lab(tree());
  ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up);
  lab.attachment->forget_counts();
  lab.groups[mlid(0)] = {lab.hosts.begin(), lab.hosts.end()};
  lab.change();
  EXPECT_EQ(lab.mft_sets(), 5u) << "four leaves and a spine, once each";
  EXPECT_EQ(lab.complaint(), "");
}

TEST(SweepMulticast, TopsAreRaisedBeforeEntriesAndLoweredAfter) {
  Lab lab(tree());
  ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up);
  EXPECT_EQ(lab.tops(), (std::set<std::uint16_t>{0xBFFF}));
  bool entry_above_top = false;
  lab.tap.on_request = [&](mad::ConstSmpView) {
    for (const sim::NodeModel& node : lab.model.nodes) {
      for (std::size_t position = 0; node.is_switch() && position < node.sw->mft.size();
           ++position) {
        const auto& masks = node.sw->mft[position];
        for (std::size_t index = 0; index < masks.size(); ++index) {
          entry_above_top =
              entry_above_top || (masks[index] != 0 &&
                                  mad::kMlidMin.value + index > node.sw->info.multicast_fdb_top());
        }
      }
    }
  };
  lab.groups[mlid(0)] = {lab.hosts[0], lab.hosts[4]};
  lab.change();
  EXPECT_EQ(lab.tops(), (std::set<std::uint16_t>{0xBFFF, 0xC000}))
      << "raised only where the block was read, too";
  lab.groups[mlid(70)] = {lab.hosts[0], lab.hosts[4]};
  lab.change();
  EXPECT_EQ(lab.tops(), (std::set<std::uint16_t>{0xBFFF, 0xC01F, 0xC046}))
      << "above 0xC01F only where block 1 was read, too";
  lab.groups.erase(mlid(70));
  lab.change();
  EXPECT_EQ(lab.tops(), (std::set<std::uint16_t>{0xBFFF, 0xC000}));
  EXPECT_FALSE(entry_above_top);
  lab.settings.use_mfttop = false;
  lab.groups[mlid(5)] = {lab.hosts[0], lab.hosts[4]};
  lab.change();
  EXPECT_EQ(lab.tops(), (std::set<std::uint16_t>{0xBFFF, 0xC000})) << "left alone";
}

TEST(SweepMulticast, WithoutGroupsOrWhenForbiddenTablesAreLeftAlone) {
  Lab lab(tree());
  lab.groups[mlid(0)] = {lab.hosts[0], lab.hosts[4]};
  lab.settings.disable_multicast = true;
  ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up);
  lab.change();
  EXPECT_EQ(lab.mft_sets() + lab.mft_gets(), 0u);
  EXPECT_EQ(lab.sweeper->subnet()->mfts, nullptr);
}

/// Whether switches hold exactly what the sweeper wants.
bool holds_what_is_wanted(const Lab& lab) {
  const fabric::Subnet& subnet = *lab.sweeper->subnet();
  for (const fabric::SwitchIndex sw : subnet.fabric.switches.indices()) {
    const fabric::Node& node = subnet.fabric.nodes[subnet.fabric.switches[sw].node];
    const sim::PortIndex port = lab.model.find_port_guid(subnet.fabric.ports[node.first_port].guid);
    const auto& mft = lab.model.nodes[lab.model.ports[port].node].sw->mft;
    for (std::size_t position = 0; position < mft.size(); ++position) {
      const auto& masks = mft[position];
      for (unsigned index = 0; index < masks.size(); ++index)
        if (masks[index] != subnet.mfts->mask(sw, mlid(index), position)) return false;
    }
  }
  return true;
}

/// Trees of all hosts, of an earlier manager, stay on the switches outside of the new trees.
TEST(SweepMulticast, SwitchesOutsideOfANewTreeAreReadLaterAndTheirStaleEntriesEnd) {
  constexpr unsigned kBlocks = 4;
  Lab lab(topology::xgft({.children = {3, 4, 3}, .parents = {1, 3, 3}, .cables = {}}));
  for (unsigned block = 0; block < kBlocks; ++block)
    lab.groups[mlid(block * 32)] = {lab.hosts.begin(), lab.hosts.end()};
  ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up) << lab.log.str();
  lab.groups.clear();
  lab.restart();
  ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up);

  lab.attachment->forget_counts();
  for (unsigned block = 0; block < kBlocks; ++block)
    lab.groups[mlid(block * 32)] = {lab.hosts[0], lab.hosts[1]};  // of one leaf
  EXPECT_FALSE(lab.change().again);
  EXPECT_EQ(lab.complaint(), "");
  EXPECT_EQ(lab.mft_gets(), kBlocks) << "the leaf";
  EXPECT_FALSE(holds_what_is_wanted(lab)) << "stale entries elsewhere";

  lab.groups[mlid(32)].insert(lab.hosts[4]);  // what a tree that grows touches is read before
  EXPECT_FALSE(lab.change().again);
  EXPECT_EQ(lab.complaint(), "");
  EXPECT_LT(lab.mft_gets(), kBlocks * lab.sweeper->subnet()->fabric.switches.size() / 2);

  bool has_stale = false;
  for (bool is_over = false; !is_over;) {
    const auto step = lab.runtime.run(lab.sweeper->auditor().step(50));
    ASSERT_TRUE(step.has_value());
    EXPECT_TRUE(step->differing.empty()) << lab.log.str();
    has_stale = has_stale || step->groups;
    if (step->groups) {
      EXPECT_FALSE(lab.change().again);
    }
    is_over = step->pass_is_over;
  }
  EXPECT_TRUE(has_stale);
  EXPECT_TRUE(holds_what_is_wanted(lab));
  lab.attachment->forget_counts();
  lab.groups[mlid(33)] = {lab.hosts.begin(), lab.hosts.end()};
  EXPECT_FALSE(lab.change().again);
  EXPECT_EQ(lab.mft_gets(), 0u) << "all is known";
  EXPECT_EQ(lab.complaint(), "");
}

TEST(SweepMulticast, WithoutAnAuditAllSwitchesAreReadBeforeANewBlockIsWritten) {
  Lab lab(tree());
  lab.settings.audit_interval = 0;
  ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up);
  lab.groups[mlid(0)] = {lab.hosts[0], lab.hosts[1]};
  EXPECT_FALSE(lab.change().again);
  EXPECT_EQ(lab.mft_gets(), 7u);
}

TEST(SweepMulticast, ASwitchThatRebootsGetsItsPartOfTheTreeBack) {
  Lab lab(tree());
  lab.world.timing.boot = 10ms;
  lab.groups[mlid(0)] = {lab.hosts.begin(), lab.hosts.end()};
  ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up);
  for (const sim::NodeIndex node : lab.model.nodes.indices()) {
    if (!lab.model.nodes[node].is_switch()) continue;
    lab.reboot(node);
    ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up) << lab.log.str();
    ASSERT_EQ(lab.complaint(), "");
  }
}

/// The survey has other switches than the published subnet, which joins are still routed on.
TEST(SweepMulticast, JoinsAreProgrammedAfterASweepThatNoEngineRoutes) {
  Lab lab(topology::torus({.dimensions = {3, 3}, .hosts_per_switch = 1}));
  lab.groups[mlid(0)] = {lab.hosts[0], lab.hosts[4]};
  ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up);
  const sim::PortIndex gone = lab.hosts[3];
  const sim::NodeIndex leaf = lab.neighbour(gone);
  std::vector<std::pair<sim::PortIndex, sim::PortIndex>> cut;
  for (const sim::PortIndex port : lab.model.ports.indices()) {
    if (lab.owning_node(port) != leaf || lab.far(port) == sim::kNone) continue;
    cut.emplace_back(port, lab.far(port));
    lab.world.cut(port);
  }
  lab.settings.routing_engine = {"ftree", "no_fallback"};
  ASSERT_EQ(lab.sweep(), sm::SweepEnd::errors);
  lab.groups[mlid(0)].insert(lab.hosts[7]);
  lab.change();
  lab.settings.routing_engine = {"minhop"};
  for (const auto& [a, b] : cut) lab.plug(a, b);
  ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up) << lab.log.str();
  EXPECT_EQ(lab.complaint(), "");
}

TEST(SweepMulticast, ASwitchThatIgnoresWritesIsReportedAndTriedAgain) {
  Lab lab(tree());
  lab.groups[mlid(0)] = {lab.hosts[0], lab.hosts[3]};
  ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up);
  const sim::NodeIndex leaf = lab.neighbour(lab.hosts[6]);
  lab.model.nodes[leaf].health.ignored_probability = 1;
  lab.model.nodes[leaf].health.ignored_attribute =
      static_cast<std::uint16_t>(AttributeId::multicast_forwarding_table);
  lab.groups[mlid(0)].insert(lab.hosts[6]);
  EXPECT_TRUE(lab.change().again);
  EXPECT_NE(lab.log.str().find(lab.model.nodes[leaf].description), std::string::npos)
      << lab.log.str();
  EXPECT_TRUE(lab.change().again);
  lab.model.nodes[leaf].health.ignored_probability = 0;
  EXPECT_FALSE(lab.change().again);
  EXPECT_EQ(lab.complaint(), "");
}

/// Lost SMPs, link failures and recoveries, joins and leaves; the tables are right in the end.
TEST(SweepMulticast, SurvivesLossOfAnything) {
  seeds::for_each(40, [](std::uint64_t seed) {
    topology::Random dice(seed);
    Lab lab(seed % 2 == 0 ? tree() : topology::torus({.dimensions = {3, 3}, .hosts_per_switch = 1}),
            seed);
    lab.groups[mlid(0)] = {lab.hosts.begin(), lab.hosts.end()};
    lab.groups[mlid(33)] = {};
    ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up);
    std::vector<std::pair<sim::PortIndex, sim::PortIndex>> cut;
    for (unsigned step = 0; step < 8; ++step) {
      for (sim::NodeModel& node : lab.model.nodes) {
        node.health.ignored_probability = node.is_switch() && dice.percent(40) ? 0.7 : 0;
        node.health.ignored_attribute =
            static_cast<std::uint16_t>(AttributeId::multicast_forwarding_table);
      }
      for (auto& [of, members] : lab.groups) {
        for (unsigned i = 0; i < 3; ++i) {
          const sim::PortIndex host = lab.hosts[dice.below(lab.hosts.size())];
          if (members.erase(host) == 0) members.insert(host);
        }
      }
      if (dice.percent(50)) {
        lab.change();
        continue;
      }
      const sim::PortIndex port(dice.below(static_cast<std::uint32_t>(lab.model.ports.size())));
      const sim::PortIndex far = lab.far(port);
      if (far != sim::kNone && lab.model.owning_node(port).is_switch() &&
          lab.model.owning_node(far).is_switch()) {
        lab.world.cut(port);
        cut.emplace_back(port, far);
      } else if (!cut.empty()) {
        lab.plug(cut.back().first, cut.back().second);
        cut.pop_back();
      }
      lab.sweep();
    }
    for (sim::NodeModel& node : lab.model.nodes) node.health.ignored_probability = 0;
    for (const auto& [a, b] : cut) lab.plug(a, b);
    lab.sweep();
    ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up) << lab.log.str();
    ASSERT_EQ(lab.complaint(), "");
  });
}

}  // namespace multicast_test
