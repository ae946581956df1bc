// Several whole Heddles on one fabric, one process, one clock, one seed.

#include <algorithm>

#include <gtest/gtest.h>

#include "fabric/fabric_conditions.h"
#include "partitions/load.h"
#include "sim/laboratory.h"
#include "sm/ctl/topology/generators.h"
#include "sm/store/m_key_policy.h"
#include "sm/sweep/devices/sweep_conditions.h"
#include "support/seeds.h"

namespace several_managers_test {

using laboratory::Instance;
using laboratory::kTakeover;
using laboratory::Laboratory;
using namespace std::chrono_literals;

topology::Topology tree() {
  return topology::xgft({.children = {3, 4}, .parents = {1, 3}, .cables = {}});
}

std::string all_tails(const Laboratory& lab) {
  std::string text;
  for (const Instance& instance : lab.instances) text += instance.tail() + "\n";
  return text;
}

config::Options with_priority(std::uint8_t priority) {
  config::Options options;
  options.sm_priority = priority;
  return options;
}

TEST(SeveralManagers, ExactlyOneIsMasterAndTheNextTakesOver) {
  seeds::for_each(50, [](std::uint64_t seed) {
    Laboratory lab(tree(), seed);
    topology::Random dice(seed);
    if (dice.chance(0.3)) lab.world.qualities.front().lost = 0.01;
    const char* const hosts[]{"H0", "H4", "H11"};
    for (const char* host : hosts) {
      lab.start(host, with_priority(static_cast<std::uint8_t>(dice.below(3))));
      if (dice.chance(0.5))
        lab.runtime.run_for(std::chrono::milliseconds(dice.below(3000)));  // else all at once
    }
    while (!lab.instances.empty()) {
      ASSERT_TRUE(lab.settles(kTakeover)) << lab.complaint() << all_tails(lab);
      // The master is killed without notice.
      lab.instances.remove_if([](const Instance& instance) {
        return instance.manager().status().state == mad::SmState::master;
      });
    }
  });
}

/// Managers of different rank start, hand over, crash and return while SMInfo is lost, late or
/// duplicated. Afterwards the one of highest rank is the only MASTER, and stays so.
TEST(SeveralManagers, TheHighestRankLeadsAfterCrashesAndLossDuringHandovers) {
  seeds::for_each(40, [](std::uint64_t seed) {
    Laboratory lab(topology::row({.switches = 2, .cables = 1, .hosts_per_switch = 3}), seed);
    topology::Random dice(seed);
    const std::size_t count = 2 + dice.below(4u);
    std::vector<config::Options> options;
    std::vector<Instance*> managers;
    for (std::size_t which = 0; which < count; ++which) {
      options.push_back(with_priority(static_cast<std::uint8_t>(dice.below(3u))));
      managers.push_back(&lab.start(fmt::format("H{}", which), options[which]));
      lab.runtime.run_for(std::chrono::milliseconds(dice.below(1500u)));
    }
    sim::LinkQuality faulty;
    faulty.lost = dice.chance(0.7) ? 0.05 : 0;
    faulty.duplicated = dice.chance(0.5) ? 0.05 : 0;
    faulty.late = dice.chance(0.5) ? 0.05 : 0;
    const std::vector<sim::LinkQuality> before(lab.world.qualities.begin(),
                                               lab.world.qualities.end());
    for (sim::LinkQuality& quality : lab.world.qualities) quality = faulty;
    for (unsigned step = 0; step < 12; ++step) {
      // Handovers take some SMPs of a few microseconds: crashes hit their steps.
      lab.runtime.run_for(dice.chance(0.5) ? std::chrono::microseconds(dice.below(300u))
                                           : std::chrono::microseconds(dice.below(2'000'000u)));
      const std::size_t which = dice.below(static_cast<unsigned>(count));
      if (!managers[which]->runs()) {
        managers[which]->start(options[which]);
      } else if (dice.chance(0.5)) {
        managers[which]->stop();
      } else {
        options[which].sm_priority = static_cast<std::uint8_t>(dice.below(4u));
        managers[which]->reload(options[which]);
      }
    }
    std::ranges::copy(before, lab.world.qualities.begin());
    for (std::size_t which = 0; which < count; ++which)
      if (!managers[which]->runs() && which % 2 == 0) managers[which]->start(options[which]);
    lab.runtime.run_for(90s);  // a sweep with errors is repeated after 30 s at most
    const Instance* highest = nullptr;
    const auto rank = [&](const Instance& instance) {
      return sm::SmRank{.priority = instance.options().sm_priority,
                        .guid = lab.model.ports[instance.port()].guid};
    };
    for (const Instance& instance : lab.instances) {
      if (instance.runs() && (highest == nullptr || outranks(rank(instance), rank(*highest))))
        highest = &instance;
    }
    const auto check = [&] {
      for (const Instance& instance : lab.instances) {
        if (!instance.runs()) continue;
        EXPECT_EQ(instance.manager().status().state,
                  &instance == highest ? mad::SmState::master : mad::SmState::standby)
            << all_tails(lab);
      }
    };
    check();
    lab.runtime.run_for(30s);
    check();
    // Sets of a previous master that were late or repeated may have counted last.
    EXPECT_EQ(lab.complaint(), "") << all_tails(lab);
  });
}

TEST(SeveralManagers, AHandoverTakesMillisecondsAndKeepsLids) {
  Laboratory lab(tree());
  Instance& low = lab.start("H4", with_priority(1));
  ASSERT_TRUE(lab.settles());
  std::vector<mad::Lid> lids;
  for (const sim::PortIndex port : lab.model.ports.indices()) lids.push_back(lab.info(port).lid());
  Instance& high = lab.start("H0", with_priority(15));
  const auto state = [](const Instance& sm) { return sm.manager().status().state; };
  ASSERT_TRUE(lab.runtime.run_until([&] { return state(high) == mad::SmState::standby; }, 2s));
  const mad::TimePoint begin = lab.runtime.now();
  ASSERT_TRUE(lab.runtime.run_until([&] { return high.says("SUBNET UP"); }, 5s)) << all_tails(lab);
  EXPECT_LT(lab.runtime.now() - begin, 500ms);
  EXPECT_EQ(state(low), mad::SmState::standby);
  ASSERT_TRUE(lab.settles()) << lab.complaint() << all_tails(lab);
  EXPECT_EQ(low.count("Entering MASTER"), 1u);
  EXPECT_EQ(low.count("SM-SMINFO-REFUSED") + high.count("SM-SMINFO-REFUSED"), 0u) << all_tails(lab);
  std::size_t at = 0;
  for (const sim::PortIndex port : lab.model.ports.indices())
    EXPECT_EQ(lab.info(port).lid(), lids[at++]);
}

/// It starts while the switch of the master hangs, becomes MASTER of the rest, and writes tables
/// there. Without a trap, its HANDOVER is the first that the other one hears of it.
TEST(SeveralManagers, WhatAMasterHasWrittenThatWasNotKnownIsReadAgain) {
  Laboratory lab(topology::row({.switches = 3, .cables = 1, .hosts_per_switch = 3}));
  lab.start("H0", with_priority(3));
  ASSERT_TRUE(lab.settles());
  lab.node("S0").health.silent = true;
  Instance& low = lab.start("H8", with_priority(1));
  ASSERT_TRUE(lab.runtime.run_until([&] { return low.says("SUBNET UP"); }, 30s)) << low.tail();
  lab.node("S0").health.silent = false;
  ASSERT_TRUE(lab.runtime.run_until([&] { return low.says("handing over"); }, 60s)) << low.tail();
  lab.runtime.run_for(5s);
  EXPECT_EQ(lab.complaint(), "") << all_tails(lab);
}

/// Two subnets, each with its master. A link joins them later.
struct TwoSubnets : Laboratory {
  TwoSubnets(const config::Options& first, const config::Options& second)
      : Laboratory(topology::row({.switches = 2, .cables = 1, .hosts_per_switch = 3})),
        link(between_switches()),
        other_end(far(link)) {
    world.cut(link);
    start("H0", first);
    start("H4", second);
    runtime.run_for(20s);
    for (const Instance& instance : instances)
      EXPECT_EQ(instance.manager().status().state, mad::SmState::master);
  }
  sim::PortIndex between_switches() const {
    for (const sim::PortIndex port : model.ports.indices())
      if (model.link_up(port) && model.owning_node(port).is_switch() &&
          model.nodes[neighbour(port)].is_switch())
        return port;
    return sim::PortIndex{0};
  }
  const sim::PortIndex link, other_end;
};

TEST(SeveralManagers, OfTwoMastersThatMeetTheHigherStays) {
  for (const bool first_is_higher : {true, false}) {
    TwoSubnets lab(with_priority(first_is_higher ? 2 : 1), with_priority(first_is_higher ? 1 : 2));
    lab.plug(lab.link, lab.other_end);
    ASSERT_TRUE(lab.settles()) << lab.complaint() << all_tails(lab);
    const Instance& higher = first_is_higher ? lab.instances.front() : lab.instances.back();
    EXPECT_EQ(higher.manager().status().state, mad::SmState::master) << all_tails(lab);
    EXPECT_EQ(higher.count("Entering MASTER"), 1u) << "it stays: " << all_tails(lab);
  }
}

/// The lower one finds the new link, clears PortStateChange at both ends, and hands over: nothing
/// but that HANDOVER shows the higher one that there is something new.
TEST(SeveralManagers, AHandoverOfAnUnknownMasterIsFollowedByASurvey) {
  config::Options higher = with_priority(2), lower = with_priority(1);
  higher.sweep_interval = 300;
  lower.sweep_interval = 1;
  TwoSubnets lab(higher, lower);
  lab.withhold_traps(true);
  lab.plug(lab.link, lab.other_end);
  EXPECT_TRUE(lab.settles(10s)) << lab.complaint() << all_tails(lab);
  EXPECT_EQ(lab.instances.front().count("Entering MASTER"), 1u) << all_tails(lab);
  lab.runtime.run_for(6min);
  for (const Instance& instance : lab.instances)
    EXPECT_EQ(instance.count("SM-SMINFO-REFUSED") + instance.count("SM-HANDOVER-FAILED"), 0u)
        << "a merge is no fault: " << all_tails(lab);
}

/// A lost host is the new master's to report.
TEST(SeveralManagers, AManagerThatHasSteppedDownReportsNoConditionsOfTheFabric) {
  TwoSubnets lab(with_priority(2), with_priority(1));
  const auto reports_loss = [&] {
    return std::ranges::any_of(
        lab.instances.back().manager().status().conditions,
        [](const auto& raised) { return raised.condition.id == sm::kSweepConditions.node_lost; });
  };
  lab.world.cut(lab.port("H5"));
  ASSERT_TRUE(lab.runtime.run_until(reports_loss, 30s)) << all_tails(lab);
  lab.plug(lab.link, lab.other_end);
  ASSERT_TRUE(lab.settles()) << lab.complaint() << all_tails(lab);
  EXPECT_EQ(lab.instances.back().manager().status().state, mad::SmState::standby);
  EXPECT_FALSE(reports_loss()) << all_tails(lab);
}

mad::SmState find_state(const Instance& sm) { return sm.manager().status().state; }

/// The forwarding tables and LIDs of the whole fabric.
std::string tables(Laboratory& lab) {
  std::string text;
  for (const sim::NodeModel& node : lab.model.nodes) {
    if (!node.is_switch()) continue;
    const auto& lft = node.sw->lft;
    text.append(lft.begin(), lft.begin() + node.sw->info.linear_fdb_top() + 1);
  }
  for (const sim::PortIndex port : lab.model.ports.indices())
    text += fmt::format("{},", lab.info(port).lid());
  return text;
}

/// Before any port has an M_Key, SM_Keys are shown to those that know m_key.
TEST(SeveralManagers, ThatStartTogetherWithMKeysElectOneMaster) {
  Laboratory lab(tree());
  config::Options options;
  options.m_key = 0x77;
  options.m_key_protection_level = 1;
  options.sm_key = 0x1234;
  for (const char* const host : {"H0", "H4", "H11"}) lab.start(host, options);
  lab.runtime.run_for(1s);
  EXPECT_EQ(lab.complaint(), "") << all_tails(lab);
  for (const Instance& instance : lab.instances)
    EXPECT_EQ(instance.count("SM-KEY-MISMATCH"), 0u) << all_tails(lab);
}

// ---- M_Keys of their own

/// Each port has the key that is derived from the seed and its PortGUID.
config::Options with_own_keys(std::uint8_t priority, std::uint8_t level) {
  config::Options options = with_priority(priority);
  options.m_key_per_port = true;
  options.key_mgr_seed = 0x5eed5eed5eed;
  options.m_key_protection_level = level;
  options.sm_key = 0x1234;
  return options;
}

/// All ports have their keys, and no manager lacks one.
void expect_keys(Laboratory& lab) {
  EXPECT_EQ(lab.complaint(), "") << all_tails(lab);
  for (const Instance& instance : lab.instances)
    EXPECT_EQ(instance.count("SM-M-KEY-UNKNOWN"), 0u) << instance.tail();
}

class OwnKeysAt : public testing::TestWithParam<std::uint8_t> {};

/// The standbys read the subnet before any port had a key, or with it.
TEST_P(OwnKeysAt, StandbysTakeOverOneAfterTheOther) {
  Laboratory lab(tree());
  std::uint8_t priority = 3;
  for (const char* const host : {"H0", "H4", "H11"}) {
    lab.start(host, with_own_keys(priority--, GetParam()));
    lab.runtime.run_for(2s);
  }
  while (!lab.instances.empty()) {
    ASSERT_TRUE(lab.settles(kTakeover)) << lab.complaint() << all_tails(lab);
    lab.runtime.run_for(30s);
    expect_keys(lab);
    // A host appears that the next master has not read with its key.
    const sim::NodeIndex host = lab.owning_node(lab.port("H7"));
    lab.world.power(host, false);
    lab.runtime.run_for(30s);
    lab.world.power(host, true);
    lab.let_nodes_boot();
    ASSERT_TRUE(lab.settles(kTakeover)) << lab.complaint() << all_tails(lab);
    expect_keys(lab);
    lab.instances.remove_if([](const Instance& instance) {
      return instance.manager().status().state == mad::SmState::master;
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, OwnKeysAt,
                         testing::Values(std::uint8_t{0}, std::uint8_t{1}, std::uint8_t{2},
                                         std::uint8_t{3}),
                         [](const auto& test) { return std::to_string(test.param); });

/// A manager without any file finds all ports with keys.
TEST_P(OwnKeysAt, AManagerThatStartsLaterLeadsByItsPriority) {
  Laboratory lab(tree());
  lab.start("H4", with_own_keys(1, GetParam()));
  ASSERT_TRUE(lab.settles()) << lab.complaint() << all_tails(lab);
  Instance& later = lab.start("H0", with_own_keys(9, GetParam()));
  ASSERT_TRUE(
      lab.runtime.run_until([&] { return find_state(later) == mad::SmState::master; }, kTakeover))
      << all_tails(lab);
  ASSERT_TRUE(lab.settles(kTakeover)) << lab.complaint() << all_tails(lab);
  expect_keys(lab);
  if (GetParam() > 1) {
    EXPECT_EQ(lab.world.statistics.m_key_violations, 0u) << "no guesses";
  }
  // The first one leads again when the other one is killed.
  lab.instances.pop_back();
  ASSERT_TRUE(lab.settles(kTakeover)) << lab.complaint() << all_tails(lab);
  expect_keys(lab);
}

/// It has what subnet administration of the master has named, and asks no one else.
TEST_P(OwnKeysAt, AStandbyThatStartsAgainAfterTheEndOfTheMasterLeads) {
  Laboratory lab(tree());
  lab.start("H4", with_own_keys(2, GetParam()));
  ASSERT_TRUE(lab.settles()) << lab.complaint() << all_tails(lab);
  Instance& standby = lab.start("H0", with_own_keys(1, GetParam()));
  ASSERT_TRUE(
      lab.runtime.run_until([&] { return find_state(standby) == mad::SmState::standby; }, 10s))
      << all_tails(lab);
  EXPECT_TRUE(lab.runtime.run_until(
      [&] { return standby.manager().status().standby_view.has_value(); }, 60s))
      << "it reads the subnet";
  standby.stop();
  lab.instances.pop_front();
  standby.start(with_own_keys(1, GetParam()));
  ASSERT_TRUE(lab.settles(10s)) << lab.complaint() << all_tails(lab);
  expect_keys(lab);
}

/// Hosts change places with their keys, the last time just before the master is killed.
TEST_P(OwnKeysAt, HostsThatHaveMovedAreFound) {
  Laboratory lab(tree());
  lab.start("H4", with_own_keys(2, GetParam()));
  ASSERT_TRUE(lab.settles()) << lab.complaint() << all_tails(lab);
  lab.start("H0", with_own_keys(1, GetParam()));
  lab.runtime.run_for(20s);
  const auto swap = [&](const char* first, const char* second) {
    const sim::PortIndex one = lab.port(first), other = lab.port(second);
    const sim::PortIndex here = lab.far(one), there = lab.far(other);
    lab.world.cut(one);
    lab.world.cut(other);
    lab.world.connect(one, there);
    lab.world.connect(other, here);
  };
  const auto unknown = [&] {
    return std::ranges::count_if(
        lab.instances.front().manager().status().conditions, [](const auto& raised) {
          return raised.condition.id == fabric::kFabricConditions.m_key_unknown;
        });
  };
  swap("H7", "H9");
  ASSERT_TRUE(lab.settles()) << lab.complaint() << all_tails(lab);
  EXPECT_EQ(unknown(), 0) << all_tails(lab);
  swap("H8", "H11");
  lab.instances.pop_front();
  ASSERT_TRUE(lab.settles(kTakeover)) << lab.complaint() << all_tails(lab);
  EXPECT_EQ(unknown(), 0) << all_tails(lab);
}

struct TakeoverTimes {
  mad::Duration standby{};   // from the start of the second manager, which has no file
  mad::Duration takeover{};  // from the end of the master to a subnet without faults
};

TakeoverTimes measure_takeover(std::uint8_t level) {
  Laboratory lab(tree());
  TakeoverTimes times;
  lab.start("H4", with_own_keys(2, level));
  EXPECT_TRUE(lab.settles()) << lab.complaint() << all_tails(lab);
  mad::TimePoint begin = lab.runtime.now();
  Instance& later = lab.start("H0", with_own_keys(1, level));
  EXPECT_TRUE(
      lab.runtime.run_until([&] { return find_state(later) == mad::SmState::standby; }, kTakeover))
      << all_tails(lab);
  times.standby = lab.runtime.now() - begin;
  lab.runtime.run_for(30s);
  lab.instances.pop_front();
  begin = lab.runtime.now();
  EXPECT_TRUE(lab.heals(kTakeover)) << lab.complaint() << all_tails(lab);
  times.takeover = lab.runtime.now() - begin;
  EXPECT_EQ(find_state(later), mad::SmState::master) << all_tails(lab);
  expect_keys(lab);
  return times;
}

TEST(OwnKeys, ATakeoverTakesNotMuchLongerWhereGetsNeedKeys) {
  const TakeoverTimes readable = measure_takeover(1);
  for (const std::uint8_t level : {std::uint8_t{2}, std::uint8_t{3}}) {
    SCOPED_TRACE(unsigned{level});
    const TakeoverTimes times = measure_takeover(level);
    EXPECT_LT(times.standby, 1s);
    EXPECT_LE(times.takeover, 3 * readable.takeover);
  }
}

/// Both start before any port has a key. The standby reads on while the master gives ports theirs.
TEST(OwnKeys, AStandbyTakesOverPortsThatGotTheirKeysWhileItWaited) {
  for (const std::uint8_t level : {std::uint8_t{2}, std::uint8_t{3}}) {
    for (const mad::Duration lead : {mad::Duration(0s), mad::Duration(1s), mad::Duration(60s)}) {
      SCOPED_TRACE(fmt::format("level {}, killed after {} s", level, lead / 1s));
      Laboratory lab(tree());
      lab.start("H4", with_own_keys(2, level));
      lab.start("H0", with_own_keys(1, level));
      const Instance& standby = lab.instances.back();
      ASSERT_TRUE(
          lab.runtime.run_until([&] { return find_state(standby) == mad::SmState::standby; }, 10s))
          << all_tails(lab);
      ASSERT_TRUE(lab.heals(10s)) << lab.complaint() << all_tails(lab);
      lab.runtime.run_for(lead);
      lab.instances.pop_front();
      ASSERT_TRUE(lab.settles(10s)) << lab.complaint() << all_tails(lab);
      expect_keys(lab);
    }
  }
}

/// A manager that has no file, and whose master does not live any more, knows the key of no port
/// whose PortGUID it does not know: a condition says so, and it leads when the leases have ended.
TEST(OwnKeys, AManagerWithoutFilesAndMasterLeadsWhenLeasesHaveEnded) {
  for (const std::uint8_t level : {std::uint8_t{2}, std::uint8_t{3}}) {
    SCOPED_TRACE(unsigned{level});
    Laboratory lab(tree());
    config::Options options = with_own_keys(2, level);
    options.m_key_lease_period = 15;
    lab.start("H4", options);
    ASSERT_TRUE(lab.settles()) << lab.complaint() << all_tails(lab);
    lab.instances.pop_front();
    Instance& later = lab.start("H0", options);
    lab.runtime.run_for(10s);
    EXPECT_NE(find_state(later), mad::SmState::master);
    EXPECT_TRUE(later.says("SM-M-KEY-UNKNOWN")) << later.tail();
    EXPECT_TRUE(lab.settles(kTakeover + 2min)) << lab.complaint() << all_tails(lab);
  }
}

/// Limited members do not see each other, but a manager sees all ports.
TEST(OwnKeys, AStandbyThatIsALimitedMemberTakesOver) {
  config::Diagnostics found;
  const partitions::Configuration limited = partitions::parse_partitions_conf(
      {"partitions.conf", "Default=0x7fff, ipoib: ALL=limited, SELF=full;\n"}, found);
  ASSERT_TRUE(found.empty());
  Laboratory lab(tree());
  const auto start = [&](const char* host, std::uint8_t priority) -> Instance& {
    const config::Options options = with_own_keys(priority, 2);
    Instance& instance = lab.start(host, options);
    instance.stop();
    instance.partitioning = limited;
    instance.start(options);
    return instance;
  };
  const Instance& master = start("H4", 2);
  ASSERT_TRUE(lab.runtime.run_until([&] { return master.says("SUBNET UP"); }, 10s))
      << all_tails(lab);
  Instance& standby = start("H0", 1);
  ASSERT_TRUE(
      lab.runtime.run_until([&] { return find_state(standby) == mad::SmState::standby; }, 30s))
      << all_tails(lab);
  lab.runtime.run_for(5s);
  lab.instances.pop_front();
  ASSERT_TRUE(lab.runtime.run_until([&] { return standby.says("SUBNET UP"); }, 10s))
      << standby.tail();
  EXPECT_EQ(standby.manager().status().subnet->fabric.nodes.size(), lab.model.nodes.size());
}

/// MasterSMLID of a port without a key can be any host's: that host gets neither sa_key nor trust.
TEST(OwnKeys, OnlyAProtectedPortNamesTheMasterThatIsQueried) {
  Laboratory lab(tree());
  lab.start("H4");
  ASSERT_TRUE(lab.settles()) << lab.complaint() << all_tails(lab);
  lab.instances.pop_front();
  const auto host = lab.world.attach(lab.port("H5"));
  std::size_t queries = 0;
  host->set_receiver([&](std::span<const mad::ReceivedMad> mads) {
    for (const mad::ReceivedMad& mad : mads)
      queries += mad::ConstMadView{std::span<const std::uint8_t, mad::kMadSizeBytes>(mad.bytes)}
                     .mgmt_class() == mad::MgmtClass::sa;
  });
  mad::PortInfo& own = lab.info(lab.port("H0"));
  own.set_master_sm_lid(lab.info(lab.port("H5")).lid());
  const config::Options options = with_own_keys(1, 2);
  Instance& manager = lab.start("H0", options);
  lab.runtime.run_for(5s);
  EXPECT_EQ(queries, 0u);
  manager.stop();
  // The holder of the seed has given the port its key, and its MasterSMLID.
  own.set_m_key(sm::MKeyPolicy(options).key(lab.model.ports[lab.port("H0")].guid));
  own.set_m_key_protect_bits(2);
  own.set_master_sm_lid(lab.info(lab.port("H5")).lid());
  manager.start(options);
  lab.runtime.run_for(5s);
  EXPECT_GT(queries, 0u);
}

/// One with another seed cannot read protected ports as their manager: it is locked out, and takes
/// nothing from the others.
TEST(OwnKeys, AManagerWithAnotherSeedLocksNoPortOut) {
  Laboratory lab(tree());
  lab.start("H4", with_own_keys(1, 1));
  ASSERT_TRUE(lab.settles()) << lab.complaint() << all_tails(lab);
  config::Options other = with_own_keys(9, 1);
  other.key_mgr_seed ^= 1;
  lab.start("H0", other);
  lab.runtime.run_for(kTakeover);
  lab.instances.pop_back();
  ASSERT_TRUE(lab.settles(kTakeover)) << lab.complaint() << all_tails(lab);
}

/// The master is stopped, anywhere in a sweep or between two, until another manager has taken over.
/// When it goes on, it sends no Set as long as that one is MASTER, and LIDs and tables stay.
TEST(SeveralManagers, AMasterThatWasStoppedWritesNothingWhileAnotherOneIsMaster) {
  seeds::for_each(60, [](std::uint64_t seed) {
    Laboratory lab(tree(), seed);
    topology::Random dice(seed);
    const auto start = [&](const char* host) -> Instance& {
      return lab.start(host, with_priority(static_cast<std::uint8_t>(dice.below(3u))));
    };
    const auto give_lmc = [](Instance& instance, std::uint8_t lmc) {
      config::Options options = instance.options();
      options.lmc = lmc;
      instance.reload(options);
    };
    start("H4");
    const bool standby_waits = dice.chance(0.5);
    if (standby_waits) {
      start("H0");
      ASSERT_TRUE(lab.settles(kTakeover)) << lab.complaint() << all_tails(lab);
      // A sweep that writes much begins.
      for (Instance& instance : lab.instances) give_lmc(instance, 2);
    }
    const auto sets = [&] {
      std::uint64_t sum = 0;
      for (Instance& instance : lab.instances) sum += instance.attachment().sets();
      return sum;
    };
    const std::uint64_t enough = sets() + 1 + dice.below(150u);
    lab.runtime.run_until([&] { return sets() >= enough; }, 2s);
    const auto stopped = std::ranges::find_if(lab.instances, [](const Instance& instance) {
      return find_state(instance) == mad::SmState::master;
    });
    ASSERT_NE(stopped, lab.instances.end()) << all_tails(lab);
    stopped->suspend();
    if (!standby_waits) start("H0");
    Instance& other =
        &*stopped == &lab.instances.front() ? lab.instances.back() : lab.instances.front();
    lab.runtime.run_for(12s + std::chrono::milliseconds(dice.below(8000u)));
    ASSERT_EQ(find_state(other), mad::SmState::master) << all_tails(lab);
    const std::string before = tables(lab);

    std::size_t stale = 0;
    stopped->tap().on_request = [&](mad::ConstSmpView smp) {
      stale += smp.method() == mad::Method::set &&
               smp.attribute_id() != mad::AttributeId::sm_info &&
               find_state(other) == mad::SmState::master;
    };
    stopped->resume(dice.chance(0.5));
    EXPECT_TRUE(lab.settles(kTakeover)) << lab.complaint() << all_tails(lab);
    EXPECT_EQ(stale, 0u) << all_tails(lab);
    EXPECT_TRUE(tables(lab) == before) << "tables or LIDs changed" << all_tails(lab);
    stopped->tap().on_request = {};
  });
}

/// No other manager has taken over: what was under way goes on after SMInfo and the own port were
/// read.
TEST(SeveralManagers, AMasterThatWasStoppedAloneGoesOn) {
  for (const unsigned sets : {1u, 10u, 30u, 60u, 1000u}) {
    Laboratory lab(tree());
    Instance& only = lab.start("H4");
    lab.runtime.run_until([&] { return only.attachment().sets() >= sets; }, 5s);
    only.suspend();
    lab.runtime.run_for(20s);
    only.resume();
    EXPECT_TRUE(lab.settles()) << sets << lab.complaint() << only.tail();
    EXPECT_EQ(only.count("Entering MASTER"), 1u);
    EXPECT_EQ(only.count("nothing is written before a survey"), 0u) << only.tail();
  }
}

/// Two ports of one process on one subnet.
struct TwoPorts : Laboratory {
  explicit TwoPorts(std::uint64_t seed = 1) : Laboratory(tree(), seed) {
    for (const char* const host : {"H0", "H7"}) {
      Instance& instance = Laboratory::start(host);
      instance.stop();
      instance.on_resigned = [this, guid = model.ports[instance.port()].guid] {
        runtime.after({}, [this, guid] {
          for (Instance& each : instances)
            if (each.runs()) each.master_resigned(guid);
        });
      };
      instance.start({});
    }
  }
  /// How long after `began` this one is MASTER of a subnet that is up.
  std::optional<mad::Duration> leads(Instance& instance, mad::TimePoint began) {
    instance.forget_log();
    if (!runtime.run_until([&] { return instance.says("SUBNET UP"); }, 10s)) return std::nullopt;
    return runtime.now() - began;
  }
};

TEST(PortsOfOneProcess, TheStandbyTakesOverWithinASecondOfTheLinksDeath) {
  seeds::for_each(20, [](std::uint64_t seed) {
    TwoPorts lab(seed);
    Instance &first = lab.instances.front(), &second = lab.instances.back();
    ASSERT_TRUE(lab.settles()) << all_tails(lab);
    ASSERT_EQ(find_state(first), mad::SmState::master);
    topology::Random dice(seed);
    lab.runtime.run_for(std::chrono::microseconds(dice.below(5'000'000u)));
    const sim::PortIndex own = first.port(), peer = lab.far(own);
    const mad::TimePoint cut = lab.runtime.now();
    lab.world.cut(own);
    const auto time = lab.leads(second, cut);
    ASSERT_TRUE(time) << all_tails(lab);
    EXPECT_LT(*time, 1s) << all_tails(lab);
    EXPECT_EQ(find_state(second), mad::SmState::master);
    lab.runtime.run_for(3s);
    EXPECT_NE(find_state(first), mad::SmState::master) << "its port is down";
    // The link returns: equal priority, and the smaller GUID does not take a MASTER's place by
    // itself; it requests the handover by the rules for all managers.
    lab.plug(own, peer);
    ASSERT_TRUE(lab.settles()) << lab.complaint() << all_tails(lab);
  });
}

TEST(PortsOfOneProcess, TheStandbyTakesOverAtOnceWhenTheDeviceIsLostOrTheManagerEnds) {
  TwoPorts lab;
  Instance &first = lab.instances.front(), &second = lab.instances.back();
  ASSERT_TRUE(lab.settles()) << all_tails(lab);
  const mad::TimePoint end = lab.runtime.now();
  first.stop();
  const auto time = lab.leads(second, end);
  ASSERT_TRUE(time) << all_tails(lab);
  EXPECT_LT(*time, 100ms) << all_tails(lab);
}

/// The report was wrong, or the link was down for a moment: the standby surveys, finds the MASTER,
/// and stays its standby.
TEST(PortsOfOneProcess, AMasterThatStillAnswersIsNotSupersededByTheReport) {
  TwoPorts lab;
  Instance &first = lab.instances.front(), &second = lab.instances.back();
  ASSERT_TRUE(lab.settles()) << all_tails(lab);
  second.master_resigned(lab.model.ports[first.port()].guid);
  lab.runtime.run_for(5s);
  EXPECT_EQ(find_state(first), mad::SmState::master);
  EXPECT_EQ(find_state(second), mad::SmState::standby);
  EXPECT_EQ(second.count("Entering MASTER"), 0u) << all_tails(lab);
  EXPECT_EQ(second.attachment().sets(), 0u);
}

TEST(SeveralManagers, NeverMoreInFlightThanTheWindow) {
  Laboratory lab(topology::fat_tree({.hosts = 324, .radix = 36, .levels = 2}));
  config::Options options;
  options.max_wire_smps = 16;
  options.origins["max_wire_smps"] = {};
  lab.start("H0", options);
  ASSERT_TRUE(lab.settles()) << lab.complaint();
  EXPECT_LE(lab.instances.front().attachment().in_flight_max(), 16u + 2u)
      << "and an occasional response to a trap or a query";
}

}  // namespace several_managers_test
