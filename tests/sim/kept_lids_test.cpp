// LIDs of hosts that are absent keep their forwarding table entries (sm/sweep/decide/kept_lids.h):
// whole managers in virtual time. After every single write, packets to all LIDs are followed.

#include <array>
#include <functional>
#include <set>

#include "mad/attributes/switch_info.h"
#include "sim/laboratory.h"
#include "sim/virtualized.h"
#include "sim/watched.h"

namespace kept_lids_test {

using mad::AttributeId;
using mad::Method;
using watched::Watched;
using namespace std::chrono_literals;

constexpr mad::Duration kRecovers = 60s;

// ---- a reboot writes no table

class KeptLidsWith : public testing::TestWithParam<const char*> {};

TEST_P(KeptLidsWith, ARebootOfAHostWritesNoForwardingTable) {
  Watched lab;
  lab.options.routing_engine = {GetParam()};
  ASSERT_TRUE(lab.start_and_watch()) << lab.complaint() << lab.tail();
  ASSERT_EQ(lab.status().subnet->routing->engine, GetParam());
  for (const unsigned number : {7u, 11u}) {
    const std::uint16_t lid = lab.find_lid(number);
    lab.forget_counts();
    lab.lose(number);
    EXPECT_EQ(lab.status().subnet->lids.owner(mad::Lid{lid}), fabric::kNoIndex) << "no path to it";
    EXPECT_EQ(lab.read_entries(lid), lab.switches());
    lab.world.power(lab.host(number), true);
    ASSERT_TRUE(lab.settles(kRecovers)) << lab.complaint() << lab.tail();
    EXPECT_EQ(lab.find_lid(number), lid);
    EXPECT_EQ(lab.lft_sets(), 0u) << lab.tail();
    EXPECT_GT(lab.sets(), 0u);
  }
  EXPECT_GT(lab.walks, 0u);
  lab.expect_sound();
}

INSTANTIATE_TEST_SUITE_P(Engines, KeptLidsWith,
                         testing::Values("minhop", "updn", "dnup", "dor", "sssp", "dfsssp", "dmodc",
                                         "ftree", "lash", "nue"),
                         [](const auto& test) { return std::string(test.param); });

TEST(KeptLids, SeveralLidsAndTheHighestOne) {
  Watched lab;
  lab.options.lmc = 2;
  const sim::PortIndex late = lab.host_port(11), place = lab.far(late);
  lab.world.cut(late);  // LIDs of hosts that come later are above those of switches
  ASSERT_TRUE(lab.start_and_watch()) << lab.tail();
  lab.world.connect(place, late);
  ASSERT_TRUE(lab.settles(kRecovers)) << lab.complaint() << lab.tail();
  lab.settle();
  const std::uint16_t base = lab.find_lid(11);
  const std::set<unsigned> tops{(base + 3u) | 63u};  // the end of the block
  ASSERT_EQ(lab.fdb_tops(), tops);
  lab.forget_counts();
  lab.lose(11);
  for (std::uint16_t lid = base; lid < base + 4; ++lid)
    EXPECT_EQ(lab.read_entries(lid), lab.switches()) << lid;
  EXPECT_EQ(lab.fdb_tops(), tops);
  lab.world.power(lab.host(11), true);
  ASSERT_TRUE(lab.settles(kRecovers)) << lab.complaint() << lab.tail();
  EXPECT_EQ(lab.find_lid(11), base);
  EXPECT_EQ(lab.lft_sets(), 0u);
  lab.expect_sound();
}

TEST(KeptLids, OfVPortsOfAHostThatReboots) {
  laboratory::Virtualized lab;
  lab.add_vports();
  ASSERT_TRUE(lab.bring_up()) << lab.tail();
  const mad::Lid lid = lab.find_lid(5, 2);
  ASSERT_NE(lid, mad::Lid{});
  const auto tables = [&] { return lab.sent(Method::set, AttributeId::linear_forwarding_table); };
  const sim::PortIndex place = lab.far(lab.hosts[5]);
  lab.world.cut(place);
  lab.settle();
  lab.settle();
  EXPECT_EQ(lab.status().subnet->lids.owner(lid), fabric::kNoIndex);
  EXPECT_EQ(tables(), 0u) << lab.tail();
  lab.plug(place, lab.hosts[5]);
  ASSERT_TRUE(lab.recovers(kRecovers)) << lab.complaint() << lab.tail();
  lab.settle();
  EXPECT_EQ(lab.find_lid(5, 2), lid);
  EXPECT_EQ(tables(), 0u) << lab.tail();
}

// ---- they follow the fabric meanwhile

TEST(KeptLids, AreReroutedWhenALinkIsLost) {
  Watched lab;
  ASSERT_TRUE(lab.start_and_watch()) << lab.tail();
  const std::uint16_t lid = lab.find_lid(7);
  lab.lose(7);
  // The link by which the manager's leaf sends it.
  sim::NodeModel& leaf = lab.leaf_switch(0);
  const std::uint8_t up = leaf.sw->lft[lid];
  lab.world.cut(leaf.first_port + up);
  ASSERT_TRUE(lab.settles(kRecovers)) << lab.complaint() << lab.tail();
  EXPECT_NE(leaf.sw->lft[lid], up);
  EXPECT_EQ(lab.read_entries(lid), lab.switches());
  lab.forget_counts();
  lab.world.power(lab.host(7), true);
  ASSERT_TRUE(lab.settles(kRecovers)) << lab.complaint() << lab.tail();
  EXPECT_EQ(lab.lft_sets(), 0u) << lab.tail();
  lab.expect_sound();
}

TEST(KeptLids, OfALeafThatRebootsAreBackWithIt) {
  Watched lab;
  ASSERT_TRUE(lab.start_and_watch()) << lab.tail();
  const std::uint16_t lid = lab.find_lid(7);
  lab.lose(7);
  sim::NodeModel& leaf = lab.leaf_switch(7);
  const sim::NodeIndex node = lab.model.ports[leaf.first_port].node;
  lab.world.power(node, false);
  lab.settle();
  lab.settle();
  EXPECT_EQ(lab.read_entries(lid), 0u) << "there is no place to which they could lead";
  lab.world.power(node, true);
  ASSERT_TRUE(lab.settles(kRecovers)) << lab.complaint() << lab.tail();
  EXPECT_EQ(lab.read_entries(lid), lab.switches());
  lab.forget_counts();
  lab.world.power(lab.host(7), true);
  ASSERT_TRUE(lab.settles(kRecovers)) << lab.complaint() << lab.tail();
  EXPECT_EQ(lab.lft_sets(), 0u) << lab.tail();
  lab.expect_sound();
}

// ---- something else is plugged in

TEST(KeptLids, AreWithdrawnBeforeAnotherHostIsActiveAtTheirPlace) {
  Watched lab;
  ASSERT_TRUE(lab.start_and_watch()) << lab.tail();
  const std::uint16_t lid = lab.find_lid(7);
  const sim::PortIndex place = lab.far(lab.host_port(7)), other = lab.host_port(3);
  lab.world.cut(place);
  lab.settle();
  lab.settle();
  ASSERT_EQ(lab.read_entries(lid), lab.switches());
  lab.world.cut(other);
  lab.world.connect(place, other);  // a host that moves to where the other one was
  ASSERT_TRUE(lab.settles(kRecovers)) << lab.complaint() << lab.tail();
  EXPECT_EQ(lab.read_entries(lid), 0u);
  // The first host is back elsewhere, with its LID.
  lab.world.connect(lab.free_port(lab.model.owning_node(place)), lab.host_port(7));
  ASSERT_TRUE(lab.settles(kRecovers)) << lab.complaint() << lab.tail();
  EXPECT_EQ(lab.find_lid(7), lid);
  lab.expect_sound();
}

/// Its own table leads the LID back by the same link: entries of an earlier life.
TEST(KeptLids, MakeNoLoopWithASwitchThatIsPluggedInAtTheirPlace) {
  for (const bool rejects : {false, true}) {
    SCOPED_TRACE(rejects);
    Watched lab;
    ASSERT_TRUE(lab.start_and_watch()) << lab.tail();
    const std::uint16_t lid = lab.find_lid(7);
    const sim::PortIndex place = lab.far(lab.host_port(7));
    sim::NodeModel& leaf = lab.model.owning_node(place);
    lab.world.cut(place);
    lab.settle();
    lab.settle();
    ASSERT_EQ(lab.read_entries(lid), lab.switches());

    // A spine's free port is plugged in, and what this spine has for the LID leads there.
    sim::NodeModel* spine = nullptr;
    for (sim::NodeModel& node : lab.model.nodes)
      if (node.is_switch() && spine == nullptr &&
          lab.model.owning_node(lab.far(node.first_port + 1)).is_switch() && &node != &leaf)
        spine = &node;
    ASSERT_NE(spine, nullptr);
    const sim::PortIndex its = lab.free_port(*spine);
    ASSERT_NE(its, sim::kNone);
    if (rejects)
      leaf.health.reject = [](mad::ConstSmpView smp) -> std::optional<std::uint16_t> {
        if (smp.method() == Method::set &&
            smp.attribute_id() == AttributeId::linear_forwarding_table)
          return std::uint16_t{0x001C};
        return std::nullopt;
      };
    lab.world.connect(place, its);
    if (rejects) {
      lab.runtime.run_for(30s);
      EXPECT_LT(lab.info(place).port_state(), mad::PortState::armed)
          << "the leaf sends packets for the LID there";
      lab.expect_sound();
      leaf.health.reject = {};
    }
    ASSERT_TRUE(lab.settles(kRecovers)) << lab.complaint() << lab.tail();
    EXPECT_EQ(lab.info(place).port_state(), mad::PortState::active);
    EXPECT_EQ(lab.read_entries(lid), 0u);
    lab.expect_sound();
  }
}

TEST(KeptLids, OfAHostThatReturnsElsewhereLeadThereBeforeItIsActive) {
  Watched lab;
  ASSERT_TRUE(lab.start_and_watch()) << lab.tail();
  const std::uint16_t lid = lab.find_lid(7);
  const sim::PortIndex place = lab.far(lab.host_port(7));
  lab.world.cut(place);
  lab.settle();
  lab.settle();
  sim::NodeModel& new_leaf = lab.leaf_switch(3);
  const sim::PortIndex to = lab.free_port(new_leaf);
  lab.world.connect(to, lab.host_port(7));
  ASSERT_TRUE(lab.settles(kRecovers)) << lab.complaint() << lab.tail();
  EXPECT_EQ(lab.find_lid(7), lid);
  EXPECT_EQ(new_leaf.sw->lft[lid], lab.model.ports[to].number);
  EXPECT_NE(lab.model.owning_node(place).sw->lft[lid], lab.model.ports[place].number);
  lab.expect_sound();
}

// ---- reservations

/// Tables of as many LIDs as there are ports: a new host gets the LID of the absent one.
TEST(KeptLids, AreGivenToAnotherHostWhenNoOtherLidIsLeft) {
  Watched lab;
  for (sim::NodeModel& node : lab.model.nodes)  // each has one port with a LID
    if (node.is_switch())
      node.sw->info.set_linear_fdb_cap(static_cast<std::uint16_t>(lab.model.nodes.size() + 1));
  ASSERT_TRUE(lab.start_and_watch()) << lab.tail();
  const std::uint16_t lid = lab.find_lid(7);
  const sim::PortIndex place = lab.far(lab.host_port(7));
  lab.world.cut(place);
  lab.settle();
  lab.settle();
  ASSERT_EQ(lab.read_entries(lid), lab.switches());
  topology::Node host;
  host.name = "new";
  host.guid = mad::Guid{0x770000};
  host.type = topology::NodeType::ca;
  host.port_count = 1;
  const sim::NodeIndex added = lab.world.add(host);
  lab.watch(lab.model.nodes[added]);
  lab.world.connect(lab.free_port(lab.leaf_switch(3)), lab.port(added));
  ASSERT_TRUE(lab.settles(kRecovers)) << lab.complaint() << lab.tail();
  EXPECT_EQ(lab.info(lab.port(added)).lid().value, lid);
  EXPECT_TRUE(lab.says("loses its reservation of LID")) << lab.tail();
  lab.expect_sound();
}

// ---- the manager ends

TEST(KeptLids, AreFoundInTheTablesAfterARestart) {
  for (const char* engine : {"minhop", "ftree", "dfsssp"}) {
    SCOPED_TRACE(engine);
    Watched lab;
    lab.options.routing_engine = {engine};
    ASSERT_TRUE(lab.start_and_watch()) << lab.tail();
    const std::uint16_t lid = lab.find_lid(7);
    lab.lose(7);
    lab.heddle().stop();
    lab.heddle().forget_log();
    lab.forget_counts();
    ASSERT_TRUE(lab.start_and_settle()) << lab.complaint() << lab.tail();
    lab.settle();
    EXPECT_EQ(lab.lft_sets(), 0u) << lab.tail();
    EXPECT_EQ(lab.read_entries(lid), lab.switches());
    lab.forget_counts();
    lab.world.power(lab.host(7), true);
    ASSERT_TRUE(lab.settles(kRecovers)) << lab.complaint() << lab.tail();
    EXPECT_EQ(lab.find_lid(7), lid);
    EXPECT_EQ(lab.lft_sets(), 0u) << lab.tail();
    lab.expect_sound();
  }
}

TEST(KeptLids, AreWithdrawnWhenLidsAreReassigned) {
  Watched lab;
  ASSERT_TRUE(lab.start_and_watch()) << lab.tail();
  lab.lose(2);
  lab.heddle().stop();
  lab.heddle().forget_log();
  lab.options.reassign_lids = true;
  ASSERT_TRUE(lab.start_and_settle()) << lab.complaint() << lab.tail();
  const std::size_t ports = lab.status().subnet->fabric.end_ports.size();
  EXPECT_EQ(lab.status().subnet->lids.lid_top.value, ports) << "no LID is set apart";
  lab.world.power(lab.host(2), true);
  ASSERT_TRUE(lab.settles(kRecovers)) << lab.complaint() << lab.tail();
}

TEST(KeptLids, AnotherManagerTakesOver) {
  for (const bool same_lids : {false, true}) {
    SCOPED_TRACE(same_lids);
    Watched lab;
    lab.options.honor_guid2lid_file = same_lids;
    ASSERT_TRUE(lab.start_and_watch()) << lab.tail();
    config::Options of_standby = lab.options;
    of_standby.sminfo_polling_timeout = 1000;
    laboratory::Instance& second = lab.Laboratory::start(lab.host_port(11), of_standby);
    lab.runtime.run_for(5s);
    lab.lose(7);
    lab.heddle().stop();
    ASSERT_TRUE(lab.runtime.run_until(
        [&] { return second.manager().status().state == mad::SmState::master; },
        laboratory::kTakeover));
    ASSERT_TRUE(lab.settles(kRecovers)) << lab.complaint() << second.tail();
    lab.world.power(lab.host(7), true);
    ASSERT_TRUE(lab.settles(kRecovers)) << lab.complaint() << second.tail();
    lab.expect_sound();
  }
}

}  // namespace kept_lids_test
