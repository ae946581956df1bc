#include "partitions/p_key_tables.h"
#include "mad/format.h"

#include <gmock/gmock.h>

#include <set>

#include "fabric/topology/random_source.h"
#include "partitions/partition_conditions.h"
#include "support/fabrics.h"
#include "support/partitioned.h"
#include "support/seeds.h"

namespace partitions {
namespace p_key_tables_test {

using config::PartEnforce;
using testing::ElementsAre;
using testing::IsEmpty;
using Keys = std::vector<std::uint16_t>;

std::vector<mad::PKeyTable> blocks(const Keys& keys, unsigned capacity) {
  std::vector<mad::PKeyTable> out(mad::PKeyTable::blocks(capacity));
  for (unsigned i = 0; i < keys.size(); ++i) out[i / 32].set_p_key(i % 32, {keys[i]});
  return out;
}
Keys entries(std::span<const mad::PKeyTable> table) {
  Keys out;
  for (const mad::PKeyTable& block : table)
    for (unsigned i = 0; i < 32; ++i) out.push_back(block.p_key(i).value);
  while (!out.empty() && out.back() == 0) out.pop_back();
  return out;
}
std::vector<mad::PKey> p_keys(const Keys& keys) {
  std::vector<mad::PKey> out;
  for (const std::uint16_t key : keys) out.push_back({key});
  return out;
}

/// The table after fill().
Keys filled(const Keys& observed, const Keys& wanted, std::uint16_t first, Placing placing = {},
            unsigned capacity = 8) {
  std::vector<mad::PKeyTable> table = blocks(observed, capacity);
  EXPECT_THAT(TableFiller(placing).fill(table, capacity, p_keys(wanted), {first}), IsEmpty());
  return entries(table);
}

struct Filled {
  Keys table, left_out;
  bool operator==(const Filled&) const = default;
};
/// A table that is too small is filled twice: a second time changes nothing.
Filled filled_partly(const Keys& observed, const Keys& wanted, std::uint16_t first,
                     unsigned capacity, Preference preference, Placing placing = {}) {
  std::vector<mad::PKeyTable> table = blocks(observed, capacity);
  TableFiller filler(placing);
  const auto fill = [&] {
    Filled result;
    for (const mad::PKey key : filler.fill(table, capacity, p_keys(wanted), {first}, preference))
      result.left_out.push_back(key.value);
    result.table = entries(table);
    return result;
  };
  Filled once = fill();
  EXPECT_EQ(fill(), once);
  return once;
}

TEST(FillTable, DefaultKeyFirstAndOthersInOrder) {
  EXPECT_EQ(filled({}, {0x8001, 0x0002, 0xffff}, 0xffff), (Keys{0xffff, 0x8001, 0x0002}));
  EXPECT_EQ(filled({0xffff}, {0x7fff}, 0x7fff), Keys{0x7fff});
}

// The tables that OpenSM wrote for s1, then s2 and so on, each after the previous one.
TEST(FillTable, SequenceEqualsOpensm) {
  Keys table = filled({0xffff}, {0x8010, 0x8012, 0x8014, 0x7fff}, 0x7fff);
  EXPECT_EQ(table, (Keys{0x7fff, 0x8010, 0x8012, 0x8014}));
  table = filled(table, {0x8010, 0x8011, 0x0014, 0x7fff}, 0x7fff);
  EXPECT_EQ(table, (Keys{0x7fff, 0x8010, 0, 0x0014, 0x8011}));
  table = filled(table, {0x8014, 0x8015, 0x7fff}, 0x8015);
  EXPECT_EQ(table, (Keys{0x8015, 0, 0, 0x8014, 0x7fff}));
  table = filled(table, {0x0011, 0x8014, 0x8015, 0x7fff}, 0x7fff);
  EXPECT_EQ(table, (Keys{0x7fff, 0, 0, 0x8014, 0x0011, 0x8015}));
  EXPECT_EQ(filled(table, {0x8014, 0x7fff}, 0x7fff), (Keys{0x7fff, 0, 0, 0x8014}));
}

TEST(FillTable, SequenceWithBothKeysEqualsOpensm) {
  const Placing both{.both = true};
  Keys table = filled({0x7fff, 0, 0, 0x8014}, {0x8010, 0x8012, 0x8014, 0x7fff}, 0, both);
  EXPECT_EQ(table, (Keys{0x7fff, 0, 0, 0x8014, 0x8010, 0x8012}));
  table = filled(table, {0x8010, 0x8011, 0x0014, 0x7fff}, 0, both);
  EXPECT_EQ(table, (Keys{0x7fff, 0, 0, 0, 0x8010, 0x8011, 0x0014}));
  table = filled(table, {0x8014, 0x8015, 0x7fff}, 0x8015, both);
  EXPECT_EQ(table, (Keys{0x8015, 0x8014, 0x7fff}));
  EXPECT_EQ(filled(table, {0x0011, 0x8014, 0x8015, 0x7fff}, 0, both),
            (Keys{0, 0x8014, 0x7fff, 0x0011, 0x8015}));
}

TEST(FillTable, NewKeysHaveTheOrderOfOpensm) {
  EXPECT_EQ(filled({}, {0x80f0, 0x80f3, 0x8102, 0x0105, 0x8105, 0xffff}, 0xffff, {.both = true}),
            (Keys{0xffff, 0x8102, 0x0105, 0x8105, 0x80f0, 0x80f3}));
}

TEST(FillTable, HolesAreUsedWhenTheEndIsReached) {
  EXPECT_EQ(
      filled({0xffff, 0x8001, 0x8002, 0x8003}, {0x8001, 0x8003, 0x8005, 0xffff}, 0xffff, {}, 4),
      (Keys{0xffff, 0x8001, 0x8005, 0x8003}));
}

TEST(FillTable, WithoutKeepIndexesTheTableIsRebuilt) {
  EXPECT_EQ(filled({0xffff, 0, 0x8002, 0x8001}, {0x8001, 0x8002, 0xffff}, 0xffff,
                   {.keep_indexes = false}),
            (Keys{0xffff, 0x8001, 0x8002}));
}

TEST(FillTable, HostThatBootedHasIndex0TheDefaultKeyAndTheLowestThatFit) {
  constexpr Preference kBooted = Preference::first_key;
  EXPECT_EQ(filled_partly({0xffff}, {0x8001, 0x8002, 0x0003, 0xffff}, 0xffff, 3, kBooted),
            (Filled{{0xffff, 0x8001, 0x8002}, {0x0003}}));
  EXPECT_EQ(filled_partly({0xffff}, {0x8001, 0x8002, 0x8009, 0x7fff}, 0x8009, 3, kBooted),
            (Filled{{0x8009, 0x8001, 0x7fff}, {0x8002}}))
      << "the default key becomes limited";
  EXPECT_EQ(filled_partly({0xffff}, {0x8001, 0x8002, 0x8009}, 0x8009, 2, kBooted),
            (Filled{{0x8009, 0x8001}, {0x8002}}))
      << "it is no member of the default partition";
  EXPECT_EQ(filled_partly({0xffff}, {0x8001, 0x8002}, 0, 1, kBooted, {.both = true}),
            (Filled{{0x8001}, {0x8002}}))
      << "index 0 is used last";
  EXPECT_EQ(filled_partly({0xffff, 0x8007}, {0x8001, 0x8007, 0xffff}, 0xffff, 2, kBooted),
            (Filled{{0xffff, 0x8007}, {0x8001}}))
      << "its link was down, and its clients may still use what it holds";
  EXPECT_EQ(filled_partly({}, {0x8001}, 0, 0, kBooted), (Filled{{}, {0x8001}}));
  EXPECT_EQ(filled({}, {0x7fff}, 0, {.both = true}, 1), Keys{0x7fff});
  EXPECT_EQ(filled({}, {}, 0, {}, 0), Keys{});
}

TEST(FillTable, RunningHostKeepsTheKeysThatItUses) {
  constexpr Preference kRuns = Preference::held_keys;
  EXPECT_EQ(filled_partly({0xffff, 0x8009}, {0x8001, 0x8002, 0x8009, 0xffff}, 0xffff, 3, kRuns),
            (Filled{{0xffff, 0x8009, 0x8001}, {0x8002}}));
  EXPECT_EQ(filled_partly({0xffff, 0x8002}, {0x8001, 0x8002, 0xffff}, 0x8001, 2, kRuns),
            (Filled{{0xffff, 0x8002}, {0x8001}}))
      << "no room for another key at index 0";
  EXPECT_EQ(filled_partly({0x8005, 0x8002}, {0x8001, 0x8002, 0x8005}, 0x8001, 2, kRuns),
            (Filled{{0x8005, 0x8002}, {0x8001}}));
  EXPECT_EQ(filled_partly({0xffff, 0x8002}, {0x0001, 0x0002, 0x7fff}, 0x7fff, 2, kRuns),
            (Filled{{0x7fff, 0x0002}, {0x0001}}))
      << "as the member that it is now";
  EXPECT_EQ(
      filled_partly({0xffff, 0x8002, 0x8003}, {0x8001, 0x8003, 0x8004, 0xffff}, 0xffff, 3, kRuns),
      (Filled{{0xffff, 0x8001, 0x8003}, {0x8004}}))
      << "what it may not use any more goes";
}

TEST(FillTable, TableThatIsTooSmallIsAsFullAsItCanBe) {
  seeds::for_each(500, [](std::uint64_t seed) {
    topology::Random dice(seed);
    const auto capacity = static_cast<unsigned>(1 + dice.below(40));
    std::set<std::uint16_t> partitions, held;
    while (partitions.size() <= capacity)
      partitions.insert(static_cast<std::uint16_t>(1 + dice.below(0x7fff)));
    while (held.size() < dice.below(capacity + 1u))
      held.insert(static_cast<std::uint16_t>(1 + dice.below(0x7fff)));
    Keys wanted, observed(held.begin(), held.end());
    for (const std::uint16_t key : partitions) {
      wanted.push_back(static_cast<std::uint16_t>(key | (dice.percent(50) ? 0x8000u : 0u)));
      if (observed.size() < capacity && dice.percent(50)) observed.push_back(key);
    }
    const std::uint16_t first = wanted[dice.below(wanted.size())];
    for (const Preference preference : {Preference::first_key, Preference::held_keys}) {
      const Filled result = filled_partly(observed, wanted, first, capacity, preference,
                                          {.keep_indexes = dice.percent(70)});
      ASSERT_EQ(result.table.size(), capacity);
      Keys all = result.table;
      all.insert(all.end(), result.left_out.begin(), result.left_out.end());
      EXPECT_THAT(all, testing::UnorderedElementsAreArray(wanted)) << "each key once";
      if (preference == Preference::first_key) {
        EXPECT_EQ(result.table[0], first);
      } else {
        for (const std::uint16_t key : result.left_out)
          EXPECT_EQ(std::ranges::count(observed, key & 0x7fff) +
                        std::ranges::count(observed, key | 0x8000),
                    0);
      }
    }
  });
}

TEST(FillTable, RemovesRepeatedKeysAndKeepsEntriesBeyondTheCapacity) {
  std::vector<mad::PKeyTable> table = blocks({0xffff, 0x8001, 0x8001, 0x1234}, 3);
  ASSERT_THAT(TableFiller({}).fill(table, 3, p_keys({0x8001, 0xffff}), {0xffff}), IsEmpty());
  EXPECT_EQ(entries(table), (Keys{0xffff, 0x8001, 0, 0x1234}))
      << "the second is removed, entries beyond the capacity are not changed";
}

TEST(MirrorTable, HasNoHolesAndNoLimitedKeysOfFullMembers) {
  std::vector<mad::PKeyTable> table = blocks({1, 2, 3, 4, 5, 6, 7}, 8);
  ASSERT_THAT(
      TableFiller({.both = true}).mirror(table, 8, p_keys({0xffff, 0, 0x0010, 0x8010, 0x0011, 0})),
      IsEmpty());
  EXPECT_EQ(entries(table), (Keys{0xffff, 0x8010, 0x0011}));
  TableFiller filler({});
  EXPECT_THAT(filler.mirror(table, 2, p_keys({0xffff, 0x0010, 0x0011, 0x0012})),
              ElementsAre(mad::PKey{0x0011}, mad::PKey{0x0012}));
  EXPECT_EQ(entries(table), (Keys{0xffff, 0x8010, 0x0011}));
}

class TargetsTest : public testing::Test {
 protected:
  TargetsTest() {
    const auto s1 = maker_.sw(8), s2 = maker_.sw(8), h = maker_.ca(), r = maker_.router();
    maker_.cable(s1, 1, h, 1);
    maker_.cable(s1, 2, r, 1);
    maker_.cable(s1, 3, s2, 1);
    fabric = maker_.build();
    partitioned::give_tables(fabric);
  }
  PKeyTargets decide(std::string_view text) const {
    return p_key_targets(fabric, partition_map(partitioned::read(text), fabric, options), options);
  }
  void set_caps(std::uint16_t keys, bool in, bool out) {
    mad::SwitchInfo& info = fabric.switches[fabric::SwitchIndex{0}].info;
    info.set_partition_enforcement_cap(keys);
    info.set_inbound_enforcement_cap(in);
    info.set_outbound_enforcement_cap(out);
  }
  Enforcement at(std::uint8_t port) const {
    return decide("Default:ALL=full;").enforcement[fabric.port(fabric::NodeIndex{0}, {port})];
  }
  Keys table(const PKeyTargets& targets, fabric::NodeIndex node, std::uint8_t port) const {
    Keys keys = partitioned::table(fabric, targets.blocks, fabric.port(node, {port}));
    while (!keys.empty() && keys.back() == 0) keys.pop_back();
    return keys;
  }

