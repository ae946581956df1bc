// Partitions of the API: the value, its merge with partitions.conf, and the journal, also of a
// process that is killed.

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <csignal>
#include <map>
#include <set>
#include <span>

#include "mad/format.h"
#include "mad/runtime.h"
#include "partition_service_fake.h"
#include "partitions/membership.h"
#include "partitions/p_key_tables.h"
#include "sm/store/replica/state_replica.h"
#include "support/fabrics.h"
#include "support/fake_state_store.h"
#include "support/full_disk.h"
#include "support/seeds.h"

namespace partition_store_test {

using partition_service::Fake;
using partitions::RuntimePartitions;
using partitions::Step;
namespace step = partitions::step;
using namespace std::chrono_literals;

constexpr mad::Guid kA{0x0200000000000001}, kB{0x0200000000000002}, kC{0x0200000000000003};

Step put(std::uint16_t key, mad::Guid guid, bool full = true, bool index0 = false) {
  return step::Put{.key = key, .guid = guid, .full = full, .index0 = index0};
}
RuntimePartitions with(const RuntimePartitions& base, std::vector<Step> steps) {
  const auto delta = base.delta({std::move(steps)});
  EXPECT_TRUE(delta.has_value());
  return base.with(*delta);
}

TEST(RuntimePartitions, AChangeIsMadeWholeOrNotAtAll) {
  const RuntimePartitions base = with({}, {put(0x10, kA)});
  const auto fails = base.delta({{put(0x11, kB), step::Match{0x12, {}}}});
  ASSERT_FALSE(fails);
  EXPECT_EQ(fails.error().kind, partitions::ChangeFault::Kind::absent);
  EXPECT_EQ(fails.error().step, 1u);
  EXPECT_EQ(base.partitions().size(), 1u);
}

TEST(RuntimePartitions, RepeatingAChangeChangesNothingAndKeepsTheRevision) {
  const RuntimePartitions once = with({}, {put(0x10, kA, true, true)});
  const auto again = once.delta({{put(0x10, kA, true, true)}});
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->empty());
  EXPECT_EQ(again->revision, once.revision());
}

TEST(RuntimePartitions, RevisionOfAPartitionRisesWithItsMembersAndIsComparedByMatch) {
  RuntimePartitions p = with({}, {put(0x10, kA), put(0x11, kA)});
  const std::uint64_t first = p.partitions().find(0x10)->revision;
  p = with(p, {put(0x10, kB)});
  EXPECT_GT(p.partitions().find(0x10)->revision, first);
  EXPECT_EQ(p.partitions().find(0x11)->revision, first);
  EXPECT_FALSE(p.delta({{step::Match{0x10, {first}}, put(0x10, kC)}}));
  EXPECT_TRUE(p.delta({{step::Match{0x10, {first, p.revision()}}, put(0x10, kC)}}));
}

TEST(RuntimePartitions, KeepRemovesTheOthersAndAnEmptyPartitionGoesIfAsked) {
  RuntimePartitions p = with({}, {put(0x10, kA), put(0x10, kB), put(0x10, kC)});
  p = with(p, {step::Keep{0x10, {kB}}});
  EXPECT_EQ(p.members().size(), 1u);
  EXPECT_EQ(p.partitions().find(0x10)->members, 1u);
  p = with(p, {step::Remove{0x10, kB}, step::DeleteIfEmpty{0x10}});
  EXPECT_TRUE(p.partitions().empty());
  EXPECT_EQ(p.revision(), 3u);
}

