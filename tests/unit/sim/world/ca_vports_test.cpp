#include "unit/sim/world/requester.h"

#include <fmt/format.h>

#include <set>

#include "sim/scenario/scenario.h"
#include "sim/world/vport_host.h"
#include "sm/ctl/topology/generators.h"

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
  VPorts()
      : a(topology::row({.switches = 2, .cables = 1, .hosts_per_switch = 2})), port(a.port("H0")) {
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
  PortState state(std::uint16_t index) {
    return sim::vport_state(a.world.model.ports[port], index);
  }
  mad::PKey p_key(std::uint16_t index) {
    return a.get<mad::VPortPKeyTable>(mad::VPortPKeyTable::modifier(index, 0), {})
        ->as<mad::VPortPKeyTable>()
        .p_key(0);
  }
  std::uint16_t set_state(std::uint16_t index, PortState state, mad::Lid lid = {}) {
    VPortInfo requested;
    requested.set_vport_state(state);
    requested.set_vport_lid(lid);
    return a.set(requested, index, {})->status();
  }
  void activate(std::uint16_t index, mad::Lid lid = {}) {
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
  EXPECT_EQ(states.state(0), PortState::init) << "the physical function";
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
  EXPECT_EQ(set_state(1, PortState::active), kInvalid);
  sim::set_vport_guid(a.world, port, 1, {0x11});
  sim::set_vport_policy(a.world, port, 2, sim::VPortPolicy::up);
  EXPECT_EQ(vport(1).vport_state(), PortState::init);
  EXPECT_EQ(vport(2).vport_state(), PortState::init);
  EXPECT_EQ(a.get<mad::VNodeInfo>(1, {})->as<mad::VNodeInfo>().vnode_guid(), mad::Guid{0x11});
  sim::set_vport_guid(a.world, port, 1, sim::kReleasedGuid);
  EXPECT_EQ(vport(1).vport_state(), PortState::down);
  EXPECT_EQ(vport(1).port_guid(), sim::kReleasedGuid);
  sim::set_vport_guid(a.world, port, 1, {0x12});
  EXPECT_EQ(vport(1).vport_state(), PortState::init);
  EXPECT_EQ(a.get<mad::VNodeInfo>(1, {})->as<mad::VNodeInfo>().vnode_guid(), mad::Guid{0x12});
}

TEST_F(VPorts, IndexMayBeTheCapacity) {
  EXPECT_FALSE(sim::create_vport(a.world, port, 8, {.guid = {0x88}}));
  sim::vport_firmware(a.world, port).index_up_to_cap = true;
  EXPECT_TRUE(sim::create_vport(a.world, port, 8, {.guid = {0x88}}));
  EXPECT_FALSE(sim::create_vport(a.world, port, 9, {}));
  enable();
  EXPECT_EQ(info().vport_index_top(), 8);
  EXPECT_EQ(a.get<mad::VPortState>(0, {})->as<mad::VPortState>().state(8), PortState::init);
}

TEST_F(VPorts, GoFromInitToActiveByOneSet) {
  enable();
  sim::create_vport(a.world, port, 1, {.guid = {0x11}});
  EXPECT_EQ(set_state(1, PortState::init), kInvalid);
  EXPECT_EQ(set_state(1, PortState::armed), kInvalid) << "not used for vports";
  sim::vport_firmware(a.world, port).accepts_armed = true;
  EXPECT_EQ(set_state(1, PortState::armed), 0);
  EXPECT_EQ(set_state(1, PortState::active), 0);
  EXPECT_EQ(set_state(1, PortState::active), 0) << "again";
  EXPECT_EQ(set_state(1, PortState::down), 0);
  EXPECT_EQ(state(1), PortState::down);
  EXPECT_EQ(set_state(1, PortState::active), kInvalid);
  a.runtime.run_for(10ms);
  EXPECT_EQ(state(1), PortState::init) << "as a port that is set Down";
  EXPECT_EQ(set_state(1, PortState::active), 0);
}

TEST_F(VPorts, FollowTheirPortOnlyIfThePolicySaysSo) {
  enable();
  sim::create_vport(a.world, port, 1, {.guid = {0x11}});
  sim::create_vport(a.world, port, 2, {.guid = {0x22}, .policy = sim::VPortPolicy::up});
  activate(0);
  activate(1);
  activate(2);
  a.world.bounce(port);
  EXPECT_EQ(state(0), PortState::down);
  EXPECT_EQ(state(1), PortState::down);
  EXPECT_EQ(state(2), PortState::active);
  a.runtime.run_for(10ms);
  ASSERT_EQ(a.info("H0").port_state(), PortState::init);
  EXPECT_EQ(state(1), PortState::down) << "the port is not Active yet";
  mad::PortInfo up = a.info("H0");
  up.set_port_physical_state(mad::PortPhysicalState::no_change);
  enable();
  for (const PortState next : {PortState::armed, PortState::active}) {
    a.world.model.ports[a.world.model.ports[port].peer].info.set_port_state(next);
    up.set_port_state(next);
    ASSERT_EQ(a.set(up, 1, {})->status(), 0);
    EXPECT_EQ(state(1), next == PortState::active ? PortState::init : PortState::down);
  }
  EXPECT_EQ(state(0), PortState::init);
  EXPECT_EQ(state(2), PortState::active);
  EXPECT_TRUE(info().vport_state_change()) << "the device's doing, though a Set caused it";
  activate(1);
  sim::set_vport_policy(a.world, port, 1, sim::VPortPolicy::down);
  EXPECT_EQ(state(1), PortState::down);
}

TEST_F(VPorts, FunctionsGoDownWithTheirDrivers) {
  enable();
  for (const std::uint16_t index : {std::uint16_t{1}, std::uint16_t{2}})
    sim::create_vport(a.world, port, index, {.guid = {index + 0x10u}});
  activate(0);
  activate(1);
  enable();
  EXPECT_TRUE(sim::rebind_vport(a.world, port, 1, 5ms));
  EXPECT_EQ(state(1), PortState::down);
  EXPECT_TRUE(info().vport_state_change());
  a.runtime.run_for(6ms);
  EXPECT_EQ(state(1), PortState::init);
  activate(1);
  EXPECT_TRUE(sim::reload_driver(a.world, port, true));
  EXPECT_EQ(state(0), PortState::init);
  EXPECT_EQ(state(1), PortState::down);
  EXPECT_EQ(info().vport_index_top(), 2);
  sim::set_vport_guid(a.world, port, 1, {0x11});
  EXPECT_EQ(state(1), PortState::down) << "all policies are Down after it";
  sim::set_vport_policy(a.world, port, 1, sim::VPortPolicy::follow);
  EXPECT_EQ(state(1), PortState::init);
  EXPECT_TRUE(sim::reload_driver(a.world, port));
  EXPECT_EQ(info().vport_index_top(), 0);
  EXPECT_EQ(a.get<VPortInfo>(1, {})->status(), kInvalid);
}

TEST_F(VPorts, MoveToOtherHosts) {
  const sim::PortIndex other = a.port("H1");
  sim::enable_virtualization(a.world, other, 8);
  enable();
  sim::create_vport(a.world, port, 1, {.guid = {0x11}, .description = "vm"});
  const auto at = [&](sim::PortIndex host, std::uint16_t index) {
    const sim::VPort* const vport = sim::find_vport(a.world.model.ports[host], index);
    return vport ? sim::vport_info(*vport).port_guid() : mad::Guid{};
  };
  EXPECT_TRUE(sim::migrate_vport(a.world, {port, 1}, {other, 3}, {.time = 10ms}));
  EXPECT_EQ(at(port, 1), mad::Guid{});
  EXPECT_EQ(at(other, 3), mad::Guid{});
  a.runtime.run_for(11ms);
  EXPECT_EQ(at(other, 3), mad::Guid{0x11});
  EXPECT_TRUE(
      sim::migrate_vport(a.world, {other, 3}, {port, 2}, {.time = 10ms, .overlapping = true}));
  EXPECT_EQ(at(port, 2), mad::Guid{0x11});
  EXPECT_EQ(at(other, 3), mad::Guid{0x11});
  a.runtime.run_for(11ms);
  EXPECT_EQ(at(other, 3), mad::Guid{});
  EXPECT_EQ(sim::find_vport(a.world.model.ports[port], 2)->description, "vm");
  EXPECT_FALSE(sim::migrate_vport(a.world, {port, 2}, {other, 8}));
}

TEST_F(VPorts, VPort0IsAVPort) {
  mad::PKeyTable keys;
  keys.set_p_key(0, {0x8001});
  const auto from_h3 = [&](mad::PKey key = mad::kDefaultPKeyFull) {
    return sim::walk_unicast(a.world.model, a.port("H3"), {.dlid = a.lid("H0"), .p_key = key}).drop;
  };
  enable();
  EXPECT_EQ(state(0), PortState::init);
  EXPECT_EQ(vport(0).vport_lid(), a.lid("H0"));
  EXPECT_EQ(from_h3(), sim::Drop::not_active) << "the physical function has its state";
  activate(0);
  EXPECT_EQ(from_h3(), sim::Drop::none);
  EXPECT_EQ(a.set(keys, 0, {})->status(), 0);
  EXPECT_EQ(p_key(0), mad::PKey{0x8001}) << "one table";
  sim::vport_firmware(a.world, port).p_keys_aliased = false;
  EXPECT_EQ(p_key(0), mad::kDefaultPKeyFull) << "two tables";
  EXPECT_EQ(from_h3({0x8001}), sim::Drop::p_key_end);
  EXPECT_EQ(from_h3(), sim::Drop::none);
  sim::vport_firmware(a.world, port).vport_0_coupled = true;
  a.world.bounce(port);
  a.runtime.run_for(10ms);
  EXPECT_EQ(state(0), PortState::init);
  EXPECT_EQ(set_state(0, PortState::active), kInvalid) << "PortInfo is for that";
  a.info("H0").set_port_state(PortState::active);
  EXPECT_EQ(state(0), PortState::active);
}

TEST_F(VPorts, SomeFirmwareDropsThePhysicalFunctionWhenEnabled) {
  using OnEnable = sim::VPortFirmware::OnEnable;
  sim::vport_firmware(a.world, port).on_enable = OnEnable::stays_active;
  enable();
  EXPECT_EQ(state(0), PortState::active);
  enable(false);
  sim::vport_firmware(a.world, port).on_enable = OnEnable::vport_0_down;
  enable();
  EXPECT_EQ(state(0), PortState::down);
  EXPECT_EQ(set_state(0, PortState::active), kInvalid);
  enable(false);
  sim::vport_firmware(a.world, port).on_enable = OnEnable::link_down;
  enable();
  EXPECT_EQ(a.info("H0").port_state(), PortState::active) << "until the answer has left";
  a.runtime.run_for(1ms);
  EXPECT_EQ(a.info("H0").port_state(), PortState::down);
}

TEST_F(VPorts, FirmwareReadsModifiersInAnyOfThreeWays) {
  enable();
  for (const std::uint16_t index : {std::uint16_t{1}, std::uint16_t{2}})
    sim::create_vport(a.world, port, index, {.guid = {index + 0x10u}, .p_key_capacity = 64});
  mad::VPortPKeyTable keys;
  keys.set_p_key(0, {0x8001});
  EXPECT_EQ(a.set(keys, mad::VPortPKeyTable::modifier(1, 0), {})->status(), 0);
  EXPECT_EQ(p_key(1), mad::PKey{0x8001});
  EXPECT_EQ(p_key(2), mad::kDefaultPKeyFull);
  keys.set_p_key(0, {0x8002});
  sim::vport_firmware(a.world, port).table_modifier =
      sim::VPortFirmware::TableModifier::block_above_index;
  EXPECT_EQ(a.set(keys, mad::VPortPKeyTable::modifier(1, 0), {})->status(), 0);
  EXPECT_EQ(a.world.model.p_keys(port, 1).p_key(0), mad::PKey{0x8002}) << "block 1 of vport 0";
  keys.set_p_key(0, {0x8003});
  sim::vport_firmware(a.world, port).table_modifier = sim::VPortFirmware::TableModifier::all_vports;
  EXPECT_EQ(a.set(keys, mad::VPortPKeyTable::modifier(1, 0), {})->status(), 0);
  EXPECT_EQ(p_key(0), mad::PKey{0x8003});
  EXPECT_EQ(p_key(1), mad::PKey{0x8003});
  EXPECT_EQ(p_key(2), mad::PKey{0x8003});
}

TEST_F(VPorts, FirmwareMayBeSlowRefuseOrLie) {
  enable();
  sim::create_vport(a.world, port, 1, {.guid = {0x11}});
  sim::VPortFirmware& firmware = sim::vport_firmware(a.world, port);
  firmware.time = 60us;
  EXPECT_TRUE(a.get<VPortInfo>(1, {}));
  firmware.time = 200us;
  EXPECT_FALSE(a.get<VPortInfo>(1, {})) << "not within the 100 us that this test waits";
  firmware.time = {};
  a.runtime.run_for(1s);
  constexpr auto kVPortInfo = static_cast<std::uint16_t>(mad::AttributeId::vport_info);
  firmware.refusals = {
      {.attribute = kVPortInfo, .index = 1, .sets_only = true, .status = 0x1C, .times = 1}};
  EXPECT_EQ(set_state(1, PortState::active), 0x1C);
  EXPECT_EQ(set_state(1, PortState::active), 0);
  firmware.refusals = {
      {.attribute = static_cast<std::uint16_t>(mad::AttributeId::virtualization_info)}};
  EXPECT_FALSE(a.get<mad::VirtualizationInfo>(0, {}));
  EXPECT_EQ(state(1), PortState::active);
  firmware.refusals = {};
  firmware.shown_top = 0xFFFF;
  EXPECT_EQ(info().vport_index_top(), 0xFFFF);
  EXPECT_EQ(info().vport_cap(), 8);
  firmware.modifier_wrong = {1};
  EXPECT_EQ(a.get<VPortInfo>(1, {})->smp().attribute_modifier(), 2u);
  EXPECT_EQ(a.get<VPortInfo>(0, {})->smp().attribute_modifier(), 0u);
  firmware.states_jump = {1};
  std::set<PortState> shown;
  for (unsigned i = 0; i < 50; ++i) shown.insert(vport(1).vport_state());
  EXPECT_EQ(shown.size(), 4u);
  EXPECT_EQ(state(1), PortState::active);
}

TEST_F(VPorts, SendWithTheirOwnKeys) {
  enable();
  sim::create_vport(a.world, port, 1, {.guid = {0x11}});
  mad::VPortPKeyTable keys;
  keys.set_p_key(0, {0x8005});
  ASSERT_EQ(a.set(keys, mad::VPortPKeyTable::modifier(1, 0), {})->status(), 0);
  const auto drop = [&](mad::PKey key, std::uint16_t from = 1) {
    return sim::walk_unicast(a.world.model, port,
                             {.dlid = a.lid("H3"), .p_key = key, .from_vport = from})
        .drop;
  };
  EXPECT_EQ(drop({0x8005}), sim::Drop::not_active);
  activate(1);
  EXPECT_EQ(drop({0x8005}), sim::Drop::p_key_end);
  EXPECT_EQ(drop(mad::kDefaultPKeyFull), sim::Drop::p_key_start);
  EXPECT_EQ(drop(mad::kDefaultPKeyFull, 2), sim::Drop::no_vport);
  const sim::PortIndex facing = a.world.model.ports[port].peer;
  a.world.model.ports[facing].info.set_partition_enforcement_inbound(true);
  EXPECT_EQ(drop({0x8005}), sim::Drop::p_key_in) << "the switch port lacks the vport's key";
}

TEST_F(VPorts, AcceptALidOnlyIfTheyRequireOne) {
  enable();
  sim::create_vport(a.world, port, 1, {.guid = {0x11}, .lid_required = true});
  sim::create_vport(a.world, port, 2, {.guid = {0x22}});
  EXPECT_EQ(set_state(1, PortState::active), kInvalid) << "without a LID";
  EXPECT_EQ(set_state(1, PortState::active, {40}), 0);
  EXPECT_EQ(set_state(2, PortState::active, {41}), 0);
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
  activate(0);
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
  a.info("H0").set_port_state(PortState::active);
  enable();
  EXPECT_EQ(vport(1).vport_state(), PortState::init);
  EXPECT_EQ(vport(1).vport_lid(), mad::Lid{});
  EXPECT_EQ(vport(1).port_guid(), mad::Guid{0x11});
}

TEST_F(VPorts, AllThatHostsAndFirmwareDoIsInScenarios) {
  const auto scenario = sim::parse_scenario({"s.yaml", R"(
events:
  - {at: 1s, do: vport-capacity, port: H0/1, cap: 8}
  - {at: 1s, do: vport-capacity, port: H1/1, cap: 8}
  - {at: 1s, do: vport-create, port: H0/1, index: 1, policy: down}
  - {at: 2s, do: vport-guid, port: H0/1, index: 1, guid: 0x11}
  - {at: 2s, do: vport-policy, port: H0/1, index: 1, policy: up}
  - {at: 3s, do: vport-rebind, port: H0/1, index: 1, time: 500ms}
  - {at: 4s, do: vport-bind, port: H0/1, index: 1, on: false}
  - {at: 5s, do: vport-bind, port: H0/1, index: 1}
  - {at: 5s, do: vport-rename, port: H0/1, index: 1, name: vm}
  - {at: 5s, do: vport-capability, port: H0/1, index: 1, mask: 7}
  - {at: 6s, do: vport-migrate, port: H0/1, index: 1, to: H1/1, to_index: 4, time: 500ms}
  - {at: 7s, do: vport-release, port: H1/1, index: 4}
  - {at: 7s, do: vnode-info, port: H1/1, index: 4, p_keys: 0, ports: 9}
  - {at: 7s, do: vport-firmware, port: H1/1, vport_0_coupled: true, p_keys_aliased: false,
     accepts_armed: true, index_up_to_cap: true, is_sm_in_vport_0: true, on_enable: link-down,
     modifier: all-vports, init_delay: 1ms, time: 2ms, shown_cap: 3, shown_top: 65535, revision: 1}
  - {at: 7s, do: vport-refuse, port: H1/1, attribute: VPortInfo, index: 4, sets_only: true,
     status: none, count: 2}
  - {at: 7s, do: vport-lie, port: H1/1, index: 4, modifier: true, states: true}
  - {at: 8s, do: vport-healthy, port: H1/1}
  - {at: 9s, do: driver-reload, port: H1/1}
)"},
                                            a.world.model, 1);
  ASSERT_TRUE(scenario) << scenario.error().front().text();
  scenario->schedule(a.world);
  enable();
  const sim::PortModel &h0 = a.world.model.ports[port], &h1 = a.world.model.ports[a.port("H1")];
  a.runtime.run_for(1500ms);
  EXPECT_EQ(state(1), PortState::down);
  a.runtime.run_for(1s);
  EXPECT_EQ(state(1), PortState::init);
  a.runtime.run_for(700ms);
  EXPECT_EQ(state(1), PortState::down) << "3.2 s";
  a.runtime.run_for(500ms);
  EXPECT_EQ(state(1), PortState::init);
  a.runtime.run_for(800ms);
  EXPECT_EQ(state(1), PortState::down) << "4.5 s";
  a.runtime.run_for(1s);
  EXPECT_EQ(state(1), PortState::init) << "5.5 s";
  EXPECT_EQ(sim::find_vport(h0, 1)->description, "vm");
  EXPECT_EQ(sim::vport_info(h0, 1).capability_mask(), 7);
  a.runtime.run_for(700ms);
  EXPECT_FALSE(sim::find_vport(h0, 1)) << "6.2 s";
  a.runtime.run_for(500ms);
  ASSERT_TRUE(sim::find_vport(h1, 4));
  EXPECT_EQ(sim::vport_info(h1, 4).port_guid(), mad::Guid{0x11});
  a.runtime.run_for(500ms);
  EXPECT_EQ(sim::vport_info(h1, 4).port_guid(), sim::kReleasedGuid) << "7.2 s";
  EXPECT_EQ(sim::vnode_info(*sim::find_vport(h1, 4)).num_ports(), 9);
  const sim::VPortFirmware& firmware = sim::vport_firmware(h1);
  EXPECT_TRUE(firmware.vport_0_coupled && !firmware.p_keys_aliased && firmware.accepts_armed &&
              firmware.index_up_to_cap && firmware.is_sm_in_vport_0);
  EXPECT_EQ(firmware.on_enable, sim::VPortFirmware::OnEnable::link_down);
  EXPECT_EQ(firmware.table_modifier, sim::VPortFirmware::TableModifier::all_vports);
  EXPECT_EQ(firmware.time, 2ms);
  EXPECT_EQ(firmware.shown_top, 65535);
  ASSERT_EQ(firmware.refusals.size(), 1u);
  EXPECT_EQ(firmware.refusals.front().status, std::nullopt);
  EXPECT_EQ(firmware.refusals.front().times, 2u);
  EXPECT_TRUE(firmware.states_jump.contains(4));
  a.runtime.run_for(1s);
  EXPECT_TRUE(firmware.refusals.empty());
  EXPECT_TRUE(firmware.vport_0_coupled) << "readings stay";
  a.runtime.run_for(1s);
  EXPECT_FALSE(sim::find_vport(h1, 4));
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
  EXPECT_FALSE(host.extras->vports.contains(2));
  const auto wrong = [&](const char* event) {
    return !sim::parse_scenario({"s.yaml", event}, a.world.model, 1);
  };
  EXPECT_TRUE(wrong("events: [{at: 1s, do: vport-create, port: S1/1, index: 2}]"));
  EXPECT_TRUE(wrong("events: [{at: 1s, do: vport-create, port: H1/1, index: 0}]"));
  EXPECT_TRUE(wrong("events: [{at: 1s, do: vport-create, port: H1/1, index: 4, cap: 4}]"));
  EXPECT_TRUE(wrong("events: [{at: 1s, do: vport-create, port: H1/1, index: 1, policy: maybe}]"));
  for (const char* const action :
       {"vport-firmware, port: H1/1, on_enable: maybe", "vport-firmware, port: H1/1, shown_top: x",
        "vport-refuse, port: H1/1, attribute: PortInfo", "vport-migrate, port: H1/1, index: 1",
        "vport-guid, port: H1/1, index: 0, guid: 1", "vport-policy, port: H1/1, index: 1"})
    EXPECT_TRUE(wrong(fmt::format("events: [{{at: 1s, do: {}}}]", action).c_str())) << action;
  EXPECT_TRUE(wrong("events: [{at: 1s, do: counters, port: H1/1, counter: Foo, value: 1}]"));
}

}  // namespace vports_test
