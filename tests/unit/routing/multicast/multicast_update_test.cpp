#include "routing/multicast/multicast_update.h"

#include <gtest/gtest.h>

#include "support/fabrics.h"

namespace multicast_update_test {

using fabric::MftUnit;
using routing::HeldMulticast;
using routing::MftContent;
using routing::MftKnowledge;

constexpr mad::Mlid kMlid = mad::kMlidMin;

/// A ring of four switches, each with a host on port 1; port 2 to the next switch, port 3 to the
/// previous one.
struct Ring {
  Ring() {
    fabrics::Maker maker;
    for (unsigned i = 0; i < 4; ++i) maker.sw(3);
    for (unsigned i = 0; i < 4; ++i)
      maker.cable(fabric::NodeIndex{i}, 2, fabric::NodeIndex((i + 1) % 4), 3);
    for (unsigned i = 0; i < 4; ++i) maker.host(fabric::NodeIndex{i});
    fabric = maker.build();
    graph = fabric::make_switch_graph(fabric);
    wanted = fabric::MulticastTables(4, 1);
    wanted.grow(1);
    held = HeldMulticast(4, 1);
    held.grow(1);
    for (std::uint32_t sw = 0; sw < 4; ++sw) held.learn(unit(sw), MftContent{});
  }
  static MftUnit unit(std::uint32_t sw) {
    return {.sw = fabric::SwitchIndex{sw}, .block = 0, .position = 0};
  }
  /// Ports of a switch, bit by bit.
  void want(std::uint32_t sw, std::uint16_t ports) {
    wanted.set_mask(fabric::SwitchIndex{sw}, kMlid, 0, ports);
  }
  void hold(std::uint32_t sw, std::uint16_t ports) {
    held.tables.set_mask(fabric::SwitchIndex{sw}, kMlid, 0, ports);
  }
  std::vector<std::uint32_t> switches(const std::vector<MftUnit>& units) const {
    std::vector<std::uint32_t> all;
    for (const MftUnit each : units) all.push_back(each.sw);
    return all;
  }
  /// 0-1-2-3, hosts everywhere.
  void want_line() {
    want(0, 0b0110);
    want(1, 0b1110);
    want(2, 0b1110);
    want(3, 0b1010);
  }