TEST(RuntimePartitions, LinesGiveTheSameValueForRandomChanges) {
  seeds::for_each(50, [](std::uint64_t seed) {
    topology::Random random(seed);
    RuntimePartitions p;
    partitions::LineReader reader;
    for (int i = 0; i < 200; ++i) {
      const auto key = static_cast<std::uint16_t>(1 + random.below(5u));
      const mad::Guid guid{1 + random.below(700u)};
      std::vector<Step> steps;
      if (random.percent(3)) {
        steps.push_back(step::Delete{key});
      } else if (random.percent(30)) {
        steps.push_back(step::Remove{key, guid});
      } else {
        for (unsigned n = 1 + random.below(20u); n > 0; --n)
          steps.push_back(step::Put{.key = key,
                                    .guid = {guid.value + n * 3},
                                    .full = random.percent(50),
                                    .index0 = random.percent(20),
                                    .expires = random.percent(20)
                                                   ? std::optional(partitions::UnixTime(
                                                         std::chrono::seconds(random.below(100u))))
                                                   : std::nullopt,
                                    .owner = random.percent(30) ? "job 7" : ""});
      }
      const auto delta = p.delta({steps});
      ASSERT_TRUE(delta);
      p = p.with(*delta);
      const std::string lines = partitions::to_lines(*delta);
      for (std::size_t at = 0; at < lines.size();) {
        const std::size_t end = lines.find('\n', at);
        ASSERT_TRUE(reader.apply(std::string_view(lines).substr(at, end - at)));
        at = end + 1;
      }
    }
    const RuntimePartitions read = std::move(reader).take();
    EXPECT_EQ(partitions::all_lines(read), partitions::all_lines(p));
    std::size_t members = 0;
    for (const auto& [key, partition] : p.partitions()) members += partition.members;
    EXPECT_EQ(members, p.members().size());
    EXPECT_EQ(p.of_guid().size(), p.members().size());
  });
}

TEST(RuntimePartitions, LinesWithNumbersThatNoChangeCanLeaveAreRefused) {
  partitions::LineReader reader;
  EXPECT_TRUE(reader.apply("partition 10 1 1 4 1a 0 -"));
  for (const char* line :
       {"partition 11 1 1 4 1 0 -", "partition 11 1 1 4 1b 0 -", "partition 11 1 1 6 3 0 -",
        "partition 11 ffffffffffffffff 1 4 3 0 -", "member 10 5 1 0 ffffffffffffffff 0 -",
        "member 10 5 1 0 1 7fffffffffffffff -", "revision ffffffffffffffff"})
    EXPECT_FALSE(reader.apply(line)) << line;
}

TEST(RuntimePartitions, AddToTheConfigurationAndTakeNothingFromIt) {
  fabric::Fabric fabric = fabrics::random_fabric(7);
  partitioned::give_tables(fabric);
  ASSERT_GE(fabric.end_ports.size(), 2u);
  const fabric::EndPortIndex one{0}, two{1};
  const auto guid = [&](fabric::EndPortIndex end) {
    return fabric.ports[fabric.end_ports[end]].guid;
  };
  const auto file = partitioned::read(fmt::format(
      "Default=0x7fff : ALL=full ; A=0x10, indx0 : {}=full, {}=limited ;", guid(one), guid(two)));
  const RuntimePartitions api =
      with({}, {put(0x10, guid(one), false), put(0x10, guid(two), true),
                put(0x11, guid(two), true, true), put(0x12, guid(two), false, true)});
  const fabric::PartitionMap map = partitions::partition_map(file, fabric, {}, {}, &api);
  const auto keys = [&](fabric::EndPortIndex end) {
    std::vector<std::uint16_t> out;
    for (const mad::PKey key : map.get_keys(end)) out.push_back(key.value);
    return out;
  };
  EXPECT_EQ(keys(one), (std::vector<std::uint16_t>{0x8010, 0xffff})) << "full beats limited";
  EXPECT_EQ(keys(two), (std::vector<std::uint16_t>{0x8010, 0x8011, 0x0012, 0xffff}));
  EXPECT_EQ(map.first_keys[one].value, 0x8010) << "indx0 of the file";
  EXPECT_EQ(map.first_keys[two].value, 0x0012) << "the latest index0 of the API";
  EXPECT_EQ(map.find({0x10})->name, "A");
}

