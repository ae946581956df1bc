#include "sm/sweep/decide/lids.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sm/ctl/topology/topology.h"
#include "sm/sweep/devices/sweep_conditions.h"
#include "support/fabrics.h"

namespace lids_test {

using fabric::Fabric;
using fabric::PortIndex;
using fabrics::Maker;
using mad::PortState;
using sm::assign_lids;
using sm::Guid2Lid;
using sm::LidAssignment;
using sm::LidOptions;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

unsigned find_lid(const Fabric& fabric, const LidAssignment& result, PortIndex port) {
  const auto at = std::ranges::find(fabric.end_ports, port);
  return at == fabric.end_ports.end()
             ? 0
             : result.lids.of_end_port[fabric::EndPortIndex(at - fabric.end_ports.begin())]
                   .base.value;
}

/// Switch S0 with hosts 0..n-1 on ports 1..n. Everything in Init without LIDs.
struct Star {
  explicit Star(unsigned hosts, unsigned lft = Maker::kFdbCap) {
    Maker maker;
    const auto sw = maker.sw(40);
    for (unsigned i = 0; i < hosts; ++i) maker.host(sw);
    maker.set_cap(sw, lft);
    fabric = maker.build();
    for (fabric::Port& port : fabric.ports)
      if (port.peer != fabric::kNoIndex) port.info.set_port_state(PortState::init);
  }
  PortIndex host(unsigned i) const {
    return fabric.ports[fabric.port(fabric::NodeIndex{0}, {static_cast<std::uint8_t>(i + 1)})].peer;
  }
  mad::Guid guid(unsigned i) const { return fabric.ports[host(i)].guid; }
  void set(unsigned i, unsigned lid, PortState state = PortState::active, unsigned lmc = 0) {
    fabric::Port& port = fabric.ports[host(i)];
    port.info.set_lid({static_cast<std::uint16_t>(lid)});
    port.info.set_lmc(static_cast<std::uint8_t>(lmc));
    port.info.set_port_state(state);
  }
  /// Host LIDs in port order, then the switch's.
  std::vector<unsigned> lids(const LidOptions& options = {}, const Guid2Lid& persisted = {},
                             bool first = false) {
    last = assign_lids(fabric, options, persisted, first);
    std::vector<unsigned> out;
    for (std::uint8_t p = 1; p <= 40; ++p)
      if (const PortIndex peer = fabric.ports[fabric.port(fabric::NodeIndex{0}, {p})].peer;
          peer != fabric::kNoIndex)
        out.push_back(find_lid(fabric, last, peer));
    out.push_back(find_lid(fabric, last, PortIndex{0}));
    return out;
  }
  Fabric fabric;
  LidAssignment last;
};

Guid2Lid recorded(std::vector<Guid2Lid::Entry> entries) {
  std::ranges::sort(entries, {}, &Guid2Lid::Entry::guid);
  return {std::move(entries)};
}
Guid2Lid::Entry entry(mad::Guid guid, unsigned first, unsigned last) {
  return {guid, {static_cast<std::uint16_t>(first)}, {static_cast<std::uint16_t>(last)}};
}

TEST(Lids, FreshFabricIsNumberedLeafByLeafThenSwitches) {
  const Fabric fabric = fabrics::from_topology(topology::fat_tree({.hosts = 16, .radix = 8}));
  const LidAssignment result = assign_lids(fabric, {}, {}, true);
  unsigned expected = 1;
  for (const fabric::Switch& sw : fabric.switches)
    for (const fabric::Port& port : fabric.node_ports(sw.node))
      if (port.peer != fabric::kNoIndex && !fabric.owning_node(port.peer).is_switch()) {
        EXPECT_EQ(find_lid(fabric, result, port.peer), expected++);
      }
  EXPECT_EQ(expected, 17u);
  for (const fabric::Switch& sw : fabric.switches)
    EXPECT_EQ(find_lid(fabric, result, fabric.nodes[sw.node].first_port), expected++);
  EXPECT_EQ(result.lids.lid_top.value, expected - 1);
  EXPECT_EQ(result.changed, fabric.end_ports);
  EXPECT_EQ(result.persisted.entries.size(), fabric.end_ports.size());
  EXPECT_THAT(result.conditions, IsEmpty());
  EXPECT_THAT(result.messages, IsEmpty());
}

TEST(Lids, BackToBackWithoutASwitch) {
  const Fabric fabric = fabrics::from_topology(topology::back_to_back());
  const LidAssignment result = assign_lids(fabric, {.lmc = 2}, {}, true);
  EXPECT_EQ(find_lid(fabric, result, fabric.end_ports[fabric::EndPortIndex{0}]), 4u);
  EXPECT_EQ(find_lid(fabric, result, fabric.end_ports[fabric::EndPortIndex{1}]), 8u);
}

TEST(Lids, EmptyFabric) {
  const LidAssignment result = assign_lids({}, {}, recorded({entry({7}, 5, 5)}), true);
  EXPECT_EQ(result.lids.lid_top, mad::Lid{});
  EXPECT_EQ(result.persisted, recorded({entry({7}, 5, 5)}));
}

TEST(Lids, LmcAlignsHostsAndLeavesBasePort0WithOne) {
  Star star(2);
  EXPECT_THAT(star.lids({.lmc = 2}), ElementsAre(4, 8, 1));
  EXPECT_EQ(star.last.lids.owner({7}), star.host(0));
  EXPECT_EQ(star.last.lids.owner({8}), star.host(1));
  EXPECT_EQ(star.last.lids.owner({2}), fabric::kNoIndex);
  EXPECT_EQ(star.last.lids.lid_top, mad::Lid{11});
  star.fabric.switches[fabric::SwitchIndex{0}].info.set_enhanced_port_0(true);
  EXPECT_THAT(star.lids({.lmc = 2}), ElementsAre(4, 8, 1));
  EXPECT_THAT(star.lids({.lmc = 2, .lmc_esp0 = true}), ElementsAre(4, 8, 12));
}

TEST(Lids, RunningPortsKeepWhatTheyHave) {
  Star star(3);
  star.set(0, 9);
  star.set(2, 1);
  EXPECT_THAT(star.lids(), ElementsAre(9, 2, 1, 3));
  EXPECT_THAT(star.last.changed, ElementsAre(0u, star.host(1)));
}

TEST(Lids, Guid2LidComesBeforeTheLidOnThePort) {
  Star star(2);
  star.set(0, 9, PortState::init);
  EXPECT_THAT(star.lids({}, recorded({entry(star.guid(0), 5, 5), entry(star.guid(1), 7, 7)})),
              ElementsAre(5, 7, 1));
  star.set(0, 9, PortState::active);
  EXPECT_THAT(star.lids({}, recorded({entry(star.guid(0), 5, 5), entry(star.guid(1), 7, 7)})),
              ElementsAre(5, 7, 1));
  EXPECT_THAT(star.last.messages,
              ElementsAre(testing::AllOf(HasSubstr("LID 9 becomes 5"), HasSubstr("guid2lid"))));
}

TEST(Lids, Guid2LidThatIsNotHonoredIsForgotten) {
  Star star(2);
  star.set(0, 9);
  EXPECT_THAT(star.lids({.honor_guid2lid = false},
                        recorded({entry(star.guid(0), 5, 5), entry({77}, 1, 1)})),
              ElementsAre(9, 1, 2));
  EXPECT_EQ(star.last.persisted.find({77}), nullptr);
}

TEST(Lids, HonorIsDecidedWhenLeavingStandby) {
  config::Options options;
  EXPECT_TRUE(sm::lid_options(options).honor_guid2lid);
  EXPECT_FALSE(sm::lid_options(options, true).honor_guid2lid);
  options.honor_guid2lid_file = true;
  EXPECT_TRUE(sm::lid_options(options, true).honor_guid2lid);
}

TEST(Lids, OfTwoPortsWithOneLidTheRunningOneKeepsIt) {
  Star star(3);
  star.set(0, 5, PortState::init);
  star.set(1, 5, PortState::armed);
  star.set(2, 5, PortState::active);
  EXPECT_THAT(star.lids(), ElementsAre(1, 5, 2, 3)) << "of the two that run, the first in order";
  EXPECT_THAT(star.last.messages, ElementsAre(HasSubstr("LID 5 becomes 1: LID 5 belongs to "),
                                              HasSubstr("LID 5 becomes 2")));
  EXPECT_THAT(star.lids({}, recorded({entry(star.guid(2), 5, 5)})), ElementsAre(1, 2, 5, 3))
      << "of the two that run, the recorded one";
  EXPECT_THAT(star.lids({}, recorded({entry(star.guid(0), 5, 5)})), ElementsAre(1, 5, 2, 3))
      << "running beats recorded";
}

TEST(Lids, WhoLosesItsRecordedLidKeepsTheOneThatItRunsWith) {
  Star star(3);
  star.set(0, 5, PortState::init);
  star.set(1, 8);  // recorded 7, which host 2 runs with
  star.set(2, 7);  // not recorded
  EXPECT_THAT(star.lids({}, recorded({entry(star.guid(0), 8, 8), entry(star.guid(1), 7, 7)})),
              ElementsAre(5, 8, 7, 1));
}

TEST(Lids, AbsentPortsKeepTheirReservation) {
  Star star(2);
  star.set(1, 2, PortState::init);
  const Guid2Lid persisted = recorded({entry({77}, 1, 1), entry({78}, 2, 2)});
  EXPECT_THAT(star.lids({}, persisted), ElementsAre(3, 4, 5));
  EXPECT_EQ(*star.last.persisted.find({77}), persisted.entries[0]);
  EXPECT_THAT(star.last.messages,
              ElementsAre(HasSubstr("LID 2 becomes 4: LID 2 is reserved for an absent port")));
}

TEST(Lids, ButNotAgainstAPortThatRunsWithIt) {
  Star star(2);
  star.set(1, 2);
  EXPECT_THAT(star.lids({}, recorded({entry({77}, 1, 1), entry({78}, 2, 2)})),
              ElementsAre(3, 2, 4));
  EXPECT_EQ(star.last.persisted.find({78}), nullptr);
  EXPECT_THAT(
      star.last.messages,
      ElementsAre(HasSubstr("absent port 0x000000000000004e loses its reservation of LID 2")));
}

TEST(Lids, IllegalLidsOnPortsAreReplaced) {
  Star star(3);
  star.set(0, 0xC000);
  star.set(1, 0xFFFF);
  star.set(2, 0);
  EXPECT_THAT(star.lids(), ElementsAre(1, 2, 3, 4));
}

TEST(Lids, ReassignForgetsEverythingOnTheFirstMasterSweepOnly) {
  Star star(2);
  star.set(0, 9);
  const Guid2Lid persisted = recorded({entry(star.guid(1), 5, 5), entry({77}, 1, 1)});
  EXPECT_THAT(star.lids({.reassign_lids = true}, persisted, true), ElementsAre(1, 2, 3));
  EXPECT_EQ(star.last.persisted.entries.size(), 3u);
  EXPECT_THAT(star.lids({.reassign_lids = true}, persisted, false), ElementsAre(9, 5, 2));
  EXPECT_THAT(star.lids({}, persisted, true), ElementsAre(9, 5, 2));
}

TEST(Lids, RaisedLmcKeepsBasesThatFit) {
  Star star(4);
  for (unsigned i = 0; i < 4; ++i) star.set(i, i + 1);
  star.fabric.ports[fabric::PortIndex{0}].info.set_lid({5});
  const Guid2Lid persisted = recorded({entry(star.guid(0), 1, 1), entry(star.guid(1), 2, 2),
                                       entry(star.guid(2), 3, 3), entry(star.guid(3), 4, 4),
                                       entry(star.fabric.ports[fabric::PortIndex{0}].guid, 5, 5)});
  // The switch runs with 5, so that host 3 cannot have 4..5.
  EXPECT_THAT(star.lids({.lmc = 1}, persisted), ElementsAre(6, 2, 8, 10, 5));
  EXPECT_EQ(*star.last.persisted.find(star.guid(1)), entry(star.guid(1), 2, 3));
  EXPECT_THAT(star.last.messages, ElementsAre(HasSubstr("LMC 1 needs a multiple of 2"),
                                              HasSubstr("LMC 1 needs a multiple of 2"),
                                              HasSubstr("LID 5 belongs to \"S0\"")));
}

TEST(Lids, LoweredLmcKeepsAllBases) {
  Star star(2);
  star.set(0, 8, PortState::active, 2);
  star.set(1, 4, PortState::active, 2);
  const Guid2Lid persisted = recorded({entry(star.guid(0), 8, 11), entry(star.guid(1), 4, 7)});
  EXPECT_THAT(star.lids({}, persisted), ElementsAre(8, 4, 1));
  EXPECT_EQ(*star.last.persisted.find(star.guid(0)), entry(star.guid(0), 8, 8));
  EXPECT_THAT(star.last.changed, ElementsAre(0u, star.host(0), star.host(1)))
      << "their LMC changes";
}

TEST(Lids, SmallTableLimitsLidsAndIsNamed) {
  Star star(6, 5);  // LIDs 1..4 for seven ports
  star.set(5, 100);
  EXPECT_THAT(star.lids(), ElementsAre(1, 2, 3, 4, 0, 0, 0));
  ASSERT_EQ(star.last.conditions.size(), 2u);
  EXPECT_EQ(star.last.conditions[0].id, sm::kLidConditions.lft_too_small);
  EXPECT_THAT(
      star.last.conditions[0].text,
      testing::AllOf(HasSubstr("\"S0\""), HasSubstr("LinearFDBCap 5"), HasSubstr("above 4")));
  EXPECT_EQ(star.last.conditions[1].id, sm::kLidConditions.lids_exhausted);
  EXPECT_THAT(star.last.conditions[1].text,
              testing::AllOf(HasSubstr("3 ports"), HasSubstr("\"H5\""), HasSubstr("\"S0\"")));
  EXPECT_EQ(star.last.lids.lid_top, mad::Lid{4});
}

TEST(Lids, TableThatIsLargeEnoughRaisesNothing) {
  Star star(3, 5);
  EXPECT_THAT(star.lids(), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(star.last.conditions, IsEmpty());
}

TEST(Lids, LidAboveTheLimitMovesAndItsReservationWaits) {
  Star star(2, 100);
  star.set(0, 200);
  EXPECT_THAT(star.lids({}, recorded({entry({77}, 300, 300)})), ElementsAre(1, 2, 3));
  EXPECT_THAT(star.last.messages, ElementsAre(HasSubstr("LID 200 becomes 1: LIDs end at 99")));
  ASSERT_EQ(star.last.conditions.size(), 1u);
  EXPECT_EQ(star.last.conditions[0].id, sm::kLidConditions.lft_too_small);
  EXPECT_NE(star.last.persisted.find({77}), nullptr);
}

TEST(Lids, SwitchWithoutALinearTableIsNamedButDoesNotStopTheFabric) {
  for (const unsigned cap : {0u, 1u}) {
    Star star(2, cap);
    EXPECT_THAT(star.lids(), ElementsAre(1, 2, 3));
    ASSERT_EQ(star.last.conditions.size(), 1u);
    EXPECT_THAT(star.last.conditions[0].text,
                HasSubstr(fmt::format("no linear forwarding table (LinearFDBCap {})", cap)));
    EXPECT_EQ(star.last.conditions[0].guid, star.fabric.nodes[fabric::NodeIndex{0}].guid);
  }
}

TEST(Lids, AllUnicastLidsCanBeUsedAndNotOneMore) {
  Maker maker;
  std::vector<fabric::NodeIndex> switches;
  for (unsigned i = 0; i < 383; ++i) switches.push_back(maker.sw(129));
  unsigned hosts = 0;
  while (hosts < 383) maker.cable(maker.ca(), 1, switches[hosts], 1), ++hosts;
  const Fabric fabric = maker.build();
  const LidAssignment result =
      assign_lids(fabric, {.lmc = 7}, {}, true);  // 383 * 128 + 383 + the gap below the first
  EXPECT_EQ(result.lids.lid_top, mad::Lid{0xBFFF});
  EXPECT_EQ(result.conditions.size(), 1u)
      << "256 switches do not fit: LIDs 1..127 are all that is left";
  EXPECT_EQ(result.conditions[0].id, sm::kLidConditions.lids_exhausted);
  EXPECT_THAT(result.conditions[0].text,
              testing::AllOf(HasSubstr("256 ports"), HasSubstr("and 248 more")));
}

Guid2Lid::Entry absent(mad::Guid guid, unsigned first, unsigned last, std::uint32_t since) {
  Guid2Lid::Entry out = entry(guid, first, last);
  out.absent_since = since;
  return out;
}

TEST(Lids, WhenLidsRunOutTheAbsentPortSeenLeastRecentlyLosesItsReservation) {
  const Guid2Lid persisted =
      recorded({absent({77}, 1, 1, 2), absent({78}, 2, 2, 1), absent({79}, 3, 3, 0)});
  Star enough(1, 6);  // LIDs end at 5
  EXPECT_THAT(enough.lids({}, persisted), ElementsAre(4, 5));
  EXPECT_EQ(enough.last.persisted.entries.size(), 5u) << "none before";
  EXPECT_EQ(enough.last.persisted.find({79})->absent_since, 3u) << "absent for the first time";
  Star star(2, 6);
  EXPECT_THAT(star.lids({}, persisted), ElementsAre(4, 5, 2));
  EXPECT_EQ(star.last.persisted.find({78}), nullptr);
  EXPECT_NE(star.last.persisted.find({77}), nullptr);
  EXPECT_NE(star.last.persisted.find({79}), nullptr);
  EXPECT_THAT(
      star.last.messages,
      ElementsAre(HasSubstr("absent port 0x000000000000004e loses its reservation of LID 2")));
  EXPECT_THAT(star.last.conditions, IsEmpty());
}

TEST(Lids, AReservationOfManyLidsMakesRoomForSeveralPorts) {
  Star star(3, 6);
  EXPECT_THAT(star.lids({}, recorded({absent({77}, 1, 1, 2), absent({78}, 2, 3, 1),
                                      absent({79}, 4, 4, 3)})),
              ElementsAre(5, 2, 3, 1));
  EXPECT_NE(star.last.persisted.find({79}), nullptr);
}

TEST(Lids, PhantomPortsWithAllRangesTakeNoneFromPortsThatExist) {
  std::vector<Guid2Lid::Entry> phantoms;
  for (unsigned i = 1; i <= 383; ++i)
    phantoms.push_back(absent({0x1000u + i}, 128 * i, 128 * i + 127, 1));
  Star star(3);
  EXPECT_THAT(star.lids({.lmc = 7}, recorded(phantoms)), ElementsAre(128, 256, 384, 1));
  EXPECT_THAT(star.last.conditions, IsEmpty());
  EXPECT_EQ(star.last.persisted.entries.size(), 380u + 4u);
}

TEST(Lids, OnlyTheOwnerOfADuplicateGuidGetsALid) {
  Star star(2);
  star.set(1, 6);
  star.fabric.port_of_guid.erase(star.guid(1));
  star.fabric.ports[star.host(1)].guid = star.guid(0);
  EXPECT_THAT(star.lids(), ElementsAre(1, 0, 2));
  EXPECT_EQ(star.last.lids.owner({6}), fabric::kNoIndex);
  EXPECT_EQ(star.last.persisted.entries.size(), 2u);
}

TEST(Lids, OneLidOnAllPortsIsBoundedInLogLinesAndTime) {
  Maker maker;
  for (unsigned s = 0; s < 100; ++s) {
    const auto sw = maker.sw(200);
    for (unsigned h = 0; h < 200; ++h) maker.host(sw);
  }
  Fabric fabric = maker.build();
  for (fabric::Port& port : fabric.ports) port.info.set_lid({1});
  const LidAssignment result = assign_lids(fabric, {}, {}, true);
  EXPECT_EQ(result.messages.size(), 33u);
  EXPECT_EQ(result.lids.lid_top, mad::Lid{20100});
}

TEST(Lids, SilentPortsGetLids) {
  Star star(2);
  star.set(1, 7);
  star.fabric.ports[star.host(1)].known = false;
  EXPECT_THAT(star.lids(), ElementsAre(1, 2, 3))
      << "what was read before it fell silent does not count";
  EXPECT_EQ(star.last.changed.size(), 3u);
}

}  // namespace lids_test
