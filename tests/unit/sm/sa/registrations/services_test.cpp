// ServiceRecords: permission to register, leases, visibility of keys.
#include "sm/sa/registrations/services.h"
#include "mad/format.h"
#include "sm/sa/registrations/requests.h"

#include "fixture.h"

namespace sa::test {
namespace services_test {

using Mask = mad::ServiceRecord;
using std::chrono::seconds;
constexpr std::uint64_t kRid = bits(Mask::kServiceId, Mask::kServiceGid, Mask::kPKey);
constexpr std::uint16_t kInvalid = mad::sa_status::kReqInvalid;

class ServiceRecords : public Clients {
 protected:
  mad::ServiceRecord record(std::uint64_t id, unsigned host) const {
    mad::ServiceRecord out;
    out.set_service_id(id);
    out.set_service_gid(gid(host));
    out.set_p_key(mad::kDefaultPKeyFull);
    out.set_lease(60);
    out.key()[3] = 7;
    out.name()[0] = 'x';
    return out;
  }
  Outcome set(const mad::ServiceRecord& r, std::uint64_t mask, unsigned host,
              std::int64_t now = 1000) {
    return request(mad::Method::set, r, mask, from(host), UnixTime(seconds(now)));
  }
  Outcome erase(const mad::ServiceRecord& r, std::uint64_t mask, unsigned host,
                std::int64_t now = 1000) {
    return request(mad::Method::delete_, r, mask, from(host), UnixTime(seconds(now)));
  }
};

TEST_F(ServiceRecords, AreRegisteredReplacedAndDeleted) {
  auto r = record(1, 0);
  auto without_key = r;
  std::ranges::fill(without_key.key(), std::uint8_t{0});
  EXPECT_EQ(reply<mad::ServiceRecord>(set(r, kRid | bits(Mask::kLease), 0)), without_key)
      << "keys are shown to trusted requesters only";
  r.name()[0] = 'y';
  ASSERT_TRUE(set(r, kRid | bits(Mask::kLease), 0).is_ok());
  ASSERT_EQ(registrations.services.all().size(), 1u);
  EXPECT_EQ(registrations.services.all().begin()->second.record.name()[0], 'y');
  EXPECT_EQ(erase(record(2, 0), kRid, 0).status, mad::sa_status::kNoRecords);
  ASSERT_TRUE(erase(r, kRid, 0).is_ok());
  EXPECT_TRUE(registrations.services.all().empty());
  EXPECT_EQ(registrations.services.quota().total(), 0u);
}

TEST_F(ServiceRecords, NeedIdAndGid) {
  EXPECT_EQ(set(record(1, 0), bits(Mask::kServiceId), 0).status, kInvalid);
  EXPECT_EQ(set(record(1, 0), bits(Mask::kServiceGid), 0).status, kInvalid);
  EXPECT_EQ(erase(record(1, 0), bits(Mask::kServiceGid), 0).status, mad::sa_status::kNoRecords)
      << "the record's values count, not the mask";
}

TEST_F(ServiceRecords, AreVisibleInTheirPartition) {
  set_keys({{hosts[1], {{0x8010}}}});
  EXPECT_EQ(set(record(1, 1), kRid, 1).status, kInvalid)
      << "the requester does not have that P_Key";
  EXPECT_EQ(set(record(1, 1), kRid, 0).status, kInvalid) << "the port does not have it";
  auto r = record(1, 1);
  EXPECT_EQ(set(r, bits(Mask::kServiceId, Mask::kServiceGid), 0).status, kInvalid)
      << "no partition in common";
  r.set_p_key({0x8010});
  ASSERT_TRUE(set(r, kRid, 1).is_ok());
  EXPECT_TRUE(read(kServiceRecordType, r, 0, from(0)).empty());
  EXPECT_EQ(read(kServiceRecordType, r, 0, from(1)).size(), 1u);
  EXPECT_EQ(erase(r, kRid, 0).status, kInvalid);
}

TEST_F(ServiceRecords, AnotherPortNeedsTheKey) {
  auto r = record(1, 0);
  ASSERT_TRUE(set(r, kRid, 0).is_ok());
  r.key()[3] = 8;
  EXPECT_EQ(erase(r, kRid, 1).status, kInvalid);
  EXPECT_EQ(set(r, kRid, 1).status, kInvalid);
  r.key()[3] = 7;
  EXPECT_TRUE(erase(r, kRid, 1).is_ok());
}

TEST_F(ServiceRecords, WithoutAKeyBelongToTheirPortAlone) {
  auto r = record(1, 0);
  std::ranges::fill(r.key(), std::uint8_t{0});
  ASSERT_TRUE(set(r, kRid, 0).is_ok());
  auto stolen = r;
  stolen.name()[0] = 'y';
  EXPECT_EQ(set(stolen, kRid, 1).status, kInvalid) << "key 0 proves nothing";
  EXPECT_EQ(erase(r, kRid, 1).status, kInvalid);
  ASSERT_EQ(registrations.services.all().size(), 1u);
  EXPECT_EQ(registrations.services.all().begin()->second.record.name()[0], 'x');
  EXPECT_TRUE(request(mad::Method::delete_, r, kRid, from(1, true)).is_ok()) << "trusted";
  ASSERT_TRUE(set(r, kRid, 0).is_ok());
  EXPECT_TRUE(erase(r, kRid, 0).is_ok());
}

TEST_F(ServiceRecords, OfAProxyBecomeTheServersWithItsOwnRegistration) {
  auto r = record(1, 0);
  std::ranges::fill(r.key(), std::uint8_t{0});
  ASSERT_TRUE(set(r, kRid, 1).is_ok()) << "host 1 registers it for host 0";
  ASSERT_TRUE(set(r, kRid, 0).is_ok());
  EXPECT_EQ(registrations.services.all().begin()->second.registered_by, guid(0));
  EXPECT_EQ(erase(r, kRid, 1).status, kInvalid);
  EXPECT_EQ(set(r, kRid, 1).status, kInvalid);
  EXPECT_EQ(registrations.services.quota().of(guid(1)), 0u);
  EXPECT_EQ(registrations.services.quota().of(guid(0)), 1u);
}

TEST_F(ServiceRecords, OfBothFormsOfOneGidAreOneService) {
  options.subnet_prefix = 0xfec0000000000007;
  const auto own = record(1, 0);
  auto other = own;
  other.set_service_gid({kDefaultPrefix, guid(0)});
  EXPECT_EQ(reply<mad::ServiceRecord>(set(other, kRid, 0)).service_gid(), other.service_gid());
  EXPECT_EQ(reply<mad::ServiceRecord>(set(own, kRid, 0)).service_gid(), own.service_gid());
  ASSERT_EQ(registrations.services.all().size(), 1u);
  EXPECT_EQ(registrations.services.all().begin()->first.gid, gid(0));
  for (const auto& asked : {own, other}) {
    const auto rows = read(kServiceRecordType, asked, kRid, from(1));
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(mad::ServiceRecord(std::span(rows[0].record).first<mad::ServiceRecord::kBytes>())
                  .service_gid(),
              asked.service_gid());
  }
  auto foreign = own;
  foreign.set_service_gid({0x1234, guid(0)});
  ASSERT_TRUE(set(foreign, kRid, 0).is_ok()) << "a foreign prefix is accepted, as in OpenSM";
  EXPECT_EQ(registrations.services.all().size(), 2u);
  EXPECT_EQ(reply<mad::ServiceRecord>(erase(other, kRid, 0)).service_gid(), other.service_gid());
  EXPECT_EQ(registrations.services.all().size(), 1u);
  EXPECT_EQ(erase(own, kRid, 0).status, mad::sa_status::kNoRecords);
}

TEST_F(ServiceRecords, EndWithTheirLease) {
  ASSERT_TRUE(set(record(1, 0), kRid | bits(Mask::kLease), 0, 1000).is_ok());
  ASSERT_TRUE(set(record(2, 0), kRid, 0, 1000).is_ok());  // without a lease: it does not expire
  auto forever = record(3, 0);
  forever.set_lease(mad::ServiceRecord::kForever);
  ASSERT_TRUE(set(forever, kRid | bits(Mask::kLease), 0, 1000).is_ok());
  EXPECT_EQ(registrations.services.expire(UnixTime(seconds(1059))), UnixTime(seconds(1060)));
  const auto rows = read(kServiceRecordType, forever, 0, from(0));
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(
      mad::ServiceRecord(std::span(rows[0].record).first<mad::ServiceRecord::kBytes>()).lease(), 1u)
      << "the remaining lease";
  EXPECT_EQ(registrations.services.expire(UnixTime(seconds(1060))), std::nullopt);
  EXPECT_EQ(registrations.services.all().size(), 2u);
  ASSERT_TRUE(set(record(1, 0), kRid | bits(Mask::kLease), 0, 2000).is_ok());
  ASSERT_TRUE(set(record(1, 0), kRid | bits(Mask::kLease), 0, 2030).is_ok()) << "renewed";
  EXPECT_EQ(registrations.services.expire(UnixTime(seconds(2060))), UnixTime(seconds(2090)));
}

TEST_F(ServiceRecords, ManyThatEndAtOnceAreDroppedInSteps) {
  constexpr unsigned kMany = 2 * Services::kExpireAtOnce + 10;
  for (unsigned i = 0; i < kMany; ++i) {
    Service service{.record = record(i, i % 2), .expires = UnixTime(seconds(2000))};
    registrations.services.set(std::move(service));
  }
  EXPECT_EQ(registrations.services.expire(UnixTime(seconds(2000))), UnixTime(seconds(2000)));
  EXPECT_EQ(registrations.services.all().size(), kMany - Services::kExpireAtOnce);
  EXPECT_TRUE(read(kServiceRecordType, record(0, 0), 0, from(0)).empty()) << "all have ended";
  const mad::ServiceRecord last = record(kMany - 1, (kMany - 1) % 2);
  EXPECT_EQ(erase(last, kRid, 0, 2000).status, mad::sa_status::kNoRecords);
  EXPECT_EQ(registrations.services.expire(UnixTime(seconds(2000))), std::nullopt);
  EXPECT_TRUE(registrations.services.all().empty());
}

TEST_F(ServiceRecords, KeysAreShownToTrustedRequestersOnly) {
  ASSERT_TRUE(set(record(1, 0), kRid, 0).is_ok());
  const auto make_key = [&](bool trusted) {
    const auto rows = read(kServiceRecordType, mad::ServiceRecord(), 0, from(1, trusted));
    EXPECT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].about, hosts[0]);
    return mad::ServiceRecord(std::span(rows[0].record).first<mad::ServiceRecord::kBytes>())
        .key()[3];
  };
  EXPECT_EQ(make_key(false), 0);
  EXPECT_EQ(make_key(true), 7);
}

