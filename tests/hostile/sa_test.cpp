// Subnet administration of a whole manager in virtual time: new hosts that ask at once, and hosts
// that take more than their share.

#include <gmock/gmock.h>

#include <sys/stat.h>

#include <fstream>

#include "hostile/unfinished_requests.h"
#include "partitions/load.h"
#include "sim/sa_lab.h"
#include "sm/conditions/manager_conditions.h"
#include "sm/ctl/topology/generators.h"
#include "support/full_disk.h"

namespace hostile_sa_test {

using namespace laboratory;
using namespace unfinished_requests;
using ::testing::HasSubstr;
namespace status = mad::status;
namespace sa_status = mad::sa_status;

topology::Topology two_level() {
  return topology::xgft({.children = {5, 2}, .parents = {1, 2}, .cables = {}});
}

class HostileSa : public ::testing::Test {
 protected:
  SaLab lab{two_level()};
  std::vector<std::string> hosts;  // without that of the manager

  void SetUp() override {
    for (const sim::NodeModel& node : lab.model.nodes) {
      if (!node.is_switch() && hosts_begun_) hosts.push_back(node.description);
      hosts_begun_ = true;
    }
    ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  }

 private:
  bool hosts_begun_ = false;
};

// ------------------------------------------------------------------------------------------
// new hosts

class NewHosts : public HostileSa {
 protected:
  /// The first moment at which an answer can reach the host: its link is Active at both ends.
  static bool is_active(SaLab& lab, const std::string& host) {
    const sim::PortIndex port = lab.port(host), far = lab.far(port);
    return far != sim::kNone && lab.info(port).port_state() == mad::PortState::active &&
           lab.info(far).port_state() == mad::PortState::active;
  }
  /// All hosts lose their links, and the manager publishes the subnet without them.
  void remove_hosts() {
    for (const std::string& host : hosts) {
      far_ends_[host] = lab.far(lab.port(host));
      lab.world.cut(lab.port(host));
    }
    ASSERT_TRUE(lab.runtime.run_until(
        [&] { return lab.status().subnet->fabric.end_ports.size() == switches() + 1; }, 1min))
        << lab.tail();
    lab.settle();
  }
  /// They return, and each asks at the moment at which its port becomes Active.
  void return_and_ask() {
    for (const std::string& host : hosts) lab.world.connect(lab.port(host), far_ends_[host]);
    std::vector<std::string> silent = hosts;
    const auto ask = [&] {
      std::erase_if(silent, [&](const std::string& host) {
        if (!is_active(lab, host)) return false;
        lab.host(host).post(lab.join_request(host));
        lab.host(host).post(path_request(host));
        asked_ += 2;
        return true;
      });
      return silent.empty();
    };
    ASSERT_TRUE(lab.runtime.run_until(ask, 1min)) << lab.tail();
    lab.settle();
  }
  sim::SaRequest path_request(const std::string& host) {
    mad::PathRecord record;
    record.set<"SGID.prefix">(lab.host(host).gid().prefix);
    record.set<"SGID.guid">(lab.host(host).gid().guid);
    record.set<"DGID.prefix">(lab.host(hosts.front()).gid().prefix);
    record.set<"DGID.guid">(lab.host(hosts.front()).gid().guid);
    using P = mad::PathRecordFields;
    sim::SaRequest request{.method = mad::Method::get,
                           .attribute = mad::SaAttributeId::path_record,
                           .component_mask = lab.bits({P::kSgid, P::kDgid})};
    request.record.assign(record.bytes().begin(), record.bytes().end());
    return request;
  }
  std::size_t switches() const { return lab.status().subnet->fabric.switches.size(); }
  std::size_t asked() const { return asked_; }
  std::size_t with_status(std::uint16_t status) {
    std::size_t count = 0;
    for (const std::string& host : hosts)
      for (const auto& [id, reply] : lab.host(host).replies()) count += reply.status() == status;
    return count;
  }

