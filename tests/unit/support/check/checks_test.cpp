// Each check runs on a correct subnet with one fault and must report it, with the node and the
// port.

#include <gmock/gmock.h>

#include "mad/path_units.h"
#include "sim/world/vendor_features.h"
#include "sm/ctl/topology/generators.h"
#include "support/check/checks.h"
#include "unit/sim/world/requester.h"

namespace checks_test {

using requester::Requester;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr mad::MKey kMKey{0x1122334455667788};
constexpr std::uint64_t kPrefix = 0xfec0000000000001;
constexpr mad::Mlid kMlid{0xC001};
constexpr mad::PKey kPartition{0x8005};
constexpr std::uint8_t kMtu2048 = 4, kMtu4096 = 5;  // codes

/// Two switches and four hosts, programmed by hand as expected. H0 runs the subnet manager; all
/// hosts are full members of partition 5, and all but H1 of a group.
class GoodSubnet {
 public:
  GoodSubnet() : a(topology::row({.switches = 2, .cables = 1, .hosts_per_switch = 2})) {
    a.bring_up();
    a.program->set_is_sm(true);
    expected.master = a.port("H0");
    expected.m_key = kMKey;
    expected.m_key_protect_bits = 1;
    expected.m_key_lease_period_s = 60;
    expected.gid_prefix = kPrefix;
    expected.operational_vls_max = 3;  // 4 VLs
    expected.sl_to_vl = sim::kIdentitySlToVl;
    expected.groups = {{.mlid = kMlid, .members = {a.port("H0"), a.port("H2"), a.port("H3")}}};
    // S1 port 3 supports 2048 bytes, which the link between the switches therefore has.
    a.info("S1", 3).set_mtu_cap(mad::Mtu::mtu_2048);
    for (const char* name : {"S0", "S1"}) {
      a.info(name, 3).set_neighbor_mtu(mad::Mtu::mtu_2048);
      sim::NodeModel& node = sw(name);
      node.sw->mft.assign(1, std::vector<std::uint16_t>(32, 0));
      for (unsigned number = 1; number <= node.port_count(); ++number) {
        const sim::PortIndex port = a.port(name, number);
        if (number > 2) continue;
        a.world.model.ports[port].info.set_partition_enforcement_inbound(true);
        a.world.model.ports[port].info.set_partition_enforcement_outbound(true);
        give_keys(port);
      }
    }
    set_mft("S0", 1u << 1 | 1u << 3);
    set_mft("S1", 1u << 1 | 1u << 2 | 1u << 3);
    for (sim::PortModel& port : a.world.model.ports) {
      if (port.number != 0) port.info.set_operational_vls(3);
    }
    for (const char* host : {"H0", "H1", "H2", "H3"}) set_end_port(a.port(host));
    for (const char* name : {"S0", "S1"}) set_end_port(a.port(name, 0));
  }

  sim::Complaints complaints() const {
    return sim::check_subnet(a.world.model, a.world.model.port(sim::NodeIndex{0}, 1), expected);
  }
  sim::NodeModel& sw(const std::string& name) {
    return a.world.model.nodes[a.world.model.find(name)];
  }
  std::uint8_t& lft(const std::string& name, const std::string& to) {
    return sw(name).sw->lft[a.lid(to).value];
  }
  void set_mft(const std::string& name, unsigned mask) {
    sw(name).sw->mft[0][kMlid.value - 0xC000u] = static_cast<std::uint16_t>(mask);
  }
  void give_keys(sim::PortIndex port, std::uint16_t second = kPartition.value) {
    mad::PKeyTable keys;
    keys.set_p_key(0, mad::kDefaultPKeyFull);
    keys.set_p_key(1, {second});
    a.world.model.set_p_keys(port, 0, keys);
  }
  mad::PathRecord path(const std::string& from, const std::string& to) {
    mad::PathRecord record;
    record.set<"SLID">(a.lid(from));
    record.set<"DLID">(a.lid(to));
    record.set<"P_Key">(kPartition);
    record.set<"SL">(mad::Sl{2});
    record.set<"Reversible">(true);
    record.set<"MTU">(kMtu2048);
    record.set<"Rate">(mad::link_rate(a.info(from)));
    return record;
  }
  mad::McMemberRecord member(const std::string& host) {
    mad::McMemberRecord record;
    record.set_port_gid({kPrefix, a.world.model.ports[a.port(host)].guid});
    record.set_mlid(kMlid);
    record.set_p_key(mad::kDefaultPKeyFull);
    record.set_mtu(kMtu2048);
    return record;
  }

