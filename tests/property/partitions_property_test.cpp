// Random partitions on random fabrics: tables hold exactly the keys of the membership, a second
// decision changes nothing, and a change of one port's membership changes the tables of that port
// and its switch port only.

#include <gtest/gtest.h>

#include <set>

#include "support/fabrics.h"
#include "support/partitioned.h"
#include "support/seeds.h"

namespace partitions_property_test {

using partitions::PKeyTargets;

struct Setting {
  fabric::Fabric fabric;
  config::Options options;
  partitions::Configuration configuration;
};

/// Up to twelve definitions, also of the same partition, with members of all kinds.
partitions::Configuration random_configuration(topology::Random& random,
                                               const fabric::Fabric& fabric) {
  partitions::Configuration configuration = partitioned::read("Default : ALL ;");
  for (unsigned i = random.below(12u); i > 0; --i) {
    partitions::Definition definition{
        .key = static_cast<std::uint16_t>(random.percent(20)   ? 0x7fff
                                          : random.percent(50) ? 1 + random.below(6u)
                                                               : 1 + random.below(0x7fffu)),
        .name = "p",
        .index0 = random.percent(20),
        .members = {},
        .groups = {}};
    for (unsigned n = random.below(6u); n > 0; --n) {
      partitions::Member member{
          .kind = static_cast<partitions::Member::Kind>(random.below(7u)),
          .membership = static_cast<partitions::Membership>(1 + random.below(3u))};
      if (random.percent(60)) member.kind = partitions::Member::Kind::guids;
      if (member.kind == partitions::Member::Kind::guids && !fabric.end_ports.empty()) {
        member.first =
            fabric
                .ports[fabric
                           .end_ports[fabric::EndPortIndex(random.below(fabric.end_ports.size()))]]
                .guid.value;
        member.last = member.first + (random.percent(20) ? random.below(0x1000u) : 0u);
      }
      definition.members.push_back(member);
    }
    configuration.definitions.push_back(std::move(definition));
  }
  return configuration;
}

Setting random_setting(std::uint64_t seed) {
  topology::Random random(seed * 7919);
  Setting setting{.fabric = fabrics::random_fabric(seed), .options = {}, .configuration = {}};
  const bool small = random.percent(25);
  partitioned::give_tables(
      setting.fabric,
      {.host = static_cast<std::uint16_t>(small ? random.below(12u) : 33 + random.below(96u)),
       .switch0 = static_cast<std::uint16_t>(small ? random.below(12u) : 16u),
       .external = static_cast<std::uint16_t>(small ? random.below(12u) : 40u)});
  fabric::PKeyBlocks& blocks = setting.fabric.p_key_blocks;
  for (std::size_t number = 0; number < blocks.size(); ++number) {
    mad::PKeyTable block = blocks[number];
    for (unsigned i = 0; i < 32; ++i) {
      if (random.percent(10))
        block.set_p_key(i, {static_cast<std::uint16_t>(
                               random.percent(50) ? random.below(8u) | random.below(2u) << 15
                                                  : random.below(0x10000u))});
    }
    blocks.set(number, block);
  }
  setting.options.allow_both_pkeys = random.percent(50);
  setting.options.keep_pkey_indexes = random.percent(80);
  setting.options.part_enforce = static_cast<config::PartEnforce>(random.below(4u));
  setting.configuration = random_configuration(random, setting.fabric);
  return setting;
}

std::multiset<std::uint16_t> held(const fabric::Fabric& fabric, const fabric::PKeyBlocks& blocks,
                                  fabric::PortIndex port) {
  std::multiset<std::uint16_t> keys;
  for (const std::uint16_t key :
       partitioned::table(fabric, blocks, port, partitions::p_key_capacity(fabric, port))) {
    if (key != 0) keys.insert(key);
  }
  return keys;
}

auto blocks_of(const fabric::Fabric& fabric, const fabric::PKeyBlocks& blocks,
               fabric::PortIndex port) {
  return blocks.slice(fabric.ports[port].first_p_key_block, fabric.ports[port].p_key_blocks);
}

TEST(PartitionsProperty, TablesHoldTheMembershipAndASecondDecisionChangesNothing) {
  std::size_t fitted = 0, overflowed = 0;
  seeds::for_each(2000, [&](std::uint64_t seed) {
    Setting s = random_setting(seed);
    const fabric::PartitionMap map =
        partitions::partition_map(s.configuration, s.fabric, s.options);
    const PKeyTargets targets = partitions::p_key_targets(s.fabric, map, s.options);
    ASSERT_EQ(targets.blocks.size(), s.fabric.p_key_blocks.size());
    std::set<fabric::PortIndex> mirrors;
    for (const fabric::EndPortIndex number : s.fabric.end_ports.indices()) {
      const fabric::PortIndex port = s.fabric.end_ports[number];
      const auto keys = map.get_keys(number);
      if (!s.fabric.ports[port].known) continue;
      std::multiset<std::uint16_t> wanted;
      for (const mad::PKey key : keys) wanted.insert(key.value);
      const std::multiset<std::uint16_t> has = held(s.fabric, targets.blocks, port);
      const unsigned capacity = partitions::p_key_capacity(s.fabric, port);
      if (keys.size() > capacity) {
        ++overflowed;
        ASSERT_EQ(has.size(), capacity) << s.fabric.port_name(port);
        ASSERT_TRUE(std::ranges::includes(wanted, has)) << s.fabric.port_name(port);
      } else {
        ++fitted;
        ASSERT_EQ(has, wanted) << s.fabric.port_name(port);
        if (map.first_keys[number] != mad::PKey{}) {
          ASSERT_EQ(partitioned::table(s.fabric, targets.blocks, port, 1)[0],
                    map.first_keys[number].value);
        }
      }
      const fabric::PortIndex peer = s.fabric.ports[port].peer;
      if (peer == fabric::kNoIndex ||
          !partitions::mirrors_neighbour(s.fabric, peer, s.options.part_enforce))
        continue;
      std::multiset<std::uint16_t> passing;
      for (const std::uint16_t key : has) {
        if (mad::is_full_member({key}) || !has.contains(static_cast<std::uint16_t>(key | 0x8000)))
          passing.insert(key);
      }
      if (passing.size() > partitions::p_key_capacity(s.fabric, peer)) {
        EXPECT_FALSE(targets.enforcement[peer].any());
        continue;
      }
      mirrors.insert(peer);
      ASSERT_EQ(held(s.fabric, targets.blocks, peer), passing) << s.fabric.port_name(peer);
    }
    for (const fabric::PortIndex port : s.fabric.ports.indices()) {
      if (targets.enforcement[port].any()) {
        EXPECT_TRUE(mirrors.contains(port))
            << "enforces without its neighbour's keys: " << s.fabric.port_name(port);
      }
      if (!s.fabric.is_end_port(port) && !mirrors.contains(port)) {
        EXPECT_TRUE(
            std::ranges::equal(blocks_of(s.fabric, targets.blocks, port), s.fabric.p_keys(port)));
      }
    }
    s.fabric.p_key_blocks = targets.blocks;
    const PKeyTargets again = partitions::p_key_targets(s.fabric, map, s.options);
    EXPECT_EQ(again.blocks, targets.blocks);
    EXPECT_EQ(again.enforcement, targets.enforcement);
    EXPECT_EQ(again.conditions, targets.conditions);
  });
  if (seeds::are_default()) {
    EXPECT_GT(fitted, 5000u);
    EXPECT_GT(overflowed, 200u) << "both cases occur";
  }
}

TEST(PartitionsProperty, ChangeForOnePortChangesItAndItsSwitchPortOnly) {
  seeds::for_each(1000, [](std::uint64_t seed) {
    Setting s = random_setting(seed);
    if (s.fabric.end_ports.empty()) return;
    s.options.keep_pkey_indexes = true;
    s.fabric.p_key_blocks =
        partitions::p_key_targets(
            s.fabric, partitions::partition_map(s.configuration, s.fabric, s.options), s.options)
            .blocks;
    topology::Random random(seed);
    const fabric::PortIndex port =
        s.fabric.end_ports[fabric::EndPortIndex(random.below(s.fabric.end_ports.size()))];
    const std::uint64_t guid = s.fabric.ports[port].guid.value;
    s.configuration.definitions.push_back(
        {.key = static_cast<std::uint16_t>(1 + random.below(0x7ffeu)),
         .name = "new",
         .members = {{.first = guid,
                      .last = guid,
                      .membership = static_cast<partitions::Membership>(1 + random.below(2u))}},
         .groups = {}});
    const PKeyTargets targets = partitions::p_key_targets(
        s.fabric, partitions::partition_map(s.configuration, s.fabric, s.options), s.options);
    for (const fabric::PortIndex other : s.fabric.ports.indices()) {
      if (other == port || other == s.fabric.ports[port].peer) continue;
      ASSERT_TRUE(
          std::ranges::equal(blocks_of(s.fabric, targets.blocks, other), s.fabric.p_keys(other)))
          << s.fabric.port_name(other);
    }
    const auto before = partitioned::table(s.fabric, s.fabric.p_key_blocks, port, 128),
               after = partitioned::table(s.fabric, targets.blocks, port, 128);
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (before[i] != 0 && !s.options.allow_both_pkeys) {
        EXPECT_EQ(before[i] & 0x7fff, after[i] & 0x7fff) << "a key moved";
      }
    }
  });
}

}  // namespace partitions_property_test
