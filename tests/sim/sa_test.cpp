// Subnet administration of a whole manager, in virtual time: hosts boot, join, query, leave, fail;
// others send invalid requests.

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "mad/format.h"
#include "routing/core/routing_conditions.h"
#include "sim/sa_lab.h"
#include "sm/ctl/topology/generators.h"
#include "sm/sa/registrations/persistence.h"
#include "sm/store/journal.h"

namespace sa_test {

using namespace laboratory;
using ::testing::HasSubstr;
namespace status = mad::status;
namespace sa_status = mad::sa_status;

topology::Topology two_level() {
  return topology::xgft({.children = {4, 4}, .parents = {1, 4}, .cables = {}});
}

class Sa : public ::testing::Test {
 protected:
  SaLab lab{two_level()};
  std::vector<std::string> hosts;

  void SetUp() override {
    for (const sim::NodeModel& node : lab.model.nodes) {
      if (!node.is_switch()) hosts.push_back(node.description);
    }
    ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  }
  const std::string& h(std::size_t at) const { return hosts.at(at); }
  /// Sets what another manager left that was master in between.
  void name_another_master() {
    for (sim::PortModel& port : lab.model.ports) port.info.set_master_sm_lid(mad::Lid{0x777});
  }
  bool returns_after_another_master() {
    lab.heddle().stop();
    name_another_master();
    lab.heddle().start(lab.options);
    if (!lab.comes_up()) return false;
    lab.settle();
    return true;
  }
  /// Until the manager has found that, and then is up again. `meanwhile` happens in between.
  template <class Meanwhile>
  void own_port_is_down(Meanwhile meanwhile) {
    const sim::PortIndex peer = lab.far(lab.own());
    lab.world.cut(lab.own());
    ASSERT_TRUE(lab.runtime.run_until([&] { return lab.says("SM port is down"); },
                                      laboratory::kLightSweep));
    meanwhile();
    const std::size_t ups = lab.heddle().count("SUBNET UP");
    lab.plug(lab.own(), peer);
    ASSERT_TRUE(lab.runtime.run_until([&] { return lab.heddle().count("SUBNET UP") > ups; },
                                      laboratory::kSweepsWithErrors));
    lab.settle();
  }
};

// ------------------------------------------------------------------------------------------
// IPoIB

TEST_F(Sa, AHostJoinsItsBroadcastGroupAndReceivesFromAllMembers) {
  std::vector<std::string> members;
  std::optional<mad::McMemberRecord> group;
  for (std::size_t at : {1u, 2u, 7u, 15u}) {
    group = lab.join(h(at));
    ASSERT_TRUE(group) << h(at) << lab.tail();
    EXPECT_EQ(group->p_key(), mad::kDefaultPKeyFull);
    EXPECT_EQ(group->q_key(), 0x0b1bu);
    EXPECT_EQ(group->mtu_selector(), 2);
    EXPECT_EQ(group->mtu(), 4) << "2048 bytes: datagram mode's 2044";
    EXPECT_EQ(group->join_state(), 1);
    members.push_back(h(at));
    EXPECT_TRUE(lab.group_settles(group->mlid(), members))
        << lab.group_complaint(group->mlid(), members) << lab.tail();
  }
  EXPECT_TRUE(lab.leave(h(7)));
  std::erase(members, h(7));
  EXPECT_TRUE(lab.group_settles(group->mlid(), members))
      << lab.group_complaint(group->mlid(), members);
  EXPECT_FALSE(lab.leave(h(7))) << "not a member any more";
}

TEST_F(Sa, AJoinIsAnsweredWithGetRespAndALeaveWithDeleteResp) {
  const auto joined = lab.host(h(1)).query(lab.join_request(h(1)));
  ASSERT_TRUE(joined);
  EXPECT_EQ(joined->method(), mad::Method::get_resp);
  const auto left =
      lab.host(h(1)).query(lab.join_request(h(1), kBroadcast, 1, mad::Method::delete_));
  ASSERT_TRUE(left);
  EXPECT_EQ(left->method(), mad::Method::delete_resp);
}

TEST_F(Sa, PathRecordsMatchThePathsOfPackets) {
  for (std::size_t to : {0u, 3u, 9u, 15u}) {
    const auto path = lab.path(h(1), lab.host(h(to)).gid());
    ASSERT_TRUE(path) << h(to);
    EXPECT_EQ(path->slid, lab.host(h(1)).lid());
    EXPECT_EQ(path->dlid, lab.host(h(to)).lid());
    EXPECT_EQ(path->p_key, mad::kDefaultPKeyFull);
    EXPECT_TRUE(path->reversible);
    const sim::Walk walk = sim::walk_unicast(
        lab.model, lab.port(h(1)), {.dlid = path->dlid, .sl = path->sl, .p_key = path->p_key});
    EXPECT_TRUE(walk.delivered());
    EXPECT_EQ(walk.end, lab.port(h(to)));
  }
}

TEST_F(Sa, AJoinWritesOnlyToTheAffectedSwitches) {
  ASSERT_TRUE(lab.join(h(0)) && lab.join(h(5)));
  lab.settle();
  lab.forget_counts();
  ASSERT_TRUE(lab.join(h(1)));  // on the leaf of H0
  lab.settle();
  EXPECT_EQ(lab.sent(mad::Method::set, mad::AttributeId::multicast_forwarding_table), 1u);
  EXPECT_EQ(lab.sets(), 1u) << "and nothing else";
}

TEST_F(Sa, ManyJoinsAtOnceAreOneTree) {
  lab.forget_counts();
  for (const std::string& host : hosts) lab.host(host).post(lab.join_request(host));
  const auto all_answered = [&] {
    return std::ranges::all_of(
        hosts, [&](const std::string& host) { return lab.host(host).replies().size() == 1; });
  };
  ASSERT_TRUE(lab.runtime.run_until(all_answered, 10s));
  for (const std::string& host : hosts)
    EXPECT_EQ(lab.host(host).replies().begin()->second.status(), 0);
  EXPECT_TRUE(lab.group_settles(mad::kMlidMin, hosts)) << lab.group_complaint(mad::kMlidMin, hosts);
  lab.settle();
  EXPECT_LE(lab.sent(mad::Method::set, mad::AttributeId::multicast_forwarding_table),
            lab.model.nodes.size() - hosts.size())
      << "each switch written once";
}

TEST_F(Sa, TheLossOfAMemberRemovesItFromTheGroup) {
  const auto group = lab.join(h(2));
  ASSERT_TRUE(group && lab.join(h(9)) && lab.join(h(14)));
  ASSERT_TRUE(lab.group_settles(group->mlid(), {h(2), h(9), h(14)}));
  lab.world.power(lab.owning_node(lab.port(h(9))), false);
  EXPECT_TRUE(lab.runtime.run_until(
      [&] {
        return lab.administrator().registrations().groups.find(kBroadcast)->members.size() == 2;
      },
      1min))
      << lab.tail();
  EXPECT_TRUE(lab.group_settles(group->mlid(), {h(2), h(14)}))
      << lab.group_complaint(group->mlid(), {h(2), h(14)});
}

TEST_F(Sa, TreesAvoidAFailedSpine) {
  const auto group = lab.join(h(0));
  std::vector<std::string> members{h(0)};
  for (std::size_t at : {5u, 10u, 15u}) {
    ASSERT_TRUE(lab.join(h(at)));
    members.push_back(h(at));
  }
  ASSERT_TRUE(lab.group_settles(group->mlid(), members));
  // The spine that the tree uses: a switch without hosts that has an entry.
  for (const sim::NodeIndex node : lab.model.nodes.indices()) {
    const sim::NodeModel& spine = lab.model.nodes[node];
    bool leaf = !spine.is_switch();
    for (unsigned number = 1; spine.is_switch() && number <= spine.port_count(); ++number) {
      const sim::PortIndex far = lab.far(lab.port(node, number));
      leaf = leaf || (far != sim::kNone && !lab.model.nodes[lab.owning_node(far)].is_switch());
    }
    if (leaf) continue;
    lab.world.power(node, false);
    EXPECT_TRUE(lab.group_settles(group->mlid(), members, 1min))
        << lab.group_complaint(group->mlid(), members) << lab.tail();
    lab.world.power(node, true);
    lab.let_nodes_boot();
    lab.settle();
  }
}

// ------------------------------------------------------------------------------------------
// statuses

TEST_F(Sa, AFirstJoinWithoutTheGroupsValuesIsInsufficient) {
  const mad::Gid unknown{0xff12401bffff0000, mad::Guid{0x77}};
  EXPECT_EQ(lab.read_status(h(1), lab.join_request(h(1), unknown)),
            sa_status::kReqInsufficientComponents);
  EXPECT_EQ(lab.read_status(h(1), lab.create_request(h(1), unknown)), status::kOk);
  EXPECT_EQ(lab.read_status(h(2), lab.join_request(h(2), unknown)), status::kOk);
}

TEST_F(Sa, AJoinOfAPortWithASmallerMtuIsRefusedAndBothMtusAreNamed) {
  const mad::Gid group{0xff12401bffff0000, mad::Guid{0x77}};
  ASSERT_EQ(lab.read_status(h(1), lab.create_request(h(1), group)), status::kOk);
  lab.model.ports[lab.port(h(2))].info.set_mtu_cap(mad::Mtu::mtu_1024);
  ASSERT_TRUE(lab.heddle().order_resweep());
  lab.settle();
  EXPECT_NE(lab.read_status(h(2), lab.join_request(h(2), group)), status::kOk);
  EXPECT_TRUE(lab.says("the port's MTU of 1024 bytes is below the group's")) << lab.tail();
  EXPECT_TRUE(lab.says("(P_Key 0xffff); raise the MTU of the port and of its link")) << lab.tail();
  EXPECT_TRUE(lab.says(h(2)));
}

TEST_F(Sa, AHostInHundredsOfGroupsIsReportedUntilItLeavesThem) {
  constexpr auto kMany = fabric::ConditionId(routing::kRoutingConditions.memberships_many);
  const auto mgid = [](unsigned i) {
    return mad::Gid{0xff12401bffff0000, mad::Guid{std::uint64_t{0x1000} + i}};
  };
  for (unsigned i = 0; i < 256; ++i)
    ASSERT_EQ(lab.read_status(h(1), lab.create_request(h(1), mgid(i))), status::kOk) << i;
  lab.settle();
  EXPECT_EQ(lab.raised(kMany), 0u);
  ASSERT_EQ(lab.read_status(h(1), lab.create_request(h(1), mgid(256))), status::kOk);
  lab.settle();
  EXPECT_EQ(lab.raised(kMany), 1u) << lab.tail();
  for (unsigned i = 256; i >= 192; --i) {
    ASSERT_TRUE(lab.leave(h(1), mgid(i))) << i;
    if (i != 193) continue;
    lab.settle();
    EXPECT_EQ(lab.raised(kMany), 1u) << "193 are left";
  }
  lab.settle();
  ASSERT_TRUE(lab.leave(h(1), mgid(191)));
  lab.settle();
  EXPECT_EQ(lab.raised(kMany), 0u) << lab.tail();
}

TEST_F(Sa, UnknownAttributesAndMethodsAreAnsweredAtOnce) {
  const mad::TimePoint begin = lab.runtime.now();
  EXPECT_EQ(lab.read_status(h(1), {.method = mad::Method::get,
                                   .attribute = static_cast<mad::SaAttributeId>(0x7777)}),
            status::kMethodAttributeUnsupported);
  EXPECT_EQ(lab.read_status(
                h(1), {.method = mad::Method::set, .attribute = mad::SaAttributeId::node_record}),
            status::kMethodAttributeUnsupported);
  EXPECT_EQ(lab.read_status(h(1), {.method = mad::Method::delete_,
                                   .attribute = mad::SaAttributeId::path_record}),
            status::kMethodAttributeUnsupported);
  EXPECT_LT(lab.runtime.now() - begin, 100ms);
}

TEST_F(Sa, AWrongSmKeyIsNotAnsweredAndIsLogged) {
  sim::SaRequest request{.method = mad::Method::get,
                         .attribute = mad::SaAttributeId::class_port_info};
  request.sm_key = 0xDEAD;
  for (int i = 0; i < 20; ++i) lab.host(h(3)).post(request);
  lab.settle();
  EXPECT_TRUE(lab.host(h(3)).replies().empty());
  EXPECT_EQ(
      lab.administrator().statistics().dropped[static_cast<std::size_t>(sa::Drop::bad_sm_key)],
      20u);
  EXPECT_EQ(lab.heddle().count("SM_Key"), 1u) << "one line, not twenty";
  EXPECT_TRUE(lab.says(h(3)));
  request.sm_key = 1;
  EXPECT_EQ(lab.read_status(h(3), request), status::kOk);
}

TEST_F(Sa, RefusedRequestsOfOneHostDoNotFloodTheLog) {
  const mad::Gid unknown{0xff12401bffff0000, mad::Guid{0x77}};
  for (int i = 0; i < 200; ++i) lab.host(h(3)).post(lab.join_request(h(3), unknown));
  lab.settle();
  EXPECT_EQ(lab.host(h(3)).replies().size(), 200u) << "each is answered";
  EXPECT_EQ(lab.heddle().count("ERR 1B11"), 10u);
  lab.host(h(4)).post(lab.join_request(h(4), unknown));
  lab.settle();
  EXPECT_EQ(lab.heddle().count("ERR 1B11"), 11u) << "errors of another host are logged";
  lab.runtime.run_for(10s);
  lab.host(h(3)).post(lab.join_request(h(3), unknown));
  lab.settle();
  EXPECT_TRUE(lab.says("190 more since the last such line")) << lab.tail();
}

TEST_F(Sa, UntrustedRequestersDoNotSeeKeysOrMembers) {
  ASSERT_TRUE(lab.join(h(1)) && lab.join(h(2)));
  const sim::SaRequest keys{.method = mad::Method::get_table,
                            .attribute = mad::SaAttributeId::p_key_table_record};
  EXPECT_EQ(lab.read_status(h(1), keys), sa_status::kReqInvalid);
  sim::SaRequest members{.method = mad::Method::get_table,
                         .attribute = mad::SaAttributeId::mc_member_record};
  EXPECT_EQ(lab.host(h(1)).query(members)->count(), 1u) << "a record for the group";
  members.sm_key = 1;
  EXPECT_EQ(lab.host(h(1)).query(members)->count(), 2u) << "a record for each member";
}

TEST_F(Sa, GetWithSeveralMatchesAndWithNone) {
  EXPECT_EQ(lab.read_status(
                h(1), {.method = mad::Method::get, .attribute = mad::SaAttributeId::node_record}),
            sa_status::kTooManyRecords);
  sim::SaRequest unmatched{.method = mad::Method::get,
                           .attribute = mad::SaAttributeId::node_record,
                           .component_mask = 1};
  unmatched.record = {0xBF, 0x00};
  EXPECT_EQ(lab.read_status(h(1), unmatched), sa_status::kNoRecords);
  unmatched.method = mad::Method::get_table;
  const auto empty = lab.host(h(1)).query(unmatched);
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->status(), 0);
  EXPECT_EQ(empty->count(), 0u);
}

