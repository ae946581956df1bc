#include "fabric/multicast_tables.h"

#include <gtest/gtest.h>

#include "fabric/fabric.h"
#include "fabric/topology/random_source.h"
#include "mad/attributes/switch_info.h"

#include <map>

namespace multicast_tables_test {

using fabric::MulticastTables;

constexpr mad::Mlid mlid(unsigned index) {
  return {static_cast<std::uint16_t>(mad::kMlidMin.value + index)};
}

TEST(MulticastTables, UnitsHaveTheWireFormat) {
  MulticastTables tables(3, 3);
  tables.grow(2);
  tables.set(fabric::SwitchIndex{1}, mlid(32 + 5), {17});
  tables.set(fabric::SwitchIndex{1}, mlid(32 + 5), {16});
  tables.set(fabric::SwitchIndex{1}, mlid(32 + 5), {31});
  mad::MulticastForwardingTable block(
      tables.bytes({.sw = fabric::SwitchIndex{1}, .block = 1, .position = 1}));
  for (unsigned entry = 0; entry < 32; ++entry)
    EXPECT_EQ(block.port_mask(entry), entry == 5 ? 0x8003 : 0);
  EXPECT_EQ(tables.mask(fabric::SwitchIndex{1}, mlid(37), 1), 0x8003);
  EXPECT_TRUE(tables.test(fabric::SwitchIndex{1}, mlid(37), {31}));
  EXPECT_FALSE(tables.test(fabric::SwitchIndex{1}, mlid(37), {30}));
  EXPECT_EQ((fabric::MftUnit{.sw = fabric::SwitchIndex{1}, .block = 1, .position = 1}.modifier()),
            0x10000001u);
}

TEST(MulticastTables, MlidsBeyondTheBlocksHaveNoPorts) {
  MulticastTables tables(1, 1);
  EXPECT_EQ(tables.mask(fabric::SwitchIndex{0}, mad::kMlidMax, 0), 0);
  EXPECT_EQ(tables.mask(fabric::SwitchIndex{0}, mlid(0), 5), 0);
  EXPECT_EQ(tables.top().value, mad::SwitchInfo::kNoMulticastEntries);
  tables.grow(512);
  EXPECT_EQ(tables.top().value, mad::SwitchInfo::kNoMulticastEntries);
  tables.set(fabric::SwitchIndex{0}, mad::kMlidMax, {15});
  EXPECT_EQ(tables.top(), mad::kMlidMax);
  EXPECT_EQ(MulticastTables().top().value, mad::SwitchInfo::kNoMulticastEntries);
}

TEST(MulticastTables, EqualAMapOfMasks) {
  topology::Random dice(1);
  MulticastTables tables(5, 4);
  std::map<std::tuple<fabric::SwitchIndex, unsigned, unsigned>, bool> model;
  unsigned top = 0;
  tables.grow(3);
  for (unsigned step = 0; step < 400; ++step) {
    const fabric::SwitchIndex sw(dice.below(5u));
    const unsigned index = dice.below(96u), port = dice.below(64u);
    tables.set(sw, mlid(index), {static_cast<std::uint8_t>(port)});
    model[{sw, index, port}] = true;
    top = std::max(top, index);
    if (step == 200) tables.grow(5);
  }
  EXPECT_EQ(tables.top(), mlid(top));
  for (std::size_t number = 0; number < tables.units(); ++number)
    EXPECT_EQ(tables.unit_number(tables.unit(number)), number);
  const fabric::IndexVector<fabric::SwitchIndex, fabric::SwitchIndex> sources{
      fabric::SwitchIndex{4}, fabric::kNoIndex, fabric::SwitchIndex{0}, fabric::SwitchIndex{1}};
  const MulticastTables other = tables.rearranged(sources, 3);
  for (unsigned index = 0; index < 96; ++index) {
    for (unsigned port = 0; port < 64; ++port) {
      const mad::PortNum number{static_cast<std::uint8_t>(port)};
      for (const fabric::SwitchIndex sw : tables.all_switches())
        ASSERT_EQ(tables.test(sw, mlid(index), number), model.contains({sw, index, port}));
      for (const fabric::SwitchIndex sw : sources.indices()) {
        const bool expected = sources[sw] != fabric::kNoIndex && port < 48 &&
                              model.contains({sources[sw], index, port});
        ASSERT_EQ(other.test(sw, mlid(index), number), expected);
      }
    }
  }
  MulticastTables changed = tables;
  changed.set_mask(fabric::SwitchIndex{4}, mlid(40), 0, 0xFFFF);
  MulticastTables::Moved moved;
  const MulticastTables a = tables.rearranged(sources, 3, moved),
                        b = changed.rearranged(sources, 3, moved);
  EXPECT_EQ(a, other);
  EXPECT_EQ(a.content(0), b.content(0)) << "what was shared is shared";
  EXPECT_NE(a.content(1), b.content(1));
  EXPECT_EQ(b.mask(fabric::SwitchIndex{0}, mlid(40), 0), 0xFFFF);
}

}  // namespace multicast_tables_test
