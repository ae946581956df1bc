// SL2VL and VL arbitration: Heddle's tables compared with OpenSM's on the same fabric, and a
// routing that needs VLs.

#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "ibsim/fixture.h"
#include "mad/format.h"

namespace harness {
namespace vls_test {

constexpr const char* kQos =
    "qos TRUE\n"
    "qos_vlarb_high 0:11,1:12,2:13,7:9\n"
    "qos_vlarb_low 0:1,1:2,5:4,9:3\n"
    "qos_sl2vl 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
    "qos_ca_sl2vl 7,6,5,4,3,2,1,0,7,6,5,4,3,2,1,0\n"
    "qos_swe_vlarb_low 3:33\n";

class VlsOnIbsim : public OnIbsim {
 protected:
  std::string query(const std::vector<std::string>& argv, const std::string& host = "") {
    const Finished done = fabric().run(argv, {.host = host});
    EXPECT_TRUE(done.ok()) << argv[0] << ": " << done.err;
    return done.out;
  }
  /// Tables of the manager's host, of the switch next to it and of a host beyond it, read from the
  /// devices.
  std::string tables() {
    std::string all;
    for (const char* table : {"sl2vl", "vlarb"}) {
      all += query({"smpquery", table, "-D", "0"});
      all += query({"smpquery", table, "-D", "0,1,2"});
      for (const char* port : {"1", "5", "8"}) all += query({"smpquery", table, "-D", "0,1", port});
    }
    return all;
  }
};

TEST_F(VlsOnIbsim, TheSameTablesAsOpenSm) {
  std::map<SmKind, std::string> in_devices;
  for (const SmKind kind : {SmKind::opensm, SmKind::heddle}) {
    start_fabric(sample_net("fattree2-16h"));
    SubnetManager& sm = start_sm({.kind = kind, .conf = kQos});
    ASSERT_TRUE(sm.wait_subnet_up()) << sm.tail();
    in_devices[kind] = tables();
    sm.kill();
  }
  EXPECT_THAT(in_devices[SmKind::heddle], ::testing::HasSubstr("| 7| 6| 5| 4| 3| 2| 1| 0|"));
  // Heddle leaves the table of a pair of ports that no packet uses as it is after power-on. Ports 5
  // to 8 of a leaf lead to spines, and only packets from spines to spines turn from one to another.
  constexpr std::string_view kPowerOn = "| 0| 1| 2| 3| 4| 5| 6| 7| 8| 9|10|11|12|13|14| 7|";
  std::istringstream ours(in_devices[SmKind::heddle]), theirs(in_devices[SmKind::opensm]);
  const std::regex row("ports: in +([0-9]+), out +([0-9]+): (.*)");
  unsigned left_out = 0, compared = 0;
  std::smatch match;
  for (std::string line, other; std::getline(ours, line) && std::getline(theirs, other);) {
    const bool is_row = std::regex_match(line, match, row);
    compared += is_row;
    if (line == other) continue;
    ASSERT_TRUE(is_row) << line << " is not " << other;
    EXPECT_EQ(match[3].str(), kPowerOn) << line;
    EXPECT_GE(std::stoul(match[1]), 5u) << line;
    EXPECT_GE(std::stoul(match[2]), 5u) << line;
    ++left_out;
  }
  EXPECT_GE(left_out, 4u) << "at least from 5 to 8 and back to where they came from";
  EXPECT_GE(compared, 3u * 9u);
}

TEST_F(VlsOnIbsim, DfssspWritesNoTablesWhereOneVlSuffices) {
  start_fabric(sample_net("fattree2-16h"));
  const std::string before = tables();
  SubnetManager& sm = start_sm({.conf = "routing_engine dfsssp,no_fallback\n"});
  ASSERT_TRUE(sm.wait_subnet_up()) << sm.tail();
  EXPECT_THAT(sm.log(), ::testing::HasSubstr("dfsssp tables configured"));
  expect_good_fabric();
  EXPECT_EQ(tables(), before);
}

TEST_F(VlsOnIbsim, ASecondStartWritesNothing) {
  start_fabric(sample_net("fattree2-16h"));
  SubnetManager& sm = start_sm({.conf = kQos});
  ASSERT_TRUE(sm.wait_subnet_up());
  const std::string before = tables();
  const std::size_t mark = sm.log_end();
  sm.signal(SIGHUP);
  ASSERT_TRUE(sm.wait_log("sweep used", mark));
  ASSERT_TRUE(sm.wait_log("SUBNET UP", mark));
  EXPECT_TRUE(std::regex_search(sm.log().substr(mark),
                                std::regex("sweep used [0-9]+ SubnGet and 0 SubnSet")))
      << sm.log().substr(mark);
  EXPECT_EQ(tables(), before);
}

TEST_F(VlsOnIbsim, FewerVlsAfterARestartTakeNoLinkDown) {
  start_fabric(sample_net("fattree2-16h"));
  // Widths and speeds count from the next training on a real link, and at once in ibsim.
  const auto ports = [this] {
    std::string all;
    for (const char* port : {"1", "5", "8"}) {
      std::istringstream lines(query({"smpquery", "portinfo", "-D", "0,1", port}));
      for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("LinkState") || line.starts_with("OperVLs") ||
            line.starts_with("NeighborMTU"))
          all += line + '\n';
      }
    }
    return all;
  };
  SubnetManager& first = start_sm({});
  ASSERT_TRUE(first.wait_subnet_up()) << first.tail();
  const std::string before = ports();
  EXPECT_THAT(before, ::testing::HasSubstr("Active"));
  first.kill();
  SubnetManager& second = start_sm({.conf = "max_op_vls 2\n"});
  ASSERT_TRUE(second.wait_subnet_up()) << second.tail();
  EXPECT_THAT(second.log(), ::testing::Not(::testing::HasSubstr("link taken down")));
  EXPECT_THAT(second.log(), ::testing::HasSubstr("SM-LINK-SETTING-PENDING"));
  EXPECT_EQ(ports(), before);
}

