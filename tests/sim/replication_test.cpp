// Takeovers with a replicated state: two Heddles, hosts that register with the first one, and a
// store with faults.

#include <gmock/gmock.h>

#include <set>
#include <span>
#include <utility>

#include "mad/records/service_record.h"
#include "sim/sa_lab.h"
#include "sm/ctl/topology/generators.h"
#include "sm/sa/registrations/replicated.h"
#include "sm/store/isolation_orders.h"
#include "sm/store/replica/cache_records.h"
#include "sm/store/replica/replica_conditions.h"
#include "support/fake_state_store.h"

namespace replication_test {

using laboratory::Instance;
using laboratory::kBroadcast;
using testing::HasSubstr;
using namespace std::chrono_literals;

constexpr mad::Gid kGroup{0xff12401bffff0000, mad::Guid{0x77}};

class Pair : public laboratory::SaLab {
 public:
  Pair() : SaLab(topology::row({.switches = 2, .cables = 1, .hosts_per_switch = 3})) {
    options.sm_priority = 3;
  }
  ~Pair() {
    instances.clear();
    runtime.run_for(10s);
  }

  /// A manager that shares its state, at this host.
  Instance& share(const std::string& host, std::uint8_t priority,
                  config::Options own = config::Options{}) {
    own.sm_priority = priority;
    Instance& instance = Laboratory::start(host, own);
    instance.stop();
    instance.replica = [this, guid = guid(host)](const std::string& folder) {
      folders[guid] = folder;
      stores[guid] = std::make_shared<support::FakeStateStore>(runtime, server);
      return sm::StateReplica::start(
          runtime, stores[guid],
          sm::StateReplica::Settings{.prefix = "/heddle/fe80000000000000/",
                                     .seal = sm::RecordSeal("secret"),
                                     .port_guid = guid,
                                     .term_file = folder + "/state-store"});
    };
    instance.start(own);
    return instance;
  }
  support::FakeStateStore& store(const std::string& host) { return *stores.at(guid(host)); }

  sim::SaRequest service_request(const std::string& name, mad::Method method) {
    mad::ServiceRecord record;
    record.set_service_id(0x1234);
    record.set_service_gid(host(name).gid());
    record.set_p_key(mad::kDefaultPKeyFull);
    record.set_lease(0xFFFFFFFF);
    return request(method, record, bits({0, 1, 2, 4}));
  }
  bool register_all() {
    if (!runtime.run_until([&] { return first().says("SUBNET UP"); }, 30s)) return false;
    for (const char* name : {"H1", "H3", "H4"})
      if (!join(name)) return false;
    if (read_status("H1", create_request("H1", kGroup)) != 0 || !join("H4", kGroup)) return false;
    return read_status("H3", service_request("H3", mad::Method::set)) == 0;
  }
  /// "H0" is MASTER and hosts have registered with it, "H5" is its standby and has read the store.
  bool start_both(const config::Options& of_second = {}) {
    share("H0", 2);
    if (!register_all()) return false;
    share("H5", 1, of_second);
    runtime.run_for(5s);
    return true;
  }
  /// The other one is MASTER and has programmed the subnet.
  bool taken_over(mad::Duration limit = 30s) {
    return runtime.run_until(
        [&] {
          return second().manager().status().state == mad::SmState::master &&
                 second().says("SUBNET UP");
        },
        limit);
  }
  Instance& first() { return instances.front(); }
  Instance& second() { return instances.back(); }
  /// From here on the second one's Sets of ClientReregister are counted.
  void kill_first() {
    instances.pop_front();
    second().tap().on_request = [this](mad::ConstSmpView smp) {
      if (smp.method() == mad::Method::set && smp.attribute_id() == mad::AttributeId::port_info)
        reregistered += mad::PortInfo(smp.data()).client_reregister() ? 1 : 0;
    };
  }
  const sa::Groups::All& groups() {
    return second().manager().administrator().registrations().groups.all();
  }
  std::string all_tails() {
    std::string text;
    for (const Instance& instance : instances) text += instance.tail() + "\n";
    return text;
  }