// ------------------------------------------------------------------------------------------
// long responses

TEST_F(Sa, ATableIsComplete) {
  const auto nodes = lab.host(h(1)).query(
      {.method = mad::Method::get_table, .attribute = mad::SaAttributeId::node_record});
  ASSERT_TRUE(nodes);
  EXPECT_EQ(nodes->count(), lab.model.nodes.size());
  const auto paths = lab.host(h(1)).query(
      {.method = mad::Method::get_table, .attribute = mad::SaAttributeId::path_record});
  ASSERT_TRUE(paths);
  EXPECT_EQ(paths->count(), lab.model.nodes.size() * lab.model.nodes.size())
      << "all pairs of end ports";
}

TEST_F(Sa, ATableIsCompleteOverALossyLink) {
  lab.world.set_quality(lab.port(h(4)), {.lost = 0.1, .duplicated = 0.1});
  for (int i = 0; i < 10; ++i) {
    const auto paths = lab.host(h(4)).query(
        {.method = mad::Method::get_table, .attribute = mad::SaAttributeId::path_record});
    ASSERT_TRUE(paths);
    EXPECT_EQ(paths->count(), lab.model.nodes.size() * lab.model.nodes.size());
  }
}

TEST_F(Sa, RequestsWithAGlobalRouteAreAnsweredWithOne) {
  sim::SaRequest request{.method = mad::Method::get,
                         .attribute = mad::SaAttributeId::class_port_info};
  request.grh = mad::GlobalRoute{.peer = {0xfe80000000000000, lab.guid(h(0))}, .hop_limit = 1};
  EXPECT_EQ(lab.read_status(h(6), request), status::kOk);
}

