// Each check of vports runs on correct ones with one fault and must report it.

#include <gmock/gmock.h>

#include "sim/world/vport_host.h"
#include "sm/ctl/topology/generators.h"
#include "support/check/checks.h"
#include "unit/sim/world/requester.h"

namespace vport_checks_test {

using requester::Requester;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr mad::PKey kTenant{0x8005};
constexpr mad::Mlid kMlid{0xC001};

/// H0 and H3 have vport 1 with a LID of its own and vport 2 without, Active, in partition 5, which
/// the switch ports in front enforce; all four are in one group.
struct GoodVPorts : testing::Test {
  GoodVPorts() : a(topology::row({.switches = 2, .cables = 1, .hosts_per_switch = 2})) {
    a.bring_up();
    std::uint16_t lid = 40;
    for (const char* const host : {"H0", "H3"}) {
      const sim::PortIndex port = a.port(host), edge = model().ports[port].peer;
      sim::enable_virtualization(a.world, port, 8);
      for (const std::uint16_t index : {std::uint16_t{1}, std::uint16_t{2}}) {
        sim::create_vport(a.world, port, index,
                          {.guid = {lid * 0x100u + index}, .lid_required = index == 1});
        sim::activate_vport(a.world, port, index, {lid});
        sim::set_vport_p_keys(model(), port, index, 0, keys({kTenant}));
        expected.p_keys[{lid * 0x100u + index}] = {kTenant.value};
        group.members.insert({port, index});
      }
      sim::end_vport_faults(a.world, port);
      model().set_p_keys(edge, 0, keys({mad::kDefaultPKeyFull, kTenant}));
      model().ports[edge].info.set_partition_enforcement_inbound(true);
      model().ports[edge].info.set_partition_enforcement_outbound(true);
      lid = 50;
    }
    for (const char* const name : {"S0", "S1"})
      node(name).sw->mft.assign(1, std::vector<std::uint16_t>(32, 0));
    const auto bit = [](unsigned number) { return static_cast<std::uint16_t>(1u << number); };
    const auto number = [&](const char* host) {
      return model().ports[model().ports[a.port(host)].peer].number;
    };
    constexpr unsigned kTrunk = 3;
    node("S0").sw->mft[0][1] = static_cast<std::uint16_t>(bit(number("H0")) | bit(kTrunk));
    node("S1").sw->mft[0][1] = static_cast<std::uint16_t>(bit(number("H3")) | bit(kTrunk));
    expected.vports_enabled = true;
    // The change that enabling them was, as a manager clears it.
    for (const char* const host : {"H0", "H3"}) clear_change(host);
  }
  sim::Model& model() { return a.world.model; }
  sim::NodeModel& node(const char* name) { return model().nodes[model().find(name)]; }
  static mad::PKeyTable keys(std::initializer_list<mad::PKey> all) {
    mad::PKeyTable table;
    unsigned entry = 0;
    for (const mad::PKey key : all) table.set_p_key(entry++, key);
    return table;
  }
  void edit(const char* host, const std::function<void(mad::VirtualizationInfo&)>& change) {
    mad::VirtualizationInfo info = sim::virtualization_info(model().ports[a.port(host)]);
    change(info);
    std::ranges::copy(info.bytes(), model().extras(a.port(host)).virtualization_info.begin());
  }
  void clear_change(const char* host) {
    edit(host, [](mad::VirtualizationInfo& info) { info.set_vport_state_change(false); });
  }
  sim::Complaints complaints() {
    return sim::check_vports(model(), sim::reachable(model(), a.port("H1")), expected);
  }
  sim::Complaints multicast() { return sim::check_vport_multicast(model(), {&group, 1}); }
  sim::Complaints enforcement() {
    sim::Expected all = expected;
    all.enforce_inbound = all.enforce_outbound = true;
    sim::Complaints about_h0;
    for (const std::string& each :
         sim::check_enforcement(model(), sim::reachable(model(), a.port("H1")), all))
      if (each.find("enforces") != std::string::npos) about_h0.push_back(each);
    return about_h0;
  }

