#include "sm/ctl/topology/generators.h"
#include "unit/sim/world/requester.h"

namespace traps_test {

using mad::Method;
using mad::TrapNumber;
using requester::Requester;
using namespace std::chrono_literals;

topology::Topology pair() {
  return topology::row({.switches = 2, .cables = 1, .hosts_per_switch = 2});
}

/// H0 is the subnet manager.
struct Traps : testing::Test {
  Traps() : a(pair()) {
    a.bring_up();
    a.program->set_is_sm(true);
    a.runtime.run_for(1ms);
    repress_all();
    a.received.clear();
  }
  std::vector<mad::Notice> received() const {
    std::vector<mad::Notice> notices;
    for (const mad::ReceivedMad& mad : a.received) {
      const mad::ConstSmpView smp{std::span<const std::uint8_t, mad::kMadSizeBytes>(mad.bytes)};
      if (smp.method() == Method::trap) notices.emplace_back(smp.data());
    }
    return notices;
  }
  void repress_all(mad::MKey key = {}) {
    for (const mad::ReceivedMad& mad : std::exchange(a.received, {})) {
      mad::MadBytes bytes = mad.bytes;
      mad::SmpView smp{std::span<std::uint8_t, mad::kMadSizeBytes>(bytes)};
      if (smp.method() != Method::trap) continue;
      ASSERT_TRUE(mad::make_response(smp));
      smp.set_m_key(key);
      a.program->send(bytes, mad.from, 0);
    }
    a.runtime.run_for(1ms);
  }
  Requester a;
};

TEST_F(Traps, RepeatUntilRepressed) {
  a.world.cut(a.port("H3"));
  a.runtime.run_for(1600ms);
  ASSERT_EQ(received().size(), 4u) << "at once, and every half second";
  EXPECT_EQ(received().front().trap_number(), TrapNumber::link_state_change);
  EXPECT_EQ(received().front().as<mad::LinkStateNotice>()->lid(), a.lid("S1"));
  EXPECT_EQ(received().front().issuer_lid(), a.lid("S1"));
  repress_all();
  a.runtime.run_for(10s);
  EXPECT_TRUE(received().empty());
  EXPECT_TRUE(a.world.model.nodes[a.world.model.find("S1")].sw->info.port_state_change());
}

TEST_F(Traps, AreNotRepressedWithoutTheMKey) {
  a.info("S1", 0).set_m_key({0x5});
  a.world.cut(a.port("H3"));
  a.runtime.run_for(1ms);
  repress_all();
  a.runtime.run_for(2s);
  EXPECT_FALSE(received().empty());
  repress_all({0x5});  // of the trap 128; the violation has been reported in between, too
  a.runtime.run_for(2s);
  for (const mad::Notice& notice : received())
    EXPECT_NE(notice.trap_number(), TrapNumber::link_state_change);
}

TEST_F(Traps, RepeatedEventsAreReportedAgain) {
  a.world.cut(a.port("H3"));
  a.runtime.run_for(1ms);
  ASSERT_EQ(received().size(), 1u);
  a.world.connect(a.port("H3"), a.port("S1", 2));
  a.runtime.run_for(20ms);
  repress_all();
  EXPECT_EQ(received().size(), 1u) << "the link came up after the first trap was sent";
}

TEST_F(Traps, OfEveryKind) {
  a.world.rename(a.world.model.find("H2"), "renamed");
  a.world.set_capability(a.port("H1"),
                         a.info("H1").capability_mask() | mad::capability::kBootManagement);
  a.world.set_system_image_guid(a.world.model.find("H3"), mad::Guid{0x99});
  a.world.report_link_error(a.port("S0", 2), TrapNumber::excessive_buffer_overrun);
  a.world.report_bad_key(a.port("H1"), TrapNumber::bad_q_key, mad::Lid{3}, mad::Lid{2}, 0xDEAD);
  a.runtime.run_for(1ms);
  const auto notices = received();
  ASSERT_EQ(notices.size(), 5u);
  std::map<TrapNumber, mad::Notice> by_number;
  std::vector<mad::LocalChangeNotice> local;
  for (const mad::Notice& notice : notices) {
    by_number.emplace(notice.trap_number(), notice);
    if (const auto change = notice.as<mad::LocalChangeNotice>()) local.push_back(*change);
  }
  ASSERT_EQ(local.size(), 2u);
  EXPECT_NE(local[0].other_local_changes(), local[1].other_local_changes());
  EXPECT_EQ(by_number.at(TrapNumber::system_image_guid_change)
                .as<mad::SystemImageGuidNotice>()
                ->system_image_guid(),
            mad::Guid{0x99});
  EXPECT_EQ(by_number.at(TrapNumber::excessive_buffer_overrun).as<mad::LinkErrorNotice>()->port(),
            mad::PortNum{2});
  EXPECT_EQ(by_number.at(TrapNumber::bad_q_key).as<mad::BadKeyNotice>()->key(), 0xDEADu);
  EXPECT_EQ(a.info("H1").q_key_violations(), 1);
}

TEST_F(Traps, DataPacketsWithBadPKeysAreCountedAndReported) {
  // H2 does not have partition 1.
  const auto walk = a.world.send_data(a.port("H1"), {.dlid = a.lid("H2"), .p_key = {0x8001}});
  EXPECT_EQ(walk.drop, sim::Drop::p_key_end);
  EXPECT_EQ(a.info("H2").p_key_violations(), 1);
  // The switch drops it at H3's port.
  const sim::PortIndex entry = a.world.model.ports[a.port("H3")].peer;
  a.world.model.ports[entry].info.set_partition_enforcement_inbound(true);
  EXPECT_EQ(a.world.send_data(a.port("H3"), {.dlid = a.lid("H2"), .p_key = {0x8001}}).drop,
            sim::Drop::p_key_in);
  a.runtime.run_for(1ms);
  const auto notices = received();
  ASSERT_EQ(notices.size(), 2u);
  const bool host_first = notices[0].trap_number() == TrapNumber::bad_p_key;
  const auto by_host = notices[host_first ? 0 : 1].as<mad::BadKeyNotice>();
  const auto by_switch = notices[host_first ? 1 : 0].as<mad::SwitchBadPKeyNotice>();
  ASSERT_TRUE(by_host && by_switch);
  EXPECT_EQ(by_host->lid1(), a.lid("H1"));
  EXPECT_EQ(by_switch->port().value, a.world.model.ports[entry].number);
}

TEST_F(Traps, GoToTheManagerOnly) {
  a.program->set_is_sm(false);
  a.runtime.run_for(1ms);
  a.received.clear();
  a.world.cut(a.port("H3"));
  a.runtime.run_for(1s);
  EXPECT_TRUE(received().empty());
}

TEST_F(Traps, AHungSwitchReportsAPortChangeAfterwards) {
  sim::Model& model = a.world.model;
  const sim::PortIndex host = a.port("H3"), leaf = model.ports[host].peer;
  sim::NodeModel& sw = model.owning_node(leaf);
  sw.sw->info.set_port_state_change(false);
  const std::uint64_t raised = a.world.statistics.traps_raised;
  sw.health.silent = true;
  a.world.bounce(host);
  a.runtime.run_for(100ms);
  EXPECT_EQ(a.world.statistics.traps_raised, raised);
  sw.health.silent = false;
  EXPECT_TRUE(sw.sw->info.port_state_change());
}

}  // namespace traps_test
