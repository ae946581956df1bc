#include "config/guid_files.h"

#include <gmock/gmock.h>

#include "option_samples.h"

namespace config {
namespace guid_files_test {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(GuidFiles, GuidList) {
  Diagnostics found;
  EXPECT_THAT(
      parse_guid_list({"roots", "# roots\n0x2c90300000001\n\n  0x2c90300000002 # spine\n"}, found),
      ElementsAre(0x2c90300000001, 0x2c90300000002));
  EXPECT_THAT(texts(found), IsEmpty());
}

TEST(GuidFiles, AllErrorsOfAListAtOnce) {
  Diagnostics found;
  EXPECT_THAT(
      parse_guid_list({"roots", "0x1\n 0002c903x\n0\n0x1\n0x3 spine two\n0x12345678901234567\n"},
                      found),
      ElementsAre(1, 3));
  EXPECT_THAT(
      texts(found),
      ElementsAre(
          "roots:2:2: error: '0002c903x' is not a GUID; write a GUID such as 0x0002c90300a1b2c3",
          "roots:3:1: error: GUID '0' is out of range; write a GUID such as 0x0002c90300a1b2c3",
          "roots:4:1: warning: '0x1' was listed before; the first one is used",
          "roots:5:5: warning: 'spine two' after the entry is ignored",
          "roots:6:1: error: GUID '0x12345678901234567' is out of range; write a GUID such as "
          "0x0002c90300a1b2c3"));
}

TEST(GuidFiles, NodeIds) {
  Diagnostics found;
  EXPECT_THAT(parse_node_ids({"ids", "0x1 0x10\n0x2 7\n0x3\n0x4 x\n"}, found),
              ElementsAre(NodeId{1, 16}, NodeId{2, 7}));
  EXPECT_THAT(
      texts(found),
      ElementsAre("ids:3:4: error: the line ends before the node id; write a node id such as 17",
                  "ids:4:5: error: 'x' is not a node id; write a node id such as 17"));
}

TEST(GuidFiles, NodeNames) {
  Diagnostics found;
  EXPECT_THAT(parse_node_names({"names",
                                "0x1 \"rack 4 leaf 2\"  # spare\n0x2 leaf\n0x3 \"a\" b\n0x4\n"
                                "0x1 \"again\"\n0x5 \"\"\n"},
                               found),
              ElementsAre(NodeName{1, "rack 4 leaf 2"}));
  EXPECT_THAT(texts(found),
              ElementsAre("names:2:5: error: 'leaf' is no name in double quotes; write the name in "
                          "double quotes, and nothing after it",
                          "names:3:5: error: '\"a\" b' is no name in double quotes; write the name "
                          "in double quotes, and nothing after it",
                          "names:4:4: error: '' is no name in double quotes; write the name in "
                          "double quotes, and nothing after it",
                          "names:5:1: warning: '0x1 \"again\"' was listed before; the first one is "
                          "used",
                          "names:6:5: error: '\"\"' is no name in double quotes; write the name in "
                          "double quotes, and nothing after it"));
}

TEST(GuidFiles, HopWeights) {
  Diagnostics found;
  EXPECT_THAT(parse_hop_weights(
                  {"weights", "0x1 3 2\n0x1 3 4\n0x1 4 255\n0x1 5 0\n0x1 255 1\n0x1 6\n"}, found),
              ElementsAre(HopWeight{1, 3, 2}, HopWeight{1, 4, 255}));
  EXPECT_THAT(
      texts(found),
      ElementsAre(
          "weights:2:1: warning: '0x1 3 4' was listed before; the first one is used",
          "weights:4:7: error: weight '0' is out of range; write a weight in 1..255",
          "weights:5:5: error: port number '255' is out of range; write a port number in 1..254",
          "weights:6:6: error: the line ends before the weight; write a weight in 1..255"));
}

TEST(GuidFiles, PortOrders) {
  Diagnostics found;
  EXPECT_THAT(parse_port_orders({"order", "0x1 3 2\t1\n0x2 1 x 2\n0x1 9\n0x3\n"}, found),
              ElementsAre(PortOrder{1, {3, 2, 1}}));
  EXPECT_THAT(
      texts(found),
      ElementsAre(
          "order:2:7: error: 'x' is not a port number; write a port number in 1..254",
          "order:3:1: warning: '0x1 9' was listed before; the first one is used",
          "order:4:4: error: the line ends before the port number; write a port number in 1..254"));
}

TEST(GuidFiles, IgnoredPorts) {
  Diagnostics found;
  EXPECT_THAT(parse_ignored_ports({"ignore", "0x1 3\n0x1 4\n"}, found),
              ElementsAre(IgnoredPort{1, 3}, IgnoredPort{1, 4}));
  EXPECT_THAT(texts(found), IsEmpty());
}

TEST(GuidFiles, PrefixRoutes) {
  Diagnostics found;
  EXPECT_THAT(
      parse_prefix_routes(
          {"routes", "# far\nfec0000000000001 0002c90300000001\n0xfec0000000000002 *\n* 0x5\n"},
          found),
      ElementsAre(PrefixRoute{0xfec0000000000001, 0x2c90300000001},
                  PrefixRoute{0xfec0000000000002, std::nullopt}, PrefixRoute{std::nullopt, 5}));
  EXPECT_THAT(texts(found), IsEmpty());
  EXPECT_THAT(
      parse_prefix_routes({"routes", "fec0\nfec1 x\n** 1\n* *\n* 1\n10000000000000000 1\n"}, found),
      ElementsAre(PrefixRoute{}));
  EXPECT_THAT(
      texts(found),
      ElementsAre("routes:1:5: error: the line ends before the GUID; write a hexadecimal GUID, or "
                  "* for any",
                  "routes:2:6: error: 'x' is not a GUID; write a hexadecimal GUID, or * for any",
                  "routes:3:1: error: '**' is not a GID prefix; write a hexadecimal GID prefix, or "
                  "* for any",
                  "routes:5:1: warning: '* 1' was listed before; the first one is used",
                  "routes:6:1: error: '10000000000000000' is not a GID prefix; write a hexadecimal "
                  "GID prefix, or * for any"));
}

TEST(GuidLines, AreCountedFromOneWithoutComments) {
  const auto lines = find_guid_lines("# tops\n\n0x10\n  17 3 # second\nname\n0x12\n");
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].guid, 0x10u);
  EXPECT_EQ(lines[0].line, 3);
  EXPECT_EQ(lines[1].guid, 17u);
  EXPECT_EQ(lines[1].line, 4);
  EXPECT_EQ(lines[2].line, 6);
}

}  // namespace guid_files_test
}  // namespace config
