// Traps: what a standby manager, a flapping switch and a hostile host send.

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "hostile/quiet.h"
#include "mad/attributes/port_tables.h"
#include "sim/sa_lab.h"
#include "sm/conditions/manager_conditions.h"
#include "sm/ctl/topology/generators.h"
#include "support/hand_made_subnet.h"
#include "support/scripted_sm.h"

namespace traps_test {

using laboratory::Quiet;
using laboratory::ScriptedSm;
using namespace std::chrono_literals;

TEST(LocalChange, OfNodeDescriptionIsOneGet) {
  for (const std::string name : {"H5", "S1"}) {
    Quiet lab;
    ASSERT_TRUE(lab.start_and_settle());
    const std::uint64_t sweeps = lab.all_sweeps();
    const mad::Guid guid = lab.node(name).info.node_guid();
    lab.world.rename(lab.model.find(name), "renamed");
    lab.runtime.run_for(5s);
    EXPECT_EQ(lab.gets(), 1u);
    EXPECT_EQ(lab.sets(), 0u);
    EXPECT_EQ(lab.all_sweeps(), sweeps) << lab.tail();
    const fabric::Fabric& fabric = lab.status().subnet->fabric;
    EXPECT_EQ(fabric.nodes[fabric.node_of_guid.at(guid)].description.text(), "renamed");
  }
}

TEST(LocalChange, PriorityOfAStandbyCausesNoSweeps) {
  Quiet lab;
  ASSERT_TRUE(lab.start_and_settle());
  const ScriptedSm other(lab.world, lab.port("H4"), mad::SmState::standby, 0);
  lab.settle();
  lab.heddle().reload(lab.options);
  lab.settle();
  lab.forget_counts();
  const std::uint64_t sweeps = lab.all_sweeps();
  const auto flags = mad::LocalChangeNotice::kSmPriority;
  for (unsigned i = 0; i < 60; ++i) {
    lab.world.raise(lab.port("H4"), lab.local_change("H4", flags));
    lab.runtime.run_for(1s);
  }
  for (unsigned i = 0; i < 30; ++i) {
    lab.world.raise(lab.port("H4"), lab.local_change("H4", flags));
    lab.runtime.run_for(10s);
  }
  EXPECT_EQ(lab.all_sweeps(), sweeps) << lab.tail();
  EXPECT_GE(lab.sent(mad::Method::get, mad::AttributeId::sm_info), 35u);
  EXPECT_LE(lab.gets(), 92u);
  EXPECT_EQ(lab.sets(), 0u);
  EXPECT_EQ(lab.status().state, mad::SmState::master);
  EXPECT_EQ(lab.status().subnet->sms.size(), 1u);
}

TEST(LocalChange, EachFlagDoesWhatItMeans) {
  Quiet lab;
  ASSERT_TRUE(lab.start_and_settle());
  using Change = mad::LocalChangeNotice;
  const std::pair<std::uint16_t, std::uint64_t> sweeps_of[]{
      {Change::kHierarchyInfo, 0},    {Change::kNodeDescription, 0},  {Change::kSmPriority, 0},
      {Change::kLinkSpeedEnabled, 1}, {Change::kLinkWidthEnabled, 1}, {std::uint16_t{0x8000}, 1}};
  for (const auto& [flags, expected] : sweeps_of) {
    const std::uint64_t sweeps = lab.all_sweeps();
    lab.inject(lab.local_change("H5", flags), lab.lid("H5"));
    lab.runtime.run_for(1s);
    EXPECT_EQ(lab.all_sweeps() - sweeps, expected) << flags << lab.tail();
  }
  EXPECT_EQ(lab.sets(), 0u);
}

TEST(TrapStorm, LossBehindADampedSwitchIsFoundWithinSeconds) {
  Quiet lab;
  ASSERT_TRUE(lab.start_and_settle());
  const std::uint64_t sweeps = lab.all_sweeps();
  const auto storm = [&](mad::Duration time) {
    const mad::TimePoint end = lab.runtime.now() + time;
    for (; lab.runtime.now() < end; lab.runtime.run_for(100ms))
      lab.inject_link_state(lab.lid("S1"));
  };
  storm(20s);
  EXPECT_LE(lab.all_sweeps() - sweeps, 10u) << "then its state is read without a sweep";
  EXPECT_TRUE(lab.says("SM-TRAP-STORM"));
  lab.withhold_traps(true);
  lab.world.cut(lab.port("H5"));
  ASSERT_TRUE(lab.knows("H5"));
  storm(1500ms);
  EXPECT_FALSE(lab.knows("H5")) << lab.tail();
}

TEST(TrapStorm, IsActiveUntilThePortPauses) {
  Quiet lab;
  ASSERT_TRUE(lab.start_and_settle());
  const auto storm = [&](mad::Duration time, mad::Duration interval) {
    const mad::TimePoint end = lab.runtime.now() + time;
    for (; lab.runtime.now() < end; lab.runtime.run_for(interval))
      lab.inject_link_state(lab.lid("S1"));
  };
  storm(60s, 100ms);
  EXPECT_EQ(lab.raised(sm::kManagerConditions.trap_storm), 1u) << lab.tail();
  lab.runtime.run_for(sm::TrapDamper::kPause - 1s);
  EXPECT_EQ(lab.raised(sm::kManagerConditions.trap_storm), 1u) << "not yet";
  lab.runtime.run_for(2s);
  EXPECT_EQ(lab.raised(sm::kManagerConditions.trap_storm), 0u) << lab.tail();
  EXPECT_TRUE(lab.says("cleared: trap storm: \"S1")) << lab.tail();
  storm(60s, sm::TrapDamper::kPause);
  EXPECT_EQ(lab.raised(sm::kManagerConditions.trap_storm), 0u)
      << "these are handled; " << lab.tail();
  EXPECT_EQ(lab.heddle().count("cleared: trap storm"), 1u);
}

TEST(TrapStorm, VariedTrapsOfOneHostCauseFewSweepsAndLines) {
  Quiet lab;
  ASSERT_TRUE(lab.start_and_settle());
  const std::uint64_t sweeps = lab.all_sweeps();
  const std::size_t lines = lab.lines();
  mad::Notice notice;
  for (unsigned i = 0; i < 10'000; ++i) {
    // Generic and vendor's, of all numbers, about anybody and anything.
    for (std::size_t byte = 0; byte < notice.bytes().size(); ++byte)
      notice.bytes()[byte] = static_cast<std::uint8_t>((i + 1) * 2654435761u >> (byte % 24));
    notice.set_is_generic(i % 3 != 0);
    constexpr std::array kNumbers{128, 129, 130, 131, 144, 145, 256, 257, 258, 64, 66};
    notice.set_trap_number(static_cast<mad::TrapNumber>(
        i % 2 == 0 ? kNumbers[i / 2 % kNumbers.size()] : static_cast<int>(i)));
    lab.inject(notice, lab.lid("H5"));
    lab.runtime.run_for(6ms);
  }
  EXPECT_LE(lab.all_sweeps() - sweeps, 65u) << "in a minute";
  EXPECT_LE(lab.lines() - lines, 250u);
  EXPECT_EQ(lab.sets(), 0u);
  EXPECT_EQ(lab.complaint(), "");
}

/// Violations and link errors are reported in words, and cause no sweep beyond one of states.
TEST(Violations, AreConditionsThatNameBothEnds) {
  Quiet lab;
  ASSERT_TRUE(lab.start_and_settle());
  const std::uint64_t sweeps = lab.status().sweeps;
  const mad::Lid from = lab.lid("H4"), to = lab.lid("H5");
  const std::string ends = fmt::format("(LID {}) to \"H5", from);
  lab.world.report_bad_key(lab.port("H5"), mad::TrapNumber::bad_p_key, from, to, 0x8001, {});
  lab.settle();
  EXPECT_TRUE(lab.says("P_Key violation: \"H4")) << lab.tail();
  EXPECT_TRUE(lab.says(ends)) << lab.tail();
  EXPECT_TRUE(lab.says(", P_Key 0x8001, at \"H5")) << lab.tail();
  EXPECT_EQ(lab.occurred(sm::kManagerConditions.p_key_violation), 1u);
  lab.world.report_bad_key(lab.port("H5"), mad::TrapNumber::bad_q_key, from, {0xBEEF}, 0xDEAD, {});
  lab.settle();
  EXPECT_TRUE(lab.says("to LID 48879, which no port has, Q_Key 0x0000dead, at \"H5")) << lab.tail();
  const sim::PortIndex leaf = lab.far(lab.port("H4"));
  lab.world.report_bad_key(leaf, mad::TrapNumber::switch_bad_p_key, from, to, 0x8002, {});
  lab.settle();
  EXPECT_TRUE(
      lab.says(fmt::format("P_Key 0x8002, at \"{}\"", lab.model.owning_node(leaf).description)))
      << lab.tail();
  EXPECT_TRUE(lab.says(fmt::format("port {} [SM-PKEY-VIOLATION]", lab.model.ports[leaf].number)))
      << lab.tail();
  lab.world.report_link_error(leaf, mad::TrapNumber::excessive_buffer_overrun);
  lab.settle();
  EXPECT_TRUE(lab.says("excessive buffer overruns (trap 130); the other end is \"H4"))
      << lab.tail();
  EXPECT_FALSE(lab.says("num:257")) << "the condition has its words";
  EXPECT_EQ(lab.status().sweeps, sweeps) << lab.tail();
}

TEST(Violations, OfOneHostAreOneConditionAndFewLines) {
  Quiet lab;
  ASSERT_TRUE(lab.start_and_settle());
  const std::size_t lines = lab.lines();
  auto notice = Quiet::generic<mad::BadKeyNotice>(mad::TrapNumber::bad_p_key);
  for (unsigned i = 0; i < 600; ++i) {
    notice.set_lid1({static_cast<std::uint16_t>(i + 1)});
    notice.set_lid2({static_cast<std::uint16_t>(2 * i + 1)});
    lab.inject(mad::Notice::of(notice), lab.lid("H5"));
    lab.runtime.run_for(100ms);
  }
  EXPECT_EQ(lab.occurred(sm::kManagerConditions.p_key_violation), 1u);
  EXPECT_LE(lab.lines() - lines, 40u) << lab.tail();
}

TEST(TrapStorm, BabblingPortPolicyDisablesThePortInFrontOfTheHost) {
  for (const bool policy : {false, true}) {
    Quiet lab;
    lab.options.babbling_port_policy = policy;
    ASSERT_TRUE(lab.start_and_settle());
    auto error = Quiet::generic<mad::LinkErrorNotice>(mad::TrapNumber::local_link_integrity);
    error.set_lid(lab.lid("H5"));
    error.set_port({1});
    for (unsigned i = 0; i < 300; ++i) {
      lab.inject(mad::Notice::of(error), lab.lid("H5"));
      lab.runtime.run_for(100ms);
    }
    EXPECT_EQ(lab.model.link_up(lab.port("H5")), !policy) << lab.tail();
    EXPECT_EQ(
        lab.info(lab.far(lab.port("H5"))).port_physical_state() == mad::PortPhysicalState::disabled,
        policy);
    EXPECT_EQ(lab.says("SM-PORT-DISABLED"), policy);
    // An agent cannot disable the manager's own link.
    error.set_lid(lab.lid("S0"));
    error.set_port({lab.model.ports[lab.far(lab.own())].number});
    for (unsigned i = 0; i < 300; ++i) lab.inject(mad::Notice::of(error), lab.lid("S0"));
    lab.settle();
    EXPECT_TRUE(lab.model.link_up(lab.own()));
  }
}

TEST(TrapStorm, ADisabledPortIsAConditionUntilItIsEnabled) {
  Quiet lab;
  lab.options.babbling_port_policy = true;
  lab.options.audit_interval = 60;
  ASSERT_TRUE(lab.start_and_settle());
  auto error = Quiet::generic<mad::LinkErrorNotice>(mad::TrapNumber::local_link_integrity);
  error.set_lid(lab.lid("H5"));
  error.set_port({1});
  const sim::PortIndex front = lab.far(lab.port("H5"));
  for (unsigned i = 0; i < 300; ++i) {
    lab.inject(mad::Notice::of(error), lab.lid("H5"));
    lab.runtime.run_for(100ms);
  }
  lab.runtime.run_for(30min);
  EXPECT_EQ(lab.raised(sm::kManagerConditions.port_disabled), 1u) << lab.tail();
  // An operator enables it.
  lab.info(front).set_port_physical_state(mad::PortPhysicalState::polling);
  lab.world.try_to_train(front);
  lab.runtime.run_for(5min);
  EXPECT_TRUE(lab.model.link_up(front));
  EXPECT_EQ(lab.raised(sm::kManagerConditions.port_disabled), 0u) << lab.tail();
}

TEST(TrapStorm, NoPortOfASwitchIsDisabledThatIsWhereTheBabblingOneWas) {
  Quiet lab(topology::row({.switches = 3, .cables = 1, .hosts_per_switch = 3}));
  lab.options.babbling_port_policy = true;
  ASSERT_TRUE(lab.start_and_settle());
  auto error = Quiet::generic<mad::LinkErrorNotice>(mad::TrapNumber::local_link_integrity);
  error.set_lid(lab.lid("H5"));
  error.set_port({1});
  for (unsigned i = 0; i < 249; ++i) {
    lab.inject(mad::Notice::of(error), lab.lid("H5"));
    lab.runtime.run_for(100ms);
  }
  ASSERT_FALSE(lab.says("SM-PORT-DISABLED"));
  // The cable to H5's switch leads to another one now, which does not say so.
  lab.withhold_traps(true);
  const sim::NodeModel &before = lab.node("S1"), &now = lab.node("S2");
  const sim::PortIndex place = lab.far(before.first_port + route_from_s1(lab).hops()[1]);
  const sim::PortIndex host = lab.port("H8"), end = lab.far(host);
  lab.world.cut(place);
  lab.world.cut(host);
  lab.plug(place, end);
  ASSERT_EQ(lab.neighbour(place), lab.model.find("S2"));
  lab.inject(mad::Notice::of(error), lab.lid("H5"));
  lab.settle();
  EXPECT_FALSE(lab.says("SM-PORT-DISABLED")) << lab.tail();
  EXPECT_TRUE(lab.says("the port is not disabled, and is read again")) << lab.tail();
  for (const sim::NodeModel* const node : {&before, &now})
    for (unsigned number = 1; number <= node->port_count(); ++number)
      EXPECT_NE(lab.info(node->first_port + number).port_physical_state(),
                mad::PortPhysicalState::disabled)
          << node->description << " port " << number;
}

TEST(TrapStorm, TrapsDuringTheFirstSweepAreFewLines) {
  Quiet lab(topology::row({.switches = 30, .cables = 1, .hosts_per_switch = 1}));
  hand_made::bring_up(lab.model);
  lab.start();
  for (unsigned round = 0; round < 7; ++round) {
    for (unsigned number = 0; number < 30; ++number)
      lab.inject_link_state(lab.lid(fmt::format("S{}", number)));
    lab.runtime.run_for(500us);
  }
  ASSERT_TRUE(lab.heals());
  EXPECT_TRUE(lab.says("SUBNET UP"));
  lab.settle();
  EXPECT_LE(lab.heddle().count("Received Generic Notice") + lab.heddle().count("unknown node"), 30u)
      << lab.log();
}

// ------------------------------------------------------------------------------------------
// P_Key tables, to which any host can write where there are no M_Keys

/// Without light sweeps and audits only traps show what a program on H5 has written.
struct Written : Quiet {
  Written() : attacker(world.attach(port("H5"))) {}

