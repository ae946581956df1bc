// Ports and links of devices that reject, keep their own values, or change by themselves.

#include <gtest/gtest.h>

#include <set>

#include "mad/format.h"
#include "partitions/load.h"
#include "sim/laboratory.h"
#include "sim/world/forwarding.h"
#include "sm/ctl/topology/generators.h"
#include "sm/sweep/devices/sweep_conditions.h"

namespace ports_test {

using laboratory::Solo;
using mad::PortInfo;
using mad::PortState;
using namespace std::chrono_literals;

topology::Topology tree() {
  return topology::xgft({.children = {4, 6}, .parents = {1, 3}, .cables = {}});
}

/// SubnSet(PortInfo) of one port of a switch, or of the only one of a CA.
bool sets_port_info(mad::ConstSmpView smp, unsigned port = 1) {
  return smp.method() == mad::Method::set && smp.attribute_id() == mad::AttributeId::port_info &&
         (smp.attribute_modifier() & 0xFFu) == port;
}

class Ports : public testing::Test {
 protected:
  Ports() : lab(tree()), host(lab.port(sim::NodeIndex{9})), leaf(lab.far(host)) {}

  sim::NodeModel& node(sim::PortIndex port) { return lab.model.owning_node(port); }
  unsigned number(sim::PortIndex port) const { return lab.model.ports[port].number; }
  /// A port of the host's leaf with a link to a spine.
  sim::PortIndex uplink() const {
    for (unsigned port = 1;; ++port) {
      const sim::PortIndex out = lab.port(lab.owning_node(leaf), port);
      if (lab.far(out) != sim::kNone && lab.model.owning_node(lab.far(out)).is_switch()) return out;
    }
  }
  bool comes_up() {
    lab.start();
    const bool up =
        lab.runtime.run_until([&] { return lab.says("SUBNET UP"); }, laboratory::kComesUp);
    lab.settle();
    return up;
  }
  /// All hosts but these reach each other.
  void expect_paths(const std::set<sim::PortIndex>& except = {}) {
    for (const sim::PortIndex from : lab.model.ports.indices()) {
      for (const sim::PortIndex to : lab.model.ports.indices()) {
        if (lab.model.owning_node(from).is_switch() || lab.model.owning_node(to).is_switch() ||
            lab.far(from) == sim::kNone || lab.far(to) == sim::kNone || except.contains(from) ||
            except.contains(to))
          continue;
        const sim::Walk walk =
            sim::walk_unicast(lab.model, from, {.dlid = lab.info(to).lid(), .sl = {}});
        EXPECT_TRUE(walk.delivered())
            << lab.model.name(from) << " to " << lab.model.name(to) << ": " << name(walk.drop);
      }
    }
  }
  /// Nothing is swept or set again and again.
  void expect_calm(mad::Duration time, std::uint64_t sets_max) {
    const std::uint64_t sweeps = lab.status().sweeps;
    const std::size_t everything = lab.heddle().count("sweep started: everything");
    lab.forget_counts();
    lab.runtime.run_for(time);
    EXPECT_EQ(lab.heddle().count("sweep started: everything"), everything) << lab.tail();
    EXPECT_LE(lab.status().sweeps - sweeps, sets_max) << lab.tail();
    EXPECT_LE(lab.sets(), sets_max) << lab.tail();
  }
  std::size_t raised(fabric::ConditionId id) const {
    return static_cast<std::size_t>(std::ranges::count(
        lab.status().conditions, id,
        [](const sm::ConditionLog::Raised& entry) { return entry.condition.id; }));
  }