  fabric::Fabric fabric;
  fabric::SwitchGraph graph;
  fabric::MulticastTables wanted;
  HeldMulticast held;
};

TEST(MulticastUpdate, JoinNeedsNoRemovalAndLeaveNoAddition) {
  Ring ring;
  ring.want_line();
  EXPECT_TRUE(mft_removals(ring.fabric, ring.held, ring.wanted).empty());
  const auto all = attainable(ring.fabric, ring.graph, ring.held, ring.wanted);
  EXPECT_EQ(all.tables, ring.wanted);
  EXPECT_TRUE(all.hold_back.empty());
  EXPECT_EQ(ring.switches(mft_additions(ring.fabric, ring.held, ring.wanted, all.tables)),
            (std::vector<std::uint32_t>{0, 1, 2, 3}));

  for (std::uint32_t sw = 0; sw < 4; ++sw)
    ring.hold(sw, ring.wanted.mask(fabric::SwitchIndex{sw}, kMlid, 0));
  ring.want(3, 0);
  ring.want(2, 0b1010);
  EXPECT_EQ(ring.switches(mft_removals(ring.fabric, ring.held, ring.wanted)),
            (std::vector<std::uint32_t>{2, 3}));
  EXPECT_EQ(mft_remainder(ring.held, ring.wanted, Ring::unit(2))[1], 0b1010);
}

TEST(MulticastUpdate, UnknownUnitsAreClearedFirst) {
  Ring ring;
  ring.want_line();
  ring.held.forget(fabric::SwitchIndex{1});
  EXPECT_EQ(ring.switches(mft_removals(ring.fabric, ring.held, ring.wanted)),
            (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(mft_remainder(ring.held, ring.wanted, Ring::unit(1)), MftContent{});
  ring.held.mark_unknown(Ring::unit(1), MftContent{});
  EXPECT_EQ(ring.held.of(Ring::unit(1)), MftKnowledge::unknown)
      << "a removal that was not acknowledged changes nothing";
  ring.held.learn(Ring::unit(1), MftContent{});
  EXPECT_TRUE(mft_removals(ring.fabric, ring.held, ring.wanted).empty());
}

TEST(MulticastUpdate, SwitchThatKeepsItsTableClosesNoLoop) {
  Ring ring;
  ring.want_line();
  ring.hold(0, 0b1000);  // to switch 3, and does not answer
  ring.held.knowledge[0] = MftKnowledge::at_most;
  const auto some = attainable(ring.fabric, ring.graph, ring.held, ring.wanted);
  EXPECT_NE(some.tables, ring.wanted);
  unsigned links = 0;  // of the line 0-1-2-3 one is left out
  for (const std::uint32_t sw : {0u, 1u, 2u}) {
    const bool there = some.tables.test(fabric::SwitchIndex{sw}, kMlid, {2}),
               back = some.tables.test(fabric::SwitchIndex(sw + 1), kMlid, {3});
    EXPECT_EQ(there, back);
    links += there;
  }
  EXPECT_EQ(links, 2u);
  for (const std::uint32_t sw : {0u, 1u, 2u, 3u})
    EXPECT_TRUE(some.tables.test(fabric::SwitchIndex{sw}, kMlid, {1}))
        << "hosts are in the table of their switch";
  EXPECT_EQ(ring.switches(mft_additions(ring.fabric, ring.held, ring.wanted, some.tables)),
            (std::vector<std::uint32_t>{1, 2, 3}))
      << "not to the switch without a response";
}

TEST(MulticastUpdate, OtherMlidsOfTheBlockAreWritten) {
  Ring ring;
  ring.want_line();
  ring.hold(0, 0b1000);
  const mad::Mlid other{0xC001};
  for (std::uint32_t sw = 0; sw < 4; ++sw)
    ring.wanted.set_mask(fabric::SwitchIndex{sw}, other, 0,
                         ring.wanted.mask(fabric::SwitchIndex{sw}, kMlid, 0));
  const auto some = attainable(ring.fabric, ring.graph, ring.held, ring.wanted);
  for (std::uint32_t sw = 0; sw < 4; ++sw)
    EXPECT_EQ(some.tables.mask(fabric::SwitchIndex{sw}, other, 0),
              ring.wanted.mask(fabric::SwitchIndex{sw}, other, 0));
}

TEST(MulticastUpdate, PossibleLoopGetsNoAdditionAndItsLinksAreHeldBack) {
  Ring ring;
  for (std::uint32_t sw = 0; sw < 4; ++sw) ring.hold(sw, 0b0100);
  ring.want_line();
  // No switch acknowledged the removal; three links are wanted and held, and the fourth closes the
  // cycle.
  const auto some = attainable(ring.fabric, ring.graph, ring.held, ring.wanted);
  for (std::uint32_t sw = 0; sw < 4; ++sw)
    EXPECT_EQ(some.tables.mask(fabric::SwitchIndex{sw}, kMlid, 0),
              ring.wanted.mask(fabric::SwitchIndex{sw}, kMlid, 0) & 0b0100)
        << "nothing is added";
  EXPECT_EQ(some.hold_back, std::vector<bool>(8, true));
}

TEST(MulticastUpdate, SwitchThatNoPacketCanEnterIsNotCounted) {
  // Two leaves and two spines. One spine holds an old tree and does not respond; no switch sends to
  // it.
  fabrics::Maker maker;
  for (unsigned i = 0; i < 4; ++i) maker.sw(4);
  for (unsigned leaf = 0; leaf < 2; ++leaf) {
    maker.cable(fabric::NodeIndex{leaf}, 2, fabric::NodeIndex{2}, leaf + 1);
    maker.cable(fabric::NodeIndex{leaf}, 3, fabric::NodeIndex{3}, leaf + 1);
    maker.host(fabric::NodeIndex{leaf});
  }
  const fabric::Fabric fabric = maker.build();
  const fabric::SwitchGraph graph = fabric::make_switch_graph(fabric);
  HeldMulticast held(4, 1);
  held.grow(1);
  for (std::uint32_t sw = 0; sw < 4; ++sw) held.learn(Ring::unit(sw), MftContent{});
  held.tables.set_mask(fabric::SwitchIndex{2}, kMlid, 0, 0b110);
  fabric::MulticastTables wanted(4, 1);
  wanted.grow(1);
  wanted.set_mask(fabric::SwitchIndex{0}, kMlid, 0, 0b1010);
  wanted.set_mask(fabric::SwitchIndex{1}, kMlid, 0, 0b1010);
  wanted.set_mask(fabric::SwitchIndex{3}, kMlid, 0, 0b0110);
  EXPECT_EQ(attainable(fabric, graph, held, wanted).tables, wanted);
  held.tables.set_mask(fabric::SwitchIndex{0}, kMlid, 0, 0b0100);  // now switch 0 sends to it
  EXPECT_NE(attainable(fabric, graph, held, wanted).tables, wanted);
}

TEST(MulticastUpdate, WritesOnlyUnitsThatTheSwitchHas) {
  fabrics::Maker maker;
  maker.sw(15);
  maker.sw(16);
  maker.sw(36);
  maker.set_multicast_cap(fabric::NodeIndex{2}, 33);
  const fabric::Fabric fabric = maker.build();
  EXPECT_TRUE(routing::has_unit(fabric, {.sw = fabric::SwitchIndex{0}, .block = 0, .position = 0}));
  EXPECT_FALSE(
      routing::has_unit(fabric, {.sw = fabric::SwitchIndex{0}, .block = 0, .position = 1}));
  EXPECT_TRUE(routing::has_unit(fabric, {.sw = fabric::SwitchIndex{1}, .block = 0, .position = 1}));
  EXPECT_TRUE(routing::has_unit(fabric, {.sw = fabric::SwitchIndex{2}, .block = 1, .position = 2}));
  EXPECT_FALSE(
      routing::has_unit(fabric, {.sw = fabric::SwitchIndex{2}, .block = 2, .position = 2}));
  EXPECT_FALSE(
      routing::has_unit(fabric, {.sw = fabric::SwitchIndex{2}, .block = 1, .position = 3}));
}

}  // namespace multicast_update_test