  /// SubnSet(P_KeyTable) of a port of the node with this LID: one key that no other port has.
  void write(mad::Lid to, mad::PortNum number = {}) {
    mad::PKeyTable keys;
    keys.set_p_key(0, mad::PKey{0x7777});
    mad::MadBytes bytes;
    mad::make_lid_smp(bytes, mad::Method::set, mad::AttributeId::p_key_table,
                      mad::PKeyTable::modifier(0, number), {}, ++transaction)
        .set_data(std::as_const(keys).bytes());
    attacker->send(bytes, {.lid = to}, 0);
    runtime.run_for(1ms);
  }
  void write_front(const std::string& host) {
    const sim::PortIndex front = far(port(host));
    write(info(model.owning_node(front).first_port).lid(), {model.ports[front].number});
  }
  mad::PKeyTable keys(sim::PortIndex of) const { return model.p_keys(of, 0); }
  /// Sends a packet of the default partition.
  sim::Drop send(const std::string& from, sim::PortIndex to) {
    sim::PacketHeader packet;
    packet.dlid = info(to).lid();
    return world.send_data(port(from), packet).drop;
  }
  /// Returns the virtual time until the table has these keys; nullopt if it has not in a minute.
  std::optional<mad::Duration> time_until(sim::PortIndex of, const mad::PKeyTable& has) {
    const mad::TimePoint begin = runtime.now();
    if (!runtime.run_until([&] { return keys(of) == has; }, 1min)) return std::nullopt;
    return runtime.now() - begin;
  }

