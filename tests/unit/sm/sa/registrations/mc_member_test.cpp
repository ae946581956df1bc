// MCMemberRecord: every refusal, creation of groups, notices, visibility.
#include <gmock/gmock.h>

#include "mad/format.h"
#include "sm/sa/registrations/requests.h"

#include "fixture.h"
#include "mad/path_units.h"
#include "sm/sa/registrations/group_parameters.h"

namespace sa::test {
namespace mc_member_test {

using Mask = mad::McMemberRecord;
constexpr mad::Gid kIpv4{0xff12401bffff0000, {0x0000000000000001}};
constexpr mad::Gid kPlain{0xff12000000000000, {0x77}};
constexpr std::uint64_t kJoin = bits(Mask::kMgid, Mask::kPortGid, Mask::kJoinState);
constexpr std::uint64_t kCreate =
    kJoin | bits(Mask::kQKey, Mask::kTClass, Mask::kPKey, Mask::kFlowLabel, Mask::kSl);

class McMember : public Clients {
 protected:
  McMember() { reconcile(); }

  mad::McMemberRecord record(mad::Gid mgid, unsigned host,
                             std::uint8_t state = join_state::kFull) const {
    mad::McMemberRecord out;
    out.set_mgid(mgid);
    out.set_port_gid(gid(host));
    out.set_join_state(state);
    out.set_q_key(0x0b1b);
    out.set_p_key(mad::kDefaultPKeyFull);
    return out;
  }
  Outcome set(const mad::McMemberRecord& r, std::uint64_t mask, unsigned host) {
    return request(mad::Method::set, r, mask, from(host));
  }
  Outcome leave(const mad::McMemberRecord& r, std::uint64_t mask, unsigned host) {
    return request(mad::Method::delete_, r, mask, from(host));
  }
  /// Host 0 creates the group.
  void create(mad::Gid mgid) { ASSERT_TRUE(set(record(mgid, 0), kCreate, 0).is_ok()); }
  const Group& group(mad::Gid mgid) const { return *registrations.groups.find(mgid); }
};

TEST_F(McMember, JoinsTheBroadcastGroupAndGetsItsParameters) {
  const Outcome out = set(record(kBroadcast, 0), kJoin, 0);
  ASSERT_TRUE(out.is_ok()) << out.log;
  const auto response = reply<mad::McMemberRecord>(out);
  EXPECT_EQ(response.mgid(), kBroadcast);
  EXPECT_EQ(response.port_gid(), gid(0));
  EXPECT_EQ(response.mlid(), mad::Mlid{0xC000});
  EXPECT_EQ(response.q_key(), 0x0b1bu);
  EXPECT_EQ(response.bytes()[38], 0x84);  // exactly 2048 bytes
  EXPECT_EQ(response.bytes()[42], 0x83);  // exactly 10 Gb/s
  EXPECT_EQ(response.bytes()[43], 0x92);  // exactly the subnet's timeout
  EXPECT_EQ(response.bytes()[48], 0x21);  // link-local, full member
  EXPECT_FALSE(response.proxy_join());
  EXPECT_EQ(out.notice, (GroupNotice{mad::TrapNumber::multicast_group_created, kBroadcast,
                                     mad::kDefaultPKeyFull}));
  EXPECT_FALSE(set(record(kBroadcast, 1), kJoin, 1).notice)
      << "only the first full member causes a notice";
}

TEST_F(McMember, JoinStatesAddUp) {
  EXPECT_EQ(reply<mad::McMemberRecord>(set(record(kBroadcast, 0, join_state::kNonMember), kJoin, 0))
                .join_state(),
            2);
  const Outcome more = set(record(kBroadcast, 0, join_state::kFull), kJoin, 0);
  EXPECT_EQ(reply<mad::McMemberRecord>(more).join_state(), 3);
  EXPECT_TRUE(more.notice);
  EXPECT_EQ(reply<mad::McMemberRecord>(set(record(kBroadcast, 0, join_state::kFull), kJoin, 0))
                .join_state(),
            3)
      << "a repetition changes nothing";
  EXPECT_EQ(group(kBroadcast).full_members, 1u);
}

/// A defective request and its refusal.
struct Refusal {
  std::string_view name;
  std::uint16_t status;
  std::string_view code;  // in the log
  std::uint64_t mask;
  mad::Gid mgid;
  void (*spoil)(mad::McMemberRecord&) = [](mad::McMemberRecord&) {};
};
void PrintTo(const Refusal& row, std::ostream* out) { *out << row.name; }

class Refused : public McMember, public testing::WithParamInterface<Refusal> {};

TEST_P(Refused, WithTheStandardsStatusAndNothingChanged) {
  create(kPlain);
  registrations.groups.take_changed_mlids();
  const Groups::All before = registrations.groups.all();
  mad::McMemberRecord r = record(GetParam().mgid, 1);
  GetParam().spoil(r);
  const Outcome out = set(r, GetParam().mask, 1);
  EXPECT_EQ(out.status, GetParam().status) << out.log;
  EXPECT_NE(out.log.find(GetParam().code), std::string::npos) << out.log;
  EXPECT_EQ(out.bytes, 0u);
  EXPECT_FALSE(out.notice);
  EXPECT_EQ(registrations.groups.all(), before);
  EXPECT_TRUE(registrations.groups.take_changed_mlids().empty());
}

using R = mad::McMemberRecord;
constexpr std::uint16_t kInvalid = mad::sa_status::kReqInvalid,
                        kInsufficient = mad::sa_status::kReqInsufficientComponents;
constexpr mad::Gid kNew{0xff12000000000000, {0x99}};
INSTANTIATE_TEST_SUITE_P(
    Rows, Refused,
    testing::Values(
        Refusal{"no_mgid", kInsufficient, "ERR 1B18", kJoin & ~bits(Mask::kMgid), kBroadcast},
        Refusal{"no_port_gid", kInsufficient, "ERR 1B18", kJoin & ~bits(Mask::kPortGid),
                kBroadcast},
        Refusal{"no_join_state", kInsufficient, "ERR 1B18", kJoin & ~bits(Mask::kJoinState),
                kBroadcast},
        Refusal{"create_no_q_key", kInsufficient, "ERR 1B11", kCreate & ~bits(Mask::kQKey), kNew},
        Refusal{"create_no_t_class", kInsufficient, "ERR 1B11", kCreate & ~bits(Mask::kTClass),
                kNew},
        Refusal{"create_no_p_key", kInsufficient, "ERR 1B11", kCreate & ~bits(Mask::kPKey), kNew},
        Refusal{"create_no_flow_label", kInsufficient, "ERR 1B11",
                kCreate & ~bits(Mask::kFlowLabel), kNew},
        Refusal{"create_no_sl", kInsufficient, "ERR 1B11", kCreate & ~bits(Mask::kSl), kNew},
        Refusal{"create_as_non_member", kInvalid, "ERR 1B10", kCreate, kNew,
                [](R& r) { r.set_join_state(join_state::kNonMember); }},
        Refusal{"create_as_sender", kInvalid, "ERR 1B10", kCreate, kNew,
                [](R& r) { r.set_join_state(join_state::kSendOnlyNonMember); }},
        Refusal{"join_state_0", kInvalid, "ERR 1B12", kJoin, kBroadcast,
                [](R& r) { r.set_join_state(0); }},
        Refusal{"unknown_port", kInvalid, "no port", kJoin, kBroadcast,
                [](R& r) { r.set_port_gid({0xfe80000000000000, {0xDEAD}}); }},
        Refusal{"q_key", kInvalid, "ERR 1B30", kJoin | bits(Mask::kQKey), kPlain,
                [](R& r) { r.set_q_key(1); }},
        Refusal{"p_key", kInvalid, "ERR 1B32", kJoin | bits(Mask::kPKey), kPlain,
                [](R& r) { r.set_p_key({0x8010}); }},
        Refusal{"t_class", kInvalid, "ERR 1B33", kJoin | bits(Mask::kTClass), kPlain,
                [](R& r) { r.set_t_class(1); }},
        Refusal{"sl", kInvalid, "ERR 1B34", kJoin | bits(Mask::kSl), kPlain,
                [](R& r) { r.set_sl({1}); }},
        Refusal{"flow_label", kInvalid, "ERR 1B35", kJoin | bits(Mask::kFlowLabel), kPlain,
                [](R& r) { r.set_flow_label(1); }},
        Refusal{"hop_limit", kInvalid, "ERR 1B36", kJoin | bits(Mask::kHopLimit), kPlain,
                [](R& r) { r.set_hop_limit(1); }},
        Refusal{"mtu_exactly", kInvalid, "ERR 1B12", kJoin | bits(Mask::kMtu, Mask::kMtuSelector),
                kPlain, [](R& r) { r.set_mtu_selector(2), r.set_mtu(4); }},
        Refusal{"mtu_greater", kInvalid, "ERR 1B12", kJoin | bits(Mask::kMtu, Mask::kMtuSelector),
                kPlain, [](R& r) { r.set_mtu_selector(0), r.set_mtu(5); }},
        Refusal{"mtu_less", kInvalid, "ERR 1B12", kJoin | bits(Mask::kMtu, Mask::kMtuSelector),
                kPlain, [](R& r) { r.set_mtu_selector(1), r.set_mtu(5); }},
        Refusal{"mtu_code", kInvalid, "MTU code 6", kJoin | bits(Mask::kMtu, Mask::kMtuSelector),
                kPlain, [](R& r) { r.set_mtu_selector(1), r.set_mtu(6); }},
        Refusal{"rate_exactly", kInvalid, "ERR 1B12",
                kJoin | bits(Mask::kRate, Mask::kRateSelector), kPlain,
                [](R& r) { r.set_rate_selector(2), r.set_rate(3); }},
        Refusal{"rate_greater", kInvalid, "ERR 1B12",
                kJoin | bits(Mask::kRate, Mask::kRateSelector), kPlain,
                [](R& r) { r.set_rate_selector(0), r.set_rate(7); }},
        Refusal{"rate_code", kInvalid, "rate code 63",
                kJoin | bits(Mask::kRate, Mask::kRateSelector), kPlain,
                [](R& r) { r.set_rate_selector(2), r.set_rate(63); }},
        Refusal{"create_mtu_code", kInvalid, "MTU code 0",
                kCreate | bits(Mask::kMtu, Mask::kMtuSelector), kNew,
                [](R& r) { r.set_mtu_selector(2); }},
        Refusal{"create_mtu_unreachable", kInvalid, "ERR 1B26",
                kCreate | bits(Mask::kMtu, Mask::kMtuSelector), kNew,
                [](R& r) { r.set_mtu_selector(0), r.set_mtu(5); }},
        Refusal{"create_rate_above_port", kInvalid, "ERR 1B12",
                kCreate | bits(Mask::kRate, Mask::kRateSelector), kNew,
                [](R& r) { r.set_rate_selector(2), r.set_rate(16); }},
        Refusal{"create_p_key_0", kInvalid, "names no partition", kCreate, kNew,
                [](R& r) { r.set_p_key({0x8000}); }},
        Refusal{"create_in_foreign_partition", kInvalid, "ERR 1B14", kCreate, kNew,
                [](R& r) { r.set_p_key({0x8010}); }},
        Refusal{"prefix", mad::sa_status::kReqInvalidGid, "ERR 1B40", kJoin, kBroadcast,
                [](R& r) { r.set_port_gid({0xfec0000000000000, r.port_gid().guid}); }},
        Refusal{"not_multicast", kInvalid, "ERR 1B01", kCreate, {0xfe12000000000000, {1}}},
        Refusal{"reserved_flags", kInvalid, "ERR 1B28", kCreate, {0xff22000000000000, {1}}},
        Refusal{"reserved_scope_0",
                kInvalid,
                "scope 0x0 is reserved",
                kCreate,
                {0xff10000000000000, {1}}},
        Refusal{"a01b_link_local", kInvalid, "ERR 1B24", kCreate, {0xff12a01bfe800000, {7}}},
        Refusal{"ip_without_broadcast", kInvalid, "ERR 1B1B", kCreate, {0xff15401bffff0000, {1}}},
        Refusal{"ip_unlike_broadcast", kInvalid, "ERR 1B1C", kCreate, kIpv4,
                [](R& r) { r.set_q_key(2); }},
        Refusal{"ip_rate_unlike_broadcast", kInvalid, "ERR 1B1C",
                kCreate | bits(Mask::kRate, Mask::kRateSelector), kIpv4,
                [](R& r) { r.set_rate_selector(2), r.set_rate(2); }}),
    [](const auto& row) { return std::string(row.param.name); });

TEST_F(McMember, AJoinOfAnAbsentGroupSaysWhichGroupIsAbsentAndWhatWouldCreateIt) {
  const auto log = [&](mad::Gid mgid, std::uint64_t mask) {
    return set(record(mgid, 1), mask, 1).log;
  };
  EXPECT_THAT(
      log({0xff12401b80120000, {0xffffffff}}, kJoin | bits(Mask::kPKey)),
      testing::AllOf(
          testing::HasSubstr("ERR 1B11: no join: "),
          testing::HasSubstr(
              ": there is no IPoIB group in P_Key 0x8012: no partition 0x0012 is configured "
              "(`heddlectl partition create 0x0012 --ipoib`); a request that creates it "
              "would also have Q_Key, TClass, FlowLabel and SL")));
  auto& partitions = subnet.partitions.partitions;
  partitions.push_back({.key = 0x12, .name = "blue"});
  std::ranges::sort(partitions, {}, &fabric::Partition::key);
  EXPECT_THAT(log({0xff12401b80120000, {0xffffffff}}, kJoin),
              testing::HasSubstr("there is no IPoIB group in P_Key 0x8012: partition 0x0012 is "
                                 "configured without ipoib"));
  EXPECT_THAT(log(kIpv4, kJoin), testing::HasSubstr("there is no such group in P_Key 0xffff, whose "
                                                    "IPoIB broadcast group exists"));
  EXPECT_THAT(
      log(kNew, kCreate & ~bits(Mask::kSl)),
      testing::HasSubstr(": there is no such group; a request that creates it would also have SL"));
}

TEST_F(McMember, MtuAndRateAreThoseOfTheCreatingPortUnlessGiven) {
  create(kPlain);
  EXPECT_EQ(group(kPlain).mtu, 5);
  EXPECT_EQ(group(kPlain).rate, 7);
  EXPECT_EQ(group(kPlain).packet_life, 18);
  auto r = record(kNew, 0);
  r.set_mtu_selector(1), r.set_mtu(3), r.set_rate_selector(1), r.set_rate(3),
      r.set_packet_life_selector(0), r.set_packet_life(20);
  ASSERT_TRUE(set(r, kCreate | bits(4, 5, 8, 9, 10, 11), 0).is_ok());
  EXPECT_EQ(group(kNew).mtu, 2) << "below 1024 bytes";
  EXPECT_EQ(mad::rate_gbps(group(kNew).rate), 5u) << "below 10 Gb/s";
  EXPECT_EQ(group(kNew).packet_life, 21) << "above 20";
}

TEST_F(McMember, SlowPortsJoinOnlyWithoutValidation) {
  create(kPlain);
  subnet.fabric.ports[hosts[1]].info.set_link_speed_active(mad::link_speed::kSdr);
  EXPECT_EQ(set(record(kPlain, 1), kJoin, 1).status, kInvalid);
  subnet.fabric.ports[hosts[2]].info.set_mtu_cap(mad::Mtu::mtu_2048);
  EXPECT_EQ(set(record(kPlain, 2), kJoin, 2).status, kInvalid);
  fabric::Port& narrow = subnet.fabric.ports[hosts[3]];
  narrow.info.set_neighbor_mtu(mad::Mtu::mtu_2048);
  narrow.info.set_port_state(mad::PortState::active);
  EXPECT_EQ(set(record(kPlain, 3), kJoin, 3).status, kInvalid) << "what its link runs";
  options.mcgroup_join_validation = false;
  EXPECT_TRUE(set(record(kPlain, 1), kJoin, 1).is_ok());
  EXPECT_TRUE(set(record(kPlain, 2), kJoin, 2).is_ok());
}

TEST_F(McMember, IpGroupsMatchTheirBroadcastGroupUnlessSwitchedOff) {
  create(kIpv4);
  EXPECT_EQ(group(kIpv4).mtu, 4);
  EXPECT_EQ(group(kIpv4).rate, 3);
  options.ipoib_mcgroup_creation_validation = false;
  auto r = record({0xff15401bffff0000, {1}}, 0);
  r.set_q_key(5);
  EXPECT_TRUE(set(r, kCreate, 0).is_ok());
}

TEST_F(McMember, AssignsMgids) {
  const Outcome first = set(record({}, 0), kCreate, 0);
  ASSERT_TRUE(first.is_ok()) << first.log;
  EXPECT_EQ(reply<mad::McMemberRecord>(first).mgid(), (mad::Gid{0xff12a01bfe800000, {0}}));
  auto global = record({}, 0);
  global.set_scope(0xE);
  const auto second = reply<mad::McMemberRecord>(set(global, kCreate | bits(Mask::kScope), 0));
  EXPECT_EQ(second.mgid(), (mad::Gid{0xff1ea01bfe800000, {1}}));
  EXPECT_EQ(second.scope(), 0xE);
  EXPECT_EQ(gid_text(second.mgid()), "ff1e:a01b:fe80::1");
  auto reserved = record({}, 0);
  reserved.set_scope(0xF);
  const Outcome refused = set(reserved, kCreate | bits(Mask::kScope), 0);
  EXPECT_EQ(refused.status, kInvalid);
  EXPECT_NE(refused.log.find("scope 0xf is reserved"), std::string::npos) << refused.log;
}

TEST_F(McMember, MlidsAreTheLowestFreeOrTheRequestedOne) {
  create(kPlain);
  EXPECT_EQ(group(kPlain).mlid, mad::Mlid{0xC001});
  auto r = record(kNew, 0);
  r.set_mlid({0xC123});
  ASSERT_TRUE(set(r, kCreate | bits(Mask::kMlid), 0).is_ok());
  EXPECT_EQ(group(kNew).mlid, mad::Mlid{0xC123});
  r.set_mgid({kNew.prefix, {0x100}});
  ASSERT_TRUE(set(r, kCreate | bits(Mask::kMlid), 0).is_ok()) << "taken";
  EXPECT_EQ(group({kNew.prefix, {0x100}}).mlid, mad::Mlid{0xC002});
  r.set_mgid({kNew.prefix, {0x101}}), r.set_mlid({0xC400});
  ASSERT_TRUE(set(r, kCreate | bits(Mask::kMlid), 0).is_ok()) << "beyond the switch's 1024";
  EXPECT_EQ(group({kNew.prefix, {0x101}}).mlid, mad::Mlid{0xC003});
  ASSERT_TRUE(leave(record(kPlain, 0), kJoin, 0).is_ok());
  create({kNew.prefix, {0x102}});
  EXPECT_EQ(group({kNew.prefix, {0x102}}).mlid, mad::Mlid{0xC001}) << "free again";
}

TEST_F(McMember, RefusesGroupsWhenTheSmallestSwitchHasNoMlidLeft) {
  subnet.fabric.switches[fabric::SwitchIndex{0}].info.set_multicast_fdb_cap(3);
  create(kPlain);
  create(kNew);
  const Outcome out = set(record({kNew.prefix, {0x100}}, 0), kCreate, 0);
  EXPECT_EQ(out.status, mad::sa_status::kNoResources);
  EXPECT_NE(out.log.find("0xc002"), std::string::npos) << out.log;
  EXPECT_TRUE(set(record(kPlain, 1), kJoin, 1).is_ok()) << "existing groups accept joins";
  ASSERT_TRUE(leave(record(kNew, 0), kJoin, 0).is_ok());
  EXPECT_TRUE(set(record({kNew.prefix, {0x100}}, 0), kCreate, 0).is_ok());
}

TEST_F(McMember, SolicitedNodeGroupsShareAnMlidWithTheOption) {
  constexpr mad::Gid a{0xff12601bffff0000, {0x00000001ff000001}},
      b{0xff12601bffff0000, {0x00000001ff0abcde}}, other{0xff12601bffff0000, {0x0000000000000001}};
  create(a);
  create(b);
  EXPECT_NE(group(a).mlid, group(b).mlid);
  ASSERT_TRUE(leave(record(b, 0), kJoin, 0).is_ok());
  options.consolidate_ipv6_snm_req = true;
  create(b);
  create(other);
  EXPECT_EQ(group(a).mlid, group(b).mlid);
  EXPECT_NE(group(a).mlid, group(other).mlid);
  ASSERT_TRUE(set(record(b, 1, join_state::kSendOnlyNonMember), kJoin, 1).is_ok());
  ASSERT_TRUE(set(record(a, 1), kJoin, 1).is_ok());
  const auto routed = registrations.groups.for_routing(subnet, registrations.alias_guids,
                                                       std::vector{group(a).mlid});
  ASSERT_EQ(routed.size(), 1u);
  EXPECT_EQ(routed[0].receivers, (std::vector{hosts[0], hosts[1]})) << "both groups together";
  EXPECT_TRUE(routed[0].senders.empty()) << "a receiver of one group is not only a sender";
  ASSERT_TRUE(leave(record(a, 0), kJoin, 0).is_ok());
  ASSERT_TRUE(leave(record(a, 1), kJoin, 1).is_ok());
  EXPECT_FALSE(registrations.groups.mlids().is_free(group(b).mlid))
      << "the other group still has it";
}

TEST_F(McMember, OnlyMembersOfThePartitionJoin) {
  set_keys({{hosts[1], {{0x8010}}}, {hosts[2], {{0x7FFF}}}});
  EXPECT_EQ(set(record(kBroadcast, 1), kJoin, 1).status, kInvalid);
  EXPECT_TRUE(set(record(kBroadcast, 2), kJoin, 2).is_ok()) << "limited members, too";
}

TEST_F(McMember, ProxiesJoinForPortsOfTheirPartition) {
  set_keys({{hosts[3], {{0x8010}}}});
  EXPECT_EQ(set(record(kBroadcast, 3), kJoin, 0).status, kInvalid) << "no partition in common";
  EXPECT_EQ(set(record(kBroadcast, 0), kJoin, 3).status, kInvalid);
  const Outcome out = set(record(kBroadcast, 1), kJoin, 0);
  ASSERT_TRUE(out.is_ok()) << out.log;
  EXPECT_TRUE(reply<mad::McMemberRecord>(out).proxy_join());
  EXPECT_EQ(leave(record(kBroadcast, 1), kJoin, 3).status, kInvalid) << "foreign partition";
  EXPECT_TRUE(leave(record(kBroadcast, 1), kJoin, 0).is_ok()) << "the proxy itself";
  ASSERT_TRUE(set(record(kBroadcast, 1), kJoin, 1).is_ok());
  EXPECT_EQ(set(record(kBroadcast, 1, join_state::kNonMember), kJoin, 0).status, kInvalid)
      << "only the port itself changes its own membership";
  EXPECT_EQ(leave(record(kBroadcast, 1), kJoin, 0).status, kInvalid);
}

TEST_F(McMember, OnlyTheProxyThePortAndTrustedClientsEndAProxyMembership) {
  const auto joined = [&](unsigned host) {
    return registrations.groups.find(kBroadcast, gid(host)) != nullptr;
  };
  ASSERT_TRUE(set(record(kBroadcast, 1), kJoin, 0).is_ok()) << "host 0 joins for host 1";
  const Outcome refused = leave(record(kBroadcast, 1), kJoin, 2);
  EXPECT_EQ(refused.status, kInvalid) << "another port of the partition";
  EXPECT_NE(refused.log.find("may not change the membership of another port"), std::string::npos);
  EXPECT_EQ(set(record(kBroadcast, 1, join_state::kNonMember), kJoin, 2).status, kInvalid);
  EXPECT_TRUE(set(record(kBroadcast, 1), kJoin, 2).is_ok()) << "a second proxy changes nothing";
  EXPECT_EQ(leave(record(kBroadcast, 1), kJoin, 2).status, kInvalid);
  ASSERT_TRUE(joined(1));
  EXPECT_TRUE(leave(record(kBroadcast, 1), kJoin, 0).is_ok());
  ASSERT_TRUE(set(record(kBroadcast, 1), kJoin, 0).is_ok());
  EXPECT_TRUE(leave(record(kBroadcast, 1), kJoin, 1).is_ok()) << "the port itself";
  ASSERT_TRUE(set(record(kBroadcast, 1), kJoin, 0).is_ok());
  EXPECT_TRUE(request(mad::Method::delete_, record(kBroadcast, 1), kJoin, from(2, true)).is_ok())
      << "with sa_key";
  EXPECT_FALSE(joined(1));
}

TEST_F(McMember, AProxyMembershipOfAPortThatIsGoneOrUnknownIsOpenToThePartition) {
  for (const mad::Guid registered_by : {mad::Guid{0xdead}, guid(1)}) {  // guid(1): of a dump
    registrations.groups.join(kBroadcast, {.port_gid = gid(1),
                                           .join_state = join_state::kFull,
                                           .proxy_join = true,
                                           .registered_by = registered_by});
    EXPECT_TRUE(leave(record(kBroadcast, 1), kJoin, 2).is_ok());
  }
}

TEST_F(McMember, AJoinByThePortItselfEndsThatOfItsProxy) {
  ASSERT_TRUE(set(record(kBroadcast, 1), kJoin, 0).is_ok()) << "host 0 joins for host 1";
  registrations.groups.take_touched();
  const Outcome own = set(record(kBroadcast, 1), kJoin, 1);
  ASSERT_TRUE(own.is_ok()) << own.log;
  EXPECT_FALSE(reply<mad::McMemberRecord>(own).proxy_join());
  EXPECT_EQ(registrations.groups.take_touched().members.size(), 1u) << "it is for the journal";
  EXPECT_EQ(leave(record(kBroadcast, 1), kJoin, 0).status, kInvalid);
  EXPECT_EQ(leave(record(kBroadcast, 1), kJoin, 2).status, kInvalid);
  EXPECT_EQ(set(record(kBroadcast, 1, join_state::kNonMember), kJoin, 0).status, kInvalid);
  ASSERT_NE(registrations.groups.find(kBroadcast, gid(1)), nullptr);
  EXPECT_EQ(registrations.groups.quota().of(guid(0)), 0u);
  EXPECT_EQ(registrations.groups.quota().of(guid(1)), 1u);
  EXPECT_TRUE(leave(record(kBroadcast, 1), kJoin, 1).is_ok());
  EXPECT_EQ(registrations.groups.quota().total(), 0u);
}

/// In a subnet whose prefix is not the default one.
class GidForms : public McMember {
 protected:
  GidForms() { options.subnet_prefix = 0xfec0000000000007; }
  /// The record with the default prefix in PortGID.
  static mad::McMemberRecord by_default(mad::McMemberRecord r) {
    r.set_port_gid({kDefaultPrefix, r.port_gid().guid});
    return r;
  }
};

TEST_F(GidForms, OfOnePortAreOneMember) {
  const auto own = record(kPlain, 0, join_state::kNonMember), other = by_default(record(kPlain, 0));
  const auto created = reply<mad::McMemberRecord>(set(other, kCreate, 0));
  EXPECT_EQ(created.port_gid(), other.port_gid()) << "clients find their request in the response";
  const auto joined = reply<mad::McMemberRecord>(set(own, kJoin, 0));
  EXPECT_EQ(joined.port_gid(), own.port_gid());
  EXPECT_EQ(joined.join_state(), join_state::kFull | join_state::kNonMember);
  EXPECT_EQ(group(kPlain).members.size(), 1u);
  EXPECT_EQ(group(kPlain).full_members, 1u);
  EXPECT_EQ(registrations.groups.quota().of(guid(0)), 1u);
  EXPECT_EQ(reply<mad::McMemberRecord>(leave(by_default(own), kJoin, 0)).port_gid(),
            other.port_gid());
  registrations.groups.take_changed_mlids();
  ASSERT_TRUE(leave(record(kPlain, 0), kJoin, 0).is_ok()) << "by the form that did not create it";
  EXPECT_EQ(registrations.groups.find(kPlain), nullptr) << "its MLID is free";
  EXPECT_EQ(registrations.groups.take_changed_mlids().size(), 1u);
  EXPECT_EQ(registrations.groups.quota().total(), 0u);
}

TEST_F(GidForms, FindTheSameMember) {
  ASSERT_TRUE(set(by_default(record(kPlain, 0)), kCreate, 0).is_ok());
  const auto port_gids = [&](const mad::McMemberRecord& asked, std::uint64_t mask, bool trusted) {
    std::vector<mad::Gid> out;
    for (const auto& row : read(kMcMemberRecordType, asked, mask, from(trusted ? 2 : 0, trusted)))
      out.push_back(mad::McMemberRecord(std::span(row.record).first<mad::McMemberRecord::kBytes>())
                        .port_gid());
    return out;
  };
  const std::uint64_t named = bits(Mask::kMgid, Mask::kPortGid);
  for (const auto& asked : {record(kPlain, 0), by_default(record(kPlain, 0))}) {
    EXPECT_EQ(port_gids(asked, named, false), std::vector{asked.port_gid()});
    EXPECT_EQ(port_gids(asked, named, true), std::vector{asked.port_gid()});
  }
  EXPECT_EQ(port_gids({}, 0, true), std::vector{gid(0)}) << "lists have the subnet's prefix";
  auto foreign = record(kPlain, 0);
  foreign.set_port_gid({0xfec0000000000008, guid(0)});
  EXPECT_TRUE(port_gids(foreign, named, true).empty());
}

TEST_F(GidForms, OfTwoGuidsOfOnePortAreTwoMembers) {
  const mad::Guid alias{0xA11A5};
  registrations.alias_guids.set({guid(0), 1}, alias);
  ASSERT_TRUE(set(record(kPlain, 0), kCreate, 0).is_ok());
  auto by_alias = record(kPlain, 0);
  by_alias.set_port_gid({kDefaultPrefix, alias});
  ASSERT_TRUE(set(by_alias, kJoin, 0).is_ok());
  EXPECT_EQ(group(kPlain).members.size(), 2u);
  ASSERT_TRUE(leave(record(kPlain, 0), kJoin, 0).is_ok());
  EXPECT_TRUE(group(kPlain).members.contains({options.subnet_prefix, alias}));
}

TEST_F(GidForms, DoNotMakeAMembershipOfAProxyAnother) {
  ASSERT_TRUE(set(by_default(record(kBroadcast, 1)), kJoin, 0).is_ok()) << "for host 1";
  ASSERT_TRUE(set(record(kBroadcast, 1), kJoin, 1).is_ok());
  EXPECT_EQ(leave(by_default(record(kBroadcast, 1)), kJoin, 0).status, kInvalid)
      << "host 1 has joined itself";
  EXPECT_EQ(registrations.groups.quota().of(guid(0)), 0u);
  EXPECT_TRUE(leave(by_default(record(kBroadcast, 1)), kJoin, 1).is_ok());
}

TEST_F(McMember, LeavesByBits) {
  ASSERT_TRUE(
      set(record(kPlain, 0, join_state::kFull | join_state::kNonMember), kCreate, 0).is_ok());
  EXPECT_EQ(leave(record(kPlain, 0, join_state::kSendOnlyNonMember), kJoin, 0).status, kInvalid)
      << "not held";
  EXPECT_EQ(
      leave(record(kPlain, 0, join_state::kNonMember | join_state::kSendOnlyNonMember), kJoin, 0)
          .status,
      kInvalid)
      << "not all of it held";
  EXPECT_EQ(leave(record(kPlain, 0, 0), kJoin, 0).status, kInvalid);
  EXPECT_EQ(leave(record(kPlain, 1), kJoin, 1).status, kInvalid) << "no member";
  EXPECT_EQ(leave(record(kNew, 0), kJoin, 0).status, kInvalid) << "no group";
  EXPECT_EQ(leave(record(kPlain, 0), kJoin & ~bits(Mask::kJoinState), 0).status, kInsufficient);
  const Outcome some = leave(record(kPlain, 0, join_state::kNonMember), kJoin, 0);
  EXPECT_EQ(reply<mad::McMemberRecord>(some).join_state(), 1);
  EXPECT_FALSE(some.notice);
  ASSERT_TRUE(set(record(kPlain, 1, join_state::kNonMember), kJoin, 1).is_ok());
  const Outcome last = leave(record(kPlain, 0), kJoin, 0);
  EXPECT_EQ(last.notice,
            (GroupNotice{mad::TrapNumber::multicast_group_deleted, kPlain, mad::kDefaultPKeyFull}));
  EXPECT_EQ(registrations.groups.find(kPlain), nullptr) << "a non-member does not keep the group";
  EXPECT_EQ(registrations.groups.quota().total(), 0u);
}

TEST_F(McMember, SendOnlyFullMembersKeepTheGroup) {
  ASSERT_TRUE(set(record(kPlain, 0, join_state::kSendOnlyFull), kCreate, 0).is_ok());
  const auto routed = registrations.groups.for_routing(subnet, registrations.alias_guids);
  ASSERT_EQ(routed.size(), 1u);
  EXPECT_TRUE(routed[0].receivers.empty());
  EXPECT_EQ(routed[0].senders, std::vector{hosts[0]});
}

TEST_F(McMember, GroupsForRoutingAreTheSameInSlices) {
  ASSERT_TRUE(set(record(kPlain, 0), kCreate, 0).is_ok());
  ASSERT_TRUE(set(record(kPlain, 1), kJoin, 1).is_ok());
  ASSERT_TRUE(set(record(kBroadcast, 0), kJoin, 0).is_ok());
  ASSERT_TRUE(set(record(kNew, 1), kCreate, 1).is_ok());
  const auto all = registrations.groups.for_routing(subnet, registrations.alias_guids);
  ASSERT_EQ(all.size(), 3u);
  for (const std::size_t members_max : {1u, 2u, 3u, 100u}) {
    std::vector<routing::MulticastGroup> groups;
    std::optional<mad::Mlid> next = mad::Mlid{};
    std::size_t slices = 0;
    for (; next; ++slices)
      next = registrations.groups.append_for_routing(subnet, registrations.alias_guids, *next,
                                                     members_max, groups);
    EXPECT_EQ(groups, all) << members_max;
    EXPECT_EQ(slices > 1, members_max < 4) << slices;
  }
}

TEST_F(McMember, WellKnownGroupsStay) {
  ASSERT_TRUE(set(record(kBroadcast, 0), kJoin, 0).is_ok());
  EXPECT_TRUE(leave(record(kBroadcast, 0), kJoin, 0).notice);
  ASSERT_NE(registrations.groups.find(kBroadcast), nullptr);
  EXPECT_TRUE(set(record(kBroadcast, 0), kJoin, 0).notice);
}

TEST_F(McMember, ChangedMlidsAreReportedOnce) {
  registrations.groups.take_changed_mlids();
  ASSERT_TRUE(set(record(kBroadcast, 0), kJoin, 0).is_ok());
  ASSERT_TRUE(set(record(kBroadcast, 1), kJoin, 1).is_ok());
  EXPECT_EQ(registrations.groups.take_changed_mlids(), std::vector{mad::Mlid{0xC000}});
  ASSERT_TRUE(set(record(kBroadcast, 1, join_state::kNonMember), kJoin, 1).is_ok());
  EXPECT_TRUE(registrations.groups.take_changed_mlids().empty()) << "it receives as before";
  ASSERT_TRUE(leave(record(kBroadcast, 1, 3), kJoin, 1).is_ok());
  EXPECT_EQ(registrations.groups.take_changed_mlids(), std::vector{mad::Mlid{0xC000}});
}

TEST_F(McMember, MulticastSwitchedOff) {
  options.disable_multicast = true;
  EXPECT_EQ(set(record(kBroadcast, 0), kJoin, 0).status, mad::status::kMethodAttributeUnsupported);
}

TEST_F(McMember, MembershipsHaveAnUpperBoundPerClient) {
  auto r = record(kPlain, 0);
  options.consolidate_ipv6_snm_req = true;
  std::uint32_t joined = 0;
  Outcome out;
  for (; joined < 2 * kJoinsPerPortInPlenty; ++joined) {
    r.set_mgid({0xff12601bffff0000, {std::uint64_t{0x00000001ff000000} + joined}});
    out = set(r, kCreate, 0);
    if (!out.is_ok()) break;
  }
  EXPECT_EQ(joined, kJoinsPerPortInPlenty);
  EXPECT_EQ(out.status, mad::sa_status::kNoResources);
  EXPECT_NE(out.log.find(subnet.fabric.port_name(hosts[0])), std::string::npos) << out.log;
  EXPECT_TRUE(set(r, kCreate, 0).log.empty()) << "logged once";
  EXPECT_TRUE(set(record(kBroadcast, 1), kJoin, 1).is_ok()) << "other clients are not affected";
  auto proxied = record(kBroadcast, 2);
  EXPECT_EQ(set(proxied, kJoin, 0).status, mad::sa_status::kNoResources)
      << "the requester's quota counts, not the port's";
}

TEST_F(McMember, WhenHalfOfAllMembershipsAreInUseAPortMayHaveFewer) {
  EXPECT_EQ(joins_per_port(0), 16384u) << "a port may be in every group that has its own MLID";
  EXPECT_EQ(joins_per_port(kJoinsInPlenty - 1), 16384u);
  EXPECT_EQ(joins_per_port(kJoinsInPlenty), kJoinsPerPort);
  EXPECT_GE((kJoins - kJoinsInPlenty) / kJoinsPerPort, 128u) << "hosts that fill the rest";
}

TEST_F(McMember, QueriesShowGroupsAndToTrustedRequestersMembers) {
  ASSERT_TRUE(set(record(kBroadcast, 0), kJoin, 0).is_ok());
  ASSERT_TRUE(set(record(kBroadcast, 1), kJoin, 1).is_ok());
  create(kPlain);
  const mad::McMemberRecord any;
  const auto groups = read(kMcMemberRecordType, any, 0, from(2));
  ASSERT_EQ(groups.size(), 2u);
  for (const auto& row : groups) {
    const mad::McMemberRecord r(std::span(row.record).first<mad::McMemberRecord::kBytes>());
    EXPECT_EQ(r.port_gid(), mad::Gid{});
    EXPECT_EQ(r.join_state(), 0);
  }
  EXPECT_EQ(read(kMcMemberRecordType, any, 0, from(2, true)).size(), 3u);
  mad::McMemberRecord one = record(kBroadcast, 0);
  EXPECT_EQ(read(kMcMemberRecordType, one, bits(Mask::kMgid, Mask::kPortGid), from(2)).size(), 0u)
      << "another port's membership";
  EXPECT_EQ(read(kMcMemberRecordType, one, bits(Mask::kMgid, Mask::kPortGid), from(0)).size(), 1u)
      << "its own";
  EXPECT_EQ(read(kMcMemberRecordType, one, bits(Mask::kMgid), from(0)).size(), 1u);
  EXPECT_EQ(read(kMcMemberRecordType, one, bits(Mask::kMgid, Mask::kJoinState), from(2)).size(), 1u)
      << "a hidden value is not compared";
  one.set_join_state(join_state::kNonMember);
  EXPECT_EQ(
      read(kMcMemberRecordType, one, bits(Mask::kMgid, Mask::kJoinState), from(2, true)).size(),
      0u);
  one.set_mtu_selector(1), one.set_mtu(5);
  EXPECT_EQ(read(kMcMemberRecordType, one, bits(Mask::kMtuSelector, Mask::kMtu), from(0)).size(),
            1u)
      << "below 4096";
  one.set_packet_life_selector(0), one.set_packet_life(18);
  EXPECT_EQ(read(kMcMemberRecordType, one, bits(Mask::kLifeSelector, Mask::kLife), from(0)).size(),
            0u);
  set_keys({{hosts[3], {{0x8010}}}});
  EXPECT_TRUE(read(kMcMemberRecordType, any, 0, from(3, true)).empty()) << "foreign partition";
}

TEST_F(McMember, WellKnownGroupsFollowPartitionsConf) {
  const mad::Gid second{0xff12401b80100000, {0xffffffff}};
  subnet.partitions.groups.push_back({.mgid = second, .p_key = {0x8010}});
  set_keys({{hosts[1], {{0x8010}, {0xFFFF}}}});
  reconcile();
  EXPECT_EQ(group(second).mlid, mad::Mlid{0xC001});
  ASSERT_TRUE(set(record(kBroadcast, 0), kJoin, 0).is_ok());
  subnet.partitions.groups[0].mtu = 5;
  reconcile();
  EXPECT_EQ(group(kBroadcast).mtu, 5) << "the value of the file";
  EXPECT_EQ(group(kBroadcast).members.size(), 1u);
  subnet.partitions.groups.clear();
  reconcile();
  EXPECT_FALSE(group(kBroadcast).well_known);
  EXPECT_EQ(registrations.groups.find(second), nullptr) << "it had no members";
  std::erase_if(subnet.partitions.partitions,
                [](const fabric::Partition& p) { return p.key == 0x7FFF; });
  std::vector<std::string> log;
  EXPECT_EQ(reconcile_groups(registrations, subnet, options, log).size(), 1u)
      << "its partition was removed";
  EXPECT_TRUE(registrations.groups.all().empty());
}

TEST_F(McMember, AbsentPortsLeave) {
  ASSERT_TRUE(set(record(kBroadcast, 0), kJoin, 0).is_ok());
  ASSERT_TRUE(set(record(kPlain, 1), kCreate, 1).is_ok());
  ASSERT_TRUE(set(record(kPlain, 0, join_state::kNonMember), kJoin, 0).is_ok());
  EXPECT_TRUE(purge_absent_ports(registrations, subnet, options, Absent::between_sweeps).empty());
  subnet.fabric.port_of_guid.erase(guid(1));
  registrations.groups.take_changed_mlids();
  const auto notices = purge_absent_ports(registrations, subnet, options, Absent::between_sweeps);
  EXPECT_EQ(notices, (std::vector{GroupNotice{mad::TrapNumber::multicast_group_deleted, kPlain,
                                              mad::kDefaultPKeyFull}}));
  EXPECT_EQ(registrations.groups.all().size(), 1u);
  EXPECT_EQ(registrations.groups.take_changed_mlids(), std::vector{mad::Mlid{0xC001}});
}

TEST(GroupValues, SolicitedNodeGroupsAreRecognisedByTheirMgid) {
  EXPECT_TRUE(is_solicited_node({0xff12601bffff0000, {0x00000001ff123456}}));
  EXPECT_TRUE(is_solicited_node({0xff15601b80100000, {0x00000001ff000000}}));
  EXPECT_FALSE(is_solicited_node({0xff12401bffff0000, {0x00000001ff123456}}));
  EXPECT_FALSE(is_solicited_node({0xff12601bffff0000, {0x00000002ff123456}}));
  EXPECT_FALSE(is_solicited_node({0xff12601bffff0000, {0x00000001fe123456}}));
}

TEST(PortLimits, TheRateOf1xSdrIsNamedAs2_5) {
  Group group;
  group.mtu = 4;
  group.rate = 3;
  EXPECT_EQ(beyond({.mtu = 4, .rate = 2}, group),
            "the port's rate of 2.5 Gb/s is below the group's 10 (P_Key 0x0000); check the width "
            "and speed of its link, or lower the rate of the group (chosen by the host that "
            "created it)");
  EXPECT_EQ(mad::rate_text(2), "2.5");
  EXPECT_EQ(mad::rate_text(16), "100");
  EXPECT_EQ(mad::rate_code_of(2.5), 2);
  EXPECT_EQ(mad::rate_code_of(2), std::nullopt);
  EXPECT_EQ(mad::rate_code_of(400), 21);
}

TEST(PortLimits, AnMtuBelowTheGroupsNamesBothAndWhatToDo) {
  Group group;
  group.p_key = mad::PKey{0x8001};
  group.mtu = 5;
  group.rate = 3;
  group.well_known = true;
  EXPECT_EQ(beyond({.mtu = 4, .rate = 3}, group),
            "the port's MTU of 2048 bytes is below the group's 4096 (P_Key 0x8001); raise the MTU "
            "of the port and of its link, or lower that of the group (mtu= of its partition)");
  EXPECT_EQ(beyond({.mtu = 5, .rate = 3}, group), "");
  EXPECT_EQ(beyond({.mtu = 0, .rate = 3}, group), "") << "an unknown MTU refuses nothing";
}

}  // namespace mc_member_test
}  // namespace sa::test