  /// Bob isolates the port at "H1", and makes "H3" a member of a partition.
  std::vector<sm::StoreChange> changes_of_another_master() {
    const sim::PortIndex leaf = far(port("H1"));
    const mad::Guid member = guid("H3");
    const sm::StoredIsolation isolation{.node = model.owning_node(leaf).info.node_guid(),
                                        .port = mad::PortNum{model.ports[leaf].number},
                                        .by = "bob",
                                        .since = first().wall_clock()};
    const auto sealed = [](std::string key, const std::string& text) {
      key.insert(0, "/heddle/fe80000000000000/");
      std::string value = sm::RecordSeal("secret").seal(key, text, 1);
      return sm::StoreChange{.key = std::move(key), .value = std::move(value)};
    };
    std::vector<sm::StoreChange> changes;
    for (const auto& [key, text] : sm::records_of(std::span(&isolation, 1)))
      changes.push_back(sealed(key, text));
    changes.push_back(sealed("partitions/0010", "partition 10 1 0 4 3 0 -"));
    changes.push_back(sealed(fmt::format("partitions/0010/{:016x}", member.value),
                             fmt::format("member 10 {:x} 1 0 0 0 -", member.value)));
    return changes;
  }

  /// The text of the only isolation in the store.
  std::string isolation_record() const {
    for (const auto& [key, value] : server.content)
      if (key.find("/isolations/") != std::string::npos)
        return std::string(sm::RecordSeal::unverified_text(value.value));
    return "";
  }

