// Switches with adaptive routing, as hardware: attributes, the choice among ports, recovery.

#include <gmock/gmock.h>

#include "sim/world/agents/agents.h"
#include "sim/world/all_choices.h"
#include "sim/world/vendor_features.h"
#include "sm/ctl/topology/generators.h"
#include "unit/sim/world/requester.h"

namespace adaptive_routing_test {

using mad::AdaptiveRoutingInfo;
using mad::ArGroupTable;
using mad::ArGroupTableCopy;
using mad::ArLidState;
using mad::AttributeId;
using mad::GeneralCapability;
using mad::Method;
using requester::Requester;
using sim::Drop;
using testing::ElementsAre;
using namespace std::chrono_literals;
using ArLft = mad::ArLinearForwardingTable;

constexpr std::uint16_t kOk = mad::status::kOk, kInvalid = mad::status::kInvalidValue,
                        kUnsupported = mad::status::kMethodAttributeUnsupported;

/// Two hosts at each of three leaves S1-0 .. S1-2 (ports 1 and 2), whose ports 3 and 4 lead to the
/// spines S2-0 and S2-1. All are adaptive; the group of leaf n is n + 1.
struct Tree : testing::Test {
  explicit Tree(const AdaptiveRoutingInfo& capabilities = sim::pfrn_adaptive_routing())
      : a(topology::xgft({.children = {2, 3}, .parents = {1, 2}, .cables = {}})),
        model(a.world.model) {
    a.bring_up();
    sim::make_adaptive(model, capabilities);
  }

  sim::NodeModel& node(const std::string& name) { return model.nodes[model.find(name)]; }
  sim::ArSwitch& ar(const std::string& name) { return *node(name).sw->adaptive; }
  mad::Lid lid(const std::string& name) { return a.lid(name); }

  /// An SMP to a switch, served at once.
  template <class A>
  std::uint16_t set(const std::string& name, const A& data, std::uint32_t modifier = 0) {
    return ask(name, Method::set, data, modifier).first;
  }
  template <class A>
  A get(const std::string& name, std::uint32_t modifier = 0) {
    return ask(name, Method::get, A{}, modifier).second;
  }
  template <class A>
  std::pair<std::uint16_t, A> ask(const std::string& name, Method method, const A& data,
                                  std::uint32_t modifier) {
    const sim::NodeIndex index = model.find(name);
    mad::MadBytes bytes{};
    mad::SmpView smp = mad::make_lid_smp(bytes, method, A::kId, modifier, mad::MKey{}, 0);
    smp.set_data(data.bytes());
    const auto verdict =
        sim::serve_smp({a.world, index, model.nodes[index].first_port}, smp, mad::Lid{});
    return {verdict.value_or(0xFFFF), A(smp.data())};
  }

  /// Gives a group its ports.
  void set_group(const std::string& name, std::uint16_t group, std::vector<std::uint8_t> ports) {
    auto table = get<ArGroupTable>(name, ArGroupTable::block_of(group));
    for (unsigned port = 0; port < 256; ++port)
      table.set_port(group % 2u, {static_cast<std::uint8_t>(port)},
                     std::ranges::find(ports, port) != ports.end());
    EXPECT_EQ(set(name, table, ArGroupTable::block_of(group)), kOk);
  }
  void set_entry(const std::string& name, mad::Lid to, ArLidState state, std::uint8_t port,
                 std::uint16_t group) {
    auto table = get<ArLft>(name, to.value / ArLft::kEntries);
    table.set_entry(to.value % ArLft::kEntries,
                    {.state = state, .table = 0, .static_port = {port}, .group = group});
    EXPECT_EQ(set(name, table, to.value / ArLft::kEntries), kOk);
  }
  void set_lft(const std::string& name, mad::Lid to, std::uint8_t port) {
    auto table = get<mad::LinearForwardingTable>(name, to.value / 64);
    table.set_port(to.value % 64u, {port});
    EXPECT_EQ(set(name, table, to.value / 64u), kOk);
  }
  /// Writes what a subnet manager writes for up and down routes, and enables it.
  void program(const std::function<void(AdaptiveRoutingInfo&)>& settings = {}) {
    for (sim::NodeModel& sw : model.nodes) {
      if (!sw.is_switch()) continue;
      const bool is_leaf = sw.description.starts_with("S1");
      for (std::uint8_t leaf = 0; leaf < 3; ++leaf) {
        const bool is_own = sw.description == fmt::format("S1-{}", leaf);
        const auto down = static_cast<std::uint8_t>(leaf + 1);
        if (!is_own)
          set_group(sw.description, leaf + 1u,
                    is_leaf ? std::vector<std::uint8_t>{3, 4} : std::vector<std::uint8_t>{down});
      }
      for (unsigned to = 1; to <= sw.sw->info.linear_fdb_top(); ++to)
        set_entry(sw.description, {static_cast<std::uint16_t>(to)}, ArLidState::static_,
                  sw.sw->lft[to], 0);
      for (unsigned host = 0; host < 6; ++host) {
        const mad::Lid to = lid(fmt::format("H{}", host));
        const auto group = static_cast<std::uint16_t>(host / 2 + 1);
        if (sw.description != fmt::format("S1-{}", host / 2))
          set_entry(sw.description, to, ArLidState::free, sw.sw->lft[to.value], group);
      }
      enable(sw.description, settings);
    }
  }
  void enable(const std::string& name,
              const std::function<void(AdaptiveRoutingInfo&)>& settings = {}) {
    auto info = get<AdaptiveRoutingInfo>(name);
    info.set_enable(true);
    info.set_group_top(3);
    if (settings) settings(info);
    EXPECT_EQ(set(name, info), kOk);
  }

