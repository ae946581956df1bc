#include "unit/sim/world/requester.h"

#include <gmock/gmock.h>

#include "mad/attributes/virtualization.h"
#include "sim/world/forwarding.h"
#include "sm/ctl/topology/generators.h"
#include "support/check/checks.h"

namespace walker_test {

using requester::Requester;
using sim::Drop;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

topology::Topology pair() {
  return topology::row({.switches = 2, .cables = 1, .hosts_per_switch = 2});
}

struct Walker : testing::Test {
  Walker() : a(pair()) { a.bring_up(); }
  Drop walk(const std::string& from, const std::string& to, sim::PacketHeader packet = {}) {
    packet.dlid = a.lid(to);
    return sim::walk_unicast(a.world.model, a.port(from), packet).drop;
  }
  void give_key(const std::string& host, std::uint16_t key) {
    mad::PKeyTable keys = a.world.model.p_keys(a.port(host), 0);
    keys.set_p_key(1, {key});
    a.world.model.set_p_keys(a.port(host), 0, keys);
  }
  void set_mft(const std::string& sw, std::uint16_t mlid, std::uint16_t mask) {
    auto& mft = a.world.model.nodes[a.world.model.find(sw)].sw->mft;
    mft.resize(1);
    mft[0].resize(32);
    mft[0][mlid - 0xC000u] = mask;
  }
  Requester a;
};

TEST_F(Walker, FollowsTheTablesToTheOwnerOfTheLid) {
  std::vector<sim::Hop> hops;
  const auto found = sim::walk_unicast(a.world.model, a.port("H0"), {.dlid = a.lid("H3")}, &hops);
  EXPECT_TRUE(found.delivered());
  EXPECT_EQ(found.end, a.port("H3"));
  EXPECT_EQ(hops.size(), 3u);
  EXPECT_EQ(walk_unicast(a.world.model, a.port("H0"), {.dlid = a.lid("S1")}).end, a.port("S1", 0));
  EXPECT_EQ(walk("H0", "H0"), Drop::none) << "to itself";
}

TEST_F(Walker, ReportsWhyAPacketIsDropped) {
  const auto lft = [&](const std::string& sw) -> std::uint8_t& {
    return a.world.model.nodes[a.world.model.find(sw)].sw->lft[a.lid("H3").value];
  };
  const std::uint8_t right = lft("S1");
  lft("S1") = mad::kNoPort.value;
  EXPECT_EQ(walk("H0", "H3"), Drop::no_route);
  lft("S1") = a.world.model.ports[a.world.model.ports[a.port("S0", 3)].peer].number;
  EXPECT_EQ(walk("H0", "H3"), Drop::too_long) << "back and forth";
  lft("S1") = a.world.model.ports[a.world.model.ports[a.port("H2")].peer].number;
  EXPECT_EQ(walk("H0", "H3"), Drop::wrong_end);
  lft("S1") = right;
  a.info("H3").set_port_state(mad::PortState::init);
  EXPECT_EQ(walk("H0", "H3"), Drop::not_active);
  EXPECT_EQ(walk("H0", "H3", {.management = true}), Drop::none) << "VL 15 passes";
  a.info("H3").set_port_state(mad::PortState::active);
  a.world.model.nodes[a.world.model.find("S1")].health.silent = true;
  EXPECT_EQ(walk("H0", "H3"), Drop::dead_node);
  a.world.model.nodes[a.world.model.find("S1")].health.silent = false;
  a.world.cut(a.port("H3"));
  EXPECT_EQ(walk("H0", "H3"), Drop::no_link);
}

TEST_F(Walker, LimitedMembersDoNotReachEachOther) {
  give_key("H0", 0x8001);
  give_key("H1", 0x0001);
  give_key("H2", 0x0001);
  EXPECT_EQ(walk("H0", "H1", {.p_key = {0x8001}}), Drop::none);
  EXPECT_EQ(walk("H1", "H0", {.p_key = {0x0001}}), Drop::none);
  EXPECT_EQ(walk("H1", "H2", {.p_key = {0x0001}}), Drop::p_key_end);
  EXPECT_EQ(walk("H0", "H3", {.p_key = {0x8001}}), Drop::p_key_end);
}

TEST_F(Walker, ServiceLevelsUseTheirVls) {
  auto& sw = *a.world.model.nodes[a.world.model.find("S0")].sw;
  const unsigned side = a.world.model.nodes[a.world.model.find("S0")].port_count() + 1;
  sw.sl_to_vl.assign(side * side, sim::SlToVl{0x01, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0xFF});
  std::vector<sim::Hop> hops;
  EXPECT_TRUE(
      sim::walk_unicast(a.world.model, a.port("H0"), {.dlid = a.lid("H3"), .sl = {1}}, &hops)
          .delivered());
  EXPECT_EQ(hops[1].vl, mad::Vl{1});
  EXPECT_EQ(walk("H0", "H3", {.sl = {15}}), Drop::vl);
}

TEST_F(Walker, VirtualPortsAreDistinguishedByLidOrGid) {
  sim::PortExtras& extras = a.world.model.extras(a.port("H3"));
  mad::VPortInfo own_lid, shared;
  own_lid.set_lid_required(true);
  own_lid.set_vport_lid({40});
  own_lid.set_port_guid({0x111});
  shared.set_port_guid({0x222});
  own_lid.set_vport_state(mad::PortState::active);
  shared.set_vport_state(mad::PortState::active);
  mad::VirtualizationInfo enabled;
  enabled.set_virtualization_enable(true);
  std::ranges::copy(enabled.bytes(), extras.virtualization_info.begin());
  std::ranges::copy(own_lid.bytes(), extras.vports[1].info.begin());
  std::ranges::copy(shared.bytes(), extras.vports[2].info.begin());
  for (const std::uint16_t index : {std::uint16_t{1}, std::uint16_t{2}}) {
    extras.vports[index].p_keys.resize(1);
    extras.vports[index].p_keys[0].set_p_key(0, {0x8007});
  }
  for (sim::NodeModel& node : a.world.model.nodes) {
    if (!node.is_switch()) continue;
    node.sw->info.set_linear_fdb_top(60);
    node.sw->lft[40] = node.sw->lft[a.lid("H3").value];
  }
  const auto walk = [&](mad::Lid lid, std::optional<mad::Gid> gid) {
    return sim::walk_unicast(a.world.model, a.port("H0"),
                             {.dlid = lid, .p_key = {0x8007}, .dgid = gid});
  };
  EXPECT_EQ(walk({40}, std::nullopt).vport, 1);
  EXPECT_EQ(walk(a.lid("H3"), mad::Gid{0, {0x222}}).vport, 2);
  EXPECT_EQ(walk(a.lid("H3"), mad::Gid{0, {0x333}}).drop, Drop::no_vport);
  EXPECT_EQ(walk(a.lid("H3"), std::nullopt).drop, Drop::p_key_end)
      << "the physical port has other keys";
}

TEST_F(Walker, MulticastReachesEveryMemberOnce) {
  const unsigned trunk0 = 3,
                 trunk1 = a.world.model.ports[a.world.model.ports[a.port("S0", 3)].peer].number;
  const auto at = [&](const std::string& host) {
    return a.world.model.ports[a.world.model.ports[a.port(host)].peer].number;
  };
  const auto bit = [](unsigned port) { return static_cast<std::uint16_t>(1u << port); };
  set_mft("S0", 0xC001, static_cast<std::uint16_t>(bit(at("H0")) | bit(trunk0)));
  set_mft("S1", 0xC001, static_cast<std::uint16_t>(bit(at("H2")) | bit(at("H3")) | bit(trunk1)));
  const auto copies = sim::walk_multicast(a.world.model, a.port("H0"), {.dlid = mad::Lid{0xC001}});
  EXPECT_THAT(copies.delivered, UnorderedElementsAre(a.port("H2"), a.port("H3")));
  EXPECT_FALSE(copies.forwarding_loop);
  const sim::ExpectedGroup group{.mlid = {0xC001},
                                 .members = {a.port("H0"), a.port("H2"), a.port("H3")}};
  EXPECT_THAT(sim::check_multicast(a.world.model, {&group, 1}), IsEmpty());
  const sim::ExpectedGroup other{.mlid = {0xC001},
                                 .members = {a.port("H0"), a.port("H1"), a.port("H2")}};
  EXPECT_THAT(sim::check_multicast(a.world.model, {&other, 1}), Not(IsEmpty()))
      << "H1 receives nothing, H3 is not a member";
}

TEST(Loops, OfMulticastAndCreditsAreFound) {
  // Three switches in a ring, a host at each.
  Requester a(topology::torus({.dimensions = {3}, .hosts_per_switch = 1}));
  a.bring_up();
  sim::Model& model = a.world.model;
  const std::vector<bool> reach = sim::reachable(model, a.port("H0"));
  EXPECT_THAT(sim::check_master(model, reach),
              testing::ElementsAre(testing::HasSubstr("runs no subnet manager")));
  EXPECT_THAT(sim::check_credit_loops(model, reach), IsEmpty())
      << "shortest paths in a ring of three have one link";

  // All packets go in one direction around the ring: credit loop.
  const auto next = [&](sim::NodeIndex sw, bool up) {
    for (unsigned number = 1; number <= model.nodes[sw].port_count(); ++number) {
      const sim::PortIndex far = model.ports[model.nodes[sw].first_port + number].peer;
      if (far == sim::kNone || !model.owning_node(far).is_switch()) continue;
      const sim::NodeIndex first = model.find("S0");
      constexpr unsigned count = 3;
      if ((model.ports[far].node - first) == (sw - first + (up ? 1 : count - 1)) % count)
        return number;
    }
    return 0u;
  };
  for (const char* name : {"S0", "S1", "S2"}) {
    const sim::NodeIndex sw = model.find(name);
    auto& mft = model.nodes[sw].sw->mft;
    mft.assign(1, std::vector<std::uint16_t>(32, 0));
    mft[0][1] = static_cast<std::uint16_t>(1u << next(sw, true) | 1u << next(sw, false));
    for (const sim::PortIndex port : model.ports.indices()) {
      const mad::Lid lid = model.ports[port].info.lid();
      if (lid == mad::Lid{}) continue;
      auto& entry = model.nodes[sw].sw->lft[lid.value];
      const bool leads_to_switch =
          entry != 0 &&
          model.owning_node(model.ports[model.nodes[sw].first_port + entry].peer).is_switch();
      if (leads_to_switch) entry = static_cast<std::uint8_t>(next(sw, true));
    }
  }
  EXPECT_THAT(sim::check_paths(model, reach), IsEmpty());
  EXPECT_THAT(sim::check_credit_loops(model, reach), Not(IsEmpty()));
  EXPECT_TRUE(sim::walk_multicast(model, a.port("H0"), {.dlid = mad::Lid{0xC001}}).forwarding_loop);
}

TEST_F(Walker, ChecksNameTheFaultyPort) {
  sim::Model& model = a.world.model;
  const auto reach = sim::reachable(model, a.port("H0"));
  EXPECT_THAT(sim::check_links(model, reach), IsEmpty());
  EXPECT_THAT(sim::check_lids(model, reach), IsEmpty());
  EXPECT_THAT(sim::check_paths(model, reach), IsEmpty());
  a.info("H2").set_lid(a.lid("H1"));
  EXPECT_THAT(sim::first_complaint(sim::check_lids(model, reach)),
              testing::HasSubstr("belongs to"));
  a.info("H3").set_port_state(mad::PortState::armed);
  EXPECT_THAT(sim::first_complaint(sim::check_links(model, reach)),
              testing::HasSubstr("H3 port 1 is Armed"));
  EXPECT_THAT(sim::check_p_keys(model, {{model.ports[a.port("H1")].guid, {0xFFFF}}}), IsEmpty());
  EXPECT_THAT(sim::check_p_keys(model, {{model.ports[a.port("H1")].guid, {0xFFFF, 0x8001}}}),
              Not(IsEmpty()));
  a.world.cut(a.port("S0", 3));
  EXPECT_FALSE(sim::reachable(model, a.port("H0"))[model.find("S1")]);
}

}  // namespace walker_test