  Solo lab;
  const sim::PortIndex host, leaf;
};

TEST_F(Ports, RejectedSettingIsAConditionOfThePortAndItsLinkBecomesActive) {
  node(leaf).health.reject = [this](mad::ConstSmpView smp) -> std::optional<std::uint16_t> {
    if (!sets_port_info(smp, number(leaf))) return std::nullopt;
    const bool as_read = PortInfo(smp.data()).hoq_life() == lab.info(leaf).hoq_life();
    return as_read ? std::nullopt : std::optional<std::uint16_t>(0x001C);
  };
  ASSERT_TRUE(comes_up()) << lab.tail();
  EXPECT_FALSE(lab.says("Errors during initialization")) << lab.tail();
  EXPECT_EQ(lab.info(leaf).port_state(), PortState::active);
  EXPECT_EQ(lab.info(host).port_state(), PortState::active);
  EXPECT_TRUE(lab.info(leaf).partition_enforcement_inbound()) << "the other parts are set";
  expect_paths();
  EXPECT_EQ(raised(sm::kWriteConditions.port_set_rejected), 1u) << lab.tail();
  EXPECT_TRUE(lab.says("PortInfo rejected with status 0x001c: VLHighLimit") ||
              lab.says("PortInfo rejected with status 0x001c: VLStallCount") ||
              lab.says("HOQLife 0 (wanted 16)"))
      << lab.tail();
  expect_calm(60s, 4);
  // Once the device takes it, the next attempt ends the condition.
  node(leaf).health.reject = {};
  lab.runtime.run_for(120s);
  EXPECT_EQ(lab.complaint(), "");
  EXPECT_EQ(raised(sm::kWriteConditions.port_set_rejected), 0u) << lab.tail();
  EXPECT_EQ(lab.info(leaf).hoq_life(), lab.options.leaf_head_of_queue_lifetime);
}

TEST_F(Ports, RejectedLidKeepsThatHostOutAndNothingElse) {
  node(host).health.reject = [this](mad::ConstSmpView smp) -> std::optional<std::uint16_t> {
    if (!sets_port_info(smp) || PortInfo(smp.data()).lid() == lab.info(host).lid())
      return std::nullopt;
    return std::uint16_t{0x001C};
  };
  ASSERT_TRUE(comes_up()) << lab.tail();
  EXPECT_LT(lab.info(host).port_state(), PortState::active);
  EXPECT_LT(lab.info(leaf).port_state(), PortState::active);
  expect_paths({host});
  EXPECT_EQ(raised(sm::kWriteConditions.port_set_rejected), 1u) << lab.tail();
  expect_calm(60s, 20);
  node(host).health.reject = {};
  lab.runtime.run_for(120s);
  EXPECT_EQ(lab.complaint(), "") << lab.tail();
}

TEST_F(Ports, LinkWhosePortRejectsArmedIsNotUsedByPaths) {
  const sim::PortIndex port = uplink();
  node(port).health.reject = [n = number(port)](mad::ConstSmpView smp) {
    return sets_port_info(smp, n) && PortInfo(smp.data()).port_state() != PortState::no_change
               ? std::optional<std::uint16_t>(0x001C)
               : std::nullopt;
  };
  ASSERT_TRUE(comes_up()) << lab.tail();
  EXPECT_FALSE(lab.says("Errors during initialization")) << lab.tail();
  lab.runtime.run_for(15s);
  EXPECT_EQ(lab.info(port).port_state(), PortState::init);
  expect_paths();
  expect_calm(60s, 20);
  node(port).health.reject = {};
  lab.runtime.run_for(150s);
  EXPECT_EQ(lab.complaint(), "") << lab.tail();
  EXPECT_EQ(raised(sm::kWriteConditions.port_set_rejected), 0u) << lab.tail();
}

TEST_F(Ports, HostThatKeepsForeignKeysBecomesActiveOnlyBehindASwitchThatEnforces) {
  for (const bool enforced : {true, false}) {
    SCOPED_TRACE(enforced ? "the switch enforces" : "part_enforce off");
    Solo other(tree());
    other.options.part_enforce = enforced ? config::PartEnforce::both : config::PartEnforce::off;
    // The host holds the full default key after power-on, and is to be a limited member.
    config::Diagnostics findings;
    const auto limited = partitions::parse_partitions_conf(
        {"partitions.conf", "Default=0x7fff: ALL, SELF=full;\n"}, findings);
    ASSERT_TRUE(findings.empty());
    other.model.owning_node(host).health.reject = [](mad::ConstSmpView smp) {
      return smp.method() == mad::Method::set && smp.attribute_id() == mad::AttributeId::p_key_table
                 ? std::optional<std::uint16_t>(0x001C)
                 : std::nullopt;
    };
    other.start();
    other.heddle().partitioning = limited;
    other.start();
    ASSERT_TRUE(other.runtime.run_until([&] { return other.says("SUBNET UP"); }, 5s))
        << other.tail();
    EXPECT_EQ(other.info(host).port_state() == PortState::active, enforced) << other.tail();
  }
}

TEST_F(Ports, ArmedPortThatDataMakesActiveIsNoFault) {
  // A node sends as soon as its port is Active: before the manager sets the other end to Active.
  std::uint64_t self_activated = 0;
  for (sim::NodeModel& each : lab.model.nodes) {
    each.health.edit_request = [&](mad::SmpView smp) {
      if (smp.method() != mad::Method::set || smp.attribute_id() != mad::AttributeId::port_info ||
          PortInfo(smp.data()).port_state() != PortState::active)
        return;
      const auto here = each.is_switch() ? each.first_port + (smp.attribute_modifier() & 0xFFu)
                                         : each.first_port + 1u;
      const sim::PortIndex far = lab.far(here);
      if (lab.info(far).port_state() != PortState::active) return;
      const sim::PortIndex to = each.is_switch() ? lab.own() : here;
      lab.world.send_data(lab.model.management_port(far), {.dlid = lab.info(to).lid(), .sl = {}});
      self_activated += lab.info(here).port_state() == PortState::active;
    };
  }
  ASSERT_TRUE(comes_up()) << lab.tail();
  EXPECT_GT(self_activated, 5u);
  EXPECT_FALSE(lab.says("Errors during initialization")) << lab.tail();
  EXPECT_EQ(lab.complaint(), "");
  EXPECT_EQ(raised(sm::kWriteConditions.port_set_rejected), 0u) << lab.tail();
  EXPECT_EQ(lab.status().sweeps, 1u);
}

TEST_F(Ports, OneDeviceThatKeepsItsValueTeachesNothingAboutOthersOfItsModel) {
  const std::uint8_t own = lab.info(host).subnet_time_out();
  node(host).health.edit_request = [own](mad::SmpView smp) {
    if (!sets_port_info(smp)) return;
    PortInfo info(smp.data());
    info.set_subnet_time_out(own);
    smp.set_data(info.bytes());
  };
  lab.options.subnet_timeout = 17;
  ASSERT_TRUE(comes_up()) << lab.tail();
  EXPECT_TRUE(lab.says("acknowledges and does not take: SubnetTimeOut")) << lab.tail();
  lab.forget_counts();
  lab.options.subnet_timeout = 12;
  lab.heddle().reload(lab.options);
  lab.runtime.run_for(5s);
  for (const sim::PortIndex port : lab.model.ports.indices()) {
    if (!lab.model.is_end_port(port) || port == host || lab.info(port).lid() == mad::Lid{})
      continue;
    EXPECT_EQ(lab.info(port).subnet_time_out(), 12) << lab.model.name(port);
  }
  EXPECT_EQ(node(host).sets, 0u) << "not for this alone";
  node(host).health.edit_request = {};
  lab.reboot(lab.owning_node(host));
  lab.runtime.run_for(15s);
  EXPECT_EQ(lab.info(host).subnet_time_out(), 12) << "after a restart it may take it";
  EXPECT_EQ(lab.complaint(), "");
}

/// Counts Sets that take links down.
class Downs {
 public:
  explicit Downs(Solo& lab) {
    lab.heddle().tap().on_request = [this](mad::ConstSmpView smp) {
      sets_ += smp.method() == mad::Method::set &&
               smp.attribute_id() == mad::AttributeId::port_info &&
               PortInfo(smp.data()).port_state() == PortState::down;
    };
  }
  unsigned sets() const { return sets_; }

