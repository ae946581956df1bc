#include "unit/sim/world/requester.h"

#include "sim/scenario/scenario.h"
#include "sim/world/vports.h"

namespace vports_test {

using mad::Method;
using mad::PortState;
using mad::VPortInfo;
using requester::Requester;
using namespace std::chrono_literals;

constexpr std::uint16_t kInvalid = mad::status::kInvalidValue,
                        kUnsupported = mad::status::kMethodAttributeUnsupported;

/// H0 sends the requests of a subnet manager to its own port.
struct VPorts : testing::Test {
  VPorts() : a(sim::row({.switches = 2, .cables = 1, .hosts_per_switch = 2})), port(a.port("H0")) {
    a.bring_up();
    sim::enable_virtualization(a.world, port, 8);
  }
  void enable(bool on = true) {
    mad::VirtualizationInfo info;
    info.set_virtualization_enable(on);
    info.set_vport_state_change(true);
    ASSERT_EQ(a.set(info, 0, {})->status(), 0);
  }
  mad::VirtualizationInfo info() {
    return a.get<mad::VirtualizationInfo>(0, {})->as<mad::VirtualizationInfo>();
  }
  VPortInfo vport(std::uint16_t index) { return a.get<VPortInfo>(index, {})->as<VPortInfo>(); }
  std::uint16_t set_state(std::uint16_t index, PortState state, mad::Lid lid = {}) {
    VPortInfo requested;
    requested.set_vport_state(state);
    requested.set_vport_lid(lid);
    return a.set(requested, index, {})->status();
  }
  void activate(std::uint16_t index, mad::Lid lid = {}) {
    EXPECT_EQ(set_state(index, PortState::armed, lid), 0);
    EXPECT_EQ(set_state(index, PortState::active, lid), 0);
  }
  Requester a;
  sim::PortIndex port;
};

TEST_F(VPorts, AreUnsupportedUntilTheHostEnablesThem) {
  EXPECT_EQ(a.get<mad::VirtualizationInfo>(0, {1})->status(), kUnsupported) << "a switch";
  EXPECT_FALSE(sim::enable_virtualization(a.world, a.port("S0", 1), 8));
  EXPECT_EQ(a.info("H0").capability_mask2() & mad::capability2::kVirtualization,
            mad::capability2::kVirtualization);
  EXPECT_EQ(a.info("H1").capability_mask2() & mad::capability2::kVirtualization, 0);
  EXPECT_EQ(info().vport_cap(), 8);
  EXPECT_FALSE(info().virtualization_enable());
  sim::enable_virtualization(a.world, port, 0);
  EXPECT_EQ(a.get<mad::VirtualizationInfo>(0, {})->status(), kUnsupported);
  EXPECT_EQ(a.info("H0").capability_mask2() & mad::capability2::kVirtualization, 0);
}

TEST_F(VPorts, AreInvisibleUntilTheManagerEnablesThem) {
  ASSERT_TRUE(sim::create_vport(a.world, port, 3, {.guid = {0x33}, .description = "vm three"}));
  EXPECT_FALSE(sim::create_vport(a.world, port, 3, {}));
  EXPECT_FALSE(sim::create_vport(a.world, port, 0, {}));
  EXPECT_FALSE(sim::create_vport(a.world, port, 8, {}));
  EXPECT_EQ(info().vport_index_top(), 3);
  EXPECT_EQ(a.get<VPortInfo>(3, {})->status(), kInvalid);
  enable();
  EXPECT_EQ(vport(3).vport_state(), PortState::init);
  EXPECT_EQ(vport(3).port_guid(), mad::Guid{0x33});
  EXPECT_EQ(a.get<VPortInfo>(2, {})->status(), kInvalid);
  EXPECT_EQ(a.get<mad::VNodeInfo>(3, {})->as<mad::VNodeInfo>().vnode_guid(), mad::Guid{0x33});
  EXPECT_EQ(a.get<mad::VNodeDescription>(3, {})->as<mad::VNodeDescription>().text(), "vm three");
  const auto states = a.get<mad::VPortState>(0, {})->as<mad::VPortState>();
  EXPECT_EQ(states.state(0), PortState::active) << "the physical function";
  EXPECT_EQ(states.state(2), PortState::down);
  EXPECT_EQ(states.state(3), PortState::init);
  EXPECT_EQ(a.get<mad::VPortState>(1, {})->status(), kInvalid);
  EXPECT_EQ(vport(0).port_guid(), a.world.model.ports[port].guid);
  enable(false);
  EXPECT_EQ(a.get<VPortInfo>(3, {})->status(), kInvalid);
}

TEST_F(VPorts, NeedAGuidAndAPolicy) {
  enable();
  sim::create_vport(a.world, port, 1, {});
  sim::create_vport(a.world, port, 2, {.guid = {0x22}, .policy = sim::VPortPolicy::down});
  EXPECT_EQ(vport(1).vport_state(), PortState::down);
  EXPECT_EQ(vport(2).vport_state(), PortState::down);
  EXPECT_EQ(set_state(1, PortState::armed), kInvalid);
  sim::set_vport_guid(a.world, port, 1, {0x11});
  sim::set_vport_policy(a.world, port, 2, sim::VPortPolicy::up);
  EXPECT_EQ(vport(1).vport_state(), PortState::init);
  EXPECT_EQ(vport(2).vport_state(), PortState::init);
  EXPECT_EQ(a.get<mad::VNodeInfo>(1, {})->as<mad::VNodeInfo>().vnode_guid(), mad::Guid{0x11});
}

TEST_F(VPorts, ChangeStateLikePortsButNeverAboveTheirPort) {
  enable();
  sim::create_vport(a.world, port, 1, {.guid = {0x11}});
  EXPECT_EQ(set_state(1, PortState::active), kInvalid) << "from Init";
  EXPECT_EQ(set_state(1, PortState::init), kInvalid);
  a.info("H0").set_port_state(PortState::init);
  EXPECT_EQ(set_state(1, PortState::armed), kInvalid) << "above the port";
  a.info("H0").set_port_state(PortState::armed);
  EXPECT_EQ(set_state(1, PortState::armed), 0);
  EXPECT_EQ(set_state(1, PortState::active), kInvalid);
  a.info("H0").set_port_state(PortState::active);
  EXPECT_EQ(set_state(1, PortState::active), 0);
  EXPECT_EQ(set_state(1, PortState::down), 0);
  EXPECT_EQ(vport(1).vport_state(), PortState::down);
  a.runtime.run_for(10ms);
  EXPECT_EQ(vport(1).vport_state(), PortState::init) << "as a port that is set Down";
  activate(1);
  a.world.bounce(port);
  EXPECT_EQ(sim::vport_info(a.world.model.ports[port].extras->vports.at(1)).vport_state(),
            PortState::down);
  a.runtime.run_for(10ms);
  EXPECT_EQ(vport(1).vport_state(), PortState::init);
}

TEST_F(VPorts, AcceptALidOnlyIfTheyRequireOne) {
  enable();
  sim::create_vport(a.world, port, 1, {.guid = {0x11}, .lid_required = true});
  sim::create_vport(a.world, port, 2, {.guid = {0x22}});
  EXPECT_EQ(set_state(1, PortState::armed), kInvalid) << "without a LID";
  EXPECT_EQ(set_state(1, PortState::armed, {40}), 0);
  EXPECT_EQ(set_state(2, PortState::armed, {41}), 0);
  EXPECT_EQ(vport(1).vport_lid(), mad::Lid{40});
  EXPECT_EQ(vport(2).vport_lid(), mad::Lid{});
}

TEST_F(VPorts, HaveTheirOwnTables) {
  enable();
  sim::create_vport(a.world, port, 1, {.guid = {0x11}, .guid_cap = 9, .p_key_capacity = 64});
  mad::VPortPKeyTable keys = a.get<mad::VPortPKeyTable>(mad::VPortPKeyTable::modifier(1, 0), {})
                                 ->as<mad::VPortPKeyTable>();
  EXPECT_EQ(keys.p_key(0), mad::kDefaultPKeyFull);
  keys.set_p_key(1, {0x8001});
  EXPECT_EQ(a.set(keys, mad::VPortPKeyTable::modifier(1, 1), {})->status(), 0);
  EXPECT_EQ(a.set(keys, mad::VPortPKeyTable::modifier(1, 2), {})->status(), kInvalid);
  EXPECT_EQ(a.set(keys, mad::VPortPKeyTable::modifier(2, 0), {})->status(), kInvalid);
  EXPECT_EQ(a.get<mad::VPortPKeyTable>(mad::VPortPKeyTable::modifier(1, 1), {})
                ->as<mad::VPortPKeyTable>()
                .p_key(1),
            mad::PKey{0x8001});
  EXPECT_EQ(a.world.model.p_keys(port, 0).p_key(1), mad::PKey{}) << "not the port's";
  mad::VPortGuidInfo guids;
  guids.set_guid(0, {0x99});
  EXPECT_EQ(a.set(guids, mad::VPortGuidInfo::modifier(1, 1), {})->status(), 0);
  EXPECT_EQ(a.set(guids, mad::VPortGuidInfo::modifier(1, 0), {})->as<mad::VPortGuidInfo>().guid(0),
            mad::Guid{0x11})
      << "read only";
  EXPECT_EQ(a.get<mad::VPortGuidInfo>(mad::VPortGuidInfo::modifier(1, 1), {})
                ->as<mad::VPortGuidInfo>()
                .guid(0),
            mad::Guid{0x99});
  EXPECT_EQ(a.get<mad::VPortGuidInfo>(mad::VPortGuidInfo::modifier(1, 2), {})->status(), kInvalid);
}

TEST_F(VPorts, ChangesAreReported) {
  enable();
  a.program->set_is_sm(true);
  const auto reported = [&](std::uint16_t trap) {
    unsigned count = 0;
    for (const mad::ReceivedMad& mad : a.received) {
      const mad::Notice notice(
          mad::ConstSmpView{std::span<const std::uint8_t, mad::kMadSizeBytes>(mad.bytes)}.data());
      if (const auto state = mad::VPortStateNotice::from(notice); state && trap == 1146)
        count += state->lid() == a.lid("H0");
      if (const auto local = mad::VPortLocalChangeNotice::from(notice); local && trap == 1144)
        count += local->vport_index() == 1;
    }
    return count;
  };
  sim::create_vport(a.world, port, 1, {.guid = {0x11}});
  a.runtime.run_for(1ms);
  EXPECT_EQ(reported(1146), 1u);
  EXPECT_TRUE(info().vport_state_change());
  enable();
  EXPECT_FALSE(info().vport_state_change()) << "a 1 clears it";
  activate(1);
  EXPECT_FALSE(info().vport_state_change()) << "not for changes by the manager itself";
  sim::destroy_vport(a.world, port, 1);
  EXPECT_TRUE(info().vport_state_change());
  EXPECT_EQ(info().vport_index_top(), 0);
  sim::create_vport(a.world, port, 1, {.guid = {0x11}});
  a.received.clear();
  sim::rename_vport(a.world, port, 1, "other");
  a.runtime.run_for(1ms);
  EXPECT_EQ(reported(1144), 1u);
}

TEST_F(VPorts, ReceivePacketsWhenActive) {
  enable();
  sim::create_vport(a.world, port, 1, {.guid = {0x11}, .lid_required = true});
  sim::create_vport(a.world, port, 2, {.guid = {0x22}});
  sim::create_vport(a.world, port, 3, {.guid = {0x33}, .lid_by_vport_index = 1});
  for (sim::NodeModel& node : a.world.model.nodes) {
    if (!node.is_switch()) continue;
    node.sw->info.set_linear_fdb_top(60);
    node.sw->lft[40] = node.sw->lft[a.lid("H0").value];
  }
  const auto walk = [&](mad::Lid lid, std::optional<mad::Gid> gid = std::nullopt) {
    return sim::walk_unicast(a.world.model, a.port("H3"), {.dlid = lid, .dgid = gid});
  };
  EXPECT_EQ(walk({40}).drop, sim::Drop::wrong_end) << "no owner of the LID yet";
  activate(1, {40});
  activate(3);
  EXPECT_EQ(walk({40}).vport, 1);
  EXPECT_EQ(walk({40}, mad::Gid{0, {0x33}}).vport, 3);
  EXPECT_EQ(walk(a.lid("H0"), mad::Gid{0, {0x33}}).drop, sim::Drop::no_vport)
      << "it uses another LID";
  EXPECT_EQ(walk(a.lid("H0"), mad::Gid{0, {0x22}}).drop, sim::Drop::not_active);
  activate(2);
  EXPECT_EQ(walk(a.lid("H0"), mad::Gid{0, {0x22}}).vport, 2);
  EXPECT_TRUE(walk(a.lid("H0")).delivered());
  EXPECT_EQ(walk(a.lid("H0")).vport, std::nullopt);
  enable(false);
  EXPECT_EQ(walk({40}).drop, sim::Drop::wrong_end);
}

TEST_F(VPorts, KeepHostSettingsAcrossReboot) {
  enable();
  sim::create_vport(a.world, port, 1, {.guid = {0x11}, .lid_required = true});
  activate(1, {40});
  a.world.reboot(a.world.model.find("H0"));
  a.runtime.run_for(3s);
  EXPECT_FALSE(info().virtualization_enable());
  EXPECT_EQ(info().vport_cap(), 8);
  enable();
  EXPECT_EQ(vport(1).vport_state(), PortState::init);
  EXPECT_EQ(vport(1).vport_lid(), mad::Lid{});
  EXPECT_EQ(vport(1).port_guid(), mad::Guid{0x11});
}

TEST_F(VPorts, AreCreatedAndDestroyedByScenarios) {
  const auto scenario = sim::parse_scenario({"s.yaml", R"(
events:
  - {at: 1s, do: vport-create, port: H1/1, index: 2, guid: 0x1234, lid_required: true,
     policy: up, name: vm, cap: 4}
  - {at: 2s, do: vport-destroy, port: H1/1, index: 2}
  - {at: 1s, do: counters, port: S1/2, counter: "PortXmitDataSL[3]", value: 7}
  - {at: 1s, do: counters, port: S1/2, counter: SymbolErrorCounter, value: 9}
)"},
                                            a.world.model, 1);
  ASSERT_TRUE(scenario) << scenario.error().front().text();
  scenario->schedule(a.world);
  a.runtime.run_for(1500ms);
  const sim::PortModel& host = a.world.model.ports[a.port("H1")];
  EXPECT_EQ(sim::virtualization_info(host).vport_cap(), 4);
  ASSERT_TRUE(host.extras->vports.contains(2));
  EXPECT_EQ(sim::vport_info(host.extras->vports.at(2)).port_guid(), mad::Guid{0x1234});
  EXPECT_EQ(a.world.model.ports[a.port("S1", 2)].extras->counters.symbol_errors, 9u);
  a.runtime.run_for(1s);
  EXPECT_TRUE(host.extras->vports.empty());
  const auto wrong = [&](const char* event) {
    return !sim::parse_scenario({"s.yaml", event}, a.world.model, 1);
  };
  EXPECT_TRUE(wrong("events: [{at: 1s, do: vport-create, port: S1/1, index: 2}]"));
  EXPECT_TRUE(wrong("events: [{at: 1s, do: vport-create, port: H1/1, index: 0}]"));
  EXPECT_TRUE(wrong("events: [{at: 1s, do: vport-create, port: H1/1, index: 4, cap: 4}]"));
  EXPECT_TRUE(wrong("events: [{at: 1s, do: vport-create, port: H1/1, index: 1, policy: maybe}]"));
  EXPECT_TRUE(wrong("events: [{at: 1s, do: counters, port: H1/1, counter: Foo, value: 1}]"));
}

}  // namespace vports_test