 private:
  std::map<std::string, sim::PortIndex> far_ends_;
  std::size_t asked_ = 0;
};

TEST_F(NewHosts, AreServedFromTheMomentAtWhichTheirPortsAreActive) {
  while (asked() < 1000 && !HasFatalFailure()) {
    remove_hosts();
    return_and_ask();
  }
  EXPECT_EQ(with_status(status::kOk), asked()) << lab.tail();
}

TEST_F(NewHosts, AreServedInTheFirstSweepOfAManager) {
  SaLab fresh(two_level());
  fresh.start();
  std::vector<std::string> silent = hosts;
  const auto ask = [&] {
    std::erase_if(silent, [&](const std::string& host) {
      if (!is_active(fresh, host)) return false;
      fresh.host(host).post(fresh.join_request(host));
      return true;
    });
    return silent.empty();
  };
  ASSERT_TRUE(fresh.runtime.run_until(ask, 1min)) << fresh.tail();
  fresh.settle();
  std::size_t answered = 0;
  for (const std::string& host : hosts) {
    for (const auto& [id, reply] : fresh.host(host).replies()) {
      EXPECT_EQ(reply.status(), status::kOk) << host;
      ++answered;
    }
  }
  // Links between switches become Active at the same time: the first packets may be lost there.
  EXPECT_GE(answered, hosts.size() / 2);
}

TEST_F(NewHosts, JoinAPartitionOfAReloadAsSoonAsTheyHoldItsKey) {
  const std::string& host = hosts.front();
  const mad::PKey key{0x8123};
  const mad::Gid group{0xff12401b81230000, mad::Guid{0xffffffff}};
  config::Diagnostics found;
  lab.heddle().partitioning = partitions::parse_partitions_conf(
      {"partitions.conf", "Default=0x7fff, ipoib: ALL=full;\nMore=0x123, ipoib: ALL=full;\n"},
      found);
  lab.heddle().reload(lab.options);
  ASSERT_TRUE(
      lab.runtime.run_until([&] { return lab.model.holds_partition(lab.port(host), key); }, 1min));
  lab.host(host).post(lab.join_request(host, group));
  lab.settle();
  ASSERT_EQ(lab.host(host).replies().size(), 1u);
  EXPECT_EQ(lab.host(host).replies().begin()->second.status(), status::kOk) << lab.tail();
}

// ------------------------------------------------------------------------------------------
// reports

class Subscribers : public HostileSa {
 protected:
  /// To notices of all kinds whose issuer has one of the LIDs 1..`lid_last`.
  std::uint16_t subscribe(const std::string& host, unsigned lid_last) {
    mad::InformInfo info;
    info.set_lid_range_begin(mad::Lid{1});
    info.set_lid_range_end(mad::Lid{static_cast<std::uint16_t>(lid_last)});
    info.set_is_generic(1);
    info.set_subscribe(1);
    info.set_type(0xFFFF);
    info.set_trap_number(0xFFFF);
    info.set_producer_type(0xFFFFFF);
    sim::SaRequest request = lab.request(mad::Method::set, info, 0);
    request.attribute = mad::SaAttributeId::inform_info;
    return lab.read_status(host, request);
  }
};

/// However many of its subscriptions match: one report of each notice.
TEST_F(Subscribers, OneThatDoesNotAcknowledgeTakesNoReportsOfOthers) {
  const std::string &attacker = hosts[0], &honest = hosts[1], &member = hosts[2];
  lab.host(attacker).answers_reports = false;
  for (unsigned i = 0; i < 256; ++i) ASSERT_EQ(subscribe(attacker, 1000 + i), status::kOk) << i;
  ASSERT_EQ(subscribe(honest, 1000), status::kOk);
  constexpr unsigned kGroups = 300;
  for (unsigned i = 0; i < kGroups; ++i)
    ASSERT_EQ(lab.read_status(
                  member, lab.create_request(member, {0xff12401bffff0000, mad::Guid{0x100u + i}})),
              status::kOk);
  lab.settle();
  EXPECT_EQ(lab.host(honest).reports.size(), kGroups);
  const sa::ReportSender& reports = lab.administrator().reports();
  EXPECT_LE(reports.waiting() + reports.in_flight(), kGroups);
  EXPECT_EQ(reports.statistics().dropped, 0u);
}

// ------------------------------------------------------------------------------------------
// requests

TEST_F(HostileSa, AHostThatRequestsTablesWithoutPauseDelaysOthersByOneSlice) {
  SaLab large(topology::xgft({.children = {12, 12}, .parents = {1, 2}, .cables = {}}));
  ASSERT_TRUE(large.start_and_settle()) << large.tail();
  large.runtime.handler_time = 1ms;
  const std::string attacker = "H5", honest = "H100", other = "H60";
  const auto latency = [&] {
    mad::Duration sum{};
    for (int i = 0; i < 20; ++i) {
      const mad::TimePoint begin = large.runtime.now();
      EXPECT_TRUE(large.path(honest, large.host(other).gid()));
      sum += large.runtime.now() - begin;
    }
    return sum / 20;
  };
  const mad::Duration alone = latency();
  for (int i = 0; i < 100; ++i)
    large.host(attacker).post(
        {.method = mad::Method::get_table, .attribute = mad::SaAttributeId::path_record});
  const mad::Duration attacked = latency();
  EXPECT_LE(attacked, 3 * alone);
  EXPECT_GT(large.administrator().statistics().slices, 20u)
      << "an answer of 20,000 paths is not produced at once";
  large.runtime.handler_time = {};
  const auto table = large.host(other).query(
      {.method = mad::Method::get_table, .attribute = mad::SaAttributeId::path_record});
  ASSERT_TRUE(table);
  const std::size_t ends = large.status().subnet->fabric.end_ports.size();
  EXPECT_EQ(table->count(), ends * ends);
}

/// 134 ends: a table of all paths has 18,000 records, 1.1 MB, and is produced while it is sent.
class LongTables : public ::testing::Test {
 protected:
  SaLab lab{topology::xgft({.children = {10, 12}, .parents = {1, 2}, .cables = {}})};
  static constexpr unsigned kRequesters = 40;  // at once
  const sim::SaRequest all_paths{.method = mad::Method::get_table,
                                 .attribute = mad::SaAttributeId::path_record};