// ------------------------------------------------------------------------------------------
// notices, services, aliases

TEST_F(Sa, SubscribersGetReportsOfPortsAndGroups) {
  ASSERT_EQ(lab.read_status(h(3), lab.subscribe_request()), status::kOk);
  const auto reported = [&](std::uint16_t trap) {
    std::size_t count = 0;
    for (const auto& report : lab.host(h(3)).reports)
      count += (report.notice[4] << 8 | report.notice[5]) == trap;
    return count;
  };
  ASSERT_TRUE(lab.join(h(8)));
  lab.settle();
  EXPECT_EQ(reported(66), 1u) << "the broadcast group has its first full member";
  lab.world.power(lab.owning_node(lab.port(h(8))), false);
  ASSERT_TRUE(lab.runtime.run_until([&] { return reported(65) == 1 && reported(67) == 1; }, 1min))
      << reported(65) << reported(67) << lab.tail();
  EXPECT_GE(reported(128), 1u) << "the leaf's own trap is forwarded";
  lab.world.power(lab.owning_node(lab.port(h(8))), true);
  ASSERT_TRUE(lab.runtime.run_until([&] { return reported(64) == 1; }, 2min)) << lab.tail();
  // A subscriber that does not acknowledge is removed in the end.
  lab.host(h(3)).answers_reports = false;
  for (int i = 0; i < 10; ++i) {
    const mad::Gid mgid{0xff12401bffff0000, mad::Guid{0x100u + static_cast<unsigned>(i)}};
    ASSERT_EQ(lab.read_status(h(1), lab.create_request(h(1), mgid)), status::kOk);
    lab.runtime.run_for(10s);
  }
  EXPECT_TRUE(lab.administrator().registrations().subscriptions.all().empty());
}