  fabrics::Maker maker_;
  fabric::Fabric fabric;
  config::Options options;
};

TEST_F(TargetsTest, OnlyPortsTowardsEndPortsEnforce) {
  EXPECT_EQ(at(1), (Enforcement{true, true}));
  EXPECT_EQ(at(2), (Enforcement{true, true}));
  EXPECT_FALSE(at(0).any()) << "port 0";
  EXPECT_FALSE(at(3).any()) << "towards a switch";
  EXPECT_FALSE(at(4).any()) << "no link";
  EXPECT_FALSE(enforcement(fabric, fabric.port(fabric::NodeIndex{2}, {1}), PartEnforce::both).any())
      << "a CA";
}

TEST_F(TargetsTest, EnforcementFollowsTheOption) {
  options.part_enforce = PartEnforce::off;
  EXPECT_EQ(at(1), (Enforcement{false, false}));
  EXPECT_EQ(decide("A=1:ALL;")
                .blocks[fabric.ports[fabric.port(fabric::NodeIndex{0}, {1})].first_p_key_block],
            fabric.p_keys(fabric.port(fabric::NodeIndex{0}, {1}))[0])
      << "its table is not changed";
  options.part_enforce = PartEnforce::in;
  EXPECT_EQ(at(1), (Enforcement{true, false}));
  options.part_enforce = PartEnforce::out;
  EXPECT_EQ(at(1), (Enforcement{false, true}));
}

TEST_F(TargetsTest, EnforcementFollowsTheCapabilityOfTheSwitch) {
  set_caps(32, false, true);
  EXPECT_EQ(at(1), (Enforcement{false, true}));
  set_caps(32, true, false);
  EXPECT_EQ(at(1), (Enforcement{true, false}));
  set_caps(32, false, false);
  const PKeyTargets targets = decide("A=1:ALL=full;");
  EXPECT_FALSE(targets.enforcement[fabric.port(fabric::NodeIndex{0}, {1})].any());
  EXPECT_EQ(table(targets, fabric::NodeIndex{0}, 1), (Keys{0xffff, 0x8001}))
      << "the keys are written, as with OpenSM";
  set_caps(0, true, true);
  EXPECT_FALSE(at(1).any()) << "it has no table";
}

/// A key stays at the switch port as long as one vport, or the port, has it.
TEST_F(TargetsTest, SwitchPortsHaveTheKeysOfTheVPortsOfTheirNeighbour) {
  const fabric::PortIndex host = fabric.port(fabric::NodeIndex{2}, {1});
  const fabric::PartitionMap map =
      partition_map(partitioned::read("Default=0x7fff:ALL=full; A=1:ALL_CAS;"), fabric, options);
  const auto held = [&](const std::vector<Keys>& vports) {
    VPortKeys behind;
    for (const Keys& vport : vports)
      for (const mad::PKey key : p_keys(vport)) behind[host].push_back({.key = key});
    const Keys all = table(p_key_targets(fabric, map, options, behind), fabric::NodeIndex{0}, 1);
    const std::set<std::uint16_t> keys(all.begin(), all.end());
    EXPECT_EQ(keys.size(), all.size()) << "none is there twice";
    return keys;
  };
  seeds::for_each(200, [&](std::uint64_t seed) {
    topology::Random dice(seed);
    std::vector<Keys> vports(1 + dice.below(8));
    for (Keys& vport : vports)
      for (std::uint64_t count = dice.below(5); count > 0; --count)
        vport.push_back(
            static_cast<std::uint16_t>((1 + dice.below(6)) | (dice.percent(50) ? 0x8000u : 0u)));
    for (; !vports.empty(); vports.pop_back()) {
      std::set<std::uint16_t> expected{0xffff, 0x0001};
      for (const Keys& vport : vports) expected.insert(vport.begin(), vport.end());
      // A full member's key lets limited members pass.
      std::erase_if(expected, [&](std::uint16_t key) {
        return key < 0x8000 && expected.contains(static_cast<std::uint16_t>(key | 0x8000));
      });
      ASSERT_EQ(held(vports), expected);
    }
    EXPECT_EQ(held({}), (std::set<std::uint16_t>{0xffff, 0x0001})) << "all are given back";
  });
}

TEST_F(TargetsTest, SwitchPortsHaveTheKeysOfTheirNeighbourAndNoOthers) {
  const PKeyTargets targets = decide("A=1:ALL_CAS=full; B=2:ALL_ROUTERS=full; C=3:ALL_SWITCHES;");
  EXPECT_THAT(targets.conditions, IsEmpty());
  EXPECT_EQ(table(targets, fabric::NodeIndex{0}, 1), table(targets, fabric::NodeIndex{2}, 1));
  EXPECT_EQ(table(targets, fabric::NodeIndex{0}, 2), (Keys{0x7fff, 0x8002}));
  EXPECT_EQ(table(targets, fabric::NodeIndex{0}, 3), Keys{0xffff})
      << "towards a switch: not changed";
  EXPECT_EQ(table(targets, fabric::NodeIndex{0}, 0), (Keys{0x7fff, 0x0003}));
}

TEST_F(TargetsTest, SwitchPortWithAFullTableDoesNotEnforce) {
  partitioned::give_tables(fabric, {.external = 2});
  const PKeyTargets targets = decide("A=1:ALL_CAS=full; B=2:ALL_CAS=full; C=3:ALL_ROUTERS=full;");
  ASSERT_EQ(targets.conditions.size(), 1u);
  EXPECT_EQ(targets.conditions[0].id, partitions::kPartitionConditions.p_key_table_full);
  EXPECT_EQ(
      targets.conditions[0].text,
      fmt::format("P_Key table full: {}: no entry for P_Key 0x8002 of its neighbour {}; the port "
                  "does not enforce P_Keys",
                  fabric.port_name(fabric.port(fabric::NodeIndex{0}, {1})),
                  fabric.port_name(fabric.port(fabric::NodeIndex{2}, {1}))));
  EXPECT_FALSE(targets.enforcement[fabric.port(fabric::NodeIndex{0}, {1})].any());
  EXPECT_EQ(table(targets, fabric::NodeIndex{0}, 1), Keys{0xffff}) << "not partly written";
  EXPECT_TRUE(targets.enforcement[fabric.port(fabric::NodeIndex{0}, {2})].any());
}

class ApiKeys : public TargetsTest {
 protected:
  ApiKeys() : host(fabric.ports[fabric.port(fabric::NodeIndex{2}, {1})].guid) {
    partitioned::give_tables(fabric, {.external = 3});
  }
  void add(std::uint16_t key) {
    const auto delta = api.delta({{step::Put{.key = key, .guid = host}}});
    ASSERT_TRUE(delta);
    api = api.with(*delta);
  }
  PKeyTargets decide_with_api(std::string_view text, const VPortKeys& vports = {}) const {
    const auto map = partition_map(partitioned::read(text), fabric, options, {}, &api);
    return p_key_targets(fabric, map, options, vports, &api);
  }
  Enforcement enforced(const PKeyTargets& targets) const {
    return targets.enforcement[fabric.port(fabric::NodeIndex{0}, {1})];
  }

