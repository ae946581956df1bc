#include <set>

#include <gtest/gtest.h>

#include "sm/sweep/decide/lids.h"
#include "sm/sweep/devices/sweep_conditions.h"
#include "support/fabrics.h"
#include "support/seeds.h"

namespace lids_property_test {

using fabric::Fabric;
using sm::Guid2Lid;
using sm::LidAssignment;
using sm::LidOptions;
using topology::Random;

struct World {
  Fabric fabric;
  LidOptions options;
  Guid2Lid persisted;
};

/// Any fabric, with random LIDs, states, LMCs and records.
World random_world(std::uint64_t seed) {
  Random random(seed);
  World world;
  world.fabric = fabrics::random_fabric(seed);
  world.options = {.lmc = static_cast<std::uint8_t>(random.percent(60) ? 0 : random.below(8)),
                   .lmc_esp0 = random.percent(30),
                   .reassign_lids = random.percent(10),
                   .honor_guid2lid = random.percent(90)};
  const unsigned lids =
      1 + random.below(random.percent(50) ? 40 : 400);  // few LIDs: many conflicts
  for (const fabric::PortIndex port : world.fabric.end_ports) {
    fabric::Port& p = world.fabric.ports[port];
    if (random.percent(70))
      p.info.set_lid({static_cast<std::uint16_t>(random.percent(95) ? random.below(lids)
                                                                    : random.below(0x10000))});
    p.info.set_lmc(
        static_cast<std::uint8_t>(random.percent(70) ? world.options.lmc : random.below(8)));
    if (random.percent(30)) p.info.set_port_state(static_cast<mad::PortState>(random.below(6)));
  }
  for (fabric::Switch& sw : world.fabric.switches) {
    sw.info.set_enhanced_port_0(random.percent(30));
    if (random.percent(5))
      sw.info.set_linear_fdb_cap(static_cast<std::uint16_t>(random.below(300)));
  }
  std::vector<mad::Guid> guids;
  for (const fabric::PortIndex port : world.fabric.end_ports)
    guids.push_back(world.fabric.ports[port].guid);
  for (unsigned i = 0; i < 10; ++i) guids.push_back({0x9000 + i});
  std::set<unsigned> taken;
  for (const mad::Guid guid : guids) {
    const unsigned count = 1u << (random.percent(70) ? world.options.lmc : random.below(8));
    const unsigned first = random.below(lids + 128) / count * count;
    if (random.percent(40) || first == 0) continue;
    bool is_free = true;
    for (unsigned lid = first; lid < first + count; ++lid)
      is_free = is_free && !taken.contains(lid);
    if (!is_free) continue;
    for (unsigned lid = first; lid < first + count; ++lid) taken.insert(lid);
    world.persisted.entries.push_back({guid,
                                       {static_cast<std::uint16_t>(first)},
                                       {static_cast<std::uint16_t>(first + count - 1)}});
  }
  std::ranges::sort(world.persisted.entries, {}, &Guid2Lid::Entry::guid);
  return world;
}

/// However many LIDs are needed.
unsigned limit_of(const Fabric& fabric) { return sm::lid_limit(fabric, 0xBFFF).highest; }

void apply(Fabric& fabric, const LidAssignment& result) {
  for (const fabric::EndPortIndex i : fabric.end_ports.indices()) {
    fabric::Port& port = fabric.ports[fabric.end_ports[i]];
    port.known = true;  // a port that got none is taken to have lost what it had
    port.info.set_lid(result.lids.of_end_port[i].base);
    port.info.set_lmc(result.lids.of_end_port[i].lmc);
  }
}

void expect_sound(const World& world, const LidAssignment& result) {
  const Fabric& fabric = world.fabric;
  ASSERT_EQ(result.lids.of_end_port.size(), fabric.end_ports.size());
  ASSERT_EQ(result.lids.port_of_lid.size(), result.lids.lid_top.value + 1u);
  std::vector<fabric::PortIndex> owner(0xC000, fabric::kNoIndex);
  unsigned top = 0, without = 0;
  for (const fabric::EndPortIndex i : fabric.end_ports.indices()) {
    const fabric::PortIndex port = fabric.end_ports[i];
    const fabric::Node& node = fabric.owning_node(port);
    const fabric::LidMap::Range& range = result.lids.of_end_port[i];
    if (range.base.value == 0) {
      ++without;
      continue;
    }
    const bool esp0 = node.is_switch() &&
                      fabric.switches[node.switch_index].info.enhanced_port_0() &&
                      world.options.lmc_esp0;
    ASSERT_EQ(range.lmc, node.is_switch() && !esp0 ? 0 : world.options.lmc);
    ASSERT_EQ(range.base.value % range.count(), 0u);
    ASSERT_LE(range.base.value + range.count() - 1, limit_of(fabric));
    for (unsigned lid = range.base.value; lid < range.base.value + range.count(); ++lid) {
      ASSERT_EQ(owner[lid], fabric::kNoIndex) << "LID " << lid << " twice";
      owner[lid] = port;
      top = std::max(top, lid);
    }
    const Guid2Lid::Entry* saved = result.persisted.find(fabric.ports[port].guid);
    ASSERT_NE(saved, nullptr);
    ASSERT_EQ(saved->first, range.base);
    ASSERT_EQ(saved->count(), range.count());
  }
  ASSERT_EQ(result.lids.lid_top.value, top);
  for (unsigned lid = 0; lid <= top; ++lid) ASSERT_EQ(result.lids.port_of_lid[lid], owner[lid]);
  // Ports without a LID are reported, and nothing else is.
  const auto exhausted =
      std::ranges::count(result.conditions, fabric::ConditionId(sm::kLidConditions.lids_exhausted),
                         &fabric::Condition::id);
  ASSERT_EQ(exhausted, without > 0 ? 1 : 0);
  // A saved file loads again.
  const sm::ParsedGuid2Lid parsed = sm::parse_guid2lid(to_text(result.persisted));
  ASSERT_TRUE(parsed.errors.empty()) << parsed.errors.front().text("saved");
  ASSERT_EQ(parsed.value, result.persisted);
}

bool is_running(const Fabric& fabric, fabric::PortIndex port) {
  const auto runs = [](const fabric::Port& p) {
    return p.known && p.info.port_state() >= mad::PortState::armed;
  };
  return fabric.owning_node(port).is_switch()
             ? std::ranges::any_of(fabric.node_ports(fabric.ports[port].node).subspan(1), runs)
             : runs(fabric.ports[port]);
}

TEST(LidsProperty, UniqueAlignedWithinLimitsAndSaved) {
  seeds::for_each(4000, [](std::uint64_t seed) {
    const World world = random_world(seed);
    expect_sound(world, assign_lids(world.fabric, world.options, world.persisted, seed % 2 == 0));
  });
}

TEST(LidsProperty, ASecondRunChangesNothing) {
  seeds::for_each(2000, [](std::uint64_t seed) {
    World world = random_world(seed);
    const LidAssignment first = assign_lids(world.fabric, world.options, world.persisted, true);
    apply(world.fabric, first);
    // With the file; without it; and with a file but without LIDs on the ports, as after a power
    // cut.
    LidAssignment again = assign_lids(world.fabric, world.options, first.persisted, false);
    ASSERT_EQ(again.lids.of_end_port, first.lids.of_end_port);
    ASSERT_EQ(again.persisted, first.persisted);
    ASSERT_TRUE(again.changed.empty());
    ASSERT_TRUE(again.messages.empty()) << again.messages.front();
    if (std::ranges::count(first.conditions, fabric::ConditionId(sm::kLidConditions.lids_exhausted),
                           &fabric::Condition::id) == 0) {  // else forgotten reservations make room
      again = assign_lids(world.fabric, world.options, {}, false);
      ASSERT_EQ(again.lids.of_end_port, first.lids.of_end_port);
    }
    world.options.honor_guid2lid = true;
    for (fabric::Port& port : world.fabric.ports) port.info.set_lid({});
    again = assign_lids(world.fabric, world.options, first.persisted, false);
    ASSERT_EQ(again.lids.of_end_port, first.lids.of_end_port);
  });
}

TEST(LidsProperty, WhatRunsAsRecordedIsNeverMoved) {
  seeds::for_each(2000, [](std::uint64_t seed) {
    World world = random_world(seed);
    world.options.reassign_lids = false;
    world.options.honor_guid2lid = true;
    const LidAssignment result = assign_lids(world.fabric, world.options, world.persisted, true);
    for (const fabric::EndPortIndex i : world.fabric.end_ports.indices()) {
      const fabric::PortIndex index = world.fabric.end_ports[i];
      const fabric::Port& port = world.fabric.ports[index];
      const fabric::LidMap::Range& range = result.lids.of_end_port[i];
      const Guid2Lid::Entry* entry = world.persisted.find(port.guid);
      if (entry == nullptr || !port.known || port.info.lid() != entry->first ||
          !is_running(world.fabric, index))
        continue;
      const unsigned size = 1u << (range.base.value == 0 ? 0u : range.lmc);
      // Unless it needs more LIDs than it has, or LIDs that do not exist here, or it shares them
      // with another running port.
      bool shared = size > 1u << port.info.lmc() || entry->first.value % size != 0 ||
                    entry->first.value + size - 1 > limit_of(world.fabric);
      for (fabric::EndPortIndex k{0}; k < world.fabric.end_ports.size() && !shared; ++k) {
        const fabric::Port& other = world.fabric.ports[world.fabric.end_ports[k]];
        if (k == i || !other.known) continue;
        const unsigned a = entry->first.value, b = other.info.lid().value;
        shared = b < a + 128 && a < b + 128 &&
                 world.options.lmc > 0;  // overlap is likely with large ranges: leave these out
        shared = shared || a == b;
      }
      if (!shared) {
        ASSERT_EQ(range.base, entry->first) << world.fabric.port_name(index);
      }
    }
  });
}

TEST(LidsProperty, RecordsOfPortsInInitHoldAgainstEverythingThatDoesNotRun) {
  seeds::for_each(2000, [](std::uint64_t seed) {
    World world = random_world(seed);
    world.options.reassign_lids = false;
    world.options.honor_guid2lid = true;
    for (fabric::Port& port : world.fabric.ports)
      if (port.peer != fabric::kNoIndex) port.info.set_port_state(mad::PortState::init);
    const LidAssignment result = assign_lids(world.fabric, world.options, world.persisted, false);
    for (const Guid2Lid::Entry& entry : world.persisted.entries) {
      const auto at = world.fabric.port_of_guid.find(entry.guid);
      if (at == world.fabric.port_of_guid.end()) continue;
      const auto i = static_cast<std::size_t>(
          std::ranges::find(world.fabric.end_ports, at->second) - world.fabric.end_ports.begin());
      const bool is_switch = world.fabric.owning_node(at->second).is_switch();
      const unsigned size =
          is_switch && !(world.options.lmc_esp0 &&
                         world.fabric.switches[world.fabric.owning_node(at->second).switch_index]
                             .info.enhanced_port_0())
              ? 1
              : 1u << world.options.lmc;
      if (size > entry.count() || entry.first.value + size - 1 > limit_of(world.fabric)) continue;
      ASSERT_EQ(result.lids.of_end_port[fabric::EndPortIndex{i}].base, entry.first);
    }
    // Absent ports, too, unless a port's own record had to grow over theirs, or LIDs run out.
    std::size_t wanted = world.fabric.end_ports.size();
    for (const Guid2Lid::Entry& entry : world.persisted.entries) wanted += entry.count();
    if (wanted > limit_of(world.fabric)) return;
    for (const Guid2Lid::Entry& entry : world.persisted.entries) {
      if (world.options.lmc > 0 || world.fabric.port_of_guid.contains(entry.guid)) continue;
      ASSERT_NE(result.persisted.find(entry.guid), nullptr);
      ASSERT_EQ(*result.persisted.find(entry.guid), entry);
    }
  });
}

}  // namespace lids_property_test
