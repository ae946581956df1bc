#include "partitions/membership.h"
#include "mad/format.h"

#include <gmock/gmock.h>

#include "support/fabrics.h"
#include "support/partitioned.h"

namespace partitions {
namespace membership_test {

using testing::ElementsAre;
using testing::IsEmpty;

/// A switch with two hosts (the SM runs on the first) and a router.
class MembershipTest : public testing::Test {
 protected:
  MembershipTest() {
    fabrics::Maker maker;
    const auto s = maker.sw(8), h = maker.ca(), h2 = maker.ca(), r = maker.router();
    maker.cable(s, 1, h, 1);
    maker.cable(s, 2, h2, 1);
    maker.cable(s, 3, r, 1);
    fabric = maker.build();
    fabric.sm_port = fabric.port(h, {1});
    ports = {fabric.port(s, {0}), fabric.sm_port, fabric.port(h2, {1}), fabric.port(r, {1})};
  }
  /// Keys by port: switch, host of the SM, other host, router.
  std::vector<std::vector<std::uint16_t>> keys(std::string_view text) {
    map = partition_map(partitioned::read(text), fabric, options);
    std::vector<std::vector<std::uint16_t>> all;
    for (const fabric::PortIndex port : ports) {
      all.emplace_back();
      for (const mad::PKey key : map.get_keys(end_port(port))) all.back().push_back(key.value);
    }
    return all;
  }
  fabric::EndPortIndex end_port(fabric::PortIndex port) const {
    return fabric::EndPortIndex(std::ranges::find(fabric.end_ports, port) -
                                fabric.end_ports.begin());
  }
  std::string guid(std::size_t i) const { return fmt::format("{}", fabric.ports[ports[i]].guid); }
  std::vector<std::uint16_t> first_keys() const {
    std::vector<std::uint16_t> all;
    for (const fabric::PortIndex port : ports) all.push_back(map.first_keys[end_port(port)].value);
    return all;
  }