TEST_F(Sa, AServiceExpiresWithItsLease) {
  mad::ServiceRecord record;
  record.set_service_id(0x1234);
  record.set_service_gid(lab.host(h(2)).gid());
  record.set_p_key(mad::kDefaultPKeyFull);
  record.set_lease(30);
  using S = mad::ServiceRecord;
  const std::uint64_t key = lab.bits({S::kServiceId, S::kServiceGid, S::kPKey});
  ASSERT_EQ(
      lab.read_status(h(2), lab.request(mad::Method::set, record, key | lab.bits({S::kLease}))),
      status::kOk);
  EXPECT_EQ(lab.read_status(h(9), lab.request(mad::Method::get, record, lab.bits({S::kServiceId}))),
            status::kOk);
  lab.runtime.run_for(40s);
  EXPECT_EQ(lab.read_status(h(9), lab.request(mad::Method::get, record, lab.bits({S::kServiceId}))),
            sa_status::kNoRecords);
}

TEST_F(Sa, AnAliasIsInThePortBeforeTheResponse) {
  for (sim::PortModel& port : lab.model.ports) port.info.set_guid_cap(8);
  lab.heddle().stop();
  lab.heddle().start(lab.options);
  ASSERT_TRUE(lab.comes_up());
  lab.settle();
  mad::GuidInfoRecord record;
  record.set_lid(lab.host(h(5)).lid());
  mad::GuidInfo guids;
  guids.set_guid(1, mad::Guid{0x1122334455667788});
  record.set_guid_info(guids);
  using G = mad::GuidInfoRecord;
  ASSERT_EQ(lab.read_status(h(5), lab.request(mad::Method::set, record,
                                              lab.bits({G::kLid, G::kBlockNum, G::kGuid0 + 1}))),
            status::kOk)
      << lab.tail();
  const auto path = lab.path(h(1), {0xfe80000000000000, mad::Guid{0x1122334455667788}});
  ASSERT_TRUE(path);
  EXPECT_EQ(path->dlid, lab.host(h(5)).lid());
}

