#include "partitions/kept_keys.h"
#include "mad/format.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>

#include "partitions/partition_conditions.h"
#include "support/fabrics.h"
#include "support/partitioned.h"

namespace partitions {
namespace kept_keys_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::uint16_t kKey = 0x8013;
constexpr mad::Lid kOwnLid{1}, kOtherLid{2};

/// Two hosts behind one switch. The first one runs the manager, the second one holds kKey, as the
/// switch port in front of it does.
class KeptKeysTest : public testing::Test {
 protected:
  KeptKeysTest() {
    const auto sw = maker_.sw(8), own = maker_.ca(), other = maker_.ca();
    maker_.cable(sw, 1, own, 1);
    maker_.cable(sw, 2, other, 1);
    fabric = maker_.build();
    partitioned::give_tables(fabric);
    front = fabric.port(fabric::NodeIndex{0}, {2});
    host = fabric.ports[front].peer;
    fabric.sm_port = fabric.ports[fabric.port(fabric::NodeIndex{0}, {1})].peer;
    fabric.ports[fabric.sm_port].info.set_lid(kOwnLid);
    for (const fabric::PortIndex port : fabric.end_ports)
      fabric.ports[port].info.set_master_sm_lid(kOtherLid);
    put(host, 1, kKey);
    put(front, 1, kKey);
  }

  void put(fabric::PortIndex port, unsigned index, std::uint16_t key) {
    const std::size_t block = fabric.ports[port].first_p_key_block;
    mad::PKeyTable table = fabric.p_key_blocks[block];
    table.set_p_key(index, {key});
    fabric.p_key_blocks.set(block, table);
  }
  KeptDecision decide(std::string_view conf = "Default=0x7fff:ALL=full;") const {
    return decide_kept_keys(
        origins,
        {.fabric = fabric,
         .is_known = [this](fabric::PortIndex port) { return port != unread; },
         .vports = vports,
         .own_lid = own_lid,
         .is_new = [this](mad::Guid) { return is_new; },
         .has_unread_vports = [this](fabric::PortIndex) { return has_unread_vports; }},
        partitioned::read(conf), options, nullptr);
  }
  /// The keys that are kept, of whichever port.
  std::vector<std::uint16_t> kept(std::string_view conf = "Default=0x7fff:ALL=full;") const {
    std::vector<std::uint16_t> keys;
    for (const KeptKey& key : decide(conf).kept) keys.push_back(key.key.value);
    return keys;
  }
  mad::Guid guid() const { return fabric.ports[host].guid; }