  fabric::Fabric fabric;
  std::vector<fabric::PortIndex> ports;
  config::Options options;
  fabric::PartitionMap map;
};

using Keys = std::vector<std::uint16_t>;

TEST_F(MembershipTest, KeywordsSelectPortsByType) {
  EXPECT_THAT(keys("A=1:ALL_CAS=full; B=2:ALL_SWITCHES; C=3:ALL_ROUTERS; D=4:SELF=full; "
                   "E=5:ALL_VCAS=full; F=6:0x99;"),
              ElementsAre(Keys{2, 0x7fff}, Keys{0x8001, 0x8004, 0xffff}, Keys{0x8001, 0x7fff},
                          Keys{3, 0x7fff}));
  EXPECT_EQ(map.partitions.size(), 5u) << "those without members are left out";
  EXPECT_EQ(map.find({0x8005}), nullptr);
  EXPECT_EQ(map.find({0x8003})->name, "C");
}

TEST_F(MembershipTest, GuidRangesSelectPorts) {
  const std::string range = fmt::format("A=1: {}-{}=full;", guid(1), guid(2));
  EXPECT_THAT(keys(range),
              ElementsAre(Keys{0x7fff}, Keys{0x8001, 0xffff}, Keys{0x8001, 0x7fff}, Keys{0x7fff}));
}

TEST_F(MembershipTest, LastEntryForAPortIsUsed) {
  EXPECT_THAT(
      keys(fmt::format("A=1: ALL=full, {}=limited, {}; A=1: SELF=limited, {}=full;", guid(2),
                       guid(3), guid(3))),
      ElementsAre(Keys{0x8001, 0x7fff}, Keys{1, 0xffff}, Keys{1, 0x7fff}, Keys{0x8001, 0x7fff}));
}

TEST_F(MembershipTest, BothNeedsAllowBothPkeys) {
  const std::string text =
      fmt::format("A=1: ALL=both, {}=limited; A=1: {}=full;", guid(2), guid(3));
  EXPECT_THAT(keys(text), ElementsAre(Keys{0x8001, 0x7fff}, Keys{0x8001, 0xffff}, Keys{1, 0x7fff},
                                      Keys{0x8001, 0x7fff}));
  EXPECT_THAT(first_keys(), ElementsAre(0x7fff, 0xffff, 0x7fff, 0x7fff));
  options.allow_both_pkeys = true;
  EXPECT_THAT(keys(text), ElementsAre(Keys{1, 0x8001, 0x7fff}, Keys{1, 0x8001, 0xffff},
                                      Keys{1, 0x7fff}, Keys{0x8001, 0x7fff}));
  EXPECT_THAT(first_keys(), ElementsAre(0, 0xffff, 0, 0)) << "no limited default key at index 0";
}

TEST_F(MembershipTest, Index0HasTheFullDefaultKeyOrTheLimitedKeyOfIndx0) {
  options.allow_both_pkeys = true;
  EXPECT_THAT(keys("Default: ALL=both; A=1,indx0: ALL_CAS=both;"),
              ElementsAre(Keys{0x7fff, 0xffff}, Keys{1, 0x8001, 0x7fff, 0xffff},
                          Keys{1, 0x8001, 0x7fff, 0xffff}, Keys{0x7fff, 0xffff}));
  EXPECT_THAT(first_keys(), ElementsAre(0xffff, 1, 1, 0xffff));
}

TEST_F(MembershipTest, Indx0AppliesToMembersOfItsDefinition) {
  keys(fmt::format("A=1,indx0: SELF=full; A=1: ALL; B=2,indx0: {}, {};", guid(1), guid(3)));
  EXPECT_THAT(first_keys(), ElementsAre(0x7fff, 2, 0x7fff, 2)) << "the last definition is used";
}

TEST_F(MembershipTest, GroupsNeedMembersAndSlsNeedQos) {
  const std::string text = "A=1,ipoib,sl=3: ALL; B=2,ipoib,sl=4: 0x99; C=3,ipoib: ALL_VCAS;";
  keys(text);
  ASSERT_EQ(map.groups.size(), 1u);
  EXPECT_EQ(map.groups[0].p_key, mad::PKey{0x8001});
  EXPECT_EQ(map.groups[0].sl, mad::Sl{0});
  EXPECT_EQ(map.find({1})->sl, mad::Sl{0});
  options.qos = true;
  keys(text);
  EXPECT_EQ(map.groups[0].sl, mad::Sl{3});
  EXPECT_EQ(map.find({1})->sl, mad::Sl{3});
}

TEST_F(MembershipTest, VPortsAreMembersOfTheirOwn) {
  const mad::Guid vports[] = {{0x501}, {0x502}, {0x99}};
  map = partition_map(
      partitioned::read("Default=0x7fff: ALL_CAS=full, ALL_VCAS; A=1,indx0: ALL_VCAS=full; "
                        "B=2: 0x500-0x502=full; C=3: 0x99;"),
      fabric, options, vports);
  const auto get_keys = [&](std::size_t vport) {
    std::vector<std::uint16_t> all;
    for (const mad::PKey key : map.get_keys(fabric::EndPortIndex(fabric.end_ports.size() + vport)))
      all.push_back(key.value);
    return all;
  };
  EXPECT_THAT(get_keys(0), ElementsAre(0x8001, 0x8002, 0x7fff));
  EXPECT_THAT(get_keys(1), ElementsAre(0x8001, 0x8002, 0x7fff));
  EXPECT_THAT(get_keys(2), ElementsAre(0x8001, 0x0003, 0x7fff));
  EXPECT_EQ(map.first_keys.back(), mad::PKey{0x8001});
  EXPECT_NE(map.find({3}), nullptr) << "its only member is a vport";
}

}  // namespace membership_test
}  // namespace partitions