/// A host that was never there: guid2lid does not have it, so that another one can take its GUID.
TEST_F(Sa, AnAliasEndsInItsPortWhenTheHostWithThatGuidAppears) {
  for (sim::PortModel& port : lab.model.ports) port.info.set_guid_cap(8);
  lab.heddle().stop();
  const sim::PortIndex late = lab.port(h(5)), peer = lab.far(late);
  lab.world.cut(late);
  const Folder empty;
  lab.options.cache_files_dir = empty.text();
  lab.heddle().start(lab.options);
  ASSERT_TRUE(lab.comes_up()) << lab.complaint();
  lab.settle();
  const mad::Guid guid = lab.guid(h(5));
  const sim::PortIndex taker = lab.port(h(6));
  mad::GuidInfoRecord record;
  record.set_lid(lab.host(h(6)).lid());
  mad::GuidInfo guids;
  guids.set_guid(1, guid);
  record.set_guid_info(guids);
  using G = mad::GuidInfoRecord;
  ASSERT_EQ(lab.read_status(h(6), lab.request(mad::Method::set, record,
                                              lab.bits({G::kLid, G::kBlockNum, G::kGuid0 + 1}))),
            status::kOk)
      << lab.tail();
  ASSERT_EQ(lab.model.extras(taker).alias_guids.at(1), guid);
  lab.plug(late, peer);
  ASSERT_TRUE(lab.runtime.run_until(
      [&] { return lab.info(late).port_state() == mad::PortState::active; }, 1min))
      << lab.tail();
  lab.settle();
  EXPECT_EQ(lab.model.extras(taker).alias_guids.at(1), mad::Guid{});
  const auto path = lab.path(h(1), {0xfe80000000000000, guid});
  ASSERT_TRUE(path);
  EXPECT_EQ(path->dlid, lab.info(late).lid());
  lab.heddle().stop();
}

