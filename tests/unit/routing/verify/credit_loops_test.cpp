#include "routing/verify/credit_loops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/fabrics.h"

namespace credit_loops_test {

using fabric::NodeIndex;
using fabrics::Maker;
using fabrics::Subnet;
using routing::Channel;
using routing::CreditLoops;
using routing::PathSls;
using routing::SlToVl;
using routing::Traffic;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

constexpr std::uint8_t kBack = 1, kAhead = 2, kHost = 3;

// A ring of switches with a host each; host i has LID i + 1, switch i LID size + i + 1. All packets
// go clockwise.
struct Ring {
  Subnet subnet;
  fabric::ForwardingTables lfts;
  explicit Ring(unsigned size) : subnet(make(size)), lfts(size, subnet.lids.lid_top) {
    for (unsigned sw = 0; sw < size; ++sw)
      for (unsigned to = 0; to < size; ++to) {
        lfts.writable_row(fabric::SwitchIndex{sw})[to + 1] = sw == to ? kHost : kAhead;
        lfts.writable_row(fabric::SwitchIndex{sw})[size + to + 1] = sw == to ? 0 : kAhead;
      }
  }
  static fabric::Fabric make(unsigned size) {
    Maker maker;
    std::vector<NodeIndex> sw;
    for (unsigned i = 0; i < size; ++i) sw.push_back(maker.sw(4));
    for (unsigned i = 0; i < size; ++i) maker.cable(sw[i], kAhead, sw[(i + 1) % size], kBack);
    for (unsigned i = 0; i < size; ++i) maker.cable(maker.ca(), 1, sw[i], kHost);
    return maker.build();
  }
  fabric::ChannelIndex channel(unsigned sw, std::uint8_t port) const {
    return subnet.graph.offsets[fabric::SwitchIndex{sw}] + (port == kBack ? 0u : 1u);
  }
  CreditLoops find(const routing::VlMapping& mapping = {{}, {}},
                   Traffic traffic = Traffic::between_hosts,
                   std::span<const routing::Dependency> others = {}) const {
    return routing::find_credit_loops(subnet.graph, subnet.lids, lfts, mapping, traffic, others);
  }
};

TEST(CreditLoops, UnidirectionalRingHasACreditLoop) {
  const Ring ring(4);
  const CreditLoops found = ring.find();
  ASSERT_EQ(found.loop_count, 1u);
  EXPECT_EQ(found.dependencies, 4u);
  EXPECT_EQ(found.loops[0].channels, 4u);
  std::vector<fabric::ChannelIndex> channels;
  for (const Channel& channel : found.loops[0].cycle) channels.push_back(channel.channel);
  EXPECT_THAT(channels, UnorderedElementsAre(ring.channel(0, kAhead), ring.channel(1, kAhead),
                                             ring.channel(2, kAhead), ring.channel(3, kAhead)));
  EXPECT_THAT(routing::text(found.loops[0], ring.subnet.fabric, ring.subnet.graph),
              testing::AllOf(HasSubstr("\"S0\" (0x0002c90200000000) port 2 VL 0 -> \"S1\""),
                             HasSubstr("4 channels")));
}

TEST(CreditLoops, RingWithoutPathsAroundItHasNone) {
  Ring ring(4);
  // Towards hosts 3 and 4 counter-clockwise where that is as short, so that no packet continues
  // after the link from switch 3 to switch 0.
  for (unsigned from = 0; from < 4; ++from)
    for (unsigned to = 0; to < 4; ++to)
      if (from != to)
        ring.lfts.writable_row(fabric::SwitchIndex{from})[to + 1] = to > from ? kAhead : kBack;
  EXPECT_TRUE(ring.find().ok());
  EXPECT_EQ(ring.find().dependencies, 4u);  // two in each direction: 0 -> 1 -> 2, 1 -> 2 -> 3
}

TEST(CreditLoops, OnlyPacketsThatAreSentCount) {
  Ring ring(4);
  for (unsigned to = 0; to < 4; ++to)
    for (unsigned from = 0; from < 4; ++from)
      ring.lfts.writable_row(fabric::SwitchIndex{from})[to + 1] = from == to  ? kHost
                                                                  : to > from ? kAhead
                                                                              : kBack;
  EXPECT_TRUE(ring.find().ok());
  EXPECT_FALSE(
      ring.find({{}, {}}, Traffic::all).ok());  // packets to switches still go around the ring
}

TEST(CreditLoops, SecondVlFromTheDatelineOnExcludesTheLoop) {
  const Ring ring(5);
  PathSls sls = PathSls::by_source_and_lid(5, ring.subnet.lids.lid_top);
  for (unsigned from = 0; from < 5; ++from)
    for (unsigned to = 0; to < 5; ++to) sls.row(from)[to + 1] = from > to ? 1 : 0;
  const SlToVl mapping = SlToVl::identity(2);
  EXPECT_FALSE(ring.find({{}, mapping}).ok());
  // Packets that cross the dateline have up to four hops, so they still close the loop on their own
  // VL; the others never do.
  const CreditLoops found = ring.find({sls, mapping});
  ASSERT_EQ(found.loop_count, 1u);
  for (const Channel& channel : found.loops[0].cycle) EXPECT_EQ(channel.vl, 1);
  // A change of the VL at the dateline, at the switch after the link from 4 to 0, excludes it.
  SlToVl dateline = SlToVl::by_class(5, 2);
  dateline.set_port_class(fabric::SwitchIndex{0}, mad::PortNum{kBack}, 1);
  dateline.row(1, 0)[1] = 1;
  for (unsigned from = 0; from < 5; ++from) dateline.row(0, 0)[1] = 0;
  EXPECT_FALSE(ring.find({sls, dateline}).ok());  // on VL 1 only for one hop, then back on VL 0
}

TEST(CreditLoops, FollowsChangesOfTheVlOnThePath) {
  // VLs by position: into the lower half on VL 1, into the upper half on VL 0. Each packet that
  // goes around the ring changes at switch 0 and at switch 2.
  const Ring ring(4);
  SlToVl halves = SlToVl::by_class(4, 4);
  for (unsigned sw = 0; sw < 4; ++sw)
    halves.set_port_class(fabric::SwitchIndex{sw}, mad::PortNum{kAhead}, sw < 2 ? 1 : 2);
  for (unsigned in = 0; in < 4; ++in) halves.row(in, 1).fill(1);
  EXPECT_FALSE(ring.find({{}, halves}).ok());
  const CreditLoops found = ring.find({{}, halves});
  ASSERT_EQ(found.loops.size(), 1u);
  EXPECT_EQ(found.loops[0].cycle.size(), 4u);
  for (const Channel& channel : found.loops[0].cycle)
    EXPECT_EQ(channel.vl, channel.channel == ring.channel(0, kAhead) ||
                                  channel.channel == ring.channel(1, kAhead)
                              ? 1
                              : 0);
}

TEST(CreditLoops, Vl15Drops) {
  const Ring ring(4);
  routing::SlToVlRow row{};
  row.fill(15);
  EXPECT_EQ(ring.find({{}, SlToVl::uniform(row)}).dependencies, 0u);
}

TEST(CreditLoops, SlsThatClientsMayChooseCountAsAll) {
  const Ring ring(4);
  PathSls sls;
  sls.free_bits = 8;
  SlToVl mapping = SlToVl::by_class(4, 1);
  mapping.row(0, 0)[0] = 15;  // SL 0 is dropped, SL 8 closes the loop
  EXPECT_FALSE(ring.find({sls, mapping}).ok());
  EXPECT_TRUE(ring.find({{}, mapping}).ok());
}

TEST(CreditLoops, OtherTrafficIsAdded) {
  Ring ring(4);
  for (unsigned to = 0; to < 4; ++to)
    for (unsigned from = 0; from < 4; ++from)
      ring.lfts.writable_row(fabric::SwitchIndex{from})[to + 1] = from == to  ? kHost
                                                                  : to > from ? kAhead
                                                                              : kBack;
  ASSERT_TRUE(ring.find().ok());
  const routing::Dependency closes[] = {
      {{ring.channel(2, kAhead), 0}, {ring.channel(3, kAhead), 0}},
      {{ring.channel(3, kAhead), 0}, {ring.channel(0, kAhead), 0}}};
  EXPECT_TRUE(ring.find({{}, {}}, Traffic::between_hosts, std::span(closes).first(1)).ok());
  EXPECT_FALSE(ring.find({{}, {}}, Traffic::between_hosts, closes).ok());
  // Invalid dependencies are left out.
  const routing::Dependency nonsense[] = {
      {{ring.channel(2, kAhead), 0}, {ring.channel(0, kAhead), 0}},
      {{fabric::ChannelIndex{1000}, 0}, {fabric::ChannelIndex{0}, 0}},
      {{fabric::ChannelIndex{0}, 9}, {fabric::ChannelIndex{0}, 9}}};
  EXPECT_EQ(ring.find({{}, {}}, Traffic::between_hosts, nonsense).dependencies,
            ring.find().dependencies);
}

TEST(CreditLoops, EndsOnTablesWithForwardingLoops) {
  Ring ring(4);
  for (unsigned from = 0; from < 4; ++from)
    ring.lfts.writable_row(fabric::SwitchIndex{from})[1] = kAhead;  // no switch delivers LID 1
  EXPECT_FALSE(ring.find().ok());
  for (unsigned from = 0; from < 4; ++from)
    std::ranges::fill(ring.lfts.writable_row(fabric::SwitchIndex{from}), mad::kNoPort.value);
  EXPECT_TRUE(ring.find().ok());
}

TEST(CreditLoops, NoSwitchesNoLoops) {
  Maker maker;
  const NodeIndex a = maker.ca(), b = maker.ca();
  maker.cable(a, b);
  const Subnet subnet(maker.build());
  EXPECT_TRUE(routing::find_credit_loops(subnet.graph, subnet.lids,
                                         fabric::ForwardingTables(0, subnet.lids.lid_top), {{}, {}},
                                         Traffic::all)
                  .ok());
}

}  // namespace credit_loops_test
