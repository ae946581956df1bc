// Registrations of vports: theirs alone, counted for them and for their physical port.

#include "support/vports.h"
#include "fixture.h"
#include "sm/sa/registrations/persistence.h"
#include "sm/sa/registrations/replicated.h"
#include "sm/sa/registrations/requests.h"

namespace sa::test {
namespace vports_test {

using Mask = mad::McMemberRecord;
constexpr std::uint64_t kJoin = bits(Mask::kMgid, Mask::kPortGid, Mask::kJoinState);
constexpr std::uint64_t kCreate =
    kJoin | bits(Mask::kQKey, Mask::kTClass, Mask::kPKey, Mask::kFlowLabel, Mask::kSl);
constexpr mad::PKey kTen{0x8010}, kTwenty{0x8020};
constexpr mad::Guid kA1{0xA1}, kA2{0xA2}, kA3{0xA3}, kB1{0xB1};
constexpr mad::Lid kOwnLid{200};

/// At host 0: A1 and A2 in partition 0x10, A3 in 0x20; at host 1: B1 in 0x10 with a LID.
class VPorts : public Clients {
 protected:
  VPorts() {
    give(kTen);
    reconcile();
  }
  void give(mad::PKey key_of_a1) {
    vports::give(subnet, {{.port = hosts[0], .guid = kA1, .keys = {key_of_a1}},
                          {.port = hosts[0], .guid = kA2, .keys = {kTen}},
                          {.port = hosts[0], .guid = kA3, .keys = {kTwenty}},
                          {.port = hosts[1], .guid = kB1, .keys = {kTen}, .own_lid = kOwnLid}});
  }
  Requester by(mad::Guid guid, bool trusted = false) const {
    const fabric::EndPoint end = subnet.find(guid);
    return {.port = end.port,
            .lid = subnet.lid_range(end).base,
            .qpn = 1,
            .trusted = trusted,
            .vport = end.vport};
  }
  mad::Gid gid_of(mad::Guid guid) const { return {options.subnet_prefix, guid}; }
  Outcome join(mad::Gid mgid, mad::Guid member, Requester requester, std::uint64_t mask = kCreate,
               mad::PKey key = kTen, std::uint8_t state = join_state::kFull,
               mad::Method method = mad::Method::set) {
    mad::McMemberRecord record;
    record.set_mgid(mgid);
    record.set_port_gid(gid_of(member));
    record.set_join_state(state);
    record.set_q_key(0x0b1b);
    record.set_p_key(key);
    return request(method, record, mask, requester);
  }
  Outcome join(mad::Gid mgid, mad::Guid member) { return join(mgid, member, by(member)); }
  Outcome leave(mad::Gid mgid, mad::Guid member) {
    return join(mgid, member, by(member), kJoin, kTen, join_state::kFull, mad::Method::delete_);
  }
  static mad::Gid group(unsigned number) { return {0xff12000000000000, {0x100 + number}}; }
  std::vector<routing::MulticastGroup> trees() const {
    return registrations.groups.for_routing(subnet, registrations.alias_guids);
  }
  Outcome serve(std::uint64_t id, mad::Guid server, Requester requester, std::uint8_t key = 0,
                mad::Method method = mad::Method::set) {
    mad::ServiceRecord record;
    record.set_service_id(id);
    record.set_service_gid(gid_of(server));
    record.set_lease(mad::ServiceRecord::kForever);
    record.key()[0] = key;
    return request(method, record,
                   bits(mad::ServiceRecord::kServiceId, mad::ServiceRecord::kServiceGid),
                   requester);
  }
  Outcome subscribe(Requester requester, std::uint16_t trap = mad::InformInfo::kAll) {
    mad::InformInfo info;
    info.set_lid_range_begin({mad::InformInfo::kAll});
    info.set_is_generic(1);
    info.set_subscribe(1);
    info.set_type(mad::InformInfo::kAll);
    info.set_trap_number(trap);
    info.set_producer_type(mad::InformInfo::kAllProducers);
    return request(mad::Method::set, info, 0, requester);
  }
  std::vector<GroupNotice> forget() {
    return purge_absent_ports(registrations, subnet, options, Absent::between_sweeps);
  }
};

TEST_F(VPorts, JoinGroupsOfTheirOwnPartitions) {
  EXPECT_TRUE(join(group(1), kA1).is_ok());
  EXPECT_TRUE(join(group(1), kB1).is_ok());
  EXPECT_EQ(join(group(1), kA3).status, mad::sa_status::kReqInvalid)
      << "it is in another partition";
  EXPECT_EQ(join(kBroadcast, kA1, by(kA1), kJoin).status, mad::sa_status::kReqInvalid)
      << "its physical port is in the default partition, and it is not";
  EXPECT_TRUE(join(kBroadcast, guid(0), by(guid(0)), kJoin).is_ok());
}

TEST_F(VPorts, ChangeNoMembershipOfOthersAtTheirPort) {
  ASSERT_TRUE(join(group(1), kA1).is_ok());
  const auto leave_by = [&](mad::Guid requester) {
    return join(group(1), kA1, by(requester), kJoin, kTen, join_state::kFull, mad::Method::delete_)
        .status;
  };
  EXPECT_EQ(leave_by(kA2), mad::sa_status::kReqInvalid);
  EXPECT_EQ(leave_by(guid(0)), mad::sa_status::kReqInvalid) << "nor their physical port's";
  EXPECT_EQ(leave_by(kA1), mad::status::kOk);
}

TEST_F(VPorts, OfOnePortAreOneMemberOfTheTree) {
  for (const mad::Guid guid : {kA1, kA2, kB1}) ASSERT_TRUE(join(group(1), guid).is_ok());
  using Ports = std::vector<fabric::PortIndex>;
  EXPECT_EQ(trees().front().receivers, (Ports{hosts[0], hosts[1]}));
  ASSERT_TRUE(leave(group(1), kA1).is_ok());
  EXPECT_EQ(trees().front().receivers, (Ports{hosts[0], hosts[1]})) << "A2 is there";
  registrations.groups.take_changed_mlids();
  ASSERT_TRUE(leave(group(1), kA2).is_ok());
  EXPECT_TRUE(registrations.groups.has_changed_mlids());
  EXPECT_EQ(trees().front().receivers, Ports{hosts[1]}) << "the last one has left";
}

TEST_F(VPorts, LeaveGroupsThatTheirKeysNoLongerCover) {
  ASSERT_TRUE(join(group(1), kA1).is_ok());
  ASSERT_TRUE(join(group(2), kB1).is_ok());
  give(kTwenty);
  EXPECT_EQ(forget(),
            (std::vector<GroupNotice>{{mad::TrapNumber::multicast_group_deleted, group(1), kTen}}));
  EXPECT_EQ(registrations.groups.find(group(1)), nullptr);
  EXPECT_NE(registrations.groups.find(group(2)), nullptr);
}

TEST_F(VPorts, ThatAreGoneLeaveNothingButServices) {
  for (const mad::Guid guid : {kA1, kA2}) ASSERT_TRUE(join(group(1), guid).is_ok());
  ASSERT_TRUE(subscribe(by(kA1)).is_ok());
  ASSERT_TRUE(serve(7, kA1, by(kA1)).is_ok());
  vports::give(subnet, {{.port = hosts[0], .guid = kA2, .keys = {kTen}}});
  EXPECT_TRUE(forget().empty());
  EXPECT_EQ(registrations.groups.find(group(1))->members.size(), 1u);
  EXPECT_EQ(registrations.groups.quota().at(guid(0)), 1u);
  EXPECT_TRUE(registrations.subscriptions.all().empty());
  EXPECT_EQ(registrations.services.all().size(), 1u) << "as of a port that may appear again";
  EXPECT_EQ(registrations.services.quota().at(guid(0)), 1u) << "still counted for its port";
}

TEST_F(VPorts, HaveAPartOfTheBoundsOfTheirPort) {
  ASSERT_TRUE(join(group(0), kB1).is_ok());
  ASSERT_TRUE(join(group(0), kA1).is_ok());
  const std::uint32_t part = kJoinsPerPortInPlenty / kVPortQuotaDivisor;
  // Groups of another host, so that MLIDs are no bound here.
  subnet.fabric.switches[fabric::SwitchIndex{0}].info.set_multicast_fdb_cap(0x4000);
  for (unsigned i = 1; i < part; ++i) {
    ASSERT_TRUE(join(group(i), kB1).is_ok()) << i;
    ASSERT_TRUE(join(group(i), kA1).is_ok()) << i;
  }
  ASSERT_EQ(registrations.groups.quota().of(kA1), part);
  ASSERT_TRUE(join(group(part), guid(2), by(guid(2)), kCreate, mad::kDefaultPKeyFull).is_ok());
  EXPECT_EQ(join(group(0xF000), kA1).status, mad::sa_status::kNoResources);
  EXPECT_TRUE(join(group(0), kA2).is_ok()) << "it has a bound of its own";
  EXPECT_EQ(registrations.groups.quota().at(guid(0)), part + 1);
}

TEST_F(VPorts, OfOnePortTogetherHaveNoMoreThanAPort) {
  PortQuota quota;
  const auto bounds = [&](const Client& client) { return bounds_of(client, options, 8, 100, 0); };
  const mad::Guid port{1};
  for (std::uint64_t i = 0; i < 8; ++i) {
    const Client vport(port, mad::Guid{10 + i});
    ASSERT_FALSE(quota.is_full(vport, bounds(vport)));
    quota.take(vport);
  }
  for (const Client& client : {Client(port, mad::Guid{99}), Client(port)})
    EXPECT_TRUE(quota.is_full(client, bounds(client)));
  EXPECT_FALSE(quota.is_full(Client(mad::Guid{2}), bounds(Client(mad::Guid{2}))));
  quota.give_back({port, mad::Guid{13}});
  EXPECT_FALSE(quota.is_full(Client(port), bounds(Client(port))));
  EXPECT_EQ(quota.at(port), 7u);
  EXPECT_EQ(quota.of(port), 0u);
}

TEST_F(VPorts, CannotTakeAllMlidsByTheirNumber) {
  subnet.fabric.switches[fabric::SwitchIndex{0}].info.set_multicast_fdb_cap(64);
  std::vector<vports::Wanted> many;
  for (std::uint64_t i = 0; i < 60; ++i)
    many.push_back({.port = hosts[0], .guid = {0xC000 + i}, .keys = {kTen}});
  vports::give(subnet, many);
  unsigned created = 0;
  for (unsigned i = 0; i < 60; ++i) created += join(group(i), {0xC000u + i}).is_ok() ? 1u : 0u;
  EXPECT_EQ(created, 32u) << "a half, as one port";
  EXPECT_TRUE(join(group(99), guid(1), by(guid(1)), kCreate, mad::kDefaultPKeyFull).is_ok());
}

TEST_F(VPorts, OwnTheirServices) {
  ASSERT_TRUE(serve(7, kA1, by(kA1), 0x55).is_ok());
  const auto erase = [&](mad::Guid requester, std::uint8_t key) {
    return serve(7, kA1, by(requester), key, mad::Method::delete_).status;
  };
  EXPECT_EQ(erase(kA2, 0), mad::sa_status::kReqInvalid) << "a sibling at its port";
  EXPECT_EQ(erase(guid(0), 0), mad::sa_status::kReqInvalid) << "its physical port";
  EXPECT_EQ(erase(kA1, 0), mad::status::kOk);
  EXPECT_EQ(serve(8, kA1, by(kA3)).status, mad::sa_status::kReqInvalid)
      << "they share no partition";
  const mad::ServiceRecord any;
  ASSERT_TRUE(serve(9, kA1, by(kA1)).is_ok());
  EXPECT_EQ(read(kServiceRecordType, any, 0, by(kA2)).front().about_vport, subnet.find(kA1).vport);
}

TEST_F(VPorts, GetReportsWithAGlobalRoute) {
  ASSERT_TRUE(subscribe(by(kA1), 64).is_ok());
  ASSERT_TRUE(subscribe(by(kB1), 64).is_ok());
  ASSERT_TRUE(subscribe(by(guid(2)), 64).is_ok());
  const Report report = report_of_port(mad::TrapNumber::gid_in_service, subnet.find(kA2), subnet,
                                       {9}, gid(3), options.subnet_prefix);
  std::vector<Recipient> to;
  RecipientPosition position;
  append_recipients(registrations.subscriptions, subnet, report, options.subnet_prefix, position,
                    1000, to);
  ASSERT_EQ(to.size(), 2u) << "those that share a partition with the vport";
  EXPECT_EQ(to[0].client, Client(guid(0), kA1));
  EXPECT_EQ(to[0].lid, lid(0));
  EXPECT_EQ(to[0].gid, gid_of(kA1));
  EXPECT_EQ(to[1].client, Client(guid(1), kB1));
  EXPECT_EQ(to[1].lid, kOwnLid);
}

TEST_F(VPorts, HaveAliasGuidsByTheirLid) {
  mad::GuidInfoRecord record;
  record.set_lid(kOwnLid);
  mad::GuidInfo guids;
  guids.set_guid(3, {0xA0003});
  record.set_guid_info(guids);
  const std::uint64_t mask = bits(mad::GuidInfoRecord::kLid, mad::GuidInfoRecord::kBlockNum,
                                  static_cast<unsigned>(mad::GuidInfoRecord::kGuid0) + 3u);
  const Outcome out = request(mad::Method::set, record, mask, by(kB1));
  ASSERT_TRUE(out.alias_write) << out.log;
  EXPECT_EQ(out.alias_write->port_guid, kB1);
  EXPECT_EQ(out.alias_write->guid_info.guid(0), kB1);
  alias_written(registrations, out);
  EXPECT_EQ(find_end_point({0xA0003}, subnet, registrations.alias_guids), subnet.find(kB1));
  guids.set_guid(3, kA1);
  record.set_guid_info(guids);
  const Outcome taken = request(mad::Method::set, record, mask, by(kB1));
  EXPECT_EQ(reply<mad::GuidInfoRecord>(taken).guid_info().guid(3), mad::Guid{})
      << "another vport has it";
}

TEST_F(VPorts, ChangeNoAliasGuidsWhereTheEnhancedTrustModelForbidsIt) {
  mad::GuidInfoRecord record;
  record.set_lid(kOwnLid);
  const std::uint64_t mask = bits(mad::GuidInfoRecord::kLid, mad::GuidInfoRecord::kBlockNum,
                                  static_cast<unsigned>(mad::GuidInfoRecord::kGuid0) + 3u);
  const auto set = [&](const Requester& from) {
    const Outcome out = request(mad::Method::set, record, mask, from);
    const bool is_taken = out.alias_write.has_value();
    if (is_taken) alias_written(registrations, out);
    return is_taken;
  };
  options.sa_etm_allow_guidinfo_rec_by_vf = false;
  EXPECT_TRUE(set(by(kB1))) << "sa_enhanced_trust_model is FALSE";
  options.sa_enhanced_trust_model = true;
  EXPECT_FALSE(set(by(kB1)));
  EXPECT_TRUE(set(by(kB1, true)));
  record.set_lid(lid(1));
  EXPECT_TRUE(set(by(guid(1)))) << "a physical port";
}

TEST_F(VPorts, AreInTheJournalAndTheReplicatedState) {
  ASSERT_TRUE(join(group(1), kA1).is_ok());
  ASSERT_TRUE(subscribe(by(kA1)).is_ok());
  ASSERT_TRUE(serve(7, kA1, by(kA1)).is_ok());
  ASSERT_TRUE(serve(8, guid(2), by(guid(2))).is_ok());
  const std::string lines = all_lines(registrations);
  const ReplicatedRegistrations again = read_records(all_records(lines));
  EXPECT_TRUE(again.rejected.empty());
  EXPECT_EQ(all_lines(again.registrations), lines);
  EXPECT_EQ(again.registrations.groups.all(), registrations.groups.all());
  EXPECT_EQ(again.registrations.groups.quota().at(guid(0)), 1u);
  EXPECT_EQ(again.registrations.groups.quota().of(kA1), 1u);
  EXPECT_EQ(again.registrations.groups.created_by(guid(0)), 1u);
  EXPECT_EQ(again.registrations.services.quota().at(guid(0)), 1u);
  EXPECT_EQ(again.registrations.services.quota().of(guid(2)), 1u);
  EXPECT_EQ(again.registrations.subscriptions.all(), registrations.subscriptions.all());
  EXPECT_EQ(again.registrations.subscriptions.quota().at(guid(0)), 1u);
}

}  // namespace vports_test
}  // namespace sa::test