/// Nanoseconds of a clock do not reach that far: a timer for it would expire at once, for ever.
TEST_F(Sa, ALeaseInTheJournalThatEndsInCenturiesKeepsTheThreadFree) {
  mad::ServiceRecord record;
  record.set_service_id(1);
  record.set_service_gid(lab.host(h(2)).gid());
  record.set_lease(1000);
  std::string bytes;
  for (const std::uint8_t byte : record.bytes()) bytes += fmt::format("{:02x}", byte);
  lab.heddle().stop();
  const Folder folder;
  lab.options.cache_files_dir = folder.text();
  std::ofstream(std::filesystem::path(folder.text()) / sa::kRegistrationsFile)
      << "heddle-journal 1\n"
      << sm::journal_batch(fmt::format("service {:x} {:x} {}\n", lab.guid(h(2)).value,
                                       sa::kLastExpiry.time_since_epoch().count(), bytes));
  lab.heddle().start(lab.options);
  ASSERT_TRUE(lab.comes_up()) << lab.tail();
  lab.settle();
  const auto reply = lab.host(h(2)).query(lab.request(mad::Method::get, record, lab.bits({0})));
  ASSERT_TRUE(reply && reply->status() == status::kOk) << lab.tail();
  EXPECT_EQ(mad::ServiceRecord(std::span<const std::uint8_t, mad::ServiceRecord::kBytes>(
                                   reply->records.data(), mad::ServiceRecord::kBytes))
                .lease(),
            1000u)
      << "no more than was registered";
  lab.heddle().stop();
}

/// Earlier versions made two members of a host that joined by both.
TEST_F(Sa, AMemberInTheJournalByBothFormsOfItsGidIsOneAndLeavesAtOnce) {
  constexpr std::uint64_t kPrefix = 0xfec0000000000007;
  constexpr mad::Gid kGroup{0xff12401bffff0000, mad::Guid{0x77}};
  lab.heddle().stop();
  const Folder folder;
  lab.options.cache_files_dir = folder.text();
  lab.options.subnet_prefix = kPrefix;
  const std::string group =
      fmt::format("{:x} {:x}", kGroup.prefix, std::uint64_t{kGroup.guid.value});
  std::string lines = fmt::format("group {} c005 ffff b1b 4 3 12 0 0 0 0 0 0\n", group);
  for (const std::uint64_t prefix : {std::uint64_t{0xfe80000000000000}, kPrefix})
    lines += fmt::format("member {0} {1:x} {2:x} 1 0 {2:x}\n", group, prefix, lab.guid(h(2)).value);
  std::ofstream(std::filesystem::path(folder.text()) / sa::kRegistrationsFile)
      << "heddle-journal 1\n"
      << sm::journal_batch(lines);
  lab.heddle().start(lab.options);
  ASSERT_TRUE(lab.comes_up()) << lab.tail();
  lab.settle();
  ASSERT_EQ(lab.host(h(2)).gid().prefix, kPrefix);
  const auto find = [&] { return lab.administrator().registrations().groups.find(kGroup); };
  ASSERT_NE(find(), nullptr) << lab.tail();
  EXPECT_EQ(find()->members.size(), 1u);
  ASSERT_TRUE(lab.leave(h(2), kGroup)) << lab.tail();
  EXPECT_EQ(find(), nullptr) << "its MLID is free";
  lab.heddle().stop();
  lab.heddle().start(lab.options);
  ASSERT_TRUE(lab.comes_up()) << lab.tail();
  EXPECT_EQ(find(), nullptr) << "in the journal, too";
  lab.heddle().stop();
}

