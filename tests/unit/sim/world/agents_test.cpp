#include "sm/ctl/topology/generators.h"
#include "unit/sim/world/requester.h"

#include <gmock/gmock.h>

namespace agents_test {

using mad::AttributeId;
using mad::Method;
using mad::PortInfo;
using mad::PortState;
using requester::Reply;
using requester::Requester;
using namespace std::chrono_literals;

topology::Topology pair() {
  return topology::row({.switches = 2, .cables = 1, .hosts_per_switch = 2});
}  // H0, H1 at S0, H2, H3 at S1
constexpr std::uint16_t kInvalid = mad::status::kInvalidValue,
                        kUnsupported = mad::status::kMethodAttributeUnsupported;

/// A PortInfo that changes the state only.
PortInfo with_state(PortInfo info, PortState state) {
  info.set_port_state(state);
  info.set_port_physical_state(mad::PortPhysicalState::no_change);
  if (info.lid() == mad::Lid{}) info.set_lid({99});
  return info;
}

TEST(Agents, NodeInfoHasTheInputPort) {
  Requester a(pair());
  const auto own = a.get<mad::NodeInfo>(0, {});
  ASSERT_TRUE(own);
  EXPECT_EQ(own->as<mad::NodeInfo>().node_type(), mad::NodeType::ca);
  EXPECT_EQ(own->as<mad::NodeInfo>().port_guid(), a.world.model.ports[a.port("H0")].guid);
  const auto sw = a.get<mad::NodeInfo>(0, {1});
  ASSERT_TRUE(sw);
  EXPECT_EQ(sw->as<mad::NodeInfo>().node_type(), mad::NodeType::switch_);
  EXPECT_EQ(sw->as<mad::NodeInfo>().local_port_num().value,
            a.world.model.ports[a.world.model.ports[a.port("H0")].peer].number);
  EXPECT_EQ(sw->smp().hop_pointer(), 0);
  EXPECT_TRUE(sw->smp().is_returning());
  EXPECT_FALSE(a.get<mad::NodeInfo>(0, {1, 30})) << "no such port";
  EXPECT_FALSE(a.get<mad::NodeInfo>(0, {2})) << "the host has one port";
  EXPECT_EQ(a.request(Method::set, AttributeId::node_info, 0, {})->status(), kUnsupported);
  EXPECT_EQ(a.get<mad::SwitchInfo>(0, {})->status(), kUnsupported) << "a host is no switch";
}

TEST(Agents, PortsGoFromInitThroughArmedToActiveOnlyTogether) {
  Requester a(pair());
  const auto leaf_port = a.world.model.ports[a.world.model.ports[a.port("H0")].peer].number;
  const auto own = [&](PortState state) {
    return a.set(with_state(a.info("H0"), state), 1, {})->status();
  };
  const auto far = [&](PortState state) {
    return a.set(with_state(a.info("S0", leaf_port), state), leaf_port, {1})->status();
  };
  EXPECT_EQ(own(PortState::active), kInvalid) << "from Init";
  EXPECT_EQ(own(PortState::init), kInvalid) << "a Set of Init is invalid";
  EXPECT_EQ(own(PortState::armed), 0);
  EXPECT_EQ(own(PortState::armed), kInvalid) << "once";
  EXPECT_EQ(own(PortState::active), kInvalid) << "the other end is Init";
  EXPECT_EQ(far(PortState::armed), 0);
  EXPECT_EQ(own(PortState::active), 0);
  EXPECT_EQ(far(PortState::active), 0);
  EXPECT_EQ(a.info("H0").port_state(), PortState::active);
  EXPECT_EQ(far(PortState::no_change), 0);
  EXPECT_EQ(a.info("S0", leaf_port).port_state(), PortState::active);
}

TEST(Agents, DownRestartsTheLinkAndDisabledKeepsItDown) {
  Requester a(pair());
  a.bring_up();
  const sim::PortIndex trunk = [&] {
    for (unsigned number = 1;; ++number) {
      if (a.world.model.owning_node(a.world.model.ports[a.port("S0", number)].peer).is_switch())
        return a.port("S0", number);
    }
  }();
  const auto number = a.world.model.ports[trunk].number;
  const sim::PortIndex far = a.world.model.ports[trunk].peer;
  EXPECT_EQ(
      a.set(with_state(a.world.model.ports[trunk].info, PortState::down), number, {1})->status(),
      0);
  a.runtime.run_for(1ms);
  EXPECT_EQ(a.world.model.ports[far].info.port_state(), PortState::down) << "both ends at once";
  a.runtime.run_for(10ms);
  EXPECT_EQ(a.world.model.ports[trunk].info.port_state(), PortState::init);
  EXPECT_EQ(a.world.model.ports[far].info.port_state(), PortState::init);

  PortInfo off = a.world.model.ports[trunk].info;
  off.set_port_state(PortState::no_change);
  off.set_port_physical_state(mad::PortPhysicalState::disabled);
  EXPECT_EQ(a.set(off, number, {1})->status(), 0);
  a.runtime.run_for(1s);
  EXPECT_EQ(a.world.model.ports[far].info.port_state(), PortState::down);
  off.set_port_physical_state(mad::PortPhysicalState::polling);
  EXPECT_EQ(a.set(off, number, {1})->status(), 0);
  a.runtime.run_for(10ms);
  EXPECT_EQ(a.world.model.ports[far].info.port_state(), PortState::init);
}

TEST(Agents, ExtendedSpeedsAreShownAlsoToRequestsWithoutTheirBit) {
  topology::Topology topology = pair();
  for (topology::Link& link : topology.links) link.speed = topology::LinkSpeed::ndr;
  Requester a(topology);
  const PortInfo plain = a.get<PortInfo>(PortInfo::modifier({1}, false), {})->as<PortInfo>();
  EXPECT_EQ(plain.link_speed_active(), mad::link_speed::kQdr);
  EXPECT_EQ(plain.link_speed_ext_active(), mad::link_speed_ext::kNdr)
      << "as ibnetdiscover reads it";
  const PortInfo full = a.get<PortInfo>(PortInfo::modifier({1}, true), {})->as<PortInfo>();
  EXPECT_EQ(full.link_speed_active(), mad::link_speed::kExtended);
  EXPECT_EQ(full.link_speed_ext_active(), mad::link_speed_ext::kNdr);

  PortInfo slower = with_state(full, PortState::no_change);
  slower.set_link_speed_ext_enabled(mad::link_speed_ext::kFdr | mad::link_speed_ext::kEdr);
  EXPECT_EQ(a.set(slower, PortInfo::modifier({1}, true), {})->status(), 0);
  a.world.bounce(a.port("H0"));
  a.runtime.run_for(10ms);
  EXPECT_EQ(a.info("H0").link_speed_ext_active(), mad::link_speed_ext::kEdr);
  slower.set_link_speed_ext_enabled(mad::link_speed_ext::kDisableAll);
  EXPECT_EQ(a.set(slower, PortInfo::modifier({1}, true), {})->status(), 0);
  a.world.bounce(a.port("H0"));
  a.runtime.run_for(10ms);
  EXPECT_EQ(a.info("H0").link_speed_active(), mad::link_speed::kQdr);
}

TEST(Agents, InvalidSettingsAreRefusedWithoutEffect) {
  Requester a(pair());
  const PortInfo before = a.info("H0");
  const auto refused = [&](auto edit) {
    PortInfo info = with_state(before, PortState::no_change);
    edit(info);
    const auto reply = a.set(info, 1, {});
    return reply->status() == kInvalid && a.info("H0") == before;
  };
  EXPECT_TRUE(refused([](PortInfo& info) { info.set_lid({0xC000}); }));
  EXPECT_TRUE(refused([](PortInfo& info) { info.set_lid({0}); }));
  EXPECT_TRUE(refused([](PortInfo& info) { info.set_neighbor_mtu(static_cast<mad::Mtu>(7)); }));
  EXPECT_TRUE(refused([](PortInfo& info) { info.set_operational_vls(5); }));
  EXPECT_TRUE(refused([](PortInfo& info) { info.set_link_width_enabled(mad::link_width::k12x); }));
  EXPECT_TRUE(refused(
      [](PortInfo& info) { info.set_port_physical_state(mad::PortPhysicalState::link_up); }));
  EXPECT_EQ(a.get<PortInfo>(40, {1})->status(), kInvalid);
}

TEST(Agents, MKeyProtectsByLevel) {
  for (const unsigned level : {0u, 1u, 2u, 3u}) {
    SCOPED_TRACE(level);
    Requester a(pair());
    a.bring_up();
    mad::PortInfo& info = a.info("H2");
    info.set_m_key({0x77});
    info.set_m_key_protect_bits(static_cast<std::uint8_t>(level));
    const std::initializer_list<std::uint8_t> route{1, 3, 1};  // S0, S1, H2
    ASSERT_EQ(a.world.model.ports[a.world.model.ports[a.port("S0", 3)].peer].node,
              a.world.model.find("S1"));
    const auto seen = a.get<PortInfo>(1, route);
    if (level >= 2) {
      EXPECT_FALSE(seen);
      EXPECT_EQ(info.m_key_violations(), 1);
    } else {
      ASSERT_TRUE(seen);
      EXPECT_EQ(seen->as<PortInfo>().m_key(), mad::MKey{level == 0 ? 0x77u : 0u});
    }
    EXPECT_FALSE(a.set(with_state(info, PortState::no_change), 1, route)) << "without the key";
    EXPECT_GE(a.world.statistics.traps_raised, 1u);
    a.m_key = {0x77};
    ASSERT_TRUE(a.get<PortInfo>(1, route));
    EXPECT_EQ(a.get<PortInfo>(1, route)->as<PortInfo>().m_key(), mad::MKey{0x77});
    EXPECT_TRUE(a.set(with_state(info, PortState::no_change), 1, route));
  }
}

TEST(Agents, MKeyLeaseExpiresWithoutRequestsOfTheOwner) {
  for (const bool shows_up : {false, true}) {
    Requester a(pair());
    mad::PortInfo& info = a.info("H0");
    info.set_m_key({0x77});
    info.set_m_key_protect_bits(2);
    info.set_m_key_lease_period(10);
    EXPECT_FALSE(a.get<PortInfo>(1, {}));
    a.runtime.run_for(9s);
    if (shows_up) {
      a.m_key = {0x77};
      EXPECT_TRUE(a.get<PortInfo>(1, {}));
      a.m_key = {};
    }
    a.runtime.run_for(2s);
    EXPECT_EQ(info.m_key_protect_bits(), shows_up ? 2 : 0);
  }
}

TEST(Agents, ForwardingTablesStoreWrittenBlocks) {
  Requester a(pair());
  mad::LinearForwardingTable lft;
  std::ranges::fill(lft.bytes(), std::uint8_t{3});
  EXPECT_EQ(a.set(lft, 5, {1})->status(), 0);
  EXPECT_EQ(a.get<mad::LinearForwardingTable>(5, {1})->as<mad::LinearForwardingTable>(), lft);
  EXPECT_EQ(a.set(lft, 0xC000 / 64, {1})->status(), kInvalid) << "above LinearFDBCap";
  mad::MulticastForwardingTable mft;
  mft.set_port_mask(7, 0x0006);
  EXPECT_EQ(a.set(mft, mad::MulticastForwardingTable::modifier(2, 0), {1})->status(), 0);
  EXPECT_EQ(a.get<mad::MulticastForwardingTable>(mad::MulticastForwardingTable::modifier(2, 0), {1})
                ->as<mad::MulticastForwardingTable>(),
            mft);
  EXPECT_EQ(a.set(mft, mad::MulticastForwardingTable::modifier(2, 9), {1})->status(), kInvalid)
      << "no ports there";
  mad::SwitchInfo info = a.get<mad::SwitchInfo>(0, {1})->as<mad::SwitchInfo>();
  info.set_linear_fdb_top(700);
  EXPECT_EQ(a.set(info, 0, {1})->as<mad::SwitchInfo>().linear_fdb_top(), 700);
  info.set_linear_fdb_top(0xC000);
  EXPECT_EQ(a.set(info, 0, {1})->status(), kInvalid);
}

TEST(Agents, PKeyTablesAreOfTheirPort) {
  Requester a(pair());
  EXPECT_EQ(a.get<mad::PKeyTable>(0, {})->as<mad::PKeyTable>().p_key(0), mad::kDefaultPKeyFull)
      << "as after power-on";
  mad::PKeyTable keys;
  keys.set_p_key(3, {0x8123});
  EXPECT_EQ(a.set(keys, mad::PKeyTable::modifier(1, {0}), {})->status(), 0);
  EXPECT_EQ(a.get<mad::PKeyTable>(1, {})->as<mad::PKeyTable>(), keys);
  EXPECT_EQ(a.get<mad::PKeyTable>(0, {})->as<mad::PKeyTable>().p_key(0), mad::kDefaultPKeyFull);
  EXPECT_EQ(a.get<mad::PKeyTable>(4, {})->status(), kInvalid) << "128 keys are 4 blocks";
  EXPECT_EQ(a.set(keys, mad::PKeyTable::modifier(0, {2}), {1})->status(), 0);
  EXPECT_EQ(a.get<mad::PKeyTable>(mad::PKeyTable::modifier(0, {2}), {1})->as<mad::PKeyTable>(),
            keys);
  EXPECT_NE(a.get<mad::PKeyTable>(mad::PKeyTable::modifier(0, {1}), {1})->as<mad::PKeyTable>(),
            keys);
}

TEST(Agents, SlToVlByPairAndByWildcard) {
  Requester a(pair());
  mad::SlToVlMappingTable table;
  for (std::uint8_t sl = 0; sl < 16; ++sl) table.set_vl({sl}, {static_cast<std::uint8_t>(sl % 3)});
  EXPECT_EQ(a.set(table, mad::SlToVlMappingTable::modifier({1}, {3}), {1})->status(), 0);
  const auto shown = [&](std::uint8_t in, std::uint8_t out) {
    return a.get<mad::SlToVlMappingTable>(mad::SlToVlMappingTable::modifier({in}, {out}), {1})
        ->as<mad::SlToVlMappingTable>()
        .vl({5});
  };
  EXPECT_EQ(shown(1, 3), mad::Vl{2});
  EXPECT_EQ(shown(2, 3), mad::Vl{5}) << "SL 5 on 8 VLs";
  EXPECT_EQ(a.set(table, mad::SlToVlMappingTable::modifier_all_inputs({3}), {1})->status(), 0);
  EXPECT_EQ(shown(2, 3), mad::Vl{2});
  EXPECT_EQ(shown(2, 1), mad::Vl{5});
  EXPECT_EQ(a.set(table, mad::SlToVlMappingTable::kModifierAllPairs, {1})->status(), 0);
  EXPECT_EQ(shown(2, 1), mad::Vl{2});
  a.world.model.nodes[a.world.model.find("S0")].sw->info.set_optimized_sl_to_vl_mapping_programming(
      mad::OptimizedSlToVl::none);
  EXPECT_EQ(a.set(table, mad::SlToVlMappingTable::kModifierAllPairs, {1})->status(), kInvalid);
}

TEST(Agents, VlArbitrationAndGuidInfo) {
  Requester a(pair());
  mad::VlArbitrationTable table;
  table.set_entry(2, {.vl = {1}, .weight = 40});
  const auto modifier =
      mad::VlArbitrationTable::modifier(mad::VlArbitrationTable::Block::high_first, {2});
  EXPECT_EQ(a.set(table, modifier, {1})->status(), 0);
  EXPECT_EQ(a.get<mad::VlArbitrationTable>(modifier, {1})->as<mad::VlArbitrationTable>(), table);
  EXPECT_EQ(a.get<mad::VlArbitrationTable>(5u << 16 | 1, {1})->status(), kInvalid);
  mad::GuidInfo guids;
  guids.set_guid(0, {0x1});
  guids.set_guid(1, {0xABC});
  const auto reply = a.set(guids, 0, {});
  EXPECT_EQ(reply->as<mad::GuidInfo>().guid(0), a.world.model.ports[a.port("H0")].guid)
      << "read only";
  EXPECT_EQ(reply->as<mad::GuidInfo>().guid(1), mad::Guid{0xABC});
  EXPECT_EQ(a.get<mad::GuidInfo>(4, {})->status(), kInvalid) << "32 GUIDs are 4 blocks";
}

TEST(Agents, SwitchPortStatesAreThoseOfItsPorts) {
  Requester a(pair());
  const auto table = a.get<mad::SwitchPortStateTable>(0, {1})->as<mad::SwitchPortStateTable>();
  const sim::NodeModel& node = a.world.model.nodes[a.world.model.find("S0")];
  for (unsigned number = 0; number <= node.port_count(); ++number) {
    EXPECT_EQ(table.port_state(number),
              a.world.model.ports[node.first_port + number].info.port_state())
        << number;
  }
}

TEST(Agents, LidRoutedAndMixedRoutes) {
  Requester a(pair());
  a.bring_up();
  mad::MadBytes bytes;
  mad::make_lid_smp(bytes, Method::get, AttributeId::node_info, 0, {}, 77);
  auto reply = a.exchange(bytes, {.lid = a.lid("H3")});
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->as<mad::NodeInfo>().port_guid(), a.world.model.ports[a.port("H3")].guid);
  EXPECT_EQ(a.received.front().from.lid, a.lid("H3"));
  EXPECT_FALSE(a.exchange(bytes, {.lid = mad::Lid{500}}));
  // By LID to the switch S1, and from there by directed route through its port 2.
  mad::SmpView smp = mad::make_dr_smp(bytes, Method::get, AttributeId::node_info, 0,
                                      *mad::DirectedRoute::of({2}), {}, 78);
  smp.set_dr_slid(a.lid("H0"));
  reply = a.exchange(bytes, {.lid = a.lid("S1")});
  ASSERT_TRUE(reply);
  const sim::PortIndex behind = a.world.model.ports[a.port("S1", 2)].peer;
  EXPECT_EQ(reply->as<mad::NodeInfo>().node_guid(),
            a.world.model.owning_node(behind).info.node_guid());
}

TEST(Agents, ABadClassVersionOrMethodHasNoEffect) {
  Requester a(pair());
  mad::MadBytes bytes;
  mad::make_dr_smp(bytes, Method::get, AttributeId::node_info, 0, {}, {}, 5).set_class_version(7);
  EXPECT_EQ(a.exchange(bytes, {})->status(), mad::status::kBadVersion);
  mad::make_dr_smp(bytes, Method::get_table, AttributeId::node_info, 0, {}, {}, 6);
  EXPECT_FALSE(a.exchange(bytes, {}));
  mad::make_dr_smp(bytes, Method::get, static_cast<AttributeId>(0x0EEE), 0, {}, {}, 7);
  EXPECT_EQ(a.exchange(bytes, {})->status(), kUnsupported);
  EXPECT_EQ(a.program->send(std::span(bytes).first(10), {}, 0), EINVAL);
}

}  // namespace agents_test
