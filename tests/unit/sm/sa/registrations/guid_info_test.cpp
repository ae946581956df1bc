// Alias GUIDs: requested, assigned, refused, and in effect only after the port has acknowledged.
#include "sm/sa/registrations/alias_guids.h"
#include "sm/sa/registrations/requests.h"

#include "fixture.h"

namespace sa::test {
namespace guid_info_test {

using Mask = mad::GuidInfoRecord;
constexpr std::uint64_t kPlace = bits(Mask::kLid, Mask::kBlockNum);
constexpr std::uint64_t entry(unsigned n) { return bits(Mask::kGuid0 + n); }

class GuidInfos : public Clients {
 protected:
  mad::GuidInfoRecord record(
      unsigned host, std::uint8_t block,
      std::initializer_list<std::pair<unsigned, std::uint64_t>> guids = {}) const {
    mad::GuidInfoRecord out;
    out.set_lid(lid(host));
    out.set_block(block);
    mad::GuidInfo info;
    for (const auto& [index, value] : guids) info.set_guid(index, {value});
    out.set_guid_info(info);
    return out;
  }
  Outcome set(const mad::GuidInfoRecord& r, std::uint64_t mask, unsigned host) {
    return request(mad::Method::set, r, mask, from(host));
  }
  Outcome erase(const mad::GuidInfoRecord& r, std::uint64_t mask, unsigned host) {
    return request(mad::Method::delete_, r, mask, from(host));
  }
  void give(unsigned host, unsigned index, std::uint64_t alias) {
    const Outcome out = set(record(host, 0, {{index, alias}}), kPlace | entry(index), host);
    ASSERT_TRUE(out.alias_write) << out.log;
    alias_written(registrations, out);
  }
};

TEST_F(GuidInfos, TakeEffectWhenThePortHasAcknowledged) {
  const Outcome out = set(record(0, 0, {{1, 0xA1}, {3, 0xA3}}), kPlace | entry(1) | entry(3), 0);
  ASSERT_TRUE(out.is_ok()) << out.log;
  ASSERT_TRUE(out.alias_write);
  EXPECT_EQ(out.alias_write->port_guid, guid(0));
  EXPECT_EQ(out.alias_write->block, 0u);
  EXPECT_EQ(out.alias_write->guid_info.guid(0), guid(0));
  EXPECT_EQ(out.alias_write->guid_info.guid(1), mad::Guid{0xA1});
  EXPECT_EQ(out.alias_write->guid_info.guid(3), mad::Guid{0xA3});
  EXPECT_EQ(registrations.alias_guids.owner({0xA1}), mad::Guid{}) << "not yet";
  EXPECT_EQ(set(record(0, 0, {{2, 0xA2}}), kPlace | entry(2), 0).status, mad::status::kBusy)
      << "one change at a time";
  EXPECT_EQ(reply<mad::GuidInfoRecord>(set(record(1, 0, {{2, 0xA1}}), kPlace | entry(2), 1))
                .guid_info()
                .guid(2),
            mad::Guid{})
      << "reserved by another change";
  EXPECT_EQ(reply<mad::GuidInfoRecord>(alias_written(registrations, out)).guid_info().guid(3),
            mad::Guid{0xA3});
  EXPECT_EQ(registrations.alias_guids.owner({0xA1}), guid(0));
  EXPECT_EQ(port_of({0xA3}, subnet, registrations.alias_guids), hosts[0]);
  const auto blocks = registrations.alias_guids.blocks(guid(0));
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(blocks[0].second, out.alias_write->guid_info)
      << "the blocks for a port that has restarted";
}

TEST_F(GuidInfos, AreDroppedWithoutAcknowledgement) {
  const Outcome out = set(record(0, 0, {{1, 0xA1}}), kPlace | entry(1), 0);
  EXPECT_EQ(alias_failed(registrations, out).status, mad::sa_status::kNoResources);
  EXPECT_TRUE(registrations.alias_guids.all().empty());
  EXPECT_TRUE(registrations.alias_guids.is_free({0xA1}));
  give(1, 1, 0xA1);
}

TEST_F(GuidInfos, AreRefusedWithTheStandardsStatus) {
  EXPECT_EQ(set(record(0, 0), bits(Mask::kLid) | entry(1), 0).status,
            mad::sa_status::kReqInsufficientComponents);
  EXPECT_EQ(set(record(0, 0), bits(Mask::kBlockNum) | entry(1), 0).status,
            mad::sa_status::kReqInsufficientComponents);
  auto unassigned = record(0, 0);
  unassigned.set_lid({0x4000});
  EXPECT_EQ(set(unassigned, kPlace | entry(1), 0).status, mad::sa_status::kNoRecords);
  EXPECT_EQ(set(record(0, 2), kPlace | entry(1), 0).status, mad::sa_status::kNoRecords)
      << "GUIDCap is 16";
  EXPECT_EQ(set(record(0, 0), kPlace | entry(0), 0).status, mad::sa_status::kReqInvalid)
      << "the port GUID is read-only";
  EXPECT_EQ(erase(record(0, 0), kPlace | entry(0), 0).status, mad::sa_status::kReqInvalid);
  EXPECT_TRUE(set(record(0, 1, {{0, 0xB0}}), kPlace | entry(0), 0).is_ok());
  set_keys({{hosts[1], {{0x8010}}}});
  EXPECT_EQ(set(record(1, 0, {{1, 0xA1}}), kPlace | entry(1), 0).status,
            mad::sa_status::kReqInvalid)
      << "foreign partition";
}

TEST_F(GuidInfos, UsedElsewhereAreZeroInTheResponse) {
  give(0, 1, 0xA1);
  const Outcome out = set(record(1, 0, {{1, 0xA1}, {2, guid(2).value}, {3, 0xA3}, {4, 0xA3}}),
                          kPlace | entry(1) | entry(2) | entry(3) | entry(4), 1);
  const auto shown = reply<mad::GuidInfoRecord>(out).guid_info();
  EXPECT_EQ(shown.guid(1), mad::Guid{});
  EXPECT_EQ(shown.guid(2), mad::Guid{}) << "a port GUID";
  EXPECT_EQ(shown.guid(3), mad::Guid{0xA3});
  EXPECT_EQ(shown.guid(4), mad::Guid{}) << "twice in one request";
  ASSERT_TRUE(out.alias_write);
  EXPECT_EQ(out.alias_write->guid_info.guid(1), mad::Guid{});
}

TEST_F(GuidInfos, OfAnotherPortAreChangedByTrustedRequestersOnly) {
  give(1, 1, 0xB1);
  EXPECT_EQ(set(record(1, 0, {{2, 0xB2}}), kPlace | entry(2), 0).status,
            mad::sa_status::kReqInvalid);
  EXPECT_EQ(erase(record(1, 0), kPlace | entry(1), 0).status, mad::sa_status::kReqInvalid);
  EXPECT_FALSE(registrations.alias_guids.is_changing(guid(1)));
  EXPECT_EQ(registrations.alias_guids.owner({0xB1}), guid(1));
  EXPECT_TRUE(
      request(mad::Method::delete_, record(1, 0), kPlace | entry(1), from(0, true)).is_ok());
}

TEST_F(GuidInfos, AreNotThePortGuidsOfAbsentHosts) {
  const mad::Guid absent{0x5000};
  guid2lid.entries = {{.guid = absent, .first = {90}, .last = {90}}};
  options.sm_assigned_guid = 0x5A;
  const mad::Guid assigned{0x0014055A00000001};
  guid2lid.entries.push_back({.guid = assigned, .first = {91}, .last = {91}});
  const Outcome out =
      set(record(0, 0, {{1, absent.value}, {3, 0xA3}}), kPlace | entry(1) | entry(2) | entry(3), 0);
  const auto shown = reply<mad::GuidInfoRecord>(out).guid_info();
  EXPECT_EQ(shown.guid(1), mad::Guid{});
  EXPECT_EQ(shown.guid(2).value, assigned.value + 1) << "nor are GUIDs that are assigned";
  EXPECT_EQ(shown.guid(3), mad::Guid{0xA3});
}

TEST_F(GuidInfos, EndWhenThePortWithThatGuidReturns) {
  reconcile();
  const fabric::PortIndex port = hosts[2];
  const mad::Guid returned = guid(2);
  subnet.fabric.port_of_guid.erase(returned);
  give(0, 1, returned.value);
  give(0, 2, 0xA2);
  const std::uint64_t join_mask = bits(mad::McMemberRecord::kMgid, mad::McMemberRecord::kPortGid,
                                       mad::McMemberRecord::kJoinState);
  mad::McMemberRecord join;
  join.set_mgid(kBroadcast);
  join.set_port_gid(gid(2));
  join.set_join_state(join_state::kFull);
  ASSERT_TRUE(request(mad::Method::set, join, join_mask, from(0)).is_ok());
  mad::ServiceRecord service;
  service.set_service_id(1);
  service.set_service_gid(gid(2));
  ASSERT_TRUE(request(mad::Method::set, service,
                      bits(mad::ServiceRecord::kServiceId, mad::ServiceRecord::kServiceGid),
                      from(0))
                  .is_ok());
  service.set_service_id(2);
  service.set_service_gid(gid(0));
  ASSERT_TRUE(request(mad::Method::set, service,
                      bits(mad::ServiceRecord::kServiceId, mad::ServiceRecord::kServiceGid),
                      from(0))
                  .is_ok());
  EXPECT_TRUE(registrations.alias_guids.take_withdrawn().empty());
  subnet.fabric.port_of_guid.emplace(returned, port);
  EXPECT_EQ(purge_absent_ports(registrations, subnet, options, Absent::between_sweeps).size(), 1u)
      << "the group has no member any more";
  EXPECT_EQ(registrations.alias_guids.owner(returned), mad::Guid{});
  EXPECT_EQ(registrations.alias_guids.owner({0xA2}), guid(0));
  EXPECT_TRUE(registrations.groups.find(kBroadcast)->members.empty());
  ASSERT_EQ(registrations.services.all().size(), 1u);
  EXPECT_EQ(registrations.services.all().begin()->first.gid, gid(0));
  EXPECT_EQ(registrations.alias_guids.take_withdrawn(), (std::set<AliasGuids::Block>{{guid(0), 0}}))
      << "its GUID table is written";
}

TEST_F(GuidInfos, AreAssignedOnRequest) {
  options.sm_assigned_guid = 0x5A;
  const Outcome out = set(record(0, 0), kPlace | entry(1) | entry(2), 0);
  const auto shown = reply<mad::GuidInfoRecord>(out).guid_info();
  EXPECT_EQ(shown.guid(0), guid(0)) << "the whole block after the change";
  EXPECT_EQ(shown.guid(1).value, 0x0014055A00000001u);
  EXPECT_EQ(shown.guid(2).value, 0x0014055A00000002u);
  alias_written(registrations, out);
  EXPECT_EQ(
      reply<mad::GuidInfoRecord>(set(record(1, 0), kPlace | entry(1), 1)).guid_info().guid(1).value,
      0x0014055A00000003u);
}

TEST_F(GuidInfos, OfGroupMembersAreNotChanged) {
  reconcile();
  give(0, 1, 0xA1);
  mad::McMemberRecord join;
  join.set_mgid(kBroadcast);
  join.set_port_gid({options.subnet_prefix, {0xA1}});
  join.set_join_state(join_state::kFull);
  const std::uint64_t mask = bits(mad::McMemberRecord::kMgid, mad::McMemberRecord::kPortGid,
                                  mad::McMemberRecord::kJoinState);
  const Outcome joined = request(mad::Method::set, join, mask, from(0));
  ASSERT_TRUE(joined.is_ok()) << joined.log;
  EXPECT_FALSE(reply<mad::McMemberRecord>(joined).proxy_join()) << "the alias is the port's own";
  EXPECT_EQ(erase(record(0, 0), kPlace | entry(1), 0).status, mad::sa_status::kReqDenied);
  EXPECT_EQ(set(record(0, 0, {{1, 0xA9}}), kPlace | entry(1), 0).status,
            mad::sa_status::kReqDenied);
  EXPECT_FALSE(set(record(0, 0, {{1, 0xA1}}), kPlace | entry(1), 0).alias_write)
      << "the same again is no change";
  ASSERT_TRUE(request(mad::Method::delete_, join, mask, from(0)).is_ok());
  const Outcome out = erase(record(0, 0), kPlace | entry(1), 0);
  ASSERT_TRUE(out.alias_write);
  alias_written(registrations, out);
  EXPECT_TRUE(registrations.alias_guids.all().empty());
}

TEST_F(GuidInfos, AreDroppedWithThePortAndTheirMembershipsToo) {
  reconcile();
  give(0, 1, 0xA1);
  registrations.groups.join(
      kBroadcast,
      {.port_gid = {options.subnet_prefix, {0xA1}}, .join_state = 1, .registered_by = guid(0)});
  set(record(0, 0, {{2, 0xA2}}), kPlace | entry(2), 0);  // pending
  subnet.fabric.port_of_guid.erase(guid(0));
  EXPECT_EQ(purge_absent_ports(registrations, subnet, options, Absent::between_sweeps).size(), 1u);
  EXPECT_TRUE(registrations.alias_guids.is_free({0xA1}));
  EXPECT_TRUE(registrations.alias_guids.is_free({0xA2}));
  EXPECT_TRUE(registrations.groups.find(kBroadcast)->members.empty());
}

}  // namespace guid_info_test
}  // namespace sa::test