  mad::Guid host;
  RuntimePartitions api;
};

/// A switch port that checks P_Keys goes on checking, whatever the API adds behind it.
TEST_F(ApiKeys, NeverEndTheEnforcementOfASwitchPort) {
  add(1), add(2);
  PKeyTargets targets = decide_with_api("Default:ALL=full;");
  EXPECT_EQ(table(targets, fabric::NodeIndex{0}, 1), (Keys{0xffff, 0x8001, 0x8002}));
  EXPECT_THAT(targets.conditions, IsEmpty());
  fabric.p_key_blocks = targets.blocks;
  for (const std::uint16_t key : {std::uint16_t{0x40}, std::uint16_t{0}}) {
    if (key != 0) add(key);
    targets = decide_with_api("Default:ALL=full;");
    EXPECT_EQ(enforced(targets), (Enforcement{true, true}));
    EXPECT_EQ(table(targets, fabric::NodeIndex{0}, 1), (Keys{0xffff, 0x8001, 0x8002}));
    EXPECT_EQ(table(targets, fabric::NodeIndex{2}, 1), (Keys{0xffff, 0x8001, 0x8002}))
        << "no key that its switch port would drop";
    ASSERT_EQ(targets.left_out.size(), 1u);
    EXPECT_THAT(targets.left_out.begin()->second, ElementsAre(mad::PKey{0x8040}));
    ASSERT_EQ(targets.conditions.size(), 1u);
    EXPECT_EQ(targets.conditions[0].text,
              fmt::format("P_Key table full: {}: no entry for P_Key 0x8040 that the API added to "
                          "its neighbour {}; the port enforces P_Keys without it",
                          fabric.port_name(fabric.port(fabric::NodeIndex{0}, {1})),
                          fabric.port_name(fabric.port(fabric::NodeIndex{2}, {1}))));
    fabric.p_key_blocks = targets.blocks;  // it stays so
  }
}

TEST_F(ApiKeys, ThoseOfVPortsDoNotEither) {
  VPortKeys behind;
  const fabric::PortIndex port = fabric.port(fabric::NodeIndex{2}, {1});
  behind[port] = {{.key = {0x8011}, .by_api = true},
                  {.key = {0x8012}, .by_api = true},
                  {.key = {0x8013}, .by_api = true}};
  const PKeyTargets targets = decide_with_api("Default:ALL=full;", behind);
  EXPECT_EQ(enforced(targets), (Enforcement{true, true}));
  EXPECT_EQ(table(targets, fabric::NodeIndex{0}, 1), (Keys{0xffff, 0x8011, 0x8012}));
  EXPECT_THAT(targets.left_out, IsEmpty());
  EXPECT_EQ(targets.conditions.size(), 1u);
}

TEST_F(ApiKeys, WhereTheConfigurationHasTooManyThePortDoesNotEnforce) {
  const std::string text = "A=1:ALL_CAS=full; B=2:ALL_CAS=full; C=3:ALL_CAS=full;";
  add(0x40);
  const PKeyTargets targets = decide_with_api(text);
  EXPECT_FALSE(enforced(targets).any());
  EXPECT_EQ(table(targets, fabric::NodeIndex{2}, 1), (Keys{0xffff, 0x8001, 0x8002, 0x8003, 0x8040}))
      << "the configuration decides";
  EXPECT_THAT(targets.left_out, IsEmpty());
  EXPECT_EQ(targets.conditions.size(), 1u);
}

TEST_F(TargetsTest, FullTableOfAnEndPortHasWhatFitsAndItsSwitchEnforcesThat) {
  partitioned::give_tables(fabric, {.host = 2});
  const PKeyTargets targets = decide("A=1:ALL_CAS=full; B=2:ALL_CAS=full;");
  ASSERT_EQ(targets.conditions.size(), 1u);
  EXPECT_EQ(targets.conditions[0].text,
            fmt::format("P_Key table full: {}: no entry for P_Key 0x8002: capacity 2, 3 keys "
                        "wanted; it has the others",
                        fabric.port_name(fabric.port(fabric::NodeIndex{2}, {1}))));
  EXPECT_EQ(table(targets, fabric::NodeIndex{2}, 1), (Keys{0xffff, 0x8001}));
  EXPECT_EQ(table(targets, fabric::NodeIndex{0}, 1), (Keys{0xffff, 0x8001}));
  EXPECT_TRUE(targets.enforcement[fabric.port(fabric::NodeIndex{0}, {1})].any());
}

TEST_F(TargetsTest, KeysWithoutAnEntryAreNamedByRange) {
  partitioned::give_tables(fabric, {.host = 2});
  std::string text = "Z=0x7000:ALL_CAS;";
  for (unsigned key = 1; key <= 200; ++key)
    text += fmt::format("P{0}={0}:ALL_CAS={1};", key, key == 100 ? "full" : "limited");
  const PKeyTargets targets = decide(text);
  ASSERT_EQ(targets.conditions.size(), 1u);
  EXPECT_THAT(targets.conditions[0].text,
              testing::HasSubstr("no entry for 200 P_Keys (0x0002-0x0063, 0x8064, 0x0065-0x00c8, "
                                 "0x7000): capacity 2, 202 keys wanted"));
}

TEST_F(TargetsTest, CapacityIsPartitionCapOrEnforcementCap) {
  EXPECT_EQ(p_key_capacity(fabric, fabric.port(fabric::NodeIndex{0}, {0})), 8u);
  EXPECT_EQ(p_key_capacity(fabric, fabric.port(fabric::NodeIndex{0}, {1})), 32u);
  EXPECT_EQ(p_key_capacity(fabric, fabric.port(fabric::NodeIndex{2}, {1})), 128u);
  fabric.nodes[fabric::NodeIndex{2}].info.set_partition_cap(0);
  EXPECT_EQ(p_key_capacity(fabric, fabric.port(fabric::NodeIndex{2}, {1})), 1u) << "none has less";
}

}  // namespace p_key_tables_test
}  // namespace partitions