  support::FakeStore server{runtime};
  std::map<mad::Guid, std::shared_ptr<support::FakeStateStore>> stores;
  std::map<mad::Guid, std::string> folders;  // of their files
  std::uint64_t reregistered = 0;
};

/// The second manager knows what hosts registered with the first one, and does not request that
/// they register again.
TEST(Replication, TakeoverNeedsNoRegistrationAgain) {
  Pair lab;
  ASSERT_TRUE(lab.start_both()) << lab.all_tails();
  const auto before = lab.first().manager().administrator().registrations().groups.all();
  lab.kill_first();
  ASSERT_TRUE(lab.taken_over()) << lab.all_tails();
  EXPECT_EQ(lab.reregistered, 0u) << lab.all_tails();
  EXPECT_EQ(lab.groups(), before);
  EXPECT_EQ(lab.read_status("H1", lab.service_request("H3", mad::Method::get)), 0u);
  // No member is dropped for not registering again.
  lab.runtime.run_for(60s);
  EXPECT_EQ(lab.groups(), before);
  EXPECT_EQ(lab.group_complaint(before.at(kGroup).mlid, {"H1", "H4"}), "") << lab.all_tails();
  EXPECT_EQ(lab.second().manager().status().store->pending, 0u);
}

/// The master had dropped its membership, and ended before it asked: the standby has never missed
/// the host, and its port still names a manager whose registrations are known.
TEST(Replication, AHostWhoseMembershipTheMasterDroppedIsAskedAfterATakeover) {
  Pair lab;
  ASSERT_TRUE(lab.start_both()) << lab.all_tails();
  sim::Health& health = lab.model.nodes[lab.owning_node(lab.port("H4"))].health;
  health.silent = true;  // its link stays up
  lab.first().reload(lab.first().options());
  const auto members = [&] {
    return lab.first()
        .manager()
        .administrator()
        .registrations()
        .groups.find(kGroup)
        ->members.size();
  };
  ASSERT_TRUE(lab.runtime.run_until([&] { return members() == 1; }, 1min)) << lab.all_tails();
  lab.runtime.run_for(100ms);  // the store has it
  health.silent = false;
  std::set<sim::PortIndex> asked;
  lab.world.on_client_reregister = [&](sim::PortIndex port) { asked.insert(port); };
  lab.kill_first();
  ASSERT_TRUE(lab.taken_over()) << lab.all_tails();
  lab.world.on_client_reregister = nullptr;
  EXPECT_EQ(asked, std::set{lab.port("H4")}) << lab.all_tails();
}

/// The next takeover begins with what the second manager has registered since.
TEST(Replication, StandbyThatWasMasterBeforeBeginsWithWhatTheOtherOneHas) {
  Pair lab;
  ASSERT_TRUE(lab.start_both()) << lab.all_tails();
  lab.first().stop();
  ASSERT_TRUE(lab.taken_over()) << lab.all_tails();
  ASSERT_TRUE(lab.join("H3", kGroup));
  ASSERT_TRUE(lab.leave("H4", kGroup));
  lab.runtime.run_for(1s);
  const auto before = lab.groups();
  Instance& first = lab.first();
  first.start(first.options());  // with old files, and of higher rank: HANDOVER
  ASSERT_TRUE(lab.runtime.run_until(
      [&] { return first.manager().status().state == mad::SmState::master; }, 60s))
      << lab.all_tails();
  lab.runtime.run_for(5s);
  EXPECT_EQ(first.manager().administrator().registrations().groups.all(), before)
      << lab.all_tails();
}

/// An order outlives a takeover: no packet is forwarded over the link again, and heddlectl shows
/// who ordered it.
TEST(Replication, OrdersToIsolateAreInForceBeforeTheFirstTablesOfATakeover) {
  Pair lab;
  ASSERT_TRUE(lab.start_both()) << lab.all_tails();
  const auto isolated = [&] { return lab.second().manager().status().isolated; };
  ASSERT_TRUE(lab.first().order_isolation("H1", "cable 4711"));
  const auto in_force = lab.runtime.start(lab.first().orders_in_force());
  ASSERT_TRUE(lab.runtime.run_until([&] { return in_force->done; }, 10s));
  EXPECT_EQ(lab.first().manager().orders().progress().replicated, std::nullopt) << "etcd has it";
  EXPECT_EQ(lab.server.count("/isolations/"), 1u);
  const std::string record = lab.isolation_record();
  lab.kill_first();
  ASSERT_TRUE(lab.taken_over()) << lab.all_tails();
  lab.runtime.run_for(5s);
  EXPECT_EQ(lab.isolation_record(), record) << "times of an order stay as they were noted";
  ASSERT_EQ(isolated().size(), 1u) << lab.all_tails();
  EXPECT_EQ(isolated().front().ordered_by, "alice");
  EXPECT_EQ(isolated().front().order_reason, "cable 4711");
  // The next manager does not bring back what this one releases.
  ASSERT_TRUE(lab.second().order_release("H1")) << lab.all_tails();
  lab.runtime.run_for(10s);
  EXPECT_TRUE(isolated().empty()) << lab.all_tails();
  EXPECT_EQ(lab.server.count("/isolations/"), 0u);
}

/// A takeover replaces the orders of this manager: one that came before it would be lost.
TEST(Replication, AnOrderBeforeTheTakeoverIsRefused) {
  Pair lab;
  ASSERT_TRUE(lab.start_both()) << lab.all_tails();
  lab.kill_first();
  ASSERT_TRUE(lab.runtime.run_until(
      [&] { return lab.second().manager().status().state == mad::SmState::master; }, 30s));
  EXPECT_FALSE(lab.second().order_isolation("H2")) << lab.all_tails();
  EXPECT_FALSE(lab.second().order_release("H2"));
  ASSERT_TRUE(lab.taken_over()) << lab.all_tails();
  lab.runtime.run_for(2s);
  EXPECT_TRUE(lab.second().order_isolation("H2")) << lab.all_tails();
}

/// So a store that managers keep together can refuse those of other subnets.
TEST(Replication, TheStoreKnowsTheManagersThatWereFoundInTheSubnet) {
  Pair lab;
  ASSERT_TRUE(lab.start_both()) << lab.all_tails();
  lab.runtime.run_for(10s);
  EXPECT_EQ(lab.store("H5").known_managers, std::set<mad::Guid>{lab.guid("H0")});
  EXPECT_EQ(lab.store("H0").known_managers, std::set<mad::Guid>{lab.guid("H5")});
}

TEST(Replication, AnswersCountTheManagersThatHoldAnOrder) {
  Pair lab;
  ASSERT_TRUE(lab.start_both()) << lab.all_tails();
  const auto order = [&](const char* host) {
    EXPECT_TRUE(lab.first().order_isolation(host)) << lab.all_tails();
    const auto in_force = lab.runtime.start(lab.first().orders_in_force());
    EXPECT_TRUE(lab.runtime.run_until([&] { return in_force->done; }, 10s));
    return lab.first().manager().orders().progress().replicated;
  };
  lab.store("H0").held = sm::StoreCopies{.configured = 1, .connected = 1, .current = 1};
  EXPECT_EQ(order("H1"), 1u);
  lab.runtime.run_for(5s);
  lab.store("H0").acknowledged_after = 2s;  // the store waits for another one, which is dead
  EXPECT_EQ(order("H2"), 1u);
  lab.store("H0").acknowledged_after = {};
  lab.runtime.run_for(5s);
  lab.store("H0").held->current = 0;
  EXPECT_EQ(order("H3"), 0u);
  lab.store("H0").set_reachable(false);
  EXPECT_EQ(order("H4"), 0u) << "only the file has it";
}

/// Both were MASTER: the one that keeps mastership takes what only the other one changed.
TEST(Replication, AMasterTakesChangesOfAnotherMasterWhenTheyMeet) {
  Pair lab;
  lab.server.held = sm::StoreCopies{};
  ASSERT_TRUE(lab.start_both()) << lab.all_tails();
  const sim::PortIndex leaf = lab.far(lab.port("H1"));
  const mad::Guid member = lab.guid("H3");
  sm::StoredIsolation isolation{.node = lab.model.owning_node(leaf).info.node_guid(),
                                .port = mad::PortNum{lab.model.ports[leaf].number},
                                .by = "bob",
                                .since = lab.first().wall_clock()};
  const auto sealed = [&](std::string key, const std::string& text) {
    key.insert(0, "/heddle/fe80000000000000/");
    std::string value = sm::RecordSeal("secret").seal(key, text, 1);
    return sm::StoreChange{.key = std::move(key), .value = std::move(value)};
  };
  std::vector<sm::StoreChange> merged;
  for (const auto& [key, text] : sm::records_of(std::span(&isolation, 1)))
    merged.push_back(sealed(key, text));
  merged.push_back(sealed("partitions/0010", "partition 10 1 0 4 3 0 -"));
  merged.push_back(sealed(fmt::format("partitions/0010/{:016x}", member.value),
                          fmt::format("member 10 {:x} 1 0 0 0 -", member.value)));
  lab.server.merge(merged);
  lab.runtime.run_for(20s);
  const sm::ManagerStatus status = lab.first().manager().status();
  ASSERT_EQ(status.isolated.size(), 1u) << lab.all_tails();
  EXPECT_EQ(status.isolated.front().ordered_by, "bob");
  const auto stored = lab.first().manager().context()->runtime;
  EXPECT_NE(stored->members().find({0x10, lab.guid("H3")}), nullptr) << lab.all_tails();
  EXPECT_EQ(lab.server.count("/isolations/"), 1u);
  EXPECT_EQ(lab.server.count("/partitions/0010"), 2u);
  EXPECT_EQ(status.store->pending, 0u);
  // The file has what is in force, if only the reason differs, too.
  isolation.reason = "cable 4712";
  merged.clear();
  for (const auto& [key, text] : sm::records_of(std::span(&isolation, 1)))
    merged.push_back(sealed(key, text));
  lab.server.merge(merged);
  lab.runtime.run_for(5s);
  const sm::LoadedIsolations file = sm::load_isolations(lab.folders.at(lab.guid("H0")));
  ASSERT_EQ(file.orders.size(), 1u) << lab.all_tails();
  EXPECT_EQ(file.orders.front().reason, "cable 4712");
  ASSERT_EQ(lab.first().manager().status().isolated.size(), 1u) << lab.all_tails();
  EXPECT_EQ(lab.first().manager().status().isolated.front().order_reason, "cable 4712");
}

/// The condition is active until another manager is MASTER: sweeps do not repair the record.
TEST(Replication, WhatAMergeRejectsIsNamedUntilTheMastershipEnds) {
  Pair lab;
  lab.server.held = sm::StoreCopies{};
  ASSERT_TRUE(lab.start_both()) << lab.all_tails();
  const std::string key = "/heddle/fe80000000000000/partitions/0010/0000000000000007";
  std::vector<sm::StoreChange> merged{
      {.key = key, .value = sm::RecordSeal("secret").seal(key, "member 10 7 1 0 0 0 -", 1)}};
  lab.server.merge(merged);
  lab.runtime.run_for(5s);
  ASSERT_TRUE(lab.first().order_resweep());
  lab.runtime.run_for(30s);
  const auto is_named = [&] {
    return std::ranges::any_of(lab.first().manager().status().conditions, [](const auto& raised) {
      return raised.condition.id == sm::kReplicaConditions.store_record_rejected;
    });
  };
  EXPECT_TRUE(is_named()) << lab.all_tails();
}

/// The predecessor ended before it had shared the values of its options.
TEST(Replication, OrdersCountWithoutTheSettingsOfThePredecessor) {
  Pair lab;
  ASSERT_TRUE(lab.start_both()) << lab.all_tails();
  ASSERT_TRUE(lab.first().order_isolation("H1", "cable 4711")) << lab.all_tails();
  lab.runtime.run_for(1s);
  lab.kill_first();
  std::vector<std::string> settings;
  for (const auto& [key, value] : lab.server.content)
    if (key.find("/settings/") != std::string::npos) settings.push_back(key);
  ASSERT_FALSE(settings.empty());
  ++lab.server.revision;
  for (const std::string& key : settings) lab.server.erase(key);
  lab.server.wake();
  ASSERT_TRUE(lab.taken_over()) << lab.all_tails();
  EXPECT_EQ(lab.second().manager().status().isolated.size(), 1u) << lab.all_tails();
}

/// Its own files are newer than its claim in the store, so that it takes nothing else over.
TEST(Replication, ARestartedMasterTakesChangesThatAreMergedWhileItTakesOver) {
  Pair lab;
  lab.server.held = sm::StoreCopies{};
  Instance& first = lab.share("H0", 2);
  ASSERT_TRUE(lab.register_all()) << lab.all_tails();
  lab.runtime.run_for(5s);
  const std::vector<sm::StoreChange> changes = lab.changes_of_another_master();
  first.stop();
  bool is_merged = false;
  lab.server.on_leading = [&] {
    if (!std::exchange(is_merged, true)) lab.server.merge(changes);
  };
  first.start(first.options());
  ASSERT_TRUE(lab.runtime.run_until([&] { return first.says("SUBNET UP"); }, 60s))
      << lab.all_tails();
  lab.runtime.run_for(20s);
  ASSERT_TRUE(is_merged);
  const sm::ManagerStatus status = first.manager().status();
  ASSERT_EQ(status.isolated.size(), 1u) << lab.all_tails();
  EXPECT_EQ(status.isolated.front().ordered_by, "bob");
  const auto stored = first.manager().context()->runtime;
  EXPECT_NE(stored->members().find({0x10, lab.guid("H3")}), nullptr) << lab.all_tails();
  EXPECT_EQ(lab.server.count("/isolations/"), 1u);
  EXPECT_EQ(lab.server.count("/partitions/0010"), 2u);
  lab.server.on_leading = {};
}

TEST(Replication, WithoutTheStoreClientsRegisterAgain) {
  Pair lab;
  ASSERT_TRUE(lab.start_both()) << lab.all_tails();
  const auto before = lab.first().manager().administrator().registrations().groups.all();
  lab.store("H5").set_reachable(false);
  lab.kill_first();
  ASSERT_TRUE(lab.taken_over()) << lab.all_tails();
  EXPECT_GT(lab.reregistered, 0u);
  EXPECT_EQ(lab.groups(), before) << "as far as they were known";
  EXPECT_TRUE(lab.second().says("clients have to register again")) << lab.all_tails();
  // Members that do not are dropped, and the store follows when it is back.
  lab.runtime.run_for(40s);
  EXPECT_FALSE(lab.groups().contains(kGroup));
  ASSERT_TRUE(lab.join("H1"));
  lab.store("H5").set_reachable(true);
  ASSERT_TRUE(lab.runtime.run_until(
      [&] { return lab.second().manager().status().store->pending == 0; }, 2min));
  EXPECT_EQ(lab.server.count("/member/"), 1u);
}

/// It had acknowledged a join that the store never got.
TEST(Replication, AfterAMasterThatCouldNotWriteClientsRegisterAgain) {
  Pair lab;
  ASSERT_TRUE(lab.start_both()) << lab.all_tails();
  lab.store("H0").set_reachable(false);
  ASSERT_TRUE(lab.join("H3", kGroup));
  lab.runtime.run_for(20s);
  EXPECT_TRUE(lab.first().says("SM-STORE-UNREACHABLE"));
  EXPECT_TRUE(lab.second().says("SM-STORE-BEHIND"));
  lab.kill_first();
  ASSERT_TRUE(lab.taken_over()) << lab.all_tails();
  EXPECT_GT(lab.reregistered, 0u);
}

/// Each port has an M_Key of its own. The standby has read the ports, or has lost its files and has
/// only what the store holds.
TEST(Replication, TakeoverWithMKeysOfTheirOwn) {
  for (const auto& [level, loses_files] :
       {std::pair{1, false}, std::pair{1, true}, std::pair{2, false}}) {
    SCOPED_TRACE(testing::Message() << "level " << level << ", loses files " << loses_files);
    Pair lab;
    config::Options options;
    options.m_key_per_port = true;
    options.key_mgr_seed = 0x5eed5eed5eed;
    options.m_key_protection_level = static_cast<std::uint8_t>(level);
    options.sm_key = 0x1234;
    lab.share("H0", 2, options);
    ASSERT_TRUE(lab.runtime.run_until([&] { return lab.first().says("SUBNET UP"); }, 30s));
    lab.runtime.run_for(5s);
    EXPECT_EQ(lab.server.count("/m_keys/"), 0u) << "they follow from the seed";
    lab.share("H5", 1, options);
    lab.runtime.run_for(15s);
    lab.kill_first();
    laboratory::Folder empty;
    config::Options fresh = options;
    fresh.cache_files_dir = empty.text();
    if (loses_files) lab.second().start(fresh);
    EXPECT_TRUE(lab.taken_over(laboratory::kTakeover + 2min)) << lab.all_tails();
    lab.runtime.run_for(40s);
    EXPECT_EQ(lab.complaint(), "") << lab.all_tails();
    EXPECT_FALSE(lab.second().says("SM-M-KEY-UNKNOWN")) << lab.all_tails();
    lab.second().stop();
  }
}

TEST(Replication, StandbyWithAnotherConfigurationNamesTheOptions) {
  Pair lab;
  config::Options other;
  other.lmc = 1;
  other.m_key = 0x5ec2e7;
  ASSERT_TRUE(lab.start_both(other)) << lab.all_tails();
  EXPECT_TRUE(lab.second().says("SM-CONFIGURATION-DIFFERS")) << lab.all_tails();
  EXPECT_TRUE(lab.second().says("contents: lmc, m_key [")) << lab.all_tails();
  for (const auto& [key, value] : lab.server.content)
    EXPECT_EQ(value.value.find("5ec2e7"), std::string::npos) << key;
  using Options = std::map<std::string, std::string, std::less<>>;
  EXPECT_EQ(lab.second().manager().status().masters_options,
            (Options{{"lmc", "0"}, {"m_key", "0x0000000000000000"}}))
      << "the default is no secret";
  EXPECT_TRUE(lab.first().manager().status().masters_options.empty());
  config::Options same = lab.second().options();
  same.lmc = 0;
  same.m_key = 0;
  lab.second().reload(same);
  lab.runtime.run_for(5s);
  EXPECT_TRUE(lab.second().says("cleared: options with other values")) << lab.all_tails();
}

TEST(Replication, RecordsOfRegistrationsThatCannotBeReadAreNamed) {
  sm::Records records{
      {"registrations/group/ff12401bffff0000/2",
       "group ff12401bffff0000 2 c000 ffff 0 4 3 12 0 0 0 0 0 0"},
      {"registrations/member/ff12401bffff0000/2/3/4", "member ff12401bffff0000 2 3 4 1 0 5"},
      {"registrations/next", "next 1 1"},
  };
  const sa::ReplicatedRegistrations good = sa::read_records(records);
  EXPECT_TRUE(good.rejected.empty()) << good.rejected.front();
  EXPECT_EQ(sa::all_records(sa::all_lines(good.registrations)), records);
  records["registrations/member/ff12401bffff0000/2/3/5"] =
      "member ff12401bffff0000 2 3 4 1 0 5";  // of another
  records["registrations/member/ff12401bffff0000/9/3/4"] =
      "member ff12401bffff0000 9 3 4 1 0 5";  // of no group
  records["registrations/group/ff12401bffff0000/3"] = "group ff12401bffff0000 3 x";
  records["registrations/group/ff12401bffff0000/4"] = "no-group 1 2";
  records["registrations/x"] = "";
  const sa::ReplicatedRegistrations damaged = sa::read_records(records);
  EXPECT_EQ(damaged.rejected.size(), 5u);
  EXPECT_EQ(sa::all_lines(damaged.registrations), sa::all_lines(good.registrations));
}

}  // namespace replication_test
