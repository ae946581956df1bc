// InformInfo: permission to subscribe, and selection of the subscribers of a notice.
#include "sm/sa/registrations/subscriptions.h"
#include "fabric/topology/random_source.h"
#include "mad/format.h"
#include "sm/sa/registrations/requests.h"
#include "support/seeds.h"

#include <set>

#include "fixture.h"

namespace sa::test {
namespace subscriptions_test {

using Mask = mad::InformInfoRecord;
constexpr std::uint16_t kInvalid = mad::sa_status::kReqInvalid;
constexpr mad::Lid kSmLid{1};

class InformInfos : public Clients {
 protected:
  static mad::InformInfo subscription_to(std::uint16_t trap = mad::InformInfo::kAll) {
    mad::InformInfo out;
    out.set_lid_range_begin({0xFFFF});
    out.set_is_generic(1);
    out.set_subscribe(1);
    out.set_type(mad::InformInfo::kAll);
    out.set_trap_number(trap);
    out.set_producer_type(mad::InformInfo::kAllProducers);
    return out;
  }
  Outcome subscribe(const mad::InformInfo& w, unsigned host, bool trusted = false) {
    return request(mad::Method::set, w, 0, from(host, trusted));
  }
  std::vector<fabric::PortIndex> hearers(const Report& report) const {
    std::vector<fabric::PortIndex> out;
    for (const Recipient& r : recipients(report)) {
      out.push_back(subnet.fabric.port_of_guid.at(r.target.subscriber));
      EXPECT_EQ(r.lid, subnet.lid_range(out.back()).base);
      EXPECT_EQ(r.gid, (mad::Gid{options.subnet_prefix, r.target.subscriber}));
    }
    return out;
  }
  std::vector<Recipient> recipients(const Report& report, std::size_t steps = 1000) const {
    std::vector<Recipient> out;
    for (RecipientPosition position; !position.at_end;)
      append_recipients(registrations.subscriptions, subnet, report, options.subnet_prefix,
                        position, steps, out);
    return out;
  }
  Report port_report(mad::TrapNumber trap, unsigned host) const {
    return report_of_port(trap, {.port = hosts[host]}, subnet, kSmLid, gid(0),
                          options.subnet_prefix);
  }
  Report trap(mad::TrapNumber number, mad::NoticeType type, unsigned host,
              mad::ProducerType producer = mad::ProducerType::ca) const {
    mad::Notice notice;
    notice.set_is_generic(true);
    notice.set_type(type);
    notice.set_producer_type(producer);
    notice.set_trap_number(number);
    notice.set_issuer_lid(lid(host));
    return report_of_trap(notice, hosts[host], lid(host), subnet, options.subnet_prefix);
  }
  using Hosts = std::vector<fabric::PortIndex>;
};

TEST_F(InformInfos, RepeatedRequestsAreOneSubscription) {
  for (int i = 0; i < 3; ++i) {
    const Outcome out = subscribe(subscription_to(64), 1);
    ASSERT_TRUE(out.is_ok()) << out.log;
    EXPECT_EQ(reply<mad::InformInfo>(out), subscription_to(64));
  }
  ASSERT_TRUE(subscribe(subscription_to(65), 1).is_ok());
  const auto& all = registrations.subscriptions.all();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all.begin()->first, (SubscriptionId{guid(1), 0}));
  EXPECT_EQ(std::next(all.begin())->first, (SubscriptionId{guid(1), 1}));
  EXPECT_EQ(all.begin()->second.inform_info.qpn(), 1u) << "reports go to the source of the request";
}

TEST_F(InformInfos, UnsubscribeOnlyExistingSubscriptions) {
  ASSERT_TRUE(subscribe(subscription_to(64), 1).is_ok());
  auto back = subscription_to(64);
  back.set_subscribe(0);
  back.set_qpn(1);
  EXPECT_EQ(subscribe(back, 2).status, kInvalid) << "another port's";
  back.set_qpn(5);
  EXPECT_EQ(subscribe(back, 1).status, kInvalid) << "another queue pair's";
  back.set_qpn(1);
  EXPECT_TRUE(subscribe(back, 1).is_ok());
  EXPECT_EQ(subscribe(back, 1).status, kInvalid) << "already unsubscribed";
  EXPECT_TRUE(registrations.subscriptions.all().empty());
}

TEST_F(InformInfos, ToBothFormsOfOneGidAreOneSubscriptionThatMatches) {
  options.subnet_prefix = 0xfec0000000000007;
  auto own = subscription_to(), other = own;
  own.set_gid(gid(2));
  other.set_gid({kDefaultPrefix, guid(2)});
  EXPECT_EQ(reply<mad::InformInfo>(subscribe(other, 1)).gid(), other.gid());
  ASSERT_TRUE(subscribe(own, 1).is_ok());
  EXPECT_EQ(registrations.subscriptions.all().size(), 1u);
  EXPECT_EQ(hearers(trap(mad::TrapNumber::link_state_change, mad::NoticeType::urgent, 2)),
            Hosts{hosts[1]});
  EXPECT_EQ(hearers(port_report(mad::TrapNumber::gid_in_service, 2)), Hosts{hosts[1]});
  for (const std::uint64_t prefix : {std::uint64_t{options.subnet_prefix}, kDefaultPrefix}) {
    mad::InformInfoRecord asked;
    asked.set_subscriber_gid({prefix, guid(1)});
    const auto rows = read(kInformInfoRecordType, asked, bits(Mask::kSubscriberGid), from(1));
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(
        mad::InformInfoRecord(std::span(rows[0].record).first<mad::InformInfoRecord::kBytes>())
            .subscriber_gid(),
        asked.subscriber_gid());
  }
  other.set_subscribe(0);
  other.set_qpn(1);
  EXPECT_TRUE(subscribe(other, 1).is_ok());
  EXPECT_TRUE(registrations.subscriptions.all().empty());
}

TEST_F(InformInfos, RefuseValuesOutOfRange) {
  auto w = subscription_to();
  w.set_subscribe(2);
  EXPECT_EQ(subscribe(w, 1).status, kInvalid);
  w = subscription_to();
  w.set_gid({options.subnet_prefix, {0xDEAD}});
  EXPECT_EQ(subscribe(w, 1).status, kInvalid);
  for (const auto& [begin, end] :
       std::vector<std::pair<std::uint16_t, std::uint16_t>>{{2, 1}, {0xC000, 0xC001}}) {
    w = subscription_to();
    w.set_lid_range_begin({begin}), w.set_lid_range_end({end});
    EXPECT_EQ(subscribe(w, 1).status, kInvalid) << begin << ".." << end;
  }
  set_keys({{hosts[2], {{0x8010}}}});
  w = subscription_to();
  w.set_gid(gid(2));
  EXPECT_EQ(subscribe(w, 1).status, kInvalid) << "foreign partition";
  w = subscription_to();
  w.set_lid_range_begin(lid(1)), w.set_lid_range_end(lid(2));
  EXPECT_EQ(subscribe(w, 1).status, kInvalid) << "foreign partition in the range";
  w.set_lid_range_end(lid(1));
  EXPECT_TRUE(subscribe(w, 1).is_ok());
  w.set_lid_range_begin({1000}), w.set_lid_range_end({0xBFFF});
  EXPECT_TRUE(subscribe(w, 1).is_ok()) << "unassigned LIDs";
}

TEST_F(InformInfos, SecurityTrapsOnlyForTrustedRequesters) {
  for (std::uint16_t number = 256; number <= 259; ++number) {
    EXPECT_EQ(subscribe(subscription_to(number), 1).status, kInvalid) << number;
    EXPECT_TRUE(subscribe(subscription_to(number), 2, true).is_ok()) << number;
  }
  ASSERT_TRUE(subscribe(subscription_to(), 1).is_ok());
  EXPECT_EQ(hearers(trap(mad::TrapNumber::bad_p_key, mad::NoticeType::security, 3)),
            Hosts{hosts[2]})
      << "'all' does not include them";
}

TEST_F(InformInfos, MatchByEveryField) {
  ASSERT_TRUE(subscribe(subscription_to(), 0).is_ok());
  ASSERT_TRUE(subscribe(subscription_to(64), 1).is_ok());
  auto w = subscription_to(64);
  w.set_type(4);
  ASSERT_TRUE(subscribe(w, 2).is_ok());
  w = subscription_to(64);
  w.set_producer_type(1);
  ASSERT_TRUE(subscribe(w, 3).is_ok());
  w = subscription_to(64);
  w.set_is_generic(0);
  ASSERT_TRUE(subscribe(w, 4).is_ok());
  w = subscription_to(64);
  w.set_gid(gid(3));
  ASSERT_TRUE(subscribe(w, 5).is_ok());
  EXPECT_EQ(hearers(port_report(mad::TrapNumber::gid_in_service, 2)), (Hosts{hosts[0], hosts[1]}));
  EXPECT_EQ(hearers(port_report(mad::TrapNumber::gid_in_service, 3)),
            (Hosts{hosts[0], hosts[1], hosts[5]}))
      << "the port that is its subject";
  EXPECT_EQ(hearers(port_report(mad::TrapNumber::gid_out_of_service, 3)), Hosts{hosts[0]});
}

TEST_F(InformInfos, MatchTheIssuersLid) {
  auto w = subscription_to(144);
  w.set_lid_range_begin(lid(2)), w.set_lid_range_end(lid(3));
  ASSERT_TRUE(subscribe(w, 0).is_ok());
  const auto local_change = [&](unsigned host) {
    return trap(mad::TrapNumber::local_change, mad::NoticeType::informational, host);
  };
  EXPECT_EQ(hearers(local_change(2)).size(), 1u);
  EXPECT_EQ(hearers(local_change(3)).size(), 1u);
  EXPECT_TRUE(hearers(local_change(1)).empty());
  EXPECT_TRUE(hearers(local_change(4)).empty());
}

TEST_F(InformInfos, ReportsOfTrapsHaveTheLidThatSentThem) {
  auto w = subscription_to(144);
  w.set_lid_range_begin(lid(2)), w.set_lid_range_end(lid(2));
  ASSERT_TRUE(subscribe(w, 0).is_ok());
  mad::Notice forged;
  forged.set_is_generic(true);
  forged.set_type(mad::NoticeType::informational);
  forged.set_producer_type(mad::ProducerType::ca);
  forged.set_trap_number(mad::TrapNumber::local_change);
  forged.set_issuer_lid(lid(2));
  const Report report = report_of_trap(forged, hosts[1], lid(1), subnet, options.subnet_prefix);
  EXPECT_EQ(report.notice.issuer_lid(), lid(1)) << "not what host 1 wrote";
  EXPECT_EQ(report.issuer_gid, gid(1));
  EXPECT_TRUE(hearers(report).empty());
}

TEST_F(InformInfos, ReportsHaveTheLayoutOfTheStandard) {
  const Report in = port_report(mad::TrapNumber::gid_in_service, 2);
  const auto& bytes = in.notice.bytes();
  EXPECT_EQ(bytes[0], 0x83);  // generic, subnet management
  EXPECT_EQ(bytes[3], 4);     // class manager
  EXPECT_EQ(bytes[5], 64);
  EXPECT_EQ(bytes[7], kSmLid.value);
  EXPECT_EQ(in.notice.as<mad::GidNotice>()->gid(), gid(2));
  EXPECT_EQ(in.issuer_gid, gid(0));
}

TEST_F(InformInfos, ReportsStayWithinThePartition) {
  set_keys({{hosts[1], {{0x8010}}}, {hosts[2], {{0x0010}}}, {hosts[3], {{0x0010}}}});
  for (unsigned host = 0; host < 4; ++host) ASSERT_TRUE(subscribe(subscription_to(), host).is_ok());
  ASSERT_TRUE(subscribe(subscription_to(), 4, true).is_ok());
  EXPECT_EQ(hearers(port_report(mad::TrapNumber::gid_in_service, 2)), (Hosts{hosts[1], hosts[4]}))
      << "limited members get no reports about each other";
  const Report group =
      report_of_group({mad::TrapNumber::multicast_group_created, kBroadcast, mad::kDefaultPKeyFull},
                      kSmLid, gid(0));
  EXPECT_EQ(hearers(group), (Hosts{hosts[0], hosts[4]}));
}

TEST_F(InformInfos, EndWithThePortOrWithoutAcknowledgements) {
  ASSERT_TRUE(subscribe(subscription_to(), 0).is_ok());
  ASSERT_TRUE(subscribe(subscription_to(), 1).is_ok());
  ASSERT_TRUE(subscribe(subscription_to(64), 0).is_ok());
  const ReportTarget target{guid(0), 1};
  UnixTime now{std::chrono::seconds(1000)};
  const auto fails = [&] { return registrations.subscriptions.report_failed(target, now, {}); };
  for (unsigned i = 0; i < 10 * kFailedReports; ++i)
    EXPECT_FALSE(fails()) << "a burst of reports, and a switch on the path reboots";
  registrations.subscriptions.report_arrived(target);
  now += kFailedReportsFor;
  EXPECT_FALSE(fails());
  now += kFailedReportsFor;
  for (unsigned i = 2; i < kFailedReports; ++i) EXPECT_FALSE(fails()) << "few reports";
  EXPECT_TRUE(fails());
  EXPECT_FALSE(fails()) << "already dropped";
  EXPECT_EQ(registrations.subscriptions.all().size(), 1u) << "of the same queue pair, all";
  subnet.fabric.port_of_guid.erase(guid(1));
  purge_absent_ports(registrations, subnet, options, Absent::between_sweeps);
  EXPECT_TRUE(registrations.subscriptions.all().empty());
}

TEST_F(InformInfos, OfOneQueuePairThatMatchANoticeAreOneReport) {
  for (unsigned i = 0; i < 50; ++i) {
    mad::InformInfo some = subscription_to(i % 2 == 0 ? mad::InformInfo::kAll : 64);
    some.set_lid_range_begin({1});
    some.set_lid_range_end({static_cast<std::uint16_t>(100 + i)});
    ASSERT_TRUE(subscribe(some, 1).is_ok());
  }
  ASSERT_TRUE(subscribe(subscription_to(64), 2).is_ok());
  EXPECT_EQ(registrations.subscriptions.all().size(), 51u);
  EXPECT_EQ(hearers(port_report(mad::TrapNumber::gid_in_service, 3)), (Hosts{hosts[1], hosts[2]}));
}

TEST_F(InformInfos, ToOtherTrapsAreNotSearched) {
  for (unsigned i = 0; i < 200; ++i) {
    mad::InformInfo other = subscription_to(65);
    other.set_lid_range_begin({static_cast<std::uint16_t>(1 + i)});
    other.set_lid_range_end({0xBFFF});
    ASSERT_TRUE(subscribe(other, i % 3).is_ok());
  }
  ASSERT_TRUE(subscribe(subscription_to(64), 1).is_ok());
  ASSERT_TRUE(subscribe(subscription_to(), 2).is_ok());
  std::vector<Recipient> out;
  RecipientPosition position;
  EXPECT_EQ(append_recipients(registrations.subscriptions, subnet,
                              port_report(mad::TrapNumber::gid_in_service, 3),
                              options.subnet_prefix, position, 1000, out),
            2u)
      << "of 202";
  EXPECT_EQ(out.size(), 2u);
}

/// Against all subscriptions, one by one; in slices of any length.
TEST_F(InformInfos, RecipientsAreTheSameInSlices) {
  seeds::for_each(20, [&](std::uint64_t seed) {
    topology::Random random(seed);
    registrations.subscriptions.clear();
    for (unsigned i = 0; i < 60; ++i) {
      mad::InformInfo info =
          subscription_to(random.percent(30) ? mad::InformInfo::kAll
                                             : static_cast<std::uint16_t>(64 + random.below(3u)));
      info.set_qpn(1 + static_cast<std::uint32_t>(random.below(3u)));
      const mad::Guid subscriber = guid(static_cast<unsigned>(random.below(5u)));
      if (random.percent(20)) {
        registrations.subscriptions.erase({subscriber, static_cast<std::uint16_t>(i / 8)});
      } else {
        registrations.subscriptions.add(subscriber, {.inform_info = info});
      }
    }
    const Report report = port_report(mad::TrapNumber::gid_in_service, 3);
    std::set<ReportTarget> expected;
    for (const auto& [id, subscription] : registrations.subscriptions.all())
      if (subscription.inform_info.trap_number() == 64 ||
          subscription.inform_info.trap_number() == mad::InformInfo::kAll)
        expected.insert({id.subscriber, subscription.inform_info.qpn()});
    for (const std::size_t steps : {1u, 2u, 7u, 1000u}) {
      std::vector<ReportTarget> got;
      for (const Recipient& recipient : recipients(report, steps)) got.push_back(recipient.target);
      EXPECT_EQ(got, std::vector<ReportTarget>(expected.begin(), expected.end())) << steps;
    }
  });
}

TEST_F(InformInfos, HaveAnUpperBoundPerPort) {
  for (std::uint32_t i = 0; i < kSubscriptionsPerPort; ++i)
    ASSERT_TRUE(subscribe(subscription_to(static_cast<std::uint16_t>(1000 + i)), 0).is_ok());
  const Outcome out = subscribe(subscription_to(5), 0);
  EXPECT_EQ(out.status, mad::sa_status::kNoResources);
  EXPECT_FALSE(out.log.empty());
  EXPECT_TRUE(subscribe(subscription_to(5), 0).log.empty());
  EXPECT_TRUE(subscribe(subscription_to(5), 1).is_ok());
}

TEST_F(InformInfos, RecordsHideQueuePairs) {
  ASSERT_TRUE(subscribe(subscription_to(64), 3).is_ok());
  const auto row = [&](bool trusted) {
    const auto rows = read(kInformInfoRecordType, mad::InformInfoRecord(), 0, from(1, trusted));
    EXPECT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].about, hosts[3]);
    return mad::InformInfoRecord(std::span(rows[0].record).first<mad::InformInfoRecord::kBytes>());
  };
  EXPECT_EQ(row(false).subscriber_gid(), gid(3));
  EXPECT_EQ(row(false).enumeration(), 0);
  EXPECT_EQ(row(false).inform_info().trap_number(), 64);
  EXPECT_EQ(row(false).inform_info().qpn(), 0u);
  EXPECT_EQ(row(true).inform_info().qpn(), 1u);
}

}  // namespace subscriptions_test
}  // namespace sa::test
