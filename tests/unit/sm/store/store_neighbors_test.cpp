#include <gtest/gtest.h>

#include "sm/store/cache_files.h"
#include "support/fabrics.h"
#include "unit/sm/temporary_directory.h"

namespace store_neighbors_test {

TEST(Neighbors, EveryLinkHasTwoRecordsAndSwitchesHaveTheGuidOfPort0) {
  fabrics::Maker maker;
  const auto s1 = maker.add(mad::NodeType::switch_, 8, "S1", {0x0002c90200000110});
  const auto h1 = maker.add(mad::NodeType::ca, 2, "H1", {0x0002c90000000010});
  const auto s2 = maker.add(mad::NodeType::switch_, 4, "S2", {0x0002c90200000160});
  maker.cable(h1, 1, s1, 1);
  maker.cable(s2, 2, s1, 7);
  const TemporaryDirectory dir;
  ASSERT_TRUE(sm::save_neighbors(dir / "cache", maker.build(), false));
  EXPECT_EQ(text_of(dir / "cache/neighbors"),
            "0x0002c90000000011:1 0x0002c90200000110:1\n\n"
            "0x0002c90200000110:1 0x0002c90000000011:1\n\n"
            "0x0002c90200000110:7 0x0002c90200000160:2\n\n"
            "0x0002c90200000160:2 0x0002c90200000110:7\n\n");
}

TEST(Neighbors, APortThatIsNotManagedIsLeftOut) {
  fabrics::Maker maker;
  const auto s1 = maker.add(mad::NodeType::switch_, 8, "S1", {0x0002c90200000110});
  const auto h1 = maker.add(mad::NodeType::ca, 1, "H1", {0x0002c90000000010});
  maker.cable(h1, 1, s1, 1);
  fabric::Fabric fabric = maker.build();
  fabric.ports[fabric.port_of_guid.at(mad::Guid{0x0002c90000000011})].known = false;
  const TemporaryDirectory dir;
  ASSERT_TRUE(sm::save_neighbors(dir / "cache", fabric, false));
  EXPECT_EQ(text_of(dir / "cache/neighbors"), "");
}

TEST(Neighbors, GuidsAreReadBack) {
  EXPECT_EQ(sm::neighbor_guids("0x0002c90200000010:1 0x0002c90000000020:2\n\nhello\n0x12:1\n"
                               "0x0002c90000000020:2 0x0002c90200000010:1"),
            (std::set<mad::Guid>{mad::Guid{0x0002c90200000010}, mad::Guid{0x0002c90000000020}}));
  EXPECT_TRUE(sm::neighbor_guids("").empty());
  EXPECT_FALSE(sm::load_neighbor_guids("/no/such/directory"));
}

/// A standby writes the links that subnet administration of the master has named.
TEST(Neighbors, LinksAreWrittenAndReadBackWithBothPorts) {
  fabrics::Maker maker;
  const auto s1 = maker.add(mad::NodeType::switch_, 8, "S1", {0x0002c90200000110});
  const auto h1 = maker.add(mad::NodeType::ca, 2, "H1", {0x0002c90000000010});
  maker.cable(h1, 2, s1, 7);
  const fabric::Fabric fabric = maker.build();
  const std::vector<sm::NeighborLink> links = sm::neighbor_links(fabric);
  EXPECT_EQ(links, (std::vector<sm::NeighborLink>{{.guid = {0x0002c90000000012},
                                                   .port = {2},
                                                   .peer = {0x0002c90200000110},
                                                   .peer_port = {7}},
                                                  {.guid = {0x0002c90200000110},
                                                   .port = {7},
                                                   .peer = {0x0002c90000000012},
                                                   .peer_port = {2}}}));
  EXPECT_EQ(sm::neighbors_text(links), sm::neighbors_text(fabric));
  const TemporaryDirectory dir;
  ASSERT_TRUE(sm::save_neighbors(dir / "cache", links, false));
  EXPECT_EQ(sm::load_neighbor_links(dir / "cache"), links);
}

}  // namespace store_neighbors_test
