#include "virt/vnic/policy.h"

#include <gmock/gmock.h>

#include <random>

namespace vnic_policy_test {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using vnic::MacEntry;
using vnic::MacTable;

vnic::SwitchConfiguration make_switch(std::uint16_t id) {
  vnic::SwitchConfiguration of;
  of.name = std::to_string(id);
  of.key.vesw_id = id;
  of.members.push_back({.all = true, .port_guid = {}, .description = {}});
  return of;
}

MacTable make_table(std::vector<MacEntry> entries) {
  const MacTable all{std::move(entries), 0};
  return truncated(all, all.entries.size());
}

MacTable applied(MacTable table, const std::vector<vnic::TablePart>& parts) {
  for (const vnic::TablePart& part : parts) {
    table.entries.resize(std::max(table.entries.size(), part.offset + part.entries.size()));
    std::ranges::copy(part.entries, table.entries.begin() + part.offset);
    table.digest = part.digest;
  }
  while (!table.entries.empty() && table.entries.back().mac.value == 0) table.entries.pop_back();
  return table;
}

TEST(VnicPolicy, DerivedMacAddressesHoldTheDlidWhereADriverLooksForIt) {
  const mad::Mac mac = base_mac(make_switch(0x123), {{1}, {0x4567}, "n1"});
  EXPECT_EQ(vnic::text(mac), "02:01:23:67:45:00");
  EXPECT_TRUE(mac.is_local());
  EXPECT_FALSE(mac.is_multicast());
}

TEST(VnicPolicy, NumbersOfVnicsStayWhereTheyWere) {
  vnic::Configuration configuration;
  configuration.switches = {make_switch(7), make_switch(8), make_switch(9)};
  configuration.switches[2].vnic = 1;
  const auto numbers = choose_numbers(configuration, {{{0, 8}, 5}, {{0, 7}, 1}});
  EXPECT_EQ(numbers, (std::map<vnic::VeswKey, unsigned>{{{0, 7}, 2}, {{0, 8}, 5}, {{0, 9}, 1}}));
}

TEST(VnicPolicy, WhatANodeSetsItselfIsNotCompared) {
  const vnic::EndPort port{{1}, {5}, "n1"};
  const auto wanted =
      make_port_info(make_switch(1), port, {&port, 1}, 0xC001, mad::VnicState::forwarding);
  mad::VeswPortInfo read = wanted;
  read.set<"MACTableDigest">(0x12345678u);
  read.set<"UnicastMACsGeneration">(std::uint16_t{3});
  read.set<"OperState">(mad::VnicState::drop_all);
  EXPECT_TRUE(vnic::is_set(read, wanted));
  read.set<"EthernetMTU">(std::uint16_t{9000});
  EXPECT_FALSE(vnic::is_set(read, wanted));
}

TEST(VnicPolicy, DefaultPortsThatAreThereAreInTheMask) {
  vnic::SwitchConfiguration of = make_switch(1);
  of.default_ports = {{9}, {2}};
  const std::vector<vnic::EndPort> ports{{{1}, {5}, ""}, {{2}, {6}, ""}};
  const auto info = make_port_info(of, ports[0], ports, 0, mad::VnicState::drop_all);
  EXPECT_EQ((info.get<std::uint16_t, "DefaultPortMask">()), 0b10);
  EXPECT_EQ(info.bytes()[24 + 4 + 3], 6) << "u_ucast_dlid[1]";
}

TEST(VnicPolicy, NoPortTakesTheBaseMacOfAnother) {
  const std::vector<vnic::PortMacs> ports{{{1}, {5}, {0x10}, {{0x20}, {0x30}, {0x0100'0000'0001}}},
                                          {{2}, {6}, {0x20}, {{0x30}}}};
  const auto built = build_table(ports, {}, 100);
  EXPECT_THAT(built.table.entries,
              ElementsAre(MacEntry{{0x10}, 5}, MacEntry{{0x20}, 6}, MacEntry{{0x30}, 5}));
  EXPECT_THAT(built.duplicates,
              ElementsAre(vnic::Duplicate{{0x20}, {2}, {1}}, vnic::Duplicate{{0x30}, {1}, {2}}));
  const auto kept = build_table(ports, {{{0x30}, {2}}}, 100);
  EXPECT_EQ(kept.table.entries[2], (MacEntry{{0x30}, 6})) << "it had the address before";
}

TEST(VnicPolicy, AFullTableKeepsBaseMacAddresses) {
  std::vector<vnic::PortMacs> ports{{{1}, {5}, {0x900}, {}}, {{2}, {6}, {0x901}, {}}};
  for (std::uint64_t i = 1; i <= 10; ++i) ports[0].others.push_back({i});
  const auto built = build_table(ports, {}, 4);
  EXPECT_EQ(built.left_out, 8u);
  ASSERT_THAT(built.table.entries, SizeIs(4));
  EXPECT_EQ(built.table.entries[1].mac, (mad::Mac{0x901}));
}

TEST(VnicPolicy, PartsTurnAnyTableIntoAnyOther) {
  std::mt19937 random(7);
  const auto draw = [&](std::size_t count) {
    std::vector<MacEntry> entries;
    for (std::size_t i = 0; i < count; ++i)
      entries.push_back({{i * 3 + 1 + random() % 2}, static_cast<std::uint32_t>(random() % 3 + 1)});
    return make_table(std::move(entries));
  };
  for (int round = 0; round < 50; ++round) {
    const MacTable before = draw(random() % 400), wanted = draw(random() % 400);
    const auto parts = plan_table(&before, wanted, 2048);
    EXPECT_EQ(applied(before, parts), wanted);
    for (std::size_t i = 0; i + 1 < parts.size(); ++i)
      EXPECT_EQ(parts[i].digest, vnic::kDigestPartial);
    const auto all = plan_table(nullptr, wanted, 2048);
    EXPECT_EQ(applied(before, all), wanted) << "not known before";
    EXPECT_THAT(all, SizeIs(17));
  }
  const MacTable same = make_table({{{1}, 2}});
  EXPECT_THAT(plan_table(&same, same, 2048), IsEmpty());
}

TEST(VnicPolicy, DigestsAreNeitherEmptyNorPartial) {
  EXPECT_GT(make_table({}).digest, vnic::kDigestPartial);
  EXPECT_NE(make_table({{{1}, 2}}).digest, make_table({{{1}, 3}}).digest);
}

}  // namespace vnic_policy_test