  fabrics::Maker maker_;
  fabric::Fabric fabric;
  config::Options options;
  fabric::PortIndex host{}, front{}, unread{fabric::kNoIndex};
  std::vector<VPortTable> vports;
  mad::Lid own_lid;                // by the files
  bool is_new = true;              // each port
  bool has_unread_vports = false;  // of each port
  KeyOrigins origins;
};

TEST_F(KeptKeysTest, AFirstStartKeepsWhatItDoesNotExplain) {
  EXPECT_THAT(decide().kept, ElementsAre(KeptKey{.guid = guid(), .key = {kKey}}));
  EXPECT_THAT(kept("Default=0x7fff:ALL=full; A=0x13:ALL=full;"), IsEmpty());
}

TEST_F(KeptKeysTest, AManagerWithCompleteRecordsKeepsOnlyWhatAnotherMasterMayHaveWritten) {
  origins.is_complete = true;
  EXPECT_THAT(kept(), ElementsAre(kKey)) << "MasterSMLID is that of another manager";
  fabric.ports[host].info.set_master_sm_lid(kOwnLid);
  EXPECT_THAT(kept(), IsEmpty());
  fabric.ports[host].info.set_master_sm_lid({});
  EXPECT_THAT(kept(), IsEmpty()) << "the port has started again";
}

TEST_F(KeptKeysTest, AHostCannotShowAnotherMasterAtAnyTime) {
  origins.is_complete = true;
  is_new = false;
  EXPECT_THAT(kept(), IsEmpty());
  origins.is_complete = false;
  EXPECT_THAT(kept(), ElementsAre(kKey));
}

TEST_F(KeptKeysTest, AManagerWhoseHostHasStartedAgainKnowsItsFormerLid) {
  origins.is_complete = true;
  fabric.ports[host].info.set_master_sm_lid(kOwnLid);
  fabric.ports[fabric.sm_port].info.set_lid({});
  EXPECT_THAT(kept(), ElementsAre(kKey));
  own_lid = kOwnLid;
  EXPECT_THAT(kept(), IsEmpty());
}

TEST_F(KeptKeysTest, WhatWasKeptStaysWhileThePortHoldsIt) {
  origins.kept = decide().kept;
  origins.is_complete = true;
  fabric.ports[host].info.set_master_sm_lid(kOwnLid);
  put(host, 2, 0x8014);
  put(front, 2, 0x8014);
  EXPECT_THAT(kept(), ElementsAre(kKey)) << "and nothing that appears later";
  put(host, 1, 0);
  EXPECT_THAT(kept(), IsEmpty());
}

TEST_F(KeptKeysTest, NothingIsUnknownIfAStoreExplainsEverything) {
  origins.is_shared = true;
  EXPECT_THAT(kept(), IsEmpty());
}

TEST_F(KeptKeysTest, AKeyThatTheSwitchPortLacksIsTheHostsOwn) {
  put(front, 1, 0);
  EXPECT_THAT(kept(), IsEmpty());
  options.part_enforce = config::PartEnforce::off;
  EXPECT_THAT(kept(), ElementsAre(kKey)) << "no switch port is to hold it";
}

TEST_F(KeptKeysTest, NothingIsWrittenToASwitchPortThatWasNotRead) {
  unread = front;
  EXPECT_THAT(kept(), ElementsAre(kKey)) << "the host keeps the key";
  EXPECT_THAT(decide().unread_fronts, ElementsAre(front));
  unread = fabric::PortIndex(fabric::kNoIndex);
  EXPECT_THAT(decide().unread_fronts, IsEmpty());
}

TEST_F(KeptKeysTest, ASwitchPortWithTheFullKeyLetsLimitedMembersPass) {
  put(host, 1, 0x0013);
  EXPECT_THAT(kept(), ElementsAre(0x0013));
}

TEST_F(KeptKeysTest, DefaultKeysAndInvalidEntriesAreNotConcerned) {
  put(host, 1, 0x7fff);
  put(host, 2, 0x8000);
  put(front, 1, 0x7fff);
  put(front, 2, 0x8000);
  EXPECT_THAT(kept("Default=0x7fff:ALL;"), IsEmpty());
}

TEST_F(KeptKeysTest, AFullMemberOfAPartitionOfLimitedOnesStaysAFullMember) {
  EXPECT_THAT(kept("Default=0x7fff:ALL=full; A=0x13:ALL=limited;"), ElementsAre(kKey));
}

TEST_F(KeptKeysTest, WhatLeftPartitionsConfGoes) {
  origins.former = partitioned::read("Default=0x7fff:ALL=full; A=0x13:ALL=full;");
  EXPECT_THAT(kept(), IsEmpty());
}

TEST_F(KeptKeysTest, WhatHasExpiredOrWasDiscardedGoes) {
  origins.kept = decide().kept;
  origins.withdrawn.insert({.key = 0x13, .guid = guid()});
  EXPECT_THAT(kept(), IsEmpty());
}

TEST_F(KeptKeysTest, ATableThatWasNotReadIsDecidedLater) {
  unread = host;
  const KeptDecision before = decide();
  EXPECT_THAT(before.kept, IsEmpty());
  EXPECT_THAT(before.pending, ElementsAre(guid()));
  origins = {.kept = before.kept,
             .is_complete = true,
             .is_shared = false,
             .pending = before.pending,
             .withdrawn = {},
             .former = {}};
  unread = fabric::PortIndex(fabric::kNoIndex);
  fabric.ports[host].info.set_master_sm_lid(kOwnLid);
  EXPECT_THAT(kept(), ElementsAre(kKey));
  EXPECT_THAT(decide().pending, IsEmpty());
}

TEST_F(KeptKeysTest, KeysOfAbsentPortsStayInTheList) {
  const KeptKey absent{.guid = mad::Guid{0x99}, .key = {kKey}};
  origins.kept = {absent};
  origins.is_complete = true;
  fabric.ports[host].info.set_master_sm_lid(kOwnLid);
  EXPECT_THAT(decide().kept, ElementsAre(absent));
}

TEST_F(KeptKeysTest, APortThatIsAbsentForOneSurveyIsDecidedWhenItReturns) {
  const mad::Guid absent{0x99};
  origins.pending = {absent, guid()};
  origins.is_complete = true;
  EXPECT_THAT(decide().pending, ElementsAre(absent)) << "the other one was read";
  vports.push_back({.guid = absent, .port = host, .blocks = {mad::PKeyTable{}}, .is_known = true});
  EXPECT_THAT(decide().pending, IsEmpty());
}

TEST_F(KeptKeysTest, VportsKeepTheirKeysToo) {
  mad::PKeyTable table;
  table.set_p_key(0, {kKey});
  vports.push_back({.guid = mad::Guid{0x77}, .port = host, .blocks = {table}, .is_known = true});
  EXPECT_THAT(decide().kept,
              testing::Contains(KeptKey{.guid = mad::Guid{0x77}, .key = {kKey}, .index0 = true}));
  put(front, 1, 0);
  EXPECT_THAT(decide().kept, IsEmpty()) << "the switch port passes nothing with it";
}

TEST_F(KeptKeysTest, VportsBehindAPortThatShowsAnotherMasterKeepTheirKeys) {
  mad::PKeyTable table;
  table.set_p_key(0, {kKey});
  vports.push_back({.guid = mad::Guid{0x77}, .port = host, .blocks = {table}, .is_known = true});
  const KeptKey of_vport{.guid = mad::Guid{0x77}, .key = {kKey}, .index0 = true};
  origins.is_complete = true;
  EXPECT_THAT(decide().kept, testing::Contains(of_vport));
  fabric.ports[host].info.set_master_sm_lid(kOwnLid);
  EXPECT_THAT(decide().kept, IsEmpty());
}

TEST_F(KeptKeysTest, VportsThatAnswerLaterKeepTheirKeys) {
  has_unread_vports = true;
  origins.pending = decide().pending;
  EXPECT_THAT(origins.pending, testing::Contains(guid()));
  has_unread_vports = false;
  origins.is_complete = true;
  fabric.ports[host].info.set_master_sm_lid(kOwnLid);
  mad::PKeyTable table;
  table.set_p_key(0, {kKey});
  vports.push_back({.guid = mad::Guid{0x77}, .port = host, .blocks = {table}, .is_known = true});
  EXPECT_THAT(decide().kept,
              testing::Contains(KeptKey{.guid = mad::Guid{0x77}, .key = {kKey}, .index0 = true}));
  EXPECT_THAT(decide().pending, IsEmpty());
}

TEST_F(KeptKeysTest, AHostCannotMakeTheListLong) {
  options.part_enforce = config::PartEnforce::off;
  mad::PKeyTable table;
  for (unsigned block = 0; block < 4; ++block) {
    for (unsigned i = 0; i < mad::PKeyTable::kEntries; ++i)
      table.set_p_key(i, {static_cast<std::uint16_t>(0x8100 + block * 32 + i)});
    fabric.p_key_blocks.set(fabric.ports[host].first_p_key_block + block, table);
  }
  vports.push_back({.guid = guid(), .port = host, .blocks = {table, table}, .is_known = true});
  for (unsigned i = 0; i < mad::PKeyTable::kEntries; ++i)
    vports.back().blocks[1].set_p_key(i, {static_cast<std::uint16_t>(0x8200 + i)});
  const KeptDecision decision = decide();
  EXPECT_THAT(decision.kept, SizeIs(kKeptPerPortMax));
  EXPECT_TRUE(decision.is_full);
  EXPECT_THAT(kept_key_conditions(decision, fabric), SizeIs(testing::Gt(10u)));
}

TEST_F(KeptKeysTest, ConditionNamesKeyAndPorts) {
  const std::vector<fabric::Condition> found = kept_key_conditions(decide(), fabric);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].id, fabric::ConditionId(kPartitionConditions.partition_kept));
  EXPECT_THAT(found[0].text, HasSubstr("P_Key 0x8013"));
  EXPECT_THAT(found[0].text, HasSubstr(fmt::format("{}", guid())));
}

