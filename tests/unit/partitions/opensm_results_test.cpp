// Compares the results of OpenSM 3.3.23 for partitions.conf files on one fabric (fattree2-16h in
// ibsim, SM on H0-0) with those of Heddle.

#include <gmock/gmock.h>

#include "fabric/topology/read.h"
#include "mad/format.h"
#include "support/fabrics.h"
#include "support/partitioned.h"

namespace partitions {
namespace opensm_results_test {

using Table = std::vector<std::uint16_t>;

struct Case {
  std::string name, text;
  bool both = false;                   // allow_both_pkeys
  Table sm, host, switch0, leaf_port;  // H0-0, H1-0, port 0 of H0-0's switch, its port 2 (to H1-0),
                                       // without the zeros at the end
  std::vector<std::string> groups{};   // "mgid mtu rate", in order of creation
};

void PrintTo(const Case& test, std::ostream* out) { *out << test.name << ": " << test.text; }

const std::vector<Case> kCases{
    {"c01",
     "Default=0x7fff, ipoib : ALL=full ;",
     false,
     {0xffff},
     {0xffff},
     {0xffff},
     {0xffff},
     {"ff12401bffff0000 00000000ffffffff 4 3"}},
    {"c02",
     "Default=0x7fff : ALL, SELF=full ;\nP2=0x8002 : 0x2c90000000001=full, 0x2c90000000041 ;",
     false,
     {0xffff, 0x8002},
     {0x7fff, 0x0002},
     {0x7fff},
     {0x7fff, 0x0002}},
    {"c03",
     "# only a comment\n",
     false,
     {0xffff},
     {0xffff},
     {0xffff},
     {0xffff},
     {"ff12401bffff0000 00000000ffffffff 4 3"}},
    {"c04", "Default=0x7fff : ALL=full", false, {0xffff}, {0xffff}, {0xffff}, {0xffff}},
    {"c05",
     "p1 : ALL=full ;\n=0x12 : ALL=both ;\n0x13 : ALL=full ;",
     false,
     {0xffff, 0x8001, 0x8012, 0x8013},
     {0x7fff, 0x8001, 0x8012, 0x8013},
     {0x7fff, 0x8001, 0x8012, 0x8013},
     {0x7fff, 0x8001, 0x8012, 0x8013}},
    {"c06",
     "A=0x10,ipoib,defmember=full,rate=7,mtu=5,sl=3,scope=2,scope=5 : 0x2c90000000001, "
     "0x2c90000000041=limited ;",
     false,
     {0xffff, 0x8010},
     {0x7fff, 0x0010},
     {0x7fff},
     {0x7fff, 0x0010},
     {"ff12401b80100000 00000000ffffffff 5 7"}},
    {"c07",
     "A=0x10 : 0x2c90000000001=full ;\nA=0x10 : 0x2c90000000041=full ;\nB=0x10 : ALL_SWITCHES=full "
     ";\nC=0x11,indx0 : ALL_CAS=full ;",
     false,
     {0x8011, 0x8010, 0xffff},
     {0x8011, 0x8010, 0x7fff},
     {0x7fff, 0x8010},
     {0x8011, 0x8010, 0x7fff}},
    {"c12",
     "A=0x10,bogus=1,ipo : ALL=ful, SEL=f ;",
     false,
     {0xffff, 0x8010},
     {0x7fff, 0x8010},
     {0x7fff, 0x8010},
     {0x7fff, 0x8010},
     {"ff12401b80100000 00000000ffffffff 4 3"}},
    {"c13",
     "A=0x20,ipoib "
     ":\nmgid=ff12:401b::1234,Q_Key=0x99\nmgid=ff12::1:2:3,mtu=4,rate=3,sl=0,Q_Key=0x1234,TClass=1,"
     "FlowLabel=5\nALL=full ;",
     false,
     {0xffff, 0x8020},
     {0x7fff, 0x8020},
     {0x7fff, 0x8020},
     {0x7fff, 0x8020},
     {"ff12401b80200000 00000000ffffffff 4 3", "ff12401b80200000 0000000000001234 4 3",
      "ff12000000000000 0000000100020003 4 3"}},
    {"c14",
     "Default=0x7fff:ALL=full; X=0x30:SELF; Y=0x31:\n 0x2c90000000001=full,\n "
     "0x2c90000000041=full;",
     false,
     {0xffff, 0x0030, 0x8031},
     {0xffff, 0x8031},
     {0xffff},
     {0xffff, 0x8031}},
    {"c17",
     "X=0x30:ALL=limited; X=0x31:ALL=full;",
     false,
     {0xffff, 0x0030, 0x8031},
     {0x7fff, 0x0030, 0x8031},
     {0x7fff, 0x0030, 0x8031},
     {0x7fff, 0x0030, 0x8031}},
    {"c18",
     "X=0x8030 : ALL=full, 0x2c90000000041=limited;",
     false,
     {0xffff, 0x8030},
     {0x7fff, 0x0030},
     {0x7fff, 0x8030},
     {0x7fff, 0x0030}},
    {"c19",
     "X=0x30 : ALL=both ;",
     false,
     {0xffff, 0x8030},
     {0x7fff, 0x8030},
     {0x7fff, 0x8030},
     {0x7fff, 0x8030}},
    {"c05_both",
     "p1 : ALL=full ;\n=0x12 : ALL=both ;\n0x13 : ALL=full ;",
     true,
     {0xffff, 0x8001, 0x0012, 0x8012, 0x8013},
     {0, 0x8001, 0x0012, 0x8012, 0x8013, 0x7fff},
     {0, 0x8001, 0x0012, 0x8012, 0x8013, 0x7fff},
     {0x8001, 0x8012, 0x8013, 0x7fff}},
    {"c18_both",
     "X=0x8030 : ALL=full, 0x2c90000000041=limited;",
     true,
     {0xffff, 0x8030},
     {0, 0x0030, 0x7fff},
     {0, 0x8030, 0x7fff},
     {0x0030, 0x7fff}},
    {"c19_both",
     "X=0x30 : ALL=both ;",
     true,
     {0xffff, 0x0030, 0x8030},
     {0, 0x0030, 0x8030, 0x7fff},
     {0, 0x0030, 0x8030, 0x7fff},
     {0x8030, 0x7fff}},
};

fabric::Fabric measured_fabric() {
  const topology::TopologyFile file =
      topology::read_topology(HEDDLE_TEST_DATA "/topologies/fattree2-16h.net");
  EXPECT_TRUE(file.ok());
  fabric::Fabric fabric = fabrics::from_topology(file.topology);
  partitioned::give_tables(fabric);
  fabric.sm_port = fabric.port_of_guid.at(mad::Guid{0x2c90000000001});
  return fabric;
}

class OpensmResults : public testing::TestWithParam<Case> {};

TEST_P(OpensmResults, KeysIndicesAndGroupsAreEqual) {
  const Case& test = GetParam();
  const fabric::Fabric fabric = measured_fabric();
  config::Options options;
  options.allow_both_pkeys = test.both;
  const fabric::PartitionMap map = partition_map(partitioned::read(test.text), fabric, options);
  const PKeyTargets targets = p_key_targets(fabric, map, options);
  EXPECT_TRUE(targets.conditions.empty());
  const auto table_of = [&](fabric::PortIndex port) {
    Table keys = partitioned::table(fabric, targets.blocks, port);
    while (!keys.empty() && keys.back() == 0) keys.pop_back();
    return keys;
  };
  const fabric::NodeIndex leaf = fabric.ports[fabric.ports[fabric.sm_port].peer].node;
  EXPECT_EQ(table_of(fabric.sm_port), test.sm);
  EXPECT_EQ(table_of(fabric.port_of_guid.at(mad::Guid{0x2c90000000041})), test.host);
  EXPECT_EQ(table_of(fabric.port(leaf, {0})), test.switch0);
  EXPECT_EQ(table_of(fabric.port(leaf, {2})), test.leaf_port);
  std::vector<std::string> groups;
  for (const fabric::WellKnownGroup& group : map.groups)
    groups.push_back(fmt::format("{:016x} {:016x} {} {}", group.mgid.prefix, group.mgid.guid.value,
                                 group.mtu, group.rate));
  EXPECT_EQ(groups, test.groups);
}

INSTANTIATE_TEST_SUITE_P(Files, OpensmResults, testing::ValuesIn(kCases),
                         [](const auto& test) { return test.param.name; });

TEST(OpensmResults, WithoutAFileAllPortsAreFullMembers) {
  const fabric::Fabric fabric = measured_fabric();
  const fabric::PartitionMap map = partition_map(default_configuration(), fabric, {});
  for (const fabric::EndPortIndex i : fabric.end_ports.indices())
    EXPECT_THAT(map.get_keys(i), testing::ElementsAre(mad::kDefaultPKeyFull));
  EXPECT_EQ(map.groups.size(), 1u);
}

/// Files that OpenSM rejects, with full membership of all ports instead, and that Heddle rejects
/// completely (c08 has NVIDIA's syntax and is valid).
TEST(OpensmResults, FilesRejectedByOpensmAreErrorsWithPosition) {
  const std::pair<std::string, std::string> wrong[] = {
      {"A=0x10 : 0xzz=full ;", "1:10"},    {"A=zz : ALL=full ;", "1:3"},
      {"A=0x10 ALL=full ;", "1:1"},        {"X=0x30:ALL=full\nY=0x31:ALL=full;", "2:1"},
      {"X=0x30,\nipoib:ALL=full;", "1:1"}, {"A=0x20,ipoib :\nmgid=1::2\nALL=full ;", "2:6"}};
  for (const auto& [text, place] : wrong) {
    config::Diagnostics found;
    parse_partitions_conf({"p.conf", text}, found);
    ASSERT_FALSE(found.empty()) << text;
    EXPECT_EQ(found.front().severity, config::Severity::error) << text;
    EXPECT_THAT(found.front().text(), testing::StartsWith("p.conf:" + place + ": error: ")) << text;
  }
  partitioned::read("A=0x10 : ALL_VCAS=full ;");
}

}  // namespace opensm_results_test
}  // namespace partitions
