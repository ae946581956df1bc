#include "fabric/topology/read.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/fabric/topology/sound.h"

namespace topology {
namespace read_ibnetdiscover_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TopologyFile read_text(std::string_view text) { return read_ibnetdiscover({"a.net", text}); }

std::string findings(const TopologyFile& file) {
  std::string all;
  for (const config::Diagnostic& finding : file.findings) all += finding.text() + '\n';
  return all;
}

TEST(ReadIbnetdiscover, ReadsOutputOfIbnetdiscover) {
  const TopologyFile file = read_text(R"(#
# Topology file: generated on Sat Nov 21 11:59:10 2026
#
# Initiated from node 0002c90300000010 port 0002c90300000011
DR path slid 0; dlid 0; 0 -> new Switch {0002c90200000010} portnum 0 lid 0-0 ""

Non-Chassis Nodes

vendid=0x15b3
devid=0xd2f0
sysimgguid=0x2c90200000013
switchguid=0x2c90200000010(2c90200000010)
Switch	36 "S-0002c90200000010"		# "leaf one" enhanced port 0 lid 4 lmc 0
[1]	"H-0002c90300000010"[1](2c90300000ff1) 		# "host HCA-1" lid 3 4xEDR
[2][ext 7]	"S-0002c90200000020"[5][ext 1]		# "spine" lid 5 12xFDR10 s=1
[36]	"R-0002c90400000000"[2](2c90400000002) 		# "router" lid 9 1xSDR

vendid=0x2c9
devid=0xbd36
sysimgguid=0x2c90200000020
switchguid=0x2c90200000020(2c90200000020)
Switch	8 "S-0002c90200000020"		# "spine" base port 0 lid 5 lmc 0
[5]	"S-0002c90200000010"[2]		# "leaf one" lid 4 12xFDR10

vendid=0x2c9
devid=0x1011
sysimgguid=0x2c90300000013
caguid=0x2c90300000010
Ca	2 "H-0002c90300000010"		# "host HCA-1"
[1](2c90300000ff1) 	"S-0002c90200000010"[1]		# lid 3 lmc 0 "leaf one" lid 4 4xEDR

rtguid=0x2c90400000000
Rt	2 "R-0002c90400000000"		# "router"
[2](2c90400000002) 	"S-0002c90200000010"[36]		# lid 9 lmc 0 "leaf one" lid 4 1xSDR
)");
  ASSERT_EQ(findings(file), "");
  const Topology& topology = file.topology;
  ASSERT_EQ(topology.nodes.size(), 4u);
  const Node& leaf = topology.nodes[0];
  EXPECT_EQ(leaf.type, NodeType::switch_);
  EXPECT_EQ(leaf.name, "leaf one");
  EXPECT_EQ(leaf.id, "S-0002c90200000010");
  EXPECT_EQ(leaf.guid.value, 0x2c90200000010u);
  EXPECT_EQ(leaf.system_guid.value, 0x2c90200000013u);
  EXPECT_EQ(leaf.vendor_id, 0x15b3u);
  EXPECT_EQ(leaf.device_id, 0xd2f0u);
  EXPECT_TRUE(leaf.enhanced_port0);
  EXPECT_FALSE(topology.nodes[1].enhanced_port0);
  EXPECT_EQ(topology.nodes[1].system_guid.value, 0u) << "its own";
  const Node& host = topology.nodes[2];
  EXPECT_THAT(host.port_guids, ElementsAre(mad::Guid{0x2c90300000ff1}, mad::Guid{0x2c90300000012}));
  EXPECT_EQ(topology.nodes[3].type, NodeType::router);
  EXPECT_TRUE(topology.nodes[3].port_guids.empty()) << "they follow from the node's";
  EXPECT_THAT(topology.links,
              ElementsAre(Link{{0, {1}}, {2, {1}}, LinkWidth::x4, LinkSpeed::edr},
                          Link{{0, {2}}, {1, {5}}, LinkWidth::x12, LinkSpeed::fdr10},
                          Link{{0, {36}}, {3, {2}}, LinkWidth::x1, LinkSpeed::sdr}));
  EXPECT_EQ(topology.find("spine"), 1u);
  EXPECT_EQ(topology.find("S-0002c90200000020"), 1u);
}

TEST(ReadIbnetdiscover, NodeDescriptionsAreAtMost64BytesOfUtf8) {
  const auto find_name = [](const std::string& description) {
    const TopologyFile file = read_text("Ca\t1 \"H-1\"\t\t# \"" + description + "\"\n");
    return file.topology.nodes.size() == 1 ? file.topology.nodes[0].name : "not read";
  };
  EXPECT_EQ(find_name("M\xC3\xBCnchen \xE6\x9D\xB1 \xF0\x9F\x98\x80"),
            "M\xC3\xBCnchen \xE6\x9D\xB1 \xF0\x9F\x98\x80");
  EXPECT_EQ(find_name("a\xFFz"), "a?z");
  EXPECT_EQ(find_name("a\xC3z"), "a?z");            // the second byte is missing
  EXPECT_EQ(find_name("a\xC0\x80z"), "a??z");       // longer than it has to be
  EXPECT_EQ(find_name("a\xED\xA0\x80z"), "a???z");  // half of a surrogate pair
  EXPECT_EQ(find_name("a\xEF\xBF\xBFz"), "a???z");  // a noncharacter
  EXPECT_EQ(find_name(std::string(63, 'x') + "\xC3\xBC"), std::string(63, 'x') + "?");
}

TEST(ReadIbnetdiscover, ReadsTwoHostsWithoutASwitch) {
  const TopologyFile file = read_text(R"(caguid=0x10
Ca	1 "H-0000000000000010"		# "H1"
[1](11) 	"H-0000000000000020"[1] (21) 		# lid 0 lmc 0 "H0" lid 0 4xSDR

caguid=0x20
Ca	1 "H-0000000000000020"		# "H0"
[1](21) 	"H-0000000000000010"[1] (11) 		# lid 0 lmc 0 "H1" lid 0 4xSDR
)");
  EXPECT_EQ(findings(file), "");
  EXPECT_THAT(file.topology.links,
              ElementsAre(Link{{0, {1}}, {1, {1}}, LinkWidth::x4, LinkSpeed::sdr}));
}

TEST(ReadIbnetdiscover, ReadsInputOfIbsim) {
  const TopologyFile file = read_text(R"(width=3
speed=3
do console
Switch	8 "Sw1"   # not quoted lid 7 lmc 0
[1]	"Hca1"[1]
[2]	"Hca2"	w=1 s=1
[3]	"Sw2"[3] s=7 e=3 w=11
# a comment among the ports

switchguid=0x500
Switch 8 "Sw2"
[3]	"Sw1"[3] s=7 e=1 w=8

Hca	2 "Hca1"
[1]	"Sw1"[1]

Hca	2 "Hca2"
[1]	"Sw1"[2]

hcaguids+0x100
Hca 1 "Hca3"
)");
  ASSERT_EQ(findings(file), "");
  const Topology& topology = file.topology;
  EXPECT_THAT(file.console_lines, ElementsAre("console"));
  EXPECT_EQ(topology.nodes[0].name, "not quoted");
  EXPECT_EQ(topology.nodes[0].guid.value, 0x200000u);
  EXPECT_EQ(topology.nodes[1].guid.value, 0x500u);
  EXPECT_EQ(topology.nodes[2].guid.value, 0x100000u);
  EXPECT_EQ(topology.nodes[3].guid.value, 0x100003u);
  EXPECT_EQ(topology.nodes[4].guid.value, 0x100100u);
  EXPECT_THAT(topology.links,
              ElementsAre(Link{{0, {1}}, {2, {1}}, LinkWidth::x4, LinkSpeed::ddr},
                          Link{{0, {2}}, {3, {1}}, LinkWidth::x1, LinkSpeed::sdr},
                          Link{{0, {3}}, {1, {3}}, LinkWidth::x12, LinkSpeed::fdr}));
}

TEST(ReadIbnetdiscover, ModulesAndAliasesNamePorts) {
  const TopologyFile file = read_text(R"(module="box"
Switch 4 "Chip1"
@[1] "port1"
[2] "Chip2"[1]

Switch 4 "Chip2"
[1] "Chip1"[2]

module=""
Hca 1 "H"
[1] "box@port1"
)");
  ASSERT_EQ(findings(file), "");
  EXPECT_EQ(file.topology.nodes[0].key(), "box#Chip1");
  EXPECT_THAT(file.topology.links, ElementsAre(Link{{0, {2}}, {1, {1}}}, Link{{2, {1}}, {0, {1}}}));
}

TEST(ReadIbnetdiscover, IncludesOtherFiles) {
  const std::map<std::string, std::string> disk{{"switch.net", "Switch 1 \"S\"\n[1] \"H\"[1]\n"},
                                                {"loop.net", "include \"loop.net\"\n"}};
  const config::FileReader reader =
      [&](const std::string& path) -> tl::expected<std::string, std::error_code> {
    const auto it = disk.find(path);
    if (it == disk.end())
      return tl::unexpected(std::make_error_code(std::errc::no_such_file_or_directory));
    return it->second;
  };
  const TopologyFile file =
      read_ibnetdiscover({"a.net", "include \"switch.net\"\n\nCa 1 \"H\"\n[1] \"S\"[1]\n"}, reader);
  EXPECT_EQ(findings(file), "");
  EXPECT_EQ(file.topology.links.size(), 1u);
  EXPECT_THAT(findings(read_ibnetdiscover({"a.net", "\ninclude \"none.net\"\n"}, reader)),
              HasSubstr("a.net:2:9: error: cannot read 'none.net': No such file or directory"));
  EXPECT_THAT(findings(read_ibnetdiscover({"a.net", "include \"loop.net\"\n"}, reader)),
              HasSubstr("loop.net:1:9: error: files include each other"));
}

struct Wrong {
  std::string text, finding;
};

class ReadIbnetdiscoverRefuses : public ::testing::TestWithParam<Wrong> {};

TEST_P(ReadIbnetdiscoverRefuses, WithPositionAndRemedy) {
  const TopologyFile file = read_text(GetParam().text);
  EXPECT_FALSE(file.ok());
  EXPECT_THAT(findings(file), HasSubstr(GetParam().finding)) << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(
    Mistakes, ReadIbnetdiscoverRefuses,
    ::testing::Values(
        Wrong{"", "a.net:1:1: error: there is no node in this file"},
        Wrong{"Swich 8 \"S\"\n",
              "a.net:1:1: error: 'Swich 8 \"S\"' is not a keyword of a topology file; lines start "
              "with "
              "Switch"},
        Wrong{"Switch 0 \"S\"\n", "a.net:1:8: error: the number of ports is not 1 to 254"},
        Wrong{"Switch 255 \"S\"\n", "a.net:1:8: error: the number of ports is not 1 to 254"},
        Wrong{"Switch 8 S\n", "a.net:1:10: error: the name of the node is missing"},
        Wrong{"Switch 8 \"S\n", "a.net:1:10: error: the name of the node is missing"},
        Wrong{"Switch 8 \"S#1\"\n", "a.net:1:10: error: 'S#1' is not a name"},
        Wrong{"[1] \"S\"[1]\n", "a.net:1:1: error: a port without its node"},
        Wrong{"Switch 8 \"S\"\n[9] \"H\"[1]\n",
              "a.net:2:1: error: 'S' has no port 9; its line says 8 ports"},
        Wrong{"Switch 8 \"S\"\n[0] \"H\"[1]\n", "a.net:2:1: error: 'S' has no port 0"},
        Wrong{"Switch 8 \"S\"\n[x] \"H\"[1]\n", "a.net:2:1: error: no port number here"},
        Wrong{"Switch 8 \"S\"\n[1] H[1]\n",
              "a.net:2:5: error: the name of the node at the other end is missing"},
        Wrong{"Switch 8 \"S\"\n[1] \"H\"[0]\n",
              "a.net:2:8: error: the port at the other end is not 1 to 254"},
        Wrong{"Switch 8 \"S\"\n[1] \"H\"[1]\n", "a.net:2:5: error: there is no node 'H'"},
        Wrong{"Switch 8 \"S\"\n[1] \"H\"[1]\n\nCa 1 \"H\"\n",
              "a.net:2:5: error: port 1 of 'S' leads to port 1 of 'H', which has no line of its "
              "own; [1] \"S\"[1] below line 4"},
        Wrong{"Switch 8 \"S\"\n[1] \"H\"[1]\n\nCa 1 \"H\"\n[1] \"S\"[2]\n",
              "a.net:2:5: error: port 1 of 'S' leads to port 1 of 'H', but line 5 says that one "
              "leads to port 2 of 'S'"},
        Wrong{"Switch 8 \"S\"\n[1] \"H\"[2]\n\nCa 1 \"H\"\n[1] \"S\"[1]\n",
              "a.net:2:5: error: 'H' has no port 2; line 4 says 1 ports"},
        Wrong{"Switch 8 \"S\"\n[1] \"S\"[1]\n",
              "a.net:2:5: error: port 1 of 'S' is connected to itself"},
        Wrong{"Switch 8 \"S\"\n[1] \"H\"[1]\n[1] \"H\"[2]\n",
              "a.net:3:1: error: port 1 of 'S' is here twice"},
        Wrong{"Switch 8 \"S\"\n\nSwitch 8 \"S\"\n",
              "a.net:3:1: error: a node 'S' is in line 1 already"},
        Wrong{"switchguid=0x10\nSwitch 8 \"S\"\n\nswitchguid=0x10\nSwitch 8 \"T\"\n",
              "a.net:5:1: error: GUID 0x0000000000000010 of 'T' belongs to 'S' in line 2"},
        Wrong{"caguid=0x10\nCa 2 \"A\"\n\ncaguid=0x11\nCa 1 \"B\"\n",
              "port GUID 0x0000000000000012 of 'B' port 1 belongs to 'A' port 2"},
        Wrong{"switchguid=0\nSwitch 8 \"S\"\n", "node 'S' has GUID 0"},
        Wrong{"switchguid=xyz\nSwitch 8 \"S\"\n", "a.net:1:12: error: no GUID here"},
        Wrong{"devid=0x10000\n", "a.net:1:7: error: devid is not a number from 0 to 0xffff"},
        Wrong{"Switch 8 \"S\"\n[1] \"S\"[2] q=3\n[2] \"S\"[1]\n",
              "a.net:2:12: error: this is not an option of a port"},
        Wrong{"Switch 8 \"S\"\n[1] \"S\"[2] w=99\n[2] \"S\"[1]\n",
              "a.net:2:12: error: this is not an option of a port"},
        Wrong{"Switch 8 \"S\"\n[1] \"x@y\"\n", "a.net:2:5: error: no port is called 'x@y'"},
        Wrong{"include \"x.net\"\n", "a.net:1:9: error: no other files can be included here"},
        Wrong{"Switch 8 \"S\"\n[1] \"H\"[1](99)\n\nCa 1 \"H\"\n[1](98) \"S\"[1]\n", "has GUID"}));

TEST(ReadIbnetdiscover, StopsAfterFiftyFindings) {
  std::string text = "Switch 8 \"S\"\n\n";
  for (int i = 0; i < 1000; ++i) text += "devid=x\n";
  EXPECT_EQ(read_text(text).findings.size(), 50u);
}

TEST(ReadIbnetdiscover, ReadsTheRecordedTopologies) {
  unsigned files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(
           std::filesystem::path(HEDDLE_TEST_DATA) / "topologies")) {
    const TopologyFile file = read_topology(entry.path().string());
    EXPECT_EQ(findings(file), "");
    expect_sound(file.topology, false);
    EXPECT_EQ(subnets(file.topology).size(), 1u);
    ++files;
  }
  EXPECT_GE(files, 5u);
}

TEST(ReadTopology, NamesTheMissingFile) {
  EXPECT_EQ(findings(read_topology("/nowhere.net")),
            "/nowhere.net: error: cannot be read: No such file or directory\n");
}

}  // namespace read_ibnetdiscover_test
}  // namespace topology