// ------------------------------------------------------------------------------------------
// kept keys as memberships

class KeptMembers : public KeptKeysTest {
 protected:
  fabric::EndPortIndex subject() const {
    return fabric::EndPortIndex(std::ranges::find(fabric.end_ports, host) -
                                fabric.end_ports.begin());
  }
  fabric::PartitionMap map(const KeptKeys& keys,
                           std::string_view conf = "Default=0x7fff:ALL=full;") const {
    return partition_map(partitioned::read(conf), fabric, options, {}, nullptr, &keys);
  }
};

TEST_F(KeptMembers, HaveTheKeyAtItsIndexAndInFront) {
  put(host, 1, 0);
  put(host, 5, kKey);
  const auto keys = decide().kept;
  const fabric::PartitionMap made = map(keys);
  EXPECT_THAT(made.get_keys(subject()), testing::Contains(mad::PKey{kKey}));
  ASSERT_NE(made.find({kKey}), nullptr);
  const PKeyTargets targets = p_key_targets(fabric, made, options);
  EXPECT_EQ(partitioned::table(fabric, targets.blocks, host)[5], kKey);
  EXPECT_THAT(partitioned::table(fabric, targets.blocks, front), testing::Contains(kKey));
}

TEST_F(KeptMembers, KeepIndex0) {
  put(host, 0, kKey);
  put(host, 1, 0xffff);
  const PKeyTargets targets = p_key_targets(fabric, map(decide().kept), options);
  EXPECT_EQ(partitioned::table(fabric, targets.blocks, host)[0], kKey);
  EXPECT_EQ(partitioned::table(fabric, targets.blocks, host)[1], 0xffff);
}