class DfssspOnIbsim : public VlsOnIbsim, public ::testing::WithParamInterface<const char*> {};

TEST_P(DfssspOnIbsim, PathsHaveSlsOfVlsThatSwitchesHave) {
  start_fabric(sample_net(GetParam()));
  SubnetManager& sm = start_sm({.conf = "routing_engine dfsssp,no_fallback\n"});
  ASSERT_TRUE(sm.wait_subnet_up()) << sm.tail();
  EXPECT_THAT(sm.log(), ::testing::HasSubstr("dfsssp tables configured"));
  expect_good_fabric();

  // Tables of all pairs of ports of a switch: each SL that paths use has its own VL, and all pairs
  // agree.
  const std::string mapping = query({"smpquery", "sl2vl", "-D", "0,1", "1"});
  std::set<std::string> rows;
  const std::regex row("out +[0-9]+: \\|(.*)\\|");
  for (std::sregex_iterator at(mapping.begin(), mapping.end(), row), end; at != end; ++at)
    rows.insert((*at)[1]);
  ASSERT_FALSE(rows.empty()) << mapping;
  unsigned vls = 0;
  for (const std::string& line : rows) {
    unsigned sl = 0;
    std::istringstream in(line);
    for (std::string vl; std::getline(in, vl, '|') && std::stoul(vl) == sl;) ++sl;
    vls = std::max(vls, sl);
  }
  EXPECT_GT(vls, 1u) << mapping;

  // umad2sim supports no RMPP responses: one query per pair of ports, and no more than Heddle keeps
  // open for one requester.
  std::set<unsigned> used;
  const std::regex sl_line("sl\\.+0x([0-9A-Fa-f]+)");
  for (unsigned to = 2; to <= 8; ++to) {
    const std::string path = query({"saquery", "--src-to-dst", fmt::format("1:{}", to)});
    std::smatch match;
    ASSERT_TRUE(std::regex_search(path, match, sl_line)) << "to " << to << ": " << path;
    used.insert(static_cast<unsigned>(std::stoul(match[1], nullptr, 16)));
  }
  EXPECT_LT(*used.rbegin(), vls);
  EXPECT_GT(used.size(), 1u) << "several VLs are used";

  const std::size_t mark = sm.log_end();
  sm.signal(SIGHUP);
  ASSERT_TRUE(sm.wait_log("SUBNET UP", mark));
  EXPECT_TRUE(std::regex_search(sm.log().substr(mark),
                                std::regex("sweep used [0-9]+ SubnGet and 0 SubnSet")))
      << sm.log().substr(mark);
}

INSTANTIATE_TEST_SUITE_P(Samples, DfssspOnIbsim, ::testing::Values("torus-3x3x3", "random-20s-40h"),
                         [](const ::testing::TestParamInfo<const char*>& test) {
                           return std::regex_replace(std::string(test.param), std::regex("-"), "_");
                         });

}  // namespace vls_test
}  // namespace harness