// ------------------------------------------------------------------------------------------
// restarts of the manager

TEST_F(Sa, KeepsRegistrationsAcrossRestart) {
  const auto group = lab.join(h(1));
  ASSERT_TRUE(group && lab.join(h(2)) && lab.join(h(12)));
  ASSERT_TRUE(lab.group_settles(group->mlid(), {h(1), h(2), h(12)}));
  lab.heddle().stop();
  lab.forget_counts();
  lab.heddle().start(lab.options);
  ASSERT_TRUE(lab.comes_up());
  lab.settle();
  EXPECT_EQ(lab.group_complaint(group->mlid(), {h(1), h(2), h(12)}), "");
  EXPECT_EQ(lab.sent(mad::Method::set, mad::AttributeId::multicast_forwarding_table), 0u)
      << "the trees are unchanged";
  EXPECT_EQ(lab.administrator().registrations().groups.find(kBroadcast)->members.size(), 3u);
}

/// While this manager did not run, another one was master: members may have left there.
TEST_F(Sa, DropsMembersThatDoNotRegisterAgainAfterAnotherManagerWasMaster) {
  const auto group = lab.join(h(1));
  ASSERT_TRUE(group && lab.join(h(2)) && lab.join(h(12)));
  ASSERT_TRUE(lab.group_settles(group->mlid(), {h(1), h(2), h(12)}));
  lab.heddle().stop();
  name_another_master();
  std::set<sim::PortIndex> asked;
  lab.world.on_client_reregister = [&](sim::PortIndex port) { asked.insert(port); };
  lab.heddle().start(lab.options);
  ASSERT_TRUE(lab.comes_up());
  lab.settle();
  lab.world.on_client_reregister = nullptr;
  EXPECT_TRUE(asked.contains(lab.port(h(1))));
  EXPECT_EQ(lab.group_complaint(group->mlid(), {h(1), h(2), h(12)}), "") << "they may be members";
  ASSERT_TRUE(lab.join(h(2)) && lab.join(h(1)));
  lab.runtime.run_for(sa::Administrator::kReregistration + 1s);
  EXPECT_EQ(lab.group_complaint(group->mlid(), {h(1), h(2)}), "");
  EXPECT_TRUE(lab.says("1 multicast membership")) << lab.tail();
}

/// The own port was down before their time had come: it begins again when the port is up.
TEST_F(Sa, DropsMembersThatDoNotRegisterAgainAlsoIfTheOwnPortWasDown) {
  const auto group = lab.join(h(1));
  ASSERT_TRUE(group && lab.join(h(2)) && lab.join(h(12)));
  ASSERT_TRUE(returns_after_another_master()) << lab.tail();
  own_port_is_down([] {});
  ASSERT_TRUE(lab.join(h(2)) && lab.join(h(1)));
  lab.runtime.run_for(sa::Administrator::kReregistration + 1s);
  EXPECT_EQ(lab.group_complaint(group->mlid(), {h(1), h(2)}), "");
}

/// While the own port was down, another manager was master of all others, and has ended since.
TEST_F(Sa, DropsMembersThatDoNotRegisterAgainAfterAnotherManagerWasMasterOfTheOthers) {
  const auto group = lab.join(h(1));
  ASSERT_TRUE(group && lab.join(h(2)) && lab.join(h(12)));
  own_port_is_down([this] { name_another_master(); });
  ASSERT_TRUE(lab.join(h(2)) && lab.join(h(1)));
  lab.runtime.run_for(sa::Administrator::kReregistration + 1s);
  EXPECT_EQ(lab.group_complaint(group->mlid(), {h(1), h(2)}), "");
}

/// The next start would not know that they are in doubt.
TEST_F(Sa, UnconfirmedMembersAreNotKeptAcrossARestart) {
  const auto group = lab.join(h(1));
  ASSERT_TRUE(group && lab.join(h(2)) && lab.join(h(12)));
  ASSERT_TRUE(returns_after_another_master()) << lab.tail();
  ASSERT_TRUE(lab.join(h(2)) && lab.join(h(1)));
  lab.heddle().stop();
  lab.heddle().start(lab.options);
  ASSERT_TRUE(lab.comes_up());
  lab.settle();
  EXPECT_TRUE(lab.group_settles(group->mlid(), {h(1), h(2)})) << lab.tail();
}