TEST_F(KeptMembers, AreFullMembersOfAPartitionThatMakesThemLimited) {
  const fabric::PartitionMap made =
      map(decide().kept, "Default=0x7fff:ALL=full; A=0x13:ALL=limited;");
  EXPECT_THAT(made.get_keys(subject()), testing::Contains(mad::PKey{kKey}));
  EXPECT_THAT(made.get_keys(subject()), testing::Not(testing::Contains(mad::PKey{0x0013})));
}

TEST_F(KeptMembers, OfOneKeyHaveTheBroadcastGroupOfIpoib) {
  const KeptKeys one{{.guid = guid(), .key = {kKey}}};
  const std::size_t before = map({}).groups.size();
  EXPECT_EQ(map(one).groups.size(), before) << "one port alone needs no group";
  KeptKeys two = one;
  two.push_back({.guid = fabric.ports[fabric.sm_port].guid, .key = {kKey}});
  std::ranges::sort(two);
  const fabric::PartitionMap made = map(two);
  ASSERT_EQ(made.groups.size(), before + 1);
  EXPECT_EQ(made.groups.back().p_key, mad::PKey{kKey});
}

TEST_F(KeptMembers, StayIfAnotherMembershipOfTheApiChanges) {
  const KeptKeys keys = decide().kept;
  const fabric::PartitionMap before = map(keys);
  const std::array changed{subject()};
  const fabric::PartitionMap after =
      updated_partition_map(before, changed, partitioned::read("Default=0x7fff:ALL=full;"), fabric,
                            options, nullptr, &keys);
  EXPECT_TRUE(std::ranges::equal(after.get_keys(subject()), before.get_keys(subject())));
  EXPECT_EQ(after.partitions, before.partitions);
}

}  // namespace kept_keys_test
}  // namespace partitions