/// Blocks and enforcement, decided for a few ports alone, are those of a decision of everything.
TEST(RuntimePartitions, IncrementalDecisionIsThatOfEverything) {
  std::size_t seeds = 0;
  std::size_t changed_ports = 0;
  seeds::for_each(200, [&](std::uint64_t seed) {
    topology::Random random(seed * 31);
    fabric::Fabric fabric = fabrics::random_fabric(seed);
    if (fabric.end_ports.empty()) return;
    ++seeds;
    partitioned::give_tables(fabric,
                             {.host = static_cast<std::uint16_t>(4 + random.below(40u)),
                              .switch0 = 8,
                              .external = static_cast<std::uint16_t>(8 + random.below(40u))});
    config::Options options;
    options.part_enforce = static_cast<config::PartEnforce>(random.below(4u));
    options.allow_both_pkeys = random.percent(30);
    const auto file = partitioned::read("Default=0x7fff : ALL=full ; A=0x2, indx0 : ALL_CAS ;");
    std::vector<mad::Guid> vports;
    for (unsigned i = random.below(4u); i > 0; --i) vports.push_back({0xFE00 + i});
    RuntimePartitions api;
    fabric::PartitionMap map = partitions::partition_map(file, fabric, options, vports, &api);
    const auto program = [&](const partitions::PKeyTargets& targets) {
      fabric.p_key_blocks = targets.blocks;
      for (const fabric::PortIndex port : fabric.ports.indices()) {
        if (!fabric.owning_node(port).is_switch()) continue;
        fabric.ports[port].info.set_partition_enforcement_inbound(
            targets.enforcement[port].inbound);
        fabric.ports[port].info.set_partition_enforcement_outbound(
            targets.enforcement[port].outbound);
      }
    };
    program(partitions::p_key_targets(fabric, map, options));
    for (int round = 0; round < 8; ++round) {
      std::vector<Step> steps;
      std::set<fabric::EndPortIndex> changed;
      for (unsigned n = 1 + random.below(4u); n > 0; --n) {
        const fabric::EndPortIndex subject(random.below(fabric.end_ports.size() + vports.size()));
        const mad::Guid guid = subject < fabric.end_ports.size()
                                   ? fabric.ports[fabric.end_ports[subject]].guid
                                   : vports[subject - fabric.end_ports.size()];
        changed.insert(subject);
        const auto key = static_cast<std::uint16_t>(1 + random.below(5u));
        if (random.percent(35))
          steps.push_back(step::Remove{key, guid});
        else
          steps.push_back(put(key, guid, random.percent(60), random.percent(30)));
      }
      steps.push_back(step::Define{.key = 3, .ipoib = random.percent(50)});
      api = with(api, steps);
      const std::vector<fabric::EndPortIndex> subjects(changed.begin(), changed.end());
      const fabric::PartitionMap next =
          partitions::updated_partition_map(map, subjects, file, fabric, options, &api);
      map = partitions::partition_map(file, fabric, options, vports, &api);
      ASSERT_EQ(next.partitions, map.partitions);
      ASSERT_EQ(next.keys, map.keys);
      ASSERT_EQ(next.groups, map.groups);
      ASSERT_TRUE(std::ranges::equal(next.offsets, map.offsets));
      ASSERT_TRUE(std::ranges::equal(next.first_keys, map.first_keys));
      std::vector<fabric::EndPortIndex> physical;
      for (const fabric::EndPortIndex subject : subjects)
        if (subject < fabric.end_ports.size()) physical.push_back(subject);
      changed_ports += physical.size();
      const auto few = partitions::updated_p_key_targets(fabric, next, options, {}, physical);
      const auto all = partitions::p_key_targets(fabric, map, options);
      for (const fabric::PortIndex port : fabric.ports.indices()) {
        if (!fabric.owning_node(port).is_switch() || !fabric.ports[port].known) continue;
        ASSERT_EQ(few.enforcement[port], all.enforcement[port]) << fabric.port_name(port);
      }
      ASSERT_EQ(few.blocks, all.blocks) << "seed " << seed << " round " << round;
      program(all);
    }
  });
  EXPECT_GT(changed_ports, 5 * seeds) << "most rounds of most seeds change a port";
}

TEST(PartitionStore, WhatIsAnsweredIsThereAfterARestart) {
  Fake fake;
  ASSERT_TRUE(fake.change(
      {step::Define{.key = 0x10, .name = "jobs", .ipoib = true}, put(0x10, kA, false, true)}));
  ASSERT_TRUE(fake.change({put(0x10, kB), step::Remove{0x10, kC}}));
  const std::string before = partitions::all_lines(*fake.store->current());
  fake.start();
  EXPECT_EQ(partitions::all_lines(*fake.store->current()), before);
  EXPECT_EQ(fake.store->current()->members().size(), 2u);
}