TEST_F(Sa, AHostThatReturnsGetsClientReregister) {
  ASSERT_TRUE(lab.join(h(2)) && lab.join(h(9)));
  lab.settle();
  const sim::NodeIndex node = lab.owning_node(lab.port(h(9)));
  lab.model.nodes[node].health.silent = true;  // its link stays up
  lab.heddle().reload(lab.options);
  ASSERT_TRUE(lab.runtime.run_until(
      [&] {
        return lab.administrator().registrations().groups.find(kBroadcast)->members.size() == 1;
      },
      5min))
      << lab.tail();
  lab.model.nodes[node].health.silent = false;
  bool reregister = false;
  lab.heddle().tap().on_request = [&](mad::ConstSmpView smp) {
    reregister = reregister || (smp.method() == mad::Method::set &&
                                smp.attribute_id() == mad::AttributeId::port_info &&
                                mad::PortInfo(smp.data()).client_reregister());
  };
  EXPECT_TRUE(lab.runtime.run_until([&] { return reregister; }, 5min)) << lab.tail();
}

TEST_F(Sa, AHostThatReturnsAfterARestartGetsClientReregister) {
  ASSERT_TRUE(lab.join(h(2)) && lab.join(h(9)));
  lab.settle();
  const sim::PortIndex port = lab.port(h(9));
  lab.model.nodes[lab.owning_node(port)].health.silent = true;  // its link stays up
  lab.heddle().reload(lab.options);
  ASSERT_TRUE(lab.runtime.run_until(
      [&] {
        return lab.administrator().registrations().groups.find(kBroadcast)->members.size() == 1;
      },
      5min))
      << lab.tail();
  lab.settle();
  lab.heddle().stop();
  lab.model.nodes[lab.owning_node(port)].health.silent = false;
  std::vector<sim::PortIndex> reregistered;
  lab.world.on_client_reregister = [&](sim::PortIndex which) { reregistered.push_back(which); };
  lab.heddle().start(lab.options);
  ASSERT_TRUE(lab.comes_up()) << lab.tail();
  EXPECT_EQ(reregistered, std::vector{port}) << "its membership was dropped; the others' were not";
  lab.world.on_client_reregister = nullptr;
}

/// Its membership was dropped when it was silent, and it does not know.
TEST_F(Sa, AHostThatRejectsClientReregisterGetsItAfterARestart) {
  ASSERT_TRUE(lab.join(h(2)) && lab.join(h(9)));
  lab.settle();
  const sim::PortIndex port = lab.port(h(9));
  sim::Health& health = lab.model.nodes[lab.owning_node(port)].health;
  health.silent = true;  // its link stays up
  lab.heddle().reload(lab.options);
  ASSERT_TRUE(lab.runtime.run_until(
      [&] {
        return lab.administrator().registrations().groups.find(kBroadcast)->members.size() == 1;
      },
      5min))
      << lab.tail();
  health.reject = [](mad::ConstSmpView smp) -> std::optional<std::uint16_t> {
    if (smp.method() != mad::Method::set || smp.attribute_id() != mad::AttributeId::port_info)
      return std::nullopt;
    return mad::status::kInvalidValue;
  };
  health.silent = false;
  ASSERT_TRUE(lab.runtime.run_until([&] { return lab.says("rejected with status"); }, 5min));
  lab.settle();
  lab.heddle().stop();
  health.reject = {};
  std::vector<sim::PortIndex> reregistered;
  lab.world.on_client_reregister = [&](sim::PortIndex which) { reregistered.push_back(which); };
  lab.heddle().start(lab.options);
  ASSERT_TRUE(lab.comes_up()) << lab.tail();
  EXPECT_EQ(reregistered, std::vector{port});
  lab.world.on_client_reregister = nullptr;
}

TEST_F(Sa, DoesNotAnswerWhileNotMaster) {
  lab.heddle().stop();
  EXPECT_EQ(lab.read_status(h(1), {.method = mad::Method::get,
                                   .attribute = mad::SaAttributeId::class_port_info}),
            SaLab::kNoAnswer);
}

TEST_F(Sa, AnswersDuringASweep) {
  lab.heddle().reload(lab.options);  // everything is read again
  lab.runtime.run_for(50us);
  const mad::TimePoint begin = lab.runtime.now();
  EXPECT_TRUE(lab.path(h(1), lab.host(h(15)).gid()));
  EXPECT_LT(lab.runtime.now() - begin, 1ms);
}

}  // namespace sa_test