 private:
  unsigned sets_ = 0;
};

TEST_F(Ports, FewerVlsAfterARestartOfTheManagerTakeNoLinkDown) {
  lab.options.qos = true;
  ASSERT_TRUE(comes_up());
  const std::uint8_t before = lab.info(leaf).operational_vls();
  ASSERT_GT(mad::data_vls(before), 2u);
  lab.forget_counts();
  const Downs downs(lab);
  lab.options.max_op_vls = 2;
  ASSERT_TRUE(comes_up()) << lab.tail();
  EXPECT_EQ(downs.sets(), 0u);
  EXPECT_EQ(lab.sent(mad::Method::set, mad::AttributeId::sl_to_vl_mapping_table), 0u)
      << "tables are made for the VLs that links run";
  EXPECT_EQ(lab.sent(mad::Method::set, mad::AttributeId::vl_arbitration_table), 0u);
  for (const sim::PortIndex port : lab.model.ports.indices()) {
    if (lab.far(port) == sim::kNone) continue;
    EXPECT_EQ(lab.info(port).operational_vls(), before) << lab.model.name(port);
  }
  expect_paths();
  EXPECT_TRUE(lab.says("takes effect at the next link training [SM-LINK-SETTING-PENDING]"))
      << lab.tail();
  EXPECT_EQ(raised(sm::kWriteConditions.link_setting_pending), 11u) << "ten links, and the rest";
  expect_calm(30s, 0);
  lab.world.bounce(host);
  lab.runtime.run_for(2s);
  EXPECT_EQ(lab.info(host).operational_vls(), 2);
  EXPECT_EQ(lab.info(leaf).operational_vls(), 2);
  EXPECT_EQ(lab.info(host).port_state(), PortState::active);
  expect_paths();
}

TEST_F(Ports, MtuOfARunningLinkIsNotWritten) {
  ASSERT_TRUE(comes_up());
  for (const sim::PortIndex port : {host, leaf})
    lab.info(port).set_neighbor_mtu(mad::Mtu::mtu_1024);
  const Downs downs(lab);
  ASSERT_TRUE(comes_up());
  EXPECT_EQ(downs.sets(), 0u);
  EXPECT_EQ(lab.info(host).neighbor_mtu(), mad::Mtu::mtu_1024);
  EXPECT_EQ(lab.info(leaf).neighbor_mtu(), mad::Mtu::mtu_1024);
  EXPECT_TRUE(lab.says("runs with NeighborMTU 3 ")) << lab.tail();
}

TEST_F(Ports, LinksAreRestartedForSettingsOnlyByTheOptionAndInTurn) {
  ASSERT_TRUE(comes_up());
  const Downs downs(lab);
  lab.options.max_op_vls = 2;
  lab.options.restart_links_for_settings = true;
  lab.start();
  const auto is_done = [&] {
    return std::ranges::all_of(lab.model.ports.indices(), [&](sim::PortIndex port) {
      return lab.far(port) == sim::kNone || (lab.info(port).operational_vls() == 2 &&
                                             lab.info(port).port_state() == PortState::active);
    });
  };
  std::size_t most_down = 0;
  for (int ms = 0; ms < 60'000 && !is_done(); ++ms) {
    lab.runtime.run_for(1ms);
    for (const sim::NodeModel& each : lab.model.nodes) {
      if (!each.is_switch()) continue;
      std::size_t up = 0, down = 0;
      for (unsigned port = 1; port <= each.port_count(); ++port) {
        const sim::PortIndex out = each.first_port + port;
        if (lab.far(out) == sim::kNone || !lab.model.owning_node(lab.far(out)).is_switch())
          continue;
        ++(lab.model.link_up(out) ? up : down);
      }
      EXPECT_TRUE(up > 0 || down == 0) << each.description << " is cut off";
      most_down = std::max(most_down, down);
    }
  }
  EXPECT_TRUE(is_done()) << lab.tail();
  EXPECT_GT(most_down, 0u);
  EXPECT_EQ(downs.sets(), lab.cables()) << "each link once";
  lab.runtime.run_for(5s);
  EXPECT_EQ(lab.complaint(), "");
  EXPECT_EQ(raised(sm::kWriteConditions.link_setting_pending), 0u);
}

TEST_F(Ports, LinkOfADeviceThatKeepsItsVlsIsRestartedOnce) {
  ASSERT_TRUE(comes_up());
  const std::uint8_t own = lab.info(host).operational_vls();
  node(host).health.edit_request = [own](mad::SmpView smp) {
    if (!sets_port_info(smp)) return;
    PortInfo info(smp.data());
    info.set_operational_vls(own);
    smp.set_data(info.bytes());
  };
  const Downs downs(lab);
  lab.options.max_op_vls = 2;
  lab.options.restart_links_for_settings = true;
  lab.start();
  lab.runtime.run_for(60s);
  EXPECT_EQ(downs.sets(), lab.cables());
  EXPECT_EQ(lab.info(host).port_state(), PortState::active);
  expect_calm(60s, 0);
  EXPECT_EQ(raised(sm::kWriteConditions.port_set_rejected), 1u) << lab.tail();
}

TEST(LinkVls, EngineThatNeedsMoreVlsThanLinksRunIsRefused) {
  Solo lab(topology::torus({.dimensions = {6}, .hosts_per_switch = 1}));
  lab.options.max_op_vls = 1;
  lab.options.routing_engine = {"minhop"};
  ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  lab.options.max_op_vls = 5;
  lab.options.routing_engine = {"lash", "minhop"};
  lab.start();
  ASSERT_TRUE(lab.runtime.run_until([&] { return lab.heddle().count("SUBNET UP") > 1; }, 5s));
  EXPECT_TRUE(lab.says("[SM-ROUTING-REFUSED]")) << lab.tail();
  EXPECT_EQ(lab.heddle().count("process: minhop tables configured"), 2u) << lab.tail();
}

TEST_F(Ports, ImplausibleValuesAreAcceptedWithACondition) {
  sim::NodeModel& spine = node(lab.far(uplink()));
  spine.sw->info.set_linear_fdb_cap(1024);
  spine.sw->info.set_linear_fdb_top(
      static_cast<std::uint16_t>(spine.sw->info.linear_fdb_cap() + 7));
  node(leaf).health.edit_response = [](mad::SmpView smp) {
    if (smp.attribute_id() != mad::AttributeId::port_info || (smp.attribute_modifier() & 0xFF) != 0)
      return;
    PortInfo info(smp.data());
    info.set_port_state(PortState::no_change);
    smp.set_data(info.bytes());
  };
  ASSERT_TRUE(comes_up()) << lab.tail();
  EXPECT_TRUE(lab.says("PortState 0 of port 0 [SM-VALUE-IMPLAUSIBLE]")) << lab.tail();
  EXPECT_TRUE(lab.says("above LinearFDBCap")) << lab.tail();
  EXPECT_EQ(lab.complaint(), "");
  expect_paths();
}

TEST_F(Ports, ZerosOfAPortThatIsUpCountAsTheLeastValue) {
  for (const sim::PortIndex port : {host, uplink()}) {
    node(port).health.edit_response = [this, port](mad::SmpView smp) {
      if (smp.attribute_id() != mad::AttributeId::port_info ||
          (node(port).is_switch() && (smp.attribute_modifier() & 0xFF) != number(port)))
        return;
      PortInfo info(smp.data());
      info.set_mtu_cap(mad::Mtu{});
      info.set_vl_cap(0);
      info.set_port_physical_state(mad::PortPhysicalState::no_change);
      smp.set_data(info.bytes());
    };
  }
  ASSERT_TRUE(comes_up()) << lab.tail();
  EXPECT_EQ(lab.info(host).port_state(), PortState::active);
  EXPECT_EQ(lab.info(leaf).neighbor_mtu(), mad::Mtu::mtu_256);
  EXPECT_EQ(lab.info(uplink()).port_state(), PortState::active);
  EXPECT_TRUE(
      lab.says("answers with MTUCap 0, VLCap 0, PortPhysicalState 0; the least possible "
               "value is used [SM-VALUE-IMPLAUSIBLE]"))
      << lab.tail();
  expect_paths();
  expect_calm(60s, 0);
}

TEST_F(Ports, OfAPortThatIsDownOnlyTheStateCounts) {
  sim::PortIndex unused = sim::kNone;
  for (unsigned port = 1; port <= node(leaf).port_count(); ++port)
    if (lab.far(lab.port(lab.owning_node(leaf), port)) == sim::kNone)
      unused = lab.port(lab.owning_node(leaf), port);
  if (unused == sim::kNone) {  // all are used: the last one loses its cable
    unused = lab.port(lab.owning_node(leaf), node(leaf).port_count());
    lab.world.cut(unused);
  }
  lab.info(unused).set_mtu_cap(static_cast<mad::Mtu>(9));
  lab.info(unused).set_vl_cap(0);
  ASSERT_TRUE(comes_up()) << lab.tail();
  EXPECT_FALSE(lab.says("are possible")) << lab.tail();
  EXPECT_FALSE(lab.says("[SM-VALUE-IMPLAUSIBLE]")) << lab.tail();
}

/// A Set with another HOQLife is acknowledged, and nothing of it is taken.
TEST_F(Ports, WhatAPortDoesNotTakeTogetherIsSetPartByPartAtOnce) {
  node(leaf).health.edit_request = [this](mad::SmpView smp) {
    if (!sets_port_info(smp, number(leaf)) ||
        PortInfo(smp.data()).hoq_life() == lab.info(leaf).hoq_life())
      return;
    PortInfo unchanged = lab.info(leaf);
    unchanged.set_port_state(PortState::no_change);
    unchanged.set_port_physical_state(mad::PortPhysicalState::no_change);
    smp.set_data(unchanged.bytes());
  };
  lab.start();
  ASSERT_TRUE(lab.runtime.run_until([&] { return lab.says("SUBNET UP"); }, 2s)) << lab.tail();
  EXPECT_EQ(lab.info(leaf).port_state(), PortState::active) << lab.tail();
  EXPECT_EQ(lab.info(host).port_state(), PortState::active);
  EXPECT_TRUE(lab.info(leaf).partition_enforcement_inbound());
  EXPECT_EQ(lab.status().sweeps, 1u);
  lab.settle();
  expect_paths();
  expect_calm(60s, 4);
}

TEST_F(Ports, EnhancedPortZeroInInitBecomesActive) {
  const sim::PortIndex port_0 = node(leaf).first_port;
  node(leaf).sw->info.set_enhanced_port_0(true);
  lab.info(port_0).set_port_state(PortState::init);
  ASSERT_TRUE(comes_up()) << lab.tail();
  EXPECT_EQ(lab.info(port_0).port_state(), PortState::active);
  EXPECT_EQ(lab.status().sweeps, 1u);
}

TEST_F(Ports, DevicesThatTakeEverythingGetOneSetOfSettingsAndStates) {
  ASSERT_TRUE(comes_up());
  std::uint64_t most = 0;
  for (const sim::NodeModel& each : lab.model.nodes)
    if (!each.is_switch()) most = std::max(most, each.sets);
  EXPECT_LE(most, 4u) << "P_Keys, PortInfo with Armed, Active";
}

}  // namespace ports_test