  Requester a;
  sim::Expected expected;
  sim::ExpectedVPortGroup group{.mlid = kMlid, .p_key = kTenant, .members = {}};
};

TEST_F(GoodVPorts, HaveNoComplaint) {
  EXPECT_THAT(complaints(), IsEmpty());
  EXPECT_THAT(multicast(), IsEmpty());
  EXPECT_THAT(enforcement(), IsEmpty());
}

TEST_F(GoodVPorts, StatesAreCompared) {
  sim::rebind_vport(a.world, a.port("H0"), 1);
  EXPECT_THAT(complaints(), Contains("H0 port 1 vport 1 is Init"));
  EXPECT_THAT(complaints(), Contains("H0 port 1 has VPortStateChange"));
  expected.vports_left_alone.insert(mad::Guid{40 * 0x100 + 1});
  clear_change("H0");
  EXPECT_THAT(complaints(), IsEmpty());
  sim::set_vport_policy(a.world, a.port("H0"), 2, sim::VPortPolicy::down);
  clear_change("H0");
  EXPECT_THAT(complaints(), IsEmpty()) << "the host keeps it Down";
  edit("H3", [](mad::VirtualizationInfo& info) { info.set_virtualization_enable(false); });
  EXPECT_THAT(complaints(), Contains("H3 port 1 has VirtualizationEnable 0, not 1"));
  expected.vports_enabled = false;
  EXPECT_THAT(complaints(), Contains("H0 port 1 has VirtualizationEnable 1, not 0"));
}

TEST_F(GoodVPorts, OneGuidIsActiveOnce) {
  sim::set_vport_guid(a.world, a.port("H3"), 2, {40 * 0x100 + 2});
  clear_change("H3");
  EXPECT_THAT(complaints(), testing::Not(Contains("H3 port 1 vport 2 is Init")))
      << "one of both is served";
  sim::activate_vport(a.world, a.port("H3"), 2);
  EXPECT_THAT(complaints(), Contains(HasSubstr("vport 2 are Active with GUID")));
}

TEST_F(GoodVPorts, LidsAreForwardedAsThePorts) {
  node("S1").sw->lft[40] = 1;
  EXPECT_THAT(complaints(),
              Contains(HasSubstr("S1 forwards LID 40 of H0 port 1 vport 1 to port 1")));
  mad::VPortInfo info = sim::vport_info(model().extras(a.port("H0")).vports.at(1));
  info.set_vport_lid({});
  sim::set_vport_info(model().extras(a.port("H0")).vports.at(1), info);
  EXPECT_THAT(complaints(), Contains("H0 port 1 vport 1 has no LID"));
}

TEST_F(GoodVPorts, KeysAreComparedAndEnforcedByTheSwitchPort) {
  sim::set_vport_p_keys(model(), a.port("H0"), 2, 0, keys({mad::PKey{0x8006}}));
  EXPECT_THAT(complaints(), Contains("H0 port 1 vport 2 has P_Keys 0x8006, not 0x8005"));
  EXPECT_THAT(enforcement(), Contains(HasSubstr("S0 port")));
  model().set_p_keys(model().ports[a.port("H0")].peer, 0,
                     keys({mad::kDefaultPKeyFull, kTenant, mad::PKey{0x8006}}));
  EXPECT_THAT(enforcement(), IsEmpty());
  model().set_p_keys(model().ports[a.port("H0")].peer, 0,
                     keys({mad::kDefaultPKeyFull, kTenant, mad::PKey{0x8006}, mad::PKey{0x8007}}));
  EXPECT_THAT(enforcement(), Contains(HasSubstr("S0 port"))) << "a key that is not given back";
}

TEST_F(GoodVPorts, PacketsOfGroupsReachAllMembers) {
  sim::set_vport_p_keys(model(), a.port("H3"), 2, 0, keys({mad::PKey{0x8006}}));
  EXPECT_THAT(multicast(),
              Contains("MLID 0xc001: H3 port 1 vport 2 gets no packet of H0 port 1 vport 1"));
  sim::set_vport_p_keys(model(), a.port("H3"), 2, 0, keys({kTenant}));
  EXPECT_THAT(multicast(), IsEmpty());
  node("S0").sw->mft[0][1] = 0;
  EXPECT_THAT(multicast(),
              Contains("MLID 0xc001: H3 port 1 vport 1 gets no packet of H0 port 1 vport 1"));
}

TEST_F(GoodVPorts, PathsAreThoseOfVPorts) {
  const sim::VPortPlace from{a.port("H0"), 2}, to{a.port("H3"), 1};
  mad::PathRecord record;
  record.set<"SLID">(a.lid("H0"));
  record.set<"DLID">(mad::Lid{50});
  record.set<"P_Key">(kTenant);
  record.set<"HopLimit">(std::uint8_t{2});
  record.set<"Reversible">(true);
  const auto wrong = [&](sim::VPortPlace source, sim::VPortPlace destination) {
    return sim::first_complaint(sim::check_path_record(model(), source, destination, record));
  };
  EXPECT_THAT(wrong(from, to), HasSubstr("MTU 0"));
  record.set<"MTU">(static_cast<std::uint8_t>(mad::Mtu::mtu_4096));
  EXPECT_THAT(wrong(from, to), HasSubstr("rate"));
  record.set<"HopLimit">(std::uint8_t{0});
  EXPECT_THAT(wrong(from, to), HasSubstr("HopLimit 0"));
  record.set<"HopLimit">(std::uint8_t{2});
  record.set<"DLID">(a.lid("H3"));
  EXPECT_THAT(wrong(from, to), HasSubstr("is not the destination's"));
  record.set<"DLID">(mad::Lid{50});
  record.set<"P_Key">(mad::kDefaultPKeyFull);
  EXPECT_THAT(wrong(from, to), HasSubstr("P_Key not in the table of the sending vport"));
  record.set<"P_Key">(kTenant);
  record.set<"DLID">(a.lid("H0"));
  EXPECT_EQ(wrong(from, {a.port("H0"), 1}),
            "PathRecord H0 port 1 vport 2 -> H0 port 1 vport 1: "
            "DLID " +
                std::to_string(a.lid("H0").value) + " is not the destination's");
  record.set<"DLID">(mad::Lid{40});
  EXPECT_EQ(wrong(from, {a.port("H0"), 1}), "") << "within one host no link limits it";
}

}  // namespace vport_checks_test