TEST(PartitionStore, ChangesThatWaitAreOneBatchAndEachHasItsOwnOutcome) {
  Fake fake;
  const auto good = fake.runtime.start(fake.store->change({{put(1, kA)}}, "a"));
  const auto bad = fake.runtime.start(fake.store->change({{step::Match{9, {}}}}, "b"));
  const auto also = fake.runtime.start(fake.store->change({{put(2, kA)}}, "c"));
  ASSERT_TRUE(fake.runtime.run_until([&] { return good->done && bad->done && also->done; }, 1min));
  EXPECT_TRUE(good->value->has_value());
  EXPECT_FALSE(bad->value->has_value());
  EXPECT_TRUE(also->value->has_value());
  EXPECT_EQ(fake.store->current()->members().size(), 2u);
}

TEST(PartitionStore, WithoutTheReplicatedStoreNothingChangesAndItsRecordsAreTakenBack) {
  Fake fake;
  ASSERT_TRUE(fake.change({put(1, kA)}));
  fake.replicated.clear();
  fake.store_fault = "etcd is away";
  const std::string before = partitions::all_lines(*fake.store->current());
  const auto result = fake.change({put(1, kB), step::Remove{1, kA}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, sm::ChangeFailure::Kind::unavailable);
  EXPECT_EQ(result.error().text, "etcd is away");
  EXPECT_EQ(partitions::all_lines(*fake.store->current()), before);
  std::map<std::string, std::optional<std::string>> undone;
  for (const auto& record : fake.undone) undone[record.key] = record.text;
  EXPECT_EQ(undone.at("partitions/0001/0200000000000002"), std::nullopt);
  EXPECT_TRUE(undone.at("partitions/0001/0200000000000001").has_value());
  EXPECT_EQ(undone.size(), fake.replicated.size());
  fake.start();
  EXPECT_EQ(partitions::all_lines(*fake.store->current()), before);
}

TEST(PartitionStore, ReplicatedStoreTakesRecordsOfTheMasterOrKeepsTheirStateBefore) {
  Fake fake;
  support::FakeStore server{fake.runtime};
  const auto connection = std::make_shared<support::FakeStateStore>(fake.runtime, server);
  auto replica = sm::StateReplica::start(
      fake.runtime, connection,
      {.prefix = "/heddle/", .seal = sm::RecordSeal("secret"), .port_guid = {1}});
  const auto replicate = sm::PartitionStore::replicate_to(fake.runtime, replica);
  const std::vector<partitions::RecordChange> first{{.key = "partitions/0001", .text = "1"}},
      second{{.key = "partitions/0002", .text = "2"}},
      without{{.key = "partitions/0002", .text = std::nullopt}};
  replica->lead();
  EXPECT_THAT(fake.run(replicate(first, {})).failure,
              testing::HasSubstr("not in the state store yet"));
  replica->replace(sm::section::kPartitions, {});
  const auto by_itself = fake.run(replicate(first, {}));
  EXPECT_EQ(by_itself.failure, "");
  EXPECT_EQ(by_itself.managers, std::nullopt) << "as etcd, the store keeps its data by itself";
  EXPECT_EQ(server.count("partitions/0001"), 1u);
  connection->held = sm::StoreCopies{.configured = 2, .connected = 1, .current = 1};
  EXPECT_EQ(fake.run(replicate(first, {})).managers, 1u);
  connection->held.reset();
  connection->set_reachable(false);
  EXPECT_THAT(fake.run(replicate(second, without)).failure,
              testing::HasSubstr("did not take the change within 5 s"));
  EXPECT_EQ(replica->status().pending, 0u);
  const auto end = fake.runtime.make_timer([&] { replica.reset(); });
  end->arm(fake.runtime.now() + 1s);
  EXPECT_EQ(fake.run(replicate(second, without)).failure, "the manager ends");
  const auto alone = fake.run(replicate(second, without));
  EXPECT_EQ(alone.failure, "") << "there is no store any more";
  EXPECT_EQ(alone.managers, 0u);
  fake.runtime.run_for(10s);
  EXPECT_EQ(server.count("partitions/0002"), 0u);
}

/// Two managers led apart from each other, from the same partitions on.
TEST(PartitionStore, AMergeTakesWhatOnlyTheOtherManagerChanged) {
  Fake own, other;
  for (Fake* const fake : {&own, &other}) {
    ASSERT_TRUE(fake->change({put(1, kA)}));
    ASSERT_TRUE(fake->change({put(2, kA)}));
  }
  ASSERT_TRUE(own.change({put(3, kB)}));
  ASSERT_TRUE(own.change({step::Delete{2}}));
  ASSERT_TRUE(other.change({put(1, kC)}));
  ASSERT_TRUE(other.change({step::Remove{1, kA}}));
  ASSERT_TRUE(other.change({put(4, kB)}));
  ASSERT_TRUE(other.change({put(2, kC)}));
  const auto records = partitions::all_records("partitions", *other.store->current());
  std::map<std::string, std::optional<std::string>, std::less<>> changes;
  for (const partitions::RecordChange& record : records)
    if (record.key != "partitions/0002") changes.emplace(record.key, record.text);
  changes[fmt::format("partitions/0001/{:016x}", kA.value)] = std::nullopt;
  changes["lids/0x1"] = "of another section";
  const partitions::MergedPartitions merged =
      partitions::merge("partitions", *own.store->current(), changes);
  const auto& members = merged.partitions.members();
  for (const partitions::MembershipKey& key : std::vector<partitions::MembershipKey>{
           {.key = 1, .guid = kC}, {.key = 3, .guid = kB}, {.key = 4, .guid = kB}})
    EXPECT_NE(members.find(key), nullptr) << key.key;
  EXPECT_THAT(merged.ended, testing::ElementsAre(partitions::MembershipKey{.key = 1, .guid = kA}));
  EXPECT_EQ(members.size(), 3u) << "the other manager removed (1, A), this one (2, A)";
  EXPECT_EQ(merged.partitions.partitions().find(2), nullptr);
  EXPECT_THAT(merged.rejected, testing::Each(testing::HasSubstr("its partition was deleted here")));
  EXPECT_EQ(merged.rejected.size(), 2u) << "members of partition 2";
  EXPECT_GT(merged.partitions.revision(), own.store->current()->revision());
  EXPECT_GT(merged.partitions.revision(), other.store->current()->revision());
}

/// The store gets what the merge has taken, and not the values from before the change.
TEST(PartitionStore, AChangeThatFailsDuringAMergeLeavesTheMergedRecords) {
  for (const char* const fault : {"", "the store is away"}) {
    Fake fake;
    ASSERT_TRUE(fake.change({put(1, kA)}));
    const RuntimePartitions merged = with(*fake.store->current(), {put(1, kA, false)});
    fake.store_fault = fault;
    fake.while_replicating = [&] { fake.store->merge(merged, {}); };
    EXPECT_FALSE(fake.change({put(1, kA, true, true)})) << fault;
    EXPECT_EQ(*fake.store->current()->members().find({1, kA}), *merged.members().find({1, kA}));
    std::map<std::string, std::optional<std::string>> latest;
    for (const partitions::RecordChange& record : fake.replicated) latest[record.key] = record.text;
    for (const partitions::RecordChange& record : partitions::all_records("partitions", merged))
      EXPECT_EQ(latest[record.key], record.text) << fault << ": " << record.key;
    EXPECT_EQ(latest[fmt::format("changes/{:03}", merged.revision())], std::nullopt) << fault;
  }
}

TEST(PartitionStore, MembershipsThatAMergeRemovesHaveEnded) {
  Fake fake;
  ASSERT_TRUE(fake.change({put(1, kA), put(1, kB)}));
  const RuntimePartitions without = with(*fake.store->current(), {step::Remove{1, kA}});
  const std::vector<partitions::MembershipKey> ended{{.key = 1, .guid = kA}};
  fake.store->merge(without, ended);
  EXPECT_EQ(fake.ended, ended);
  fake.store->adopt(RuntimePartitions());
  EXPECT_TRUE(fake.ended.empty()) << "a takeover does not know why";
}

TEST(PartitionStore, AMergedDeletionKeepsAPartitionToWhichMembersWereAddedHere) {
  Fake own;
  ASSERT_TRUE(own.change({put(1, kA), put(2, kA), put(1, kB)}));
  const auto member = [](std::uint16_t key, mad::Guid guid) {
    return fmt::format("partitions/{:04x}/{:016x}", key, guid.value);
  };
  // The other manager knew the members with A.
  const std::map<std::string, std::optional<std::string>, std::less<>> changes{
      {"partitions/0001", std::nullopt},
      {member(1, kA), std::nullopt},
      {"partitions/0002", std::nullopt},
      {member(2, kA), std::nullopt}};
  const partitions::MergedPartitions merged =
      partitions::merge("partitions", *own.store->current(), changes);
  EXPECT_EQ(merged.partitions.partitions().size(), 1u);
  EXPECT_NE(merged.partitions.members().find({1, kB}), nullptr);
  EXPECT_EQ(merged.partitions.members().size(), 1u);
  EXPECT_THAT(merged.rejected, testing::ElementsAre("partitions/0001: its deletion is left out, "
                                                    "since members were added here"));
}

TEST(PartitionStore, MembershipsEndAtTheirTimeAlsoAcrossARestart) {
  Fake fake;
  const auto in = [&](std::chrono::seconds time) { return fake.wall + time; };
  ASSERT_TRUE(fake.change({step::Put{.key = 1, .guid = kA, .expires = in(100s)},
                           step::Put{.key = 1, .guid = kB, .expires = in(300s)}, put(1, kC)}));
  fake.runtime.run_for(90s);
  EXPECT_EQ(fake.store->current()->members().size(), 3u);
  fake.runtime.run_for(80s);
  EXPECT_EQ(fake.store->current()->members().size(), 2u) << "the first one's time is over";
  fake.store.reset();
  fake.runtime.run_for(400s);
  fake.start();
  fake.runtime.run_for(2s);
  EXPECT_EQ(fake.store->current()->members().size(), 1u);
  EXPECT_NE(fake.store->current()->members().find({1, kC}), nullptr);
}

TEST(PartitionStore, AFullDiskRefusesChangesInWordsAndTheConditionEndsByItself) {
  Fake fake;
  ASSERT_TRUE(fake.change({put(1, kA)}));
  const std::string before = partitions::all_lines(*fake.store->current());
  {
    const support::FullDisk full;
    const auto result = fake.change({put(1, kB)});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, sm::ChangeFailure::Kind::unavailable);
    EXPECT_THAT(result.error().text,
                testing::HasSubstr("File too large: the change would be lost at the next start"));
    EXPECT_EQ(partitions::all_lines(*fake.store->current()), before);
    fake.runtime.run_for(1min);
    ASSERT_EQ(fake.conditions.raised().size(), 1u);
    EXPECT_EQ(fabric::find_severity(fake.conditions.raised().front().condition),
              fabric::Severity::critical);
  }
  fake.runtime.run_for(31s);
  EXPECT_TRUE(fake.conditions.raised().empty()) << "without another change";
  ASSERT_TRUE(fake.change({put(1, kC)}));
  fake.start();
  EXPECT_EQ(fake.store->current()->members().size(), 2u);
}