  Requester a;
  sim::Expected expected;

 private:
  void set_end_port(sim::PortIndex port) {
    mad::PortInfo& info = a.world.model.ports[port].info;
    info.set_m_key(kMKey);
    info.set_m_key_protect_bits(1);
    info.set_m_key_lease_period(60);
    info.set_gid_prefix(kPrefix);
    if (a.world.model.owning_node(port).is_switch()) return;
    give_keys(port);
    expected.p_keys[a.world.model.ports[port].guid] = {0xFFFF, kPartition.value};
  }
};

TEST(Checks, AcceptACorrectSubnet) { EXPECT_THAT(GoodSubnet().complaints(), IsEmpty()); }

TEST(Checks, FollowEveryChoiceOfAdaptiveSwitches) {
  GoodSubnet subnet;
  sim::Model& model = subnet.a.world.model;
  sim::enable_adaptive_routing(model, model.find("S0"));
  sim::ArSwitch& ar = *subnet.sw("S0").sw->adaptive;
  const auto lid = subnet.a.lid("H3").value;
  mad::ArLinearForwardingTable entries;
  for (unsigned entry = 0; entry < entries.kEntries; ++entry)
    entries.set_entry(entry,
                      {.state = entry == lid ? mad::ArLidState::free : mad::ArLidState::static_,
                       .table = 0,
                       .static_port = {subnet.sw("S0").sw->lft[entry]},
                       .group = 1});
  ar.entries.set_block(0, entries);
  mad::ArGroupTable group;
  group.set_port(0, {3});
  ar.groups.set(1, group.sub_group(0));
  ar.info.set_enable(true);
  ar.info.set_group_top(1);
  ar.was_enabled = true;
  EXPECT_THAT(subnet.complaints(), IsEmpty());
  group.set_port(0, {1});
  ar.groups.set(1, group.sub_group(0));
  EXPECT_THAT(
      subnet.complaints(),
      Contains(AllOf(HasSubstr("choice: a packet with SL 0 may go from H1 port 1 to LID 4 (H3"),
                     HasSubstr("does not own the LID, H0 port 1"))));
}

struct Mutation {
  const char* name;
  void (*apply)(GoodSubnet&);
  const char* complaint;  // a part of it
};
void PrintTo(const Mutation& mutation, std::ostream* out) { *out << mutation.name; }

class MutatedSubnet : public testing::TestWithParam<Mutation> {};
TEST_P(MutatedSubnet, IsReportedWithNodeAndPort) {
  GoodSubnet subnet;
  GetParam().apply(subnet);
  EXPECT_THAT(subnet.complaints(), Contains(HasSubstr(GetParam().complaint)));
}

/// One input and output port of S1, SL 2.
void set_vl(GoodSubnet& s, const char* node, unsigned in, unsigned out, std::uint8_t vl) {
  auto& tables = s.sw(node).sw->sl_to_vl;
  const unsigned side = s.sw(node).port_count() + 1;
  if (tables.empty()) {
    sim::SlToVl identity;
    for (unsigned pair = 0; pair < 8; ++pair)
      identity[pair] = static_cast<std::uint8_t>((2 * pair % 4) << 4 | (2 * pair + 1) % 4);
    tables.assign(std::size_t{side} * side, identity);
  }
  tables[in * side + out][1] = static_cast<std::uint8_t>(vl << 4 | 3);
}

INSTANTIATE_TEST_SUITE_P(
    OneThing, MutatedSubnet,
    testing::Values(
        Mutation{"LinkState",
                 [](GoodSubnet& s) { s.a.info("H2").set_port_state(mad::PortState::armed); },
                 "link: H2 port 1 is Armed"},
        Mutation{"DuplicateLid", [](GoodSubnet& s) { s.a.info("H2").set_lid(s.a.lid("H1")); },
                 "belongs to H1 port 1 and to H2 port 1"},
        Mutation{"NoLid", [](GoodSubnet& s) { s.a.info("H2").set_lid({}); },
                 "LID: H2 port 1 has no LID"},
        Mutation{"Mtu",
                 [](GoodSubnet& s) { s.a.info("S0", 3).set_neighbor_mtu(mad::Mtu::mtu_4096); },
                 "MTU: S0 port 3 has NeighborMTU 4096, not 2048"},
        Mutation{"MtuOfAHost",
                 [](GoodSubnet& s) { s.a.info("H3").set_neighbor_mtu(mad::Mtu::mtu_2048); },
                 "MTU: H3 port 1 has NeighborMTU 2048, not 4096"},
        Mutation{"Lmc", [](GoodSubnet& s) { s.a.info("H3").set_lmc(1); },
                 "LMC: H3 port 1 has LMC 1, not 0"},
        Mutation{"LmcOfASwitch", [](GoodSubnet& s) { s.a.info("S1", 0).set_lmc(1); },
                 "LMC: S1 port 0 has LMC 1, not 0"},
        Mutation{"OperationalVls", [](GoodSubnet& s) { s.a.info("S1", 3).set_operational_vls(4); },
                 "OperationalVLs: S1 port 3 has OperationalVLs 4 (8 data VLs), not 3"},
        Mutation{"OperationalVlsOfAHost",
                 [](GoodSubnet& s) { s.a.info("H0").set_operational_vls(1); },
                 "OperationalVLs: H0 port 1 has OperationalVLs 1"},
        Mutation{"SlToVlOfASwitch", [](GoodSubnet& s) { set_vl(s, "S1", 1, 3, 1); },
                 "SL2VL: S1 port 3 (input port 1) has VL 1 for SL 2, not VL 2"},
        Mutation{"SlToVlThatDrops", [](GoodSubnet& s) { set_vl(s, "S0", 0, 2, 15); },
                 "SL2VL: S0 port 2 (input port 0) has VL 15 for SL 2, not VL 2"},
        Mutation{
            "SlToVlOfAHost",
            [](GoodSubnet& s) { s.a.world.model.extras(s.a.port("H1")).sl_to_vl_written = true; },
            "SL2VL: H1 port 1 has VL 0 for SL 1, not VL 1"},
        Mutation{"EnforcementInbound",
                 [](GoodSubnet& s) { s.a.info("S0", 2).set_partition_enforcement_inbound(false); },
                 "enforcement: S0 port 2 has PartitionEnforcementInbound 0, not 1"},
        Mutation{"EnforcementOutbound",
                 [](GoodSubnet& s) { s.a.info("S1", 1).set_partition_enforcement_outbound(false); },
                 "enforcement: S1 port 1 has PartitionEnforcementOutbound 0, not 1"},
        Mutation{"EnforcementBetweenSwitches",
                 [](GoodSubnet& s) { s.a.info("S1", 3).set_partition_enforcement_inbound(true); },
                 "enforcement: S1 port 3 has PartitionEnforcementInbound 1, not 0"},
        Mutation{"EnforcedPKey", [](GoodSubnet& s) { s.give_keys(s.a.port("S1", 2), 0x8006); },
                 "enforcement: S1 port 2 enforces P_Keys 0x8006 0xffff, and H3 port 1 has 0x8005 "
                 "0xffff"},
        Mutation{"EnforcedMembership",
                 [](GoodSubnet& s) { s.give_keys(s.a.port("S1", 2), 0x0005); },
                 "enforcement: S1 port 2 enforces P_Keys 0x0005 0xffff"},
        Mutation{"MKey", [](GoodSubnet& s) { s.a.info("H2").set_m_key({1}); },
                 "M_Key: H2 port 1 has M_Key 0x1, not 0x1122334455667788"},
        Mutation{"MKeyOfASwitch", [](GoodSubnet& s) { s.a.info("S0", 0).set_m_key({}); },
                 "M_Key: S0 port 0 has M_Key 0x0"},
        Mutation{"MKeyProtectBits", [](GoodSubnet& s) { s.a.info("H2").set_m_key_protect_bits(0); },
                 "M_Key: H2 port 1 has M_KeyProtectBits 0, not 1"},
        Mutation{"MKeyLeasePeriod", [](GoodSubnet& s) { s.a.info("H2").set_m_key_lease_period(0); },
                 "M_Key: H2 port 1 has M_KeyLeasePeriod 0 s, not 60 s"},
        Mutation{"GidPrefix", [](GoodSubnet& s) { s.a.info("H1").set_gid_prefix(0); },
                 "GidPrefix: H1 port 1 has GidPrefix 0x0"},
        Mutation{"PKeyMissing", [](GoodSubnet& s) { s.give_keys(s.a.port("H1"), 0); },
                 "P_Key: H1 port 1 has P_Keys 0xffff, not 0x8005 0xffff"},
        Mutation{"PKeyLimited", [](GoodSubnet& s) { s.give_keys(s.a.port("H1"), 0x0005); },
                 "P_Key: H1 port 1 has P_Keys 0x0005 0xffff, not 0x8005 0xffff"},
        Mutation{"LftEntryMissing", [](GoodSubnet& s) { s.lft("S0", "H3") = mad::kNoPort.value; },
                 "(H3 port 1): no port at S0"},
        Mutation{"LftEntryOfAnotherHost",
                 [](GoodSubnet& s) { s.lft("S1", "H3") = s.lft("S1", "H2"); },
                 "(H3 port 1): delivered to H2 port 1 at S1"},
        Mutation{"LftEntryBack", [](GoodSubnet& s) { s.lft("S1", "H3") = 3; },
                 "(H3 port 1): forwarding loop"},
        Mutation{"LftEntryOfASwitch", [](GoodSubnet& s) { s.lft("S1", "S1") = 3; },
                 "(S1 port 0): forwarding loop"},
        Mutation{"LinearFdbTop", [](GoodSubnet& s) { s.sw("S1").sw->info.set_linear_fdb_top(1); },
                 "above LinearFDBTop at S1"},
        Mutation{"MasterSmLidZero", [](GoodSubnet& s) { s.a.info("H3").set_master_sm_lid({}); },
                 "master: H3 port 1 has MasterSMLID 0: no master"},
        Mutation{"MasterSmLidZeroEverywhere",
                 [](GoodSubnet& s) {
                   for (sim::PortModel& port : s.a.world.model.ports)
                     port.info.set_master_sm_lid({});
                 },
                 "master: S1 port 0 has MasterSMLID 0: no master"},
        Mutation{"MasterSmLidOfAnother",
                 [](GoodSubnet& s) { s.a.info("H3").set_master_sm_lid(s.a.lid("H1")); },
                 "master: H3 port 1 has MasterSMLID"},
        Mutation{"MasterWithoutIsSm", [](GoodSubnet& s) { s.a.program->set_is_sm(false); },
                 "H0 port 1 runs no subnet manager"},
        Mutation{"MulticastEntryMissing", [](GoodSubnet& s) { s.set_mft("S1", 1u << 1 | 1u << 3); },
                 "multicast: MLID 0xc001: H3 port 1 gets 0 copies"},
        Mutation{"MulticastEntryTooMany",
                 [](GoodSubnet& s) { s.set_mft("S0", 1u << 1 | 1u << 2 | 1u << 3); },
                 "multicast: MLID 0xc001: H1 port 1 is no member and gets a packet"}),
    [](const auto& tested) { return std::string(tested.param.name); });

// ---- Answers of subnet administration

TEST(AnswerChecks, AcceptCorrectAnswers) {
  GoodSubnet s;
  const sim::Model& model = s.a.world.model;
  EXPECT_THAT(check_path_record(model, s.a.port("H0"), s.a.port("H3"), s.path("H0", "H3")),
              IsEmpty());
  EXPECT_THAT(
      check_member_record(model, s.a.port("H2"), s.member("H2"), s.expected.groups.front().members),
      IsEmpty());
}

struct PathMutation {
  const char* name;
  void (*apply)(GoodSubnet&, mad::PathRecord&);
  const char* complaint;
};
class MutatedPath : public testing::TestWithParam<PathMutation> {};
TEST_P(MutatedPath, IsReportedWithBothEnds) {
  GoodSubnet s;
  mad::PathRecord record = s.path("H0", "H3");
  GetParam().apply(s, record);
  EXPECT_THAT(check_path_record(s.a.world.model, s.a.port("H0"), s.a.port("H3"), record),
              ElementsAre(testing::AllOf(HasSubstr("PathRecord H0 port 1 -> H3 port 1: "),
                                         HasSubstr(GetParam().complaint))));
}
INSTANTIATE_TEST_SUITE_P(
    OneThing, MutatedPath,
    testing::Values(
        PathMutation{"Slid",
                     [](GoodSubnet& s, mad::PathRecord& r) { r.set<"SLID">(s.a.lid("H1")); },
                     "is not the source's"},
        PathMutation{"Dlid",
                     [](GoodSubnet& s, mad::PathRecord& r) { r.set<"DLID">(s.a.lid("H2")); },
                     "is not the destination's"},
        PathMutation{"PKeyThatIsEnforced",
                     [](GoodSubnet&, mad::PathRecord& r) { r.set<"P_Key">(mad::PKey{0x8006}); },
                     "P_Key not in the table of the input port"},
        PathMutation{"SlThatIsDropped",
                     [](GoodSubnet& s, mad::PathRecord&) { set_vl(s, "S0", 1, 3, 15); },
                     "the SL has no VL there"},
        PathMutation{"NotReversible",
                     [](GoodSubnet& s, mad::PathRecord&) { set_vl(s, "S1", 2, 3, 15); },
                     "says Reversible, and a packet back is dropped at S1 port 3"},
        PathMutation{
            "TableChangedSince",
            [](GoodSubnet& s, mad::PathRecord&) { s.lft("S0", "H3") = mad::kNoPort.value; },
            "no route to the LID"},
        PathMutation{"Mtu", [](GoodSubnet&, mad::PathRecord& r) { r.set<"MTU">(kMtu4096); },
                     "MTU 4096, and the links have 2048"},
        PathMutation{"Rate",
                     [](GoodSubnet&, mad::PathRecord& r) { r.set<"Rate">(std::uint8_t{2}); },
                     "rate 2 Gb/s, and the links have 40 Gb/s"}),
    [](const auto& tested) { return std::string(tested.param.name); });

struct MemberMutation {
  const char* name;
  void (*apply)(GoodSubnet&, mad::McMemberRecord&);
  const char* complaint;
};
class MutatedMember : public testing::TestWithParam<MemberMutation> {};
TEST_P(MutatedMember, IsReportedWithThePort) {
  GoodSubnet s;
  mad::McMemberRecord record = s.member("H2");
  GetParam().apply(s, record);
  EXPECT_THAT(check_member_record(s.a.world.model, s.a.port("H2"), record,
                                  s.expected.groups.front().members),
              Contains(testing::AllOf(HasSubstr("MCMemberRecord of H2 port 1: "),
                                      HasSubstr(GetParam().complaint))));
}
INSTANTIATE_TEST_SUITE_P(
    OneThing, MutatedMember,
    testing::Values(
        MemberMutation{
            "PortGid",
            [](GoodSubnet&, mad::McMemberRecord& r) { r.set_port_gid({kPrefix, mad::Guid{1}}); },
            "PortGID has GUID"},
        MemberMutation{"MlidOfNoGroup",
                       [](GoodSubnet&, mad::McMemberRecord& r) { r.set_mlid(mad::Mlid{0xC002}); },
                       "gets 0 copies"},
        MemberMutation{"MlidThatIsUnicast",
                       [](GoodSubnet&, mad::McMemberRecord& r) { r.set_mlid(mad::Mlid{7}); },
                       "is no multicast LID"},
        MemberMutation{"PKey",
                       [](GoodSubnet&, mad::McMemberRecord& r) { r.set_p_key(mad::PKey{0x8006}); },
                       "does not have P_Key"},
        MemberMutation{"Sl",
                       [](GoodSubnet& s, mad::McMemberRecord& r) {
                         set_vl(s, "S1", 1, 3, 15);
                         r.set_sl(mad::Sl{2});
                       },
                       "H0 port 1 gets 0 copies"},
        MemberMutation{"Mtu", [](GoodSubnet&, mad::McMemberRecord& r) { r.set_mtu(kMtu4096); },
                       "MTU 4096, and a link on the path has 2048"}),
    [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace checks_test