  std::unique_ptr<sim::Attachment> attacker;
  std::uint64_t transaction = 0xA000;
};

TEST(PKeyTables, OfTheManagersPortAreMendedAfterTheFirstLostRequest) {
  Written lab;
  ASSERT_TRUE(lab.start_and_settle());
  sim::SaClient client(lab.runtime, lab.world, lab.port("H1"));
  const sim::SaRequest request{.method = mad::Method::get,
                               .attribute = mad::SaAttributeId::class_port_info};
  ASSERT_TRUE(client.query(request));
  const mad::PKeyTable before = lab.keys(lab.own());
  const std::uint64_t sweeps = lab.all_sweeps();
  lab.write(lab.info(lab.own()).lid());
  ASSERT_FALSE(lab.keys(lab.own()) == before) << "the port takes it";
  const mad::TimePoint begin = lab.runtime.now();
  EXPECT_TRUE(client.query(request)) << lab.tail();
  EXPECT_LE(lab.runtime.now() - begin, sim::SaClient::kTimeout + 1s) << "the second try";
  EXPECT_TRUE(lab.keys(lab.own()) == before);
  EXPECT_TRUE(
      lab.says("P_KeyTable block 0 of port 1; it had to be read again and mended "
               "[SM-AUDIT-DIFFERENCE]"))
      << lab.tail();
  EXPECT_EQ(lab.all_sweeps(), sweeps + 1) << "of the own node";
}

TEST(PKeyTables, OfTheManagersPortAreMendedByTheLightSweepWithoutTraps) {
  Written lab;
  lab.options.sweep_interval = 10;
  ASSERT_TRUE(lab.start_and_settle());
  lab.withhold_traps(true);
  for (const sim::PortIndex port : {lab.own(), lab.far(lab.own())}) {
    const mad::PKeyTable before = lab.keys(port);
    lab.write(
        lab.info(lab.model.management_port(port)).lid(),
        {lab.model.owning_node(port).is_switch() ? lab.model.ports[port].number : std::uint8_t{0}});
    ASSERT_FALSE(lab.keys(port) == before);
    const auto time = lab.time_until(port, before);
    ASSERT_TRUE(time) << lab.tail();
    EXPECT_LE(*time, 11s);
  }
}

TEST(PKeyTables, OfAHostAreMendedAfterTheFirstLostPacket) {
  Written lab;
  ASSERT_TRUE(lab.start_and_settle());
  const sim::PortIndex victim = lab.port("H3");
  const mad::PKeyTable before = lab.keys(victim);
  lab.write(lab.info(victim).lid());
  ASSERT_EQ(lab.send("H1", victim), sim::Drop::p_key_end);
  const auto time = lab.time_until(victim, before);
  ASSERT_TRUE(time) << lab.tail();
  EXPECT_LE(*time, 1s);
  EXPECT_EQ(lab.send("H1", victim), sim::Drop::none);
  EXPECT_TRUE(lab.says("\"H3")) << lab.tail();
  EXPECT_TRUE(lab.says("P_KeyTable block 0 of port 1; it had to be read again and mended"))
      << lab.tail();
}

/// Its own packets have a foreign key, and the switch in front of it drops them.
TEST(PKeyTables, OfAHostThatSendsAreMendedAfterItsFirstLostPacket) {
  Written lab;
  ASSERT_TRUE(lab.start_and_settle());
  const sim::PortIndex victim = lab.port("H3");
  const mad::PKeyTable before = lab.keys(victim);
  sim::SaClient client(lab.runtime, lab.world, victim);
  lab.write(lab.info(victim).lid());
  ASSERT_FALSE(lab.keys(victim) == before);
  EXPECT_TRUE(
      client.query({.method = mad::Method::get, .attribute = mad::SaAttributeId::class_port_info}))
      << lab.tail();
  EXPECT_TRUE(lab.keys(victim) == before) << lab.tail();
}

TEST(PKeyTables, OfASwitchPortAreMendedAfterTheFirstLostPacket) {
  for (const bool sends : {true, false}) {
    Written lab;
    ASSERT_TRUE(lab.start_and_settle());
    const sim::PortIndex front = lab.far(lab.port("H3"));
    const mad::PKeyTable before = lab.keys(front);
    lab.write_front("H3");
    ASSERT_FALSE(lab.keys(front) == before);
    const auto drop = [&] {
      return sends ? lab.send("H3", lab.port("H1")) : lab.send("H1", lab.port("H3"));
    };
    ASSERT_EQ(drop(), sends ? sim::Drop::p_key_in : sim::Drop::p_key_out);
    const auto time = lab.time_until(front, before);
    ASSERT_TRUE(time) << lab.tail();
    EXPECT_LE(*time, 1s);
    EXPECT_EQ(drop(), sim::Drop::none);
    lab.settle();
    EXPECT_EQ(lab.complaint(), "") << lab.tail();
  }
}

/// Each trap names other ports as the ends of a packet that was never sent.
TEST(PKeyTables, AreReadAFewTimesASecondInAFloodOfForgedTraps) {
  Written lab;
  ASSERT_TRUE(lab.start_and_settle());
  const std::uint64_t sweeps = lab.all_sweeps();
  const sim::PortIndex victim = lab.port("H3");
  const mad::PKeyTable before = lab.keys(victim);
  const unsigned blocks = lab.model.p_key_blocks(victim) + lab.model.p_key_blocks(lab.far(victim));
  unsigned sent = 0;
  const auto flood = [&](mad::Duration time) {
    auto at_end = Quiet::generic<mad::BadKeyNotice>(mad::TrapNumber::bad_p_key);
    auto at_switch = Quiet::generic<mad::SwitchBadPKeyNotice>(mad::TrapNumber::switch_bad_p_key);
    for (const mad::TimePoint end = lab.runtime.now() + time; lab.runtime.now() < end;
         lab.runtime.run_for(1ms)) {
      at_end.set_lid1({static_cast<std::uint16_t>(++sent % 16)});
      at_end.set_lid2({static_cast<std::uint16_t>(sent / 16 % 16)});
      at_switch.set_lid1(at_end.lid1());
      at_switch.set_lid2(at_end.lid2());
      at_switch.set_port({static_cast<std::uint8_t>(sent % 8)});
      lab.inject(mad::Notice::of(at_end), lab.lid("H5"));
      lab.inject(mad::Notice::of(at_switch), lab.lid("H4"));
    }
  };
  flood(60s);
  // In each second, the ports that sent them; in the first one, ports that they named, too.
  EXPECT_LE(lab.sent(mad::Method::get, mad::AttributeId::p_key_table), (60u * 2 + 8 + 8) * blocks)
      << lab.tail();
  EXPECT_EQ(lab.all_sweeps(), sweeps) << "nothing differs: " << lab.tail();
  EXPECT_EQ(lab.sets(), 0u);
  lab.write(lab.info(victim).lid());
  ASSERT_EQ(lab.send("H1", victim), sim::Drop::p_key_end);
  flood(3s);
  EXPECT_TRUE(lab.keys(victim) == before)
      << "a flood delays no other port for long: " << lab.tail();
}

TEST(TrapIssuer, IsTheSourceOfThePacketNotWhatTheNoticeSays) {
  Quiet lab;
  ASSERT_TRUE(lab.start_and_settle());
  const std::uint64_t sweeps = lab.all_sweeps();
  // In the name of a switch: its LID in the notice, and in the header of a directed route.
  lab.inject(Quiet::link_state(lab.lid("S1")), lab.lid("H5"));
  lab.runtime.run_for(2s);
  EXPECT_TRUE(lab.says("SM-TRAP-REFUSED")) << lab.tail();
  EXPECT_LE(lab.gets(), 1u) << "the state of H5";
  EXPECT_EQ(lab.all_sweeps(), sweeps);
  mad::Notice notice = Quiet::link_state(lab.lid("S1"));
  notice.set_issuer_lid(lab.lid("S1"));
  mad::MadBytes bytes;
  mad::SmpView trap = mad::make_dr_smp(bytes, mad::Method::trap, mad::AttributeId::notice, 0,
                                       laboratory::route_from_s1(lab), {}, 0x99);
  trap.set_data(notice.bytes());
  lab.heddle().tap().inject(bytes, mad::kPermissiveLid);
  lab.runtime.run_for(2s);
  EXPECT_FALSE(lab.says("(trap 128)")) << lab.tail();
  EXPECT_LE(lab.all_sweeps(), sweeps + 1) << "a light sweep at most";
}

TEST(TrapIssuer, SlidZeroIsTheOwnPort) {
  Quiet lab;
  ASSERT_TRUE(lab.start_and_settle());
  const std::string own = lab.model.nodes[lab.owning_node(lab.own())].description;
  lab.inject(lab.local_change(own, mad::LocalChangeNotice::kNodeDescription), mad::Lid{});
  lab.runtime.run_for(1s);
  EXPECT_EQ(lab.gets(), 1u) << lab.tail();
  EXPECT_FALSE(lab.says("unknown node")) << lab.tail();
}

TEST(TrapIssuer, TrapRepressCarriesAnMKeyOnlyToPortsThatHaveIt) {
  Quiet lab;
  lab.options.m_key = 0x1234;
  ASSERT_TRUE(lab.start_and_settle());
  lab.inject_link_state(lab.lid("S1"));
  EXPECT_EQ(lab.last_response().m_key(), mad::MKey{0x1234});
  lab.inject_link_state(mad::Lid{0x777});
  EXPECT_EQ(lab.last_response().method(), mad::Method::trap_repress);
  EXPECT_EQ(lab.last_response().m_key(), mad::MKey{0});
}

TEST(TrapIssuer, TrapsOfTheSubnetManagerAreNotForwardedFromAHost) {
  struct Lab : laboratory::SaLab {
    Lab() : SaLab(laboratory::two_switches()) {}
  } lab;
  ASSERT_TRUE(lab.start_and_settle());
  ASSERT_EQ(lab.read_status("H4", lab.subscribe_request()), 0);
  for (const int number : {64, 65, 66, 67, 129}) {
    mad::Notice notice;
    notice.set_is_generic(true);
    notice.set_trap_number(static_cast<mad::TrapNumber>(number));
    lab.world.raise(lab.port("H5"), notice);
    lab.runtime.run_for(1s);
  }
  EXPECT_EQ(lab.host("H4").reports.size(), 1u) << "that of trap 129";
  EXPECT_TRUE(lab.says("SM-TRAP-REFUSED")) << lab.tail();
}

}  // namespace traps_test