TEST(PartitionStore, AnswersSayHowManyOtherManagersHoldTheChange) {
  Fake fake;
  fake.managers = 1;
  EXPECT_EQ(fake.change({put(1, kA)})->replicated, 1u);
  EXPECT_EQ(fake.change({put(1, kA)})->replicated, std::nullopt) << "nothing was changed";
  fake.managers = std::nullopt;
  EXPECT_EQ(fake.change({put(1, kB)})->replicated, std::nullopt);
}

TEST(PartitionStore, ChangesHaveTheirAuthorsWhichASuccessorKnows) {
  Fake fake;
  ASSERT_TRUE(fake.change({put(1, kA)}));
  ASSERT_TRUE(fake.change({put(1, kA)}));  // nothing to change
  ASSERT_TRUE(fake.change({put(1, kB)}));
  const sm::NamedChanges changes = *fake.store->changes();
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[1].by, "test");
  EXPECT_EQ(changes[1].revision, fake.store->current()->revision());
  const auto record = sm::record_of(changes[1]);
  EXPECT_NE(std::ranges::find(fake.replicated, record), fake.replicated.end());
  EXPECT_EQ(sm::parse_named_change(*record.text), changes[1]);
  EXPECT_FALSE(sm::parse_named_change("change 1"));
  EXPECT_FALSE(sm::parse_named_change("member 1 2 3"));

  Fake successor;
  successor.store->adopt(changes);
  EXPECT_EQ(*successor.store->changes(), changes);
  EXPECT_EQ(successor.store->changed_at(), changes[1].at);
  // At a takeover the authors of the former master replace those of another branch.
  const sm::NamedChange other{.revision = changes[0].revision, .at = changes[0].at, .by = "bob"};
  successor.store->adopt(std::span(&other, 1));
  EXPECT_EQ(*successor.store->changes(), sm::NamedChanges{other});
  successor.store->merge(changes);
  EXPECT_EQ(*successor.store->changes(), (sm::NamedChanges{other, changes[1]}));
  sm::NamedChanges many;
  for (std::uint64_t revision = 5; revision < 1'500; ++revision)
    many.push_back({.revision = revision, .by = "alice"});
  successor.store->adopt(many);
  EXPECT_EQ(successor.store->changes()->size(), sm::kNamedChangesMax);
  EXPECT_EQ(sm::records_of(*successor.store->changes()).size(), sm::kNamedChangesMax);
}