  /// Ports of S1-0 by which packets of H0 to H2 leave, over all choices.
  std::vector<unsigned> exits(sim::PacketHeader packet = {}) {
    packet.dlid = lid("H2");
    sim::AllChoices choices(model, packet);
    choices.walk(a.port("H0"));
    std::vector<unsigned> ports;
    for (const auto& step : choices.steps())
      if (model.ports[step.entry].node == model.find("S1-0"))
        ports.push_back(model.ports[step.hop.out].number);
    std::ranges::sort(ports);
    return ports;
  }
  /// The port of S1-0 in the LinearForwardingTable for H2, and the other one.
  std::uint8_t usual() { return node("S1-0").sw->lft[lid("H2").value]; }
  std::uint8_t other() { return static_cast<std::uint8_t>(7 - usual()); }
  sim::Reach reach(const std::string& from, const std::string& to) {
    return sim::walk_all(model, a.port(from), {.dlid = lid(to)});
  }

  Requester a;
  sim::Model& model;
};

// ------------------------------------------------------------------------------------------
// attributes

struct ArAttributes : Tree {
  ArAttributes() : Tree(sim::usual_adaptive_routing()) {}
};

TEST_F(ArAttributes, SwitchesAnnounceRevisionOne) {
  const auto general = [&](const std::string& name) {
    return get<mad::GeneralInfo>(name, mad::GeneralInfo::kCapabilityMask);
  };
  EXPECT_TRUE(general("S1-0").has(GeneralCapability::adaptive_routing_rev1));
  EXPECT_FALSE(general("S1-0").has(GeneralCapability::adaptive_routing)) << "excludes the other";
  node("S1-0").sw->adaptive.reset();
  EXPECT_FALSE(general("S1-0").has(GeneralCapability::adaptive_routing_rev1));
  EXPECT_EQ(ask("S1-0", Method::get, AdaptiveRoutingInfo{}, 0).first, kUnsupported);
  EXPECT_EQ(set("S1-0", ArLft{}), kUnsupported);
  EXPECT_FALSE(sim::enable_adaptive_routing(model, model.find("H0"))) << "no switch";
}

TEST_F(ArAttributes, SettingsAreKeptAndCapabilitiesStay) {
  auto wanted = AdaptiveRoutingInfo{};  // capabilities are 0
  wanted.set_enable(true);
  wanted.set_fr_en(true);
  wanted.set_by_sl_en(true);
  wanted.set_enable_by_sl_mask(0x0F);
  wanted.set_by_transport_disable(0xF5);
  wanted.set_group_top(100);
  wanted.set_sub_groups_active(2);
  wanted.set_ageing_time(30);
  EXPECT_EQ(set("S1-0", wanted), kOk);
  auto expected = sim::usual_adaptive_routing();
  expected.set_enable(true);
  expected.set_fr_en(true);
  expected.set_by_sl_en(true);
  expected.set_enable_by_sl_mask(0x0F);
  expected.set_by_transport_disable(0xF5);
  expected.set_group_top(100);
  expected.set_sub_groups_active(2);
  expected.set_ageing_time(30);
  EXPECT_EQ(get<AdaptiveRoutingInfo>("S1-0"), expected);
  EXPECT_EQ(ask("S1-0", Method::get, AdaptiveRoutingInfo{}, 1).first, kInvalid) << "modifier";
}

TEST_F(ArAttributes, SettingsWithoutCapabilityAreRefusedAndChangeNothing) {
  sim::enable_adaptive_routing(model, model.find("S1-0"), sim::basic_adaptive_routing());
  const std::vector<std::pair<std::string, std::function<void(AdaptiveRoutingInfo&)>>> kBad{
      {"FREn", [](auto& info) { info.set_fr_en(true); }},
      {"pFRNEn", [](auto& info) { info.set_pfrn_en(true); }},
      {"RNXmitEn", [](auto& info) { info.set_rn_xmit_en(true); }},
      {"HBFEn", [](auto& info) { info.set_hbf_en(true); }},
      {"transports", [](auto& info) { info.set_by_transport_disable(0xF5); }},
      {"sub-groups", [](auto& info) { info.set_sub_groups_active(2); }},
      {"GroupTop", [](auto& info) { info.set_group_top(1024); }},
  };
  for (const auto& [what, change] : kBad) {
    auto wanted = sim::basic_adaptive_routing();
    wanted.set_enable(true);
    change(wanted);
    EXPECT_EQ(set("S1-0", wanted), kInvalid) << what;
    EXPECT_EQ(get<AdaptiveRoutingInfo>("S1-0"), sim::basic_adaptive_routing()) << what;
  }
  auto wanted = sim::basic_adaptive_routing();
  wanted.set_by_sl_cap(false);
  sim::enable_adaptive_routing(model, model.find("S1-0"), wanted);
  wanted.set_by_sl_en(true);
  EXPECT_EQ(set("S1-0", wanted), kInvalid);
}

TEST_F(ArAttributes, GroupCapShrinksWithSubGroupsWhereTheFirmwareDoesSo) {
  auto wanted = AdaptiveRoutingInfo{};
  wanted.set_sub_groups_active(2);
  wanted.set_group_top(1024);
  EXPECT_EQ(set("S1-1", wanted), kOk);
  EXPECT_EQ(get<AdaptiveRoutingInfo>("S1-1").group_cap(), 2048);
  ar("S1-0").firmware.group_cap_shrinks = true;
  EXPECT_EQ(set("S1-0", wanted), kInvalid);
  wanted.set_group_top(1023);
  EXPECT_EQ(set("S1-0", wanted), kOk);
  EXPECT_EQ(get<AdaptiveRoutingInfo>("S1-0").group_cap(), 1024);
  EXPECT_EQ(set("S1-0", ArGroupTable{}, 1023), kOk) << "a block is a group with two sub-groups";
  EXPECT_EQ(set("S1-0", ArGroupTable{}, 1024), kInvalid);
}

TEST_F(ArAttributes, GroupTableHasTwoGroupsABlockAndThePortsOfTheSwitch) {
  ArGroupTable table;
  for (const unsigned port : {1u, 3u, 200u}) table.set_port(1, {static_cast<std::uint8_t>(port)});
  EXPECT_EQ(set("S1-0", table, 1023), kOk);
  const auto read = get<ArGroupTable>("S1-0", 1023);
  EXPECT_TRUE(read.has_port(1, {1}) && read.has_port(1, {3}));
  EXPECT_FALSE(read.has_port(0, {1}));
  EXPECT_FALSE(read.has_port(1, {200})) << "it has 4 ports";
  EXPECT_TRUE(ar("S1-0").groups.has(2047, 3));
  EXPECT_EQ(get<ArGroupTable>("S1-0", 1022), ArGroupTable{});
  EXPECT_EQ(set("S1-0", table, 1024), kInvalid) << "beyond GroupCap";
  EXPECT_EQ(get<ArGroupTable>("S1-1", 1023), ArGroupTable{});
}

TEST_F(ArAttributes, MasksOfLargeSwitchesKeepAllPorts) {
  sim::ArGroups groups(254);
  ArGroupTable table;
  for (const unsigned port : {0u, 1u, 63u, 64u, 127u, 128u, 192u, 254u})
    table.set_port(0, {static_cast<std::uint8_t>(port)});
  groups.set(9, table.sub_group(0));
  groups.copy(9, 4095);
  std::vector<unsigned> ports;
  groups.for_each(4095, [&](unsigned port) { ports.push_back(port); });
  EXPECT_THAT(ports, ElementsAre(0, 1, 63, 64, 127, 128, 192, 254));
  ArGroupTable read;
  groups.get(4095, read.bytes().first<32>());
  EXPECT_EQ(read, table);
}

TEST_F(ArAttributes, GroupsAreCopiedToRanges) {
  set_group("S1-0", 5, {3, 4});
  ArGroupTableCopy copy;
  copy.set_range(0, {.first = 10, .last = 12});
  copy.set_range(15, {.first = 2047, .last = 2047});
  EXPECT_EQ(set("S1-0", copy, ArGroupTableCopy::modifier(5)), kOk);
  for (const std::size_t group : {5u, 10u, 11u, 12u, 2047u})
    EXPECT_TRUE(ar("S1-0").groups.has(group, 4)) << group;
  for (const std::size_t group : {0u, 9u, 13u, 2046u})
    EXPECT_FALSE(ar("S1-0").groups.has(group, 4)) << group;
  copy.set_range(1, {.first = 20, .last = 19});
  EXPECT_EQ(set("S1-0", copy, 5), kInvalid);
  copy.set_range(1, {.first = 20, .last = 2048});
  copy.set_range(0, {.first = 30, .last = 30});
  EXPECT_EQ(set("S1-0", copy, 5), kInvalid);
  EXPECT_FALSE(ar("S1-0").groups.has(30, 4)) << "nothing changes";
  EXPECT_EQ(ask("S1-0", Method::get, copy, 5).first, kUnsupported);
  sim::enable_adaptive_routing(model, model.find("S1-0"), sim::basic_adaptive_routing());
  EXPECT_EQ(set("S1-0", copy, 5), kUnsupported);
}

TEST_F(ArAttributes, ForwardingEntriesAreKeptByBlockOfSixteen) {
  ArLft table;
  table.set_entry(0, {.state = ArLidState::free, .table = 0, .static_port = {3}, .group = 2047});
  table.set_entry(15, {.state = ArLidState::static_, .table = 0, .static_port = {255}, .group = 0});
  EXPECT_EQ(set("S1-0", table, 5), kOk);
  EXPECT_EQ(get<ArLft>("S1-0", 5), table);
  EXPECT_EQ(get<ArLft>("S1-0", 4), ArLft{}) << "bounded, port 0, group 0";
  EXPECT_EQ(set("S1-0", table, 0xBFF), kOk);
  EXPECT_EQ(set("S1-0", table, 0xC00), kInvalid) << "beyond LinearFDBCap";
  const auto refuses = [&](const ArLft::Entry& entry) {
    ArLft bad;
    bad.set_entry(7, entry);
    return set("S1-0", bad, 5) == kInvalid && get<ArLft>("S1-0", 5) == table;
  };
  EXPECT_TRUE(refuses({.state = ArLidState{3}, .table = 0, .static_port = {3}, .group = 1}))
      << "hash-based";
  EXPECT_TRUE(refuses({.state = ArLidState::free, .table = 1, .static_port = {3}, .group = 1}));
  EXPECT_TRUE(refuses({.state = ArLidState::free, .table = 0, .static_port = {3}, .group = 2048}));
}

TEST_F(ArAttributes, PfrnConfigKeepsTimeoutsOfTenBits) {
  EXPECT_EQ(set("S1-0", mad::PfrnConfig{}), kUnsupported);
  sim::enable_adaptive_routing(model, model.find("S1-0"), sim::pfrn_adaptive_routing());
  mad::PfrnConfig config;
  config.set_sl({3});
  config.set_mask_clear_timeout(180);
  config.set_mask_force_clear_timeout(720);
  EXPECT_EQ(set("S1-0", config), kOk);
  EXPECT_EQ(get<mad::PfrnConfig>("S1-0"), config);
  config.set_mask_clear_timeout(1024);
  EXPECT_EQ(set("S1-0", config), kInvalid);
  EXPECT_EQ(get<mad::PfrnConfig>("S1-0").mask_clear_timeout(), 180);
}

TEST_F(ArAttributes, EverythingIsLostAtARebootAndWithTheTables) {
  for (const bool reboots : {true, false}) {
    program([](auto& info) { info.set_fr_en(true); });
    EXPECT_NE(get<ArGroupTable>("S1-0", 1), ArGroupTable{});
    const sim::NodeIndex index = model.find("S1-0");
    if (reboots) {
      a.world.power(index, false);
      a.world.power(index, true);
      a.runtime.run_for(20ms);
    } else {
      a.world.lose_tables(index);
    }
    EXPECT_EQ(get<AdaptiveRoutingInfo>("S1-0"), sim::usual_adaptive_routing());
    EXPECT_EQ(get<ArGroupTable>("S1-0", 1), ArGroupTable{});
    EXPECT_EQ(get<ArLft>("S1-0", 0), ArLft{});
    a.bring_up();
    EXPECT_EQ(exits().size(), 1u);
  }
}

TEST_F(ArAttributes, CasWithTheCapabilityTakeMasksOfSls) {
  mad::MlnxExtPortInfo wanted;
  wanted.set_ooo_sl_mask(0xFFFF);
  wanted.set_adaptive_timeout_sl_mask(0x00FF);
  const auto set_at_h0 = [&] { return a.set(wanted, 1, {})->as<mad::MlnxExtPortInfo>(); };
  EXPECT_EQ(set_at_h0(), wanted);
  EXPECT_TRUE(
      a.get<mad::GeneralInfo>(4, {})->as<mad::GeneralInfo>().has(GeneralCapability::out_of_order));
  node("H0").puts_in_order = false;
  node("H0").has_adaptive_timeout = false;
  node("H0").info.set_vendor_id(0x2C9);
  model.extras(a.port("H0")).raw.clear();
  EXPECT_EQ(set_at_h0(), mad::MlnxExtPortInfo{});
  EXPECT_FALSE(
      a.get<mad::GeneralInfo>(4, {})->as<mad::GeneralInfo>().has(GeneralCapability::out_of_order));
}

TEST_F(ArAttributes, SomeNodesCanBeMadeAdaptive) {
  Requester mixed(topology::xgft({.children = {2, 3}, .parents = {1, 2}, .cables = {}}));
  sim::Model& of = mixed.world.model;
  EXPECT_EQ(sim::make_adaptive(of, sim::basic_adaptive_routing(),
                               [](const sim::NodeModel& each) {
                                 return each.description.starts_with("S1") ||
                                        each.description == "H1";
                               }),
            3u);
  EXPECT_TRUE(of.nodes[of.find("S1-2")].sw->adaptive);
  EXPECT_FALSE(of.nodes[of.find("S2-0")].sw->adaptive);
  EXPECT_TRUE(of.nodes[of.find("H1")].puts_in_order);
  EXPECT_FALSE(of.nodes[of.find("H0")].puts_in_order);
}

// ------------------------------------------------------------------------------------------
// forwarding

using ArForwarding = Tree;

TEST_F(ArForwarding, PacketsMayTakeEveryUsablePortOfTheGroup) {
  EXPECT_THAT(exits(), ElementsAre(usual())) << "not enabled";
  program();
  EXPECT_THAT(exits(), ElementsAre(3, 4));
  const sim::Reach all = reach("H0", "H2");
  EXPECT_TRUE(all.delivered());
  EXPECT_EQ(all.end, a.port("H2"));
  EXPECT_EQ(all.path.size(), 4u);
  EXPECT_EQ(reach("H0", "H1").path.size(), 2u) << "static";
  a.world.cut(a.port("S1-0", 3));
  EXPECT_THAT(exits(), ElementsAre(4));
  a.info("S1-0", 4).set_port_state(mad::PortState::armed);
  EXPECT_EQ(reach("H0", "H2").drop, Drop::no_member);
}

TEST_F(ArForwarding, StaticEntriesAndManagementPacketsTakeTheStaticPort) {
  program();
  EXPECT_THAT(exits({.management = true}), ElementsAre(usual()));
  set_entry("S1-0", lid("H2"), ArLidState::static_, other(), 2);
  EXPECT_THAT(exits(), ElementsAre(other())) << "the ARLFT counts";
  EXPECT_THAT(exits({.management = true}), ElementsAre(other()));
}

TEST_F(ArForwarding, ServiceLevelsAndTransportsMayBeExcluded) {
  program([](auto& info) {
    info.set_by_sl_en(true);
    info.set_enable_by_sl_mask(0x0002);
    info.set_by_transport_disable(0xF5);  // all but RC and DC
  });
  EXPECT_THAT(exits({.sl = {0}}), ElementsAre(usual()));
  EXPECT_THAT(exits({.sl = {1}}), ElementsAre(3, 4));
  EXPECT_THAT(exits({.sl = {1}, .transport = sim::Transport::ud}), ElementsAre(usual()));
  EXPECT_THAT(exits({.sl = {1}, .transport = sim::Transport::dc}), ElementsAre(3, 4));
}

TEST_F(ArForwarding, LinearFdbTopAndGroupTopBoundIt) {
  program();
  enable("S1-0", [](auto& info) { info.set_group_top(1); });
  EXPECT_EQ(reach("H0", "H2").drop, Drop::no_member);
  ar("S1-0").firmware.group_top_counts = false;
  EXPECT_TRUE(reach("H0", "H2").delivered());
  node("S1-0").sw->info.set_linear_fdb_top(1);
  EXPECT_EQ(reach("H0", "H2").drop, Drop::no_route);
}

TEST_F(ArForwarding, SecondSubGroupIsUsedWhereTheFirstHasNoUsablePort) {
  program();
  enable("S1-0", [](auto& info) { info.set_sub_groups_active(2); });
  ArGroupTable table;  // block 2 is group 2 now
  table.set_port(0, {3});
  table.set_port(1, {4});
  EXPECT_EQ(set("S1-0", table, 2), kOk);
  EXPECT_THAT(exits(), ElementsAre(3));
  a.world.cut(a.port("S1-0", 3));
  EXPECT_THAT(exits(), ElementsAre(4));
}

TEST_F(ArForwarding, FastRecoveryReplacesAStaticPortThatCannotBeUsed) {
  program([](auto& info) { info.set_enable(false), info.set_fr_en(true); });
  EXPECT_THAT(exits(), ElementsAre(usual()));
  a.world.cut(a.port("S1-0", usual()));
  EXPECT_THAT(exits(), ElementsAre(other()));
  EXPECT_EQ(sim::walk_unicast(model, a.port("H0"), {.dlid = lid("H2"), .management = true}).drop,
            Drop::no_link);
  a.world.cut(a.port("S1-0", other()));
  EXPECT_EQ(reach("H0", "H2").drop, Drop::no_link);
}

TEST_F(ArForwarding, WithoutFastRecoveryAStaticPortIsNotReplaced) {
  program([](auto& info) { info.set_by_sl_en(true); });
  a.world.cut(a.port("S1-0", usual()));
  EXPECT_EQ(reach("H0", "H2").drop, Drop::no_link);
}

TEST_F(ArForwarding, SetOfTheForwardingTableEndsItForItsLids) {
  program();
  const std::uint8_t first = usual(), second = other();
  set_lft("S1-0", lid("H2"), second);
  EXPECT_THAT(exits(), ElementsAre(second));
  set_entry("S1-0", lid("H2"), ArLidState::free, second, 2);
  EXPECT_THAT(exits(), ElementsAre(3, 4)) << "until the ARLFT is set again";

  ar("S1-0").firmware.lft_set_counts_at_once = false;
  set_lft("S1-0", lid("H2"), first);
  EXPECT_THAT(exits(), ElementsAre(3, 4));
  enable("S1-0", [](auto& info) { info.set_enable(false); });
  EXPECT_THAT(exits(), ElementsAre(first));
}

TEST_F(ArForwarding, DisabledItGoesByTheStaticPortsOrByTheForwardingTable) {
  program();
  set_entry("S1-0", lid("H2"), ArLidState::free, other(), 2);
  enable("S1-0", [](auto& info) { info.set_enable(false); });
  EXPECT_THAT(exits(), ElementsAre(other()));
  ar("S1-0").firmware.static_ports_stay = false;
  EXPECT_THAT(exits(), ElementsAre(usual()));
  ar("S1-0").firmware.static_ports_stay = true;
  set_lft("S1-0", lid("H2"), usual());
  EXPECT_THAT(exits(), ElementsAre(usual()));
}

TEST_F(ArForwarding, BlocksThatWereNeverSetGoByTheForwardingTableOrNowhere) {
  set_group("S1-0", 2, {3, 4});
  set_entry("S1-0", {160}, ArLidState::free, 3, 2);
  enable("S1-0");
  EXPECT_THAT(exits(), ElementsAre(usual()));
  ar("S1-0").firmware.unset_blocks_use_lft = false;
  EXPECT_EQ(reach("H0", "H2").drop, Drop::no_member);
}

TEST_F(ArForwarding, StaticPortsMayBeInUseBeforeItIsEnabled) {
  set_entry("S1-0", lid("H2"), ArLidState::free, other(), 2);
  EXPECT_THAT(exits(), ElementsAre(usual()));
  ar("S1-0").firmware.static_ports_at_once = true;
  EXPECT_THAT(exits(), ElementsAre(other()));
}

TEST_F(ArForwarding, EveryChoiceIsFollowedAndTheInputPortIsNotExcluded) {
  program();
  set_group("S2-1", 2, {1, 2});  // port 1 leads back to where packets of H0 come from
  const sim::Reach loop = reach("H0", "H2");
  EXPECT_EQ(loop.drop, Drop::too_long);
  EXPECT_EQ(loop.end, a.port("S2-1", 1)) << model.name(loop.end);
  EXPECT_EQ(loop.path.size(), 4u) << "to the spine, back, and to the spine again";
  EXPECT_TRUE(sim::walk_unicast(model, a.port("H0"), {.dlid = lid("H2")}).delivered())
      << "one choice of many";

  set_group("S2-1", 2, {3});
  const sim::Reach detour = reach("H0", "H2");
  EXPECT_TRUE(detour.drop == Drop::too_long) << "the third leaf sends it up again";
  set_group("S1-2", 2, {3});
  EXPECT_TRUE(reach("H0", "H2").delivered());
  EXPECT_EQ(reach("H0", "H2").path.size(), 6u) << "the longest way";

  set_group("S2-1", 2, {2, 3});
  a.info("S1-1", 4).set_partition_enforcement_inbound(true);
  const sim::Reach dropped = reach("H0", "H2");
  EXPECT_EQ(dropped.drop, Drop::p_key_in) << "on one of three ways";
  EXPECT_EQ(dropped.end, a.port("S1-1", 4));
  EXPECT_EQ(dropped.path.back().in, a.port("S1-1", 4));
}

TEST_F(ArForwarding, GroupThatHasPortZeroDeliversToTheSwitch) {
  program();
  set_group("S1-0", 2, {0, 3});
  EXPECT_EQ(reach("H0", "H2").drop, Drop::wrong_end);
}

TEST_F(ArForwarding, ThePortIsChosenByChanceOrByTheTest) {
  program();
  const auto leaves_by = [&](unsigned port) {
    return model.extras(a.port("S1-0", port)).counters.xmit_packets;
  };
  const auto send = [&] {
    for (unsigned packet = 0; packet < 100; ++packet)
      EXPECT_TRUE(a.world.send_data(a.port("H0"), {.dlid = lid("H2")}).delivered());
  };
  send();
  EXPECT_GT(leaves_by(3), 20u);
  EXPECT_GT(leaves_by(4), 20u);
  EXPECT_EQ(leaves_by(3) + leaves_by(4), 100u);
  const std::uint64_t before = leaves_by(3);
  a.world.choose = [](sim::NodeIndex, std::span<const std::uint8_t> ports) { return ports.back(); };
  send();
  EXPECT_EQ(leaves_by(3), before);
}

// ------------------------------------------------------------------------------------------
// pFRN

struct Pfrn : Tree {
  Pfrn() {
    program([](auto& info) { info.set_fr_en(true), info.set_pfrn_en(true); });
  }
  /// S2-0 loses its link to S1-1.
  void lose() {
    a.world.cut(a.port("S2-0", 2));
    a.runtime.run_for(1ms);
  }
};

TEST_F(Pfrn, NeighboursLeaveOutASwitchThatLostItsLastPort) {
  EXPECT_TRUE(reach("H0", "H2").delivered());
  lose();
  EXPECT_TRUE(reach("H0", "H2").delivered()) << "no SMP was sent";
  EXPECT_THAT(exits(), ElementsAre(4));
  EXPECT_TRUE(reach("H4", "H3").delivered());
  EXPECT_EQ(ar("S1-0").masks.size(), 1u);
  EXPECT_TRUE(reach("H0", "H4").delivered());
  EXPECT_EQ(get<ArGroupTable>("S1-0", 1).has_port(0, {3}), true) << "the table shows it still";
}

TEST_F(Pfrn, NeedsItAtBothSwitches) {
  enable("S1-0", [](auto& info) { info.set_pfrn_en(false); });
  lose();
  EXPECT_FALSE(reach("H0", "H2").delivered());
  EXPECT_TRUE(reach("H4", "H2").delivered());
}

TEST_F(Pfrn, StaticPortsAreReplacedToo) {
  for (const char* const leaf : {"S1-0", "S1-2"})
    set_entry(leaf, lid("H2"), ArLidState::static_, 3, 2);
  lose();
  EXPECT_THAT(exits(), ElementsAre(4));
}

TEST_F(Pfrn, AMaskEndsByItsTimers) {
  lose();
  a.world.connect(a.port("S2-0", 2), a.port("S1-1", 3));
  a.runtime.run_for(10ms);
  a.bring_up();
  program([](auto& info) { info.set_fr_en(true), info.set_pfrn_en(true); });
  lose();
  a.runtime.run_for(179s);
  EXPECT_THAT(exits(), ElementsAre(4));
  a.runtime.run_for(2s);
  EXPECT_THAT(exits(), ElementsAre(3, 4));
}

TEST_F(Pfrn, PacketsThatAreDroppedRepeatTheNoticeUntilTheForcedEnd) {
  lose();
  a.runtime.run_for(181s);
  EXPECT_THAT(exits(), ElementsAre(3, 4)) << "nothing was dropped meanwhile";
  // H4's leaf does not take part, so that its packets are dropped again and again.
  enable("S1-2", [](auto& info) { info.set_pfrn_en(false); });
  a.world.choose = [](sim::NodeIndex, std::span<const std::uint8_t> ports) {
    return ports.front();
  };
  const mad::TimePoint begin = a.runtime.now();
  while (a.runtime.now() - begin < 719s) {
    EXPECT_FALSE(a.world.send_data(a.port("H4"), {.dlid = lid("H2")}).delivered());
    a.runtime.run_for(10s);
    if (a.runtime.now() - begin < 719s) {
      EXPECT_THAT(exits(), ElementsAre(4));
    }
  }
  a.runtime.run_for(1s);
  EXPECT_THAT(exits(), ElementsAre(3, 4));
}

TEST_F(Pfrn, WithoutAnotherPortTheGroupStaysAsItIsAndTheNoticeGoesOn) {
  set_group("S1-0", 2, {3});
  lose();
  EXPECT_TRUE(ar("S1-0").masks.empty());
  EXPECT_EQ(reach("H0", "H2").drop, Drop::no_member);
  EXPECT_EQ(reach("H0", "H2").end, a.port("S2-0", 1));
}

TEST_F(Pfrn, ASetOfTheGroupEndsTheMask) {
  lose();
  set_group("S1-0", 2, {3, 4});
  EXPECT_THAT(exits(), ElementsAre(3, 4));
}

// ------------------------------------------------------------------------------------------
// faults

using ArFaulty = Tree;

TEST_F(ArFaulty, ShortInfoHasTwentyBytes) {
  ar("S1-0").faults.short_info = true;
  const auto info = get<AdaptiveRoutingInfo>("S1-0");
  EXPECT_EQ(info.group_cap(), 4095);
  EXPECT_FALSE(info.pfrn_sup());
  EXPECT_TRUE(get<AdaptiveRoutingInfo>("S1-1").pfrn_sup());
  auto wanted = info;
  wanted.set_enable(true);
  wanted.set_ageing_time(30);
  wanted.set_pfrn_en(true);
  EXPECT_EQ(set("S1-0", wanted), kOk);
  EXPECT_TRUE(get<AdaptiveRoutingInfo>("S1-0").enable());
  EXPECT_EQ(get<AdaptiveRoutingInfo>("S1-0").ageing_time(), 30u);
  EXPECT_FALSE(ar("S1-0").info.pfrn_en());
}

TEST_F(ArFaulty, RefusesOrDoesNotAnswer) {
  auto& faults = ar("S1-0").faults;
  faults.refusals = {{.attribute = 0xFF20, .status = 0x04}};
  EXPECT_EQ(ask("S1-0", Method::get, AdaptiveRoutingInfo{}, 0).first, 0x04);
  EXPECT_EQ(set("S1-0", ArGroupTable{}), kOk);
  faults.refusals = {{.sets_only = true, .status = 0x1C, .times = 2}};
  EXPECT_EQ(set("S1-0", ArGroupTable{}), 0x1C);
  EXPECT_EQ(ask("S1-0", Method::get, ArGroupTable{}, 0).first, kOk);
  EXPECT_EQ(set("S1-0", ArLft{}), 0x1C);
  EXPECT_EQ(set("S1-0", ArLft{}), kOk) << "the third one";
  faults.refusals = {{.attribute = 0xFF23}};
  EXPECT_EQ(set("S1-0", ArLft{}), 0xFFFF) << "no answer";
}

TEST_F(ArFaulty, GroupCapIsLessAfterASet) {
  ar("S1-0").faults.group_cap_after_set = 4;
  EXPECT_EQ(get<AdaptiveRoutingInfo>("S1-0").group_cap(), 4095);
  EXPECT_EQ(set("S1-0", get<AdaptiveRoutingInfo>("S1-0")), kOk);
  EXPECT_EQ(get<AdaptiveRoutingInfo>("S1-0").group_cap(), 4);
  EXPECT_EQ(set("S1-0", ArGroupTable{}, 2), kInvalid);
}

TEST_F(ArFaulty, BlocksAreNotWhereTheModifierSays) {
  ArLft first, second;
  first.set_entry(1, {.state = ArLidState::free, .table = 0, .static_port = {1}, .group = 1});
  second.set_entry(1, {.state = ArLidState::free, .table = 0, .static_port = {2}, .group = 2});
  const auto write = [&] {
    EXPECT_EQ(set("S1-0", first, 0), kOk);
    EXPECT_EQ(set("S1-0", second, 1), kOk);
  };
  ar("S1-0").faults.blocks = sim::ArBlocks::above_low_byte;
  write();
  EXPECT_EQ(get<ArLft>("S1-0", 0), second) << "both are block 0";
  ar("S1-0").faults.blocks = sim::ArBlocks::other_tables;
  write();
  EXPECT_EQ(get<ArLft>("S1-0", 0), first);
  EXPECT_EQ(get<ArLft>("S1-0", 1), ArLft{});
  ArGroupTable groups;
  groups.set_port(0, {3});
  EXPECT_EQ(set("S1-0", groups, 1), kOk);
  EXPECT_EQ(get<ArGroupTable>("S1-0", 1), ArGroupTable{});
}

TEST_F(ArFaulty, AcknowledgesSetsAndKeepsTheOldContent) {
  ar("S1-0").faults.without_effect = {0xFF21};
  ArGroupTable groups;
  groups.set_port(0, {3});
  const auto [status, answer] = ask("S1-0", Method::set, groups, 1);
  EXPECT_EQ(status, kOk);
  EXPECT_EQ(answer, groups);
  EXPECT_EQ(get<ArGroupTable>("S1-0", 1), ArGroupTable{});
}

TEST_F(ArFaulty, ServesOneRequestAfterTheOther) {
  node("S1-0").health.service_time = 1ms;
  ArGroupTable groups;
  groups.set_port(0, {3});
  EXPECT_FALSE(a.set(groups, 1, {1})) << "within 100 us";
  EXPECT_FALSE(ar("S1-0").groups.has(2, 3));
  a.runtime.run_for(1ms);
  EXPECT_TRUE(ar("S1-0").groups.has(2, 3));
}

TEST_F(ArFaulty, LosesItsTablesAfterSomeSets) {
  ar("S1-0").faults.sets_until_reset = 2;
  ArGroupTable groups;
  groups.set_port(0, {3});
  EXPECT_EQ(set("S1-0", groups, 1), kOk);
  EXPECT_EQ(get<ArGroupTable>("S1-0", 1), groups);
  EXPECT_EQ(set("S1-0", groups, 2), kOk);
  EXPECT_EQ(get<ArGroupTable>("S1-0", 1), ArGroupTable{});
  EXPECT_EQ(node("S1-0").sw->info.linear_fdb_top(), 0);
}

}  // namespace adaptive_routing_test