  void SetUp() override { ASSERT_TRUE(lab.start_and_settle()) << lab.tail(); }
  std::size_t ends() const { return lab.status().subnet->fabric.end_ports.size(); }
  /// Memory for tables, of all requesters.
  std::size_t bytes() {
    return lab.administrator().transfers().bytes() + lab.administrator().tables().bytes();
  }
};

TEST_F(LongTables, HaveTheSameRecordsAsThoseOfEachSource) {
  const auto table = lab.host("H5").query(all_paths);
  ASSERT_TRUE(table);
  ASSERT_EQ(table->count(), ends() * ends());
  EXPECT_EQ(lab.administrator().transfers().failed(), 0u);
  std::vector<std::uint8_t> expected;
  for (const fabric::PortIndex port : lab.status().subnet->fabric.end_ports) {
    mad::PathRecord record;
    record.set<"SLID">(lab.status().subnet->lid_range(port).base);
    const auto part = lab.host("H5").query(
        lab.request(mad::Method::get_table, record, lab.bits({mad::PathRecordFields::kSlid})));
    ASSERT_TRUE(part);
    expected.insert(expected.end(), part->records.begin(), part->records.end());
  }
  EXPECT_TRUE(table->records == expected);
}

TEST_F(LongTables, OfRequestersThatAcknowledgeNothingTakeLittleMemoryForSeconds) {
  for (unsigned host = 1; host <= kRequesters; ++host) {
    lab.host(fmt::format("H{}", host)).acknowledges = false;
    lab.host(fmt::format("H{}", host)).post(all_paths);
  }
  std::size_t most = 0;
  lab.runtime.run_until(
      [&] {
        most = std::max(most, bytes());
        return false;
      },
      100ms);
  EXPECT_EQ(lab.administrator().transfers().running(), kRequesters);
  EXPECT_LE(most, kRequesters * 2 * sa::Transfers::kAheadBytes +
                      kRequesters * (sa::TableAnswers::kWholeBytesMax));
  EXPECT_LE(bytes(), kRequesters * 2 * sa::Transfers::kAheadBytes);
  EXPECT_TRUE(lab.path("H80", lab.host("H90").gid()));
  lab.runtime.run_for(30s);
  EXPECT_EQ(lab.administrator().transfers().running(), 0u);
  EXPECT_EQ(lab.administrator().tables().size(), 0u);
  EXPECT_EQ(bytes(), 0u);
}

TEST_F(LongTables, OfManyHostsAtOnceAreAllSentAndDelayOthersByOneSlice) {
  lab.runtime.handler_time = 100us;
  const auto latency = [&] {
    const mad::TimePoint begin = lab.runtime.now();
    EXPECT_TRUE(lab.path("H80", lab.host("H90").gid()));
    return lab.runtime.now() - begin;
  };
  const mad::Duration alone = latency();
  std::vector<std::uint64_t> ids;
  for (unsigned host = 1; host <= kRequesters; ++host)
    ids.push_back(lab.host(fmt::format("H{}", host)).post(all_paths));
  lab.runtime.run_for(5ms);
  EXPECT_LE(latency(), 4 * alone);
  lab.runtime.handler_time = {};
  std::size_t complete = 0;
  for (unsigned host = 1; host <= kRequesters; ++host) {
    sim::SaClient& client = lab.host(fmt::format("H{}", host));
    lab.runtime.run_until([&] { return client.replies().contains(ids[host - 1]); }, 30s);
    const auto reply = client.take_reply(ids[host - 1]);
    complete += reply && reply->count() == ends() * ends() ? 1u : 0u;
  }
  EXPECT_EQ(complete, kRequesters) << lab.tail();
  EXPECT_EQ(lab.administrator().statistics().busy(), 0u);
}

/// Each of them acknowledges a window of one segment a second, for ever.
TEST_F(LongTables, OfSlowRequestersDoNotKeepManySubnets) {
  std::vector<std::weak_ptr<const fabric::Subnet>> published;
  const sim::PortIndex flapping = lab.port("H95"), far = lab.far(flapping);
  for (unsigned change = 0; change < 16; ++change) {
    published.push_back(lab.status().subnet);
    sim::SaClient& slow = lab.host(fmt::format("H{}", 1 + change));
    slow.acknowledges = false;
    const std::uint64_t id = slow.post(all_paths);
    lab.runtime.run_for(10ms);
    if (change % 2 == 0)
      lab.world.cut(flapping);
    else
      lab.world.connect(flapping, far);
    // One segment is acknowledged before its transfer would be given up.
    mad::MadBytes ack{};
    mad::SaView mad{std::span<std::uint8_t, mad::kMadBytes>(ack)};
    mad.set_base_version(mad::kBaseVersion);
    mad.set_mgmt_class(mad::MgmtClass::sa);
    mad.set_class_version(mad::kSaClassVersion);
    mad.set_method(mad::Method::get_table);
    mad.set_transaction_id(id);
    mad.set_rmpp_version(mad::kRmppVersion);
    mad.set_rmpp_type(mad::RmppType::ack);
    mad.set_rmpp_flags(mad::rmpp_flag::kActive);
    mad.set_segment_number(1);
    mad.set_new_window_last(2);
    slow.send_raw(ack);
    lab.runtime.run_until(
        [&, before = lab.status().subnet] { return lab.status().subnet != before; }, 5s);
  }
  std::size_t kept = 0;
  for (const auto& subnet : published) kept += subnet.expired() ? 0u : 1u;
  EXPECT_LE(kept, sa::TableAnswers::kOldSubnetsMax + 1);
  EXPECT_GT(lab.administrator().tables().ended_early(), 0u);
  EXPECT_TRUE(lab.path("H80", lab.host("H90").gid()));
}

TEST_F(HostileSa, UnfinishedRequestsOfOneHostLeaveRoomForThoseOfOthers) {
  const std::string &attacker = hosts[0], &honest = hosts[1];
  for (unsigned i = 0; i < 1000; ++i)
    lab.host(attacker).send_raw(first_segment(0x7000 + i, lab.runtime.now()));
  lab.runtime.run_for(100ms);
  EXPECT_EQ(lab.read_status(honest, multi_path_request(lab, honest, hosts[2])), status::kOk)
      << lab.tail();
}

// ------------------------------------------------------------------------------------------
// groups

TEST_F(HostileSa, AHostThatCreatesGroupsLeavesMlidsToOthers) {
  constexpr unsigned kCap = 64;
  SaLab small(two_level());
  for (sim::NodeModel& node : small.model.nodes)
    if (node.is_switch()) node.sw->info.set_multicast_fdb_cap(kCap);
  ASSERT_TRUE(small.start_and_settle()) << small.tail();
  unsigned created = 0;
  const auto create = [&](const std::string& host) {
    const mad::Gid mgid{0xff12401bffff0000, mad::Guid{0x1000u + created}};
    const std::uint16_t got = small.read_status(host, small.create_request(host, mgid));
    created += got == status::kOk;
    return got;
  };
  while (create(hosts[0]) == status::kOk) ASSERT_LT(created, kCap);
  EXPECT_GE(created, kCap / 2 - 2);
  EXPECT_LE(created, kCap / 2 + 2);
  const unsigned by_attacker = created;
  for (unsigned i = 0; i < 4; ++i)
    for (std::size_t host = 1; host < 5; ++host) EXPECT_EQ(create(hosts[host]), status::kOk);
  EXPECT_EQ(created, by_attacker + 16);
  EXPECT_EQ(create(hosts[0]), sa_status::kNoResources);
  small.heddle().stop();
  small.heddle().start(small.options);
  ASSERT_TRUE(small.comes_up());
  EXPECT_EQ(create(hosts[0]), sa_status::kNoResources) << "known after a restart";
  EXPECT_EQ(create(hosts[6]), status::kOk);
}

// ------------------------------------------------------------------------------------------
// a disk that takes nothing

using support::FullDisk;

TEST_F(HostileSa, WhatTheDiskDoesNotTakeIsAnsweredFromMemoryAndStoredLater) {
  ASSERT_TRUE(lab.join(hosts[0]));
  std::array<std::uint16_t, 6> got{};
  std::size_t lines = 0;
  {
    const FullDisk full;
    for (std::size_t i = 0; i < got.size(); ++i)
      got[i] = lab.read_status(hosts[1 + i % 4], lab.join_request(hosts[1 + i % 4]));
    lines = lab.heddle().count("[SM-STORE-FAILED]");
  }
  for (const std::uint16_t status : got) EXPECT_EQ(status, mad::status::kOk);
  EXPECT_EQ(lines, 1u) << "once, however many requests: " << lab.tail();
  lab.runtime.run_for(1min);
  EXPECT_TRUE(lab.says("cleared: ")) << "without another request";
  lab.heddle().stop();
  lab.heddle().start(lab.options);
  ASSERT_TRUE(lab.comes_up());
  EXPECT_EQ(lab.administrator().registrations().groups.find(kBroadcast)->members.size(), 5u);
}

TEST_F(HostileSa, LidsAreStoredWhenTheDiskHasRoomAgainWithoutASweep) {
  lab.heddle().stop();
  std::size_t sweeps = 0;
  {
    const FullDisk full;
    lab.heddle().start(lab.options);
    ASSERT_TRUE(lab.comes_up()) << lab.tail();
    lab.runtime.run_for(30s);
    EXPECT_TRUE(lab.says("LIDs are kept in memory only")) << lab.tail();
    sweeps = lab.heddle().count("SUBNET UP");
    EXPECT_GE(lab.raised(sm::kManagerConditions.store_failed), 1u);
    for (const auto& raised : lab.status().conditions)
      if (raised.condition.id == sm::kManagerConditions.store_failed) {
        EXPECT_EQ(fabric::find_severity(raised.condition), fabric::Severity::critical)
            << raised.condition.text;
      }
  }
  lab.runtime.run_for(1min);
  EXPECT_EQ(lab.raised(sm::kManagerConditions.store_failed), 0u) << lab.tail();
  EXPECT_EQ(lab.heddle().count("SUBNET UP"), sweeps);
}

TEST_F(HostileSa, AHostThatTakesTheGuidOfAnotherDoesNotEndTheManager) {
  ASSERT_TRUE(lab.options.exit_on_fatal);
  const sim::PortIndex thief = lab.port(hosts[8]), far = lab.far(thief);
  lab.world.cut(thief);
  lab.settle();
  lab.model.ports[thief].guid = lab.guid(hosts[0]);
  lab.plug(thief, far);
  lab.runtime.run_for(1min);
  EXPECT_FALSE(lab.heddle().ended()) << *lab.heddle().ended();
  EXPECT_TRUE(lab.says("[SM-GUID-DUPLICATE]"));
  EXPECT_EQ(lab.info(lab.port(hosts[0])).port_state(), mad::PortState::active);
  EXPECT_EQ(lab.info(thief).port_state(), mad::PortState::init);
  EXPECT_TRUE(lab.path(hosts[1], lab.host(hosts[2]).gid()));
}

// ------------------------------------------------------------------------------------------
// files and keys

TEST_F(HostileSa, ReservationsOfGuidsThatNeverReturnTakeNoLidsFromHosts) {
  const Folder folder;
  SaLab crowded(two_level());
  crowded.options.cache_files_dir = folder.text();
  crowded.options.lmc = 7;
  std::ofstream file(folder.text() + "/guid2lid");
  for (unsigned i = 1; i <= 383; ++i)
    file << fmt::format("0x{:016x} 0x{:04x} 0x{:04x}\n\n", 0xBAD0000u + i, 128 * i, 128 * i + 127);
  file.close();
  crowded.start();
  EXPECT_TRUE(crowded.comes_up()) << crowded.complaint() << crowded.tail();
  EXPECT_FALSE(crowded.says("[SM-LID-EXHAUSTED]"));
}

TEST_F(HostileSa, TheDumpOfRegistrationsIsForTheOwnerOnly) {
  const Folder folder;
  SaLab dumping(two_level());
  dumping.options.dump_files_dir = folder.text();
  dumping.options.sa_db_dump = true;
  ASSERT_TRUE(dumping.start_and_settle()) << dumping.tail();
  ASSERT_TRUE(dumping.join(hosts[0]));
  dumping.heddle().stop();
  struct stat status{};
  ASSERT_EQ(::stat((folder.text() + "/opensm-sa.dump").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777u, 0600u);
}

TEST_F(HostileSa, ASourceGidOfAnotherPortIsNotAnsweredWhereSgidsAreChecked) {
  sim::SaRequest request{.method = mad::Method::get,
                         .attribute = mad::SaAttributeId::class_port_info};
  lab.host(hosts[1]);
  lab.options.sa_check_sgid_spoofing = true;
  lab.heddle().reload(lab.options);
  lab.settle();
  request.grh = mad::GlobalRoute{.peer = {0xfe80000000000000, lab.guid("H0")}, .hop_limit = 1};
  EXPECT_EQ(lab.read_status(hosts[1], request), status::kOk) << "its own GID is in its header";
  lab.model.ports[lab.port(hosts[1])].guid = lab.guid(hosts[2]);
  EXPECT_EQ(lab.read_status(hosts[1], request), SaLab::kNoAnswer);
  EXPECT_TRUE(lab.says("[SA-REQUEST-REFUSED]")) << lab.tail();
}

TEST(AllowedManagers, OneOnAnotherPortDoesNotKeepTheManagerFromLeading) {
  for (const bool allowed : {false, true}) {
    Laboratory lab(two_level());
    config::Options options;
    options.sm_priority = 3;
    Instance& other = lab.start(lab.port("H4"), options);
    ASSERT_TRUE(lab.runtime.run_until([&] { return other.says("SUBNET UP"); }, 1min));
    options = {};
    options.allowed_sm_guids = {lab.model.ports[lab.port(allowed ? "H4" : "H7")].guid.value};
    const Instance& manager = lab.start(lab.port("H0"), options);
    lab.runtime.run_for(5s);
    EXPECT_EQ(manager.manager().status().state,
              allowed ? mad::SmState::standby : mad::SmState::master);
    EXPECT_NE(manager.says("SM-NOT-ALLOWED"), allowed);
  }
}

TEST_F(HostileSa, UntrustedRequestersHaveTheLimitsOfTheEnhancedTrustModel) {
  lab.options.sa_enhanced_trust_model = true;
  lab.options.sa_etm_allow_untrusted_proxy_requests = false;
  lab.options.sa_etm_max_num_mcgs = 2;
  lab.heddle().reload(lab.options);
  lab.settle();
  sim::SaRequest for_another = lab.join_request(hosts[2]);
  EXPECT_EQ(lab.read_status(hosts[1], for_another), sa_status::kReqInvalid);
  for_another.sm_key = lab.options.sa_key;
  EXPECT_EQ(lab.read_status(hosts[1], for_another), status::kOk);
  const auto create = [&](unsigned number) {
    const mad::Gid mgid{0xff12401bffff0000, mad::Guid{0x1000u + number}};
    return lab.read_status(hosts[3], lab.create_request(hosts[3], mgid));
  };
  EXPECT_EQ(create(1), status::kOk);
  EXPECT_EQ(create(2), status::kOk);
  EXPECT_EQ(create(3), sa_status::kNoResources);
}

TEST_F(HostileSa, AHostThatCreatesAndDeletesGroupsDoesNotFloodTheLog) {
  for (unsigned i = 0; i < 500; ++i) {
    ASSERT_EQ(lab.read_status(hosts[1], lab.create_request(hosts[1], {0xff12401bffff0000,
                                                                      mad::Guid{0x1000u + i}})),
              status::kOk);
    ASSERT_TRUE(lab.leave(hosts[1], {0xff12401bffff0000, mad::Guid{0x1000u + i}}));
  }
  EXPECT_LE(lab.heddle().count("mcast group"), 120u) << "of 1,000 notices within 10 s";
}

}  // namespace hostile_sa_test