TEST(PartitionStore, AStandbyRefusesChanges) {
  Fake fake;
  fake.refuses = "the manager is not MASTER";
  const auto result = fake.change({put(1, kA)});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, sm::ChangeFailure::Kind::not_master);
  EXPECT_TRUE(fake.store->current()->members().empty());
}

/// Adds members one after the other in 50 sequences, and writes each number that was answered.
[[noreturn]] void add_members(const std::filesystem::path& directory, int answered) {
  boost::asio::io_context io;
  const auto runtime = mad::make_asio_runtime(io.get_executor());
  spdlog::logger log("child", std::make_shared<spdlog::sinks::null_sink_st>());
  sm::ConditionLog conditions([&] { return runtime->now(); }, log);
  const auto store = sm::PartitionStore::start(
      *runtime, conditions, log,
      {.refuses = {}, .replicate = {}, .wall_clock = [] { return partitions::UnixTime(1s); }});
  store->open(sm::PartitionStore::read(directory, true));
  for (std::uint64_t sequence = 0; sequence < 50; ++sequence) {
    boost::asio::co_spawn(
        io,
        [&, sequence]() -> boost::asio::awaitable<void> {
          for (std::uint64_t number = sequence; number < 10'000; number += 50) {
            partitions::Change change{{put(0x10, {number + 1})}};  // GCC 12: no list in co_await
            const auto done = co_await store->change(std::move(change), "child");
            if (done && ::write(answered, &number, sizeof number) != sizeof number) ::_exit(1);
          }
        },
        boost::asio::detached);
  }
  io.run();
  ::_exit(0);
}

TEST(PartitionStore, KilledAmongTenThousandChangesHasAllThatWereAnswered) {
  const std::filesystem::path directory = partition_service::new_directory();
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) add_members(directory, ends[1]);
  ::close(ends[1]);
  std::set<std::uint64_t> answered;
  std::uint64_t number = 0;
  while (::read(ends[0], &number, sizeof number) == sizeof number) {
    answered.insert(number);
    if (answered.size() == 5'000) ::kill(child, SIGKILL);
  }
  ::close(ends[0]);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status)) << "it was to be killed before it ends";
  EXPECT_GE(answered.size(), 5'000u);
  EXPECT_LT(answered.size(), 10'000u);

  Fake fake;
  fake.store.reset();
  std::filesystem::copy_file(directory / sm::kPartitionsFile, fake.directory / sm::kPartitionsFile,
                             std::filesystem::copy_options::overwrite_existing);
  fake.start();
  for (const std::uint64_t each : answered)
    ASSERT_NE(fake.store->current()->members().find({0x10, {each + 1}}), nullptr) << each;
  std::filesystem::remove_all(directory);
}

}  // namespace partition_store_test