TEST_F(ServiceRecords, HaveAnUpperBoundPerPort) {
  for (std::uint32_t i = 0; i < kServicesPerPort; ++i)
    ASSERT_TRUE(set(record(i, 0), kRid, 0).is_ok());
  const Outcome out = set(record(kServicesPerPort, 0), kRid, 0);
  EXPECT_EQ(out.status, mad::sa_status::kNoResources);
  EXPECT_FALSE(out.log.empty());
  EXPECT_TRUE(set(record(kServicesPerPort, 0), kRid, 0).log.empty());
  EXPECT_TRUE(set(record(0, 0), kRid, 0).is_ok()) << "a replacement does not count";
  EXPECT_TRUE(set(record(0, 1), kRid, 1).is_ok());
}

TEST_F(ServiceRecords, OfAbsentPortsAreKeptUnlessTheOptionDropsThem) {
  ASSERT_TRUE(set(record(1, 0), kRid, 0).is_ok());
  subnet.fabric.port_of_guid.erase(guid(0));
  purge_absent_ports(registrations, subnet, options, Absent::between_sweeps);
  EXPECT_EQ(registrations.services.all().size(), 1u);
  Registrations other = registrations;
  purge_absent_ports(other, subnet, options, Absent::after_load);
  EXPECT_TRUE(other.services.all().empty());
  options.drop_event_subscriptions = true;
  purge_absent_ports(registrations, subnet, options, Absent::between_sweeps);
  EXPECT_TRUE(registrations.services.all().empty());
}

}  // namespace services_test
}  // namespace sa::test
