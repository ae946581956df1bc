// heddle-sim under the project's own preload, with OpenSM as the manager, checked by
// infiniband-diags, osmtest and ibping, and compared with ibsim.
//
// osmtest: all nine flows pass with OpenSM and with Heddle, on both simulators. The flows "event
// forwarding" and "trap 64/65" pass without a test: osmtest reports that they are not implemented.

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>
#include <tuple>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "ibsim/fixture.h"
#include "sim_server/preloaded.h"

namespace harness {
namespace reference_tools_test {

using ::testing::HasSubstr;

class Sample : public ::testing::TestWithParam<std::string> {};

TEST_P(Sample, OpenSmWritesTheSameTablesAsOnIbsim) {
  Preloaded ibsim(sample_net(GetParam()), "ibsim"),
      heddle(sample_net(GetParam()), HEDDLE_SIM_PROGRAM);
  ForwardingTables tables[2];
  for (Preloaded* each : {&ibsim, &heddle}) {
    const auto opensm = each->start_opensm(each->fabric().first_host());
    ASSERT_TRUE(opensm.says("SUBNET UP")) << read_file(opensm.log);
    tables[each == &heddle] = parse_dump_fts(each->out({"dump_fts"}));
  }
  EXPECT_FALSE(tables[1].empty());
  EXPECT_EQ(tables[0], tables[1]);
}

INSTANTIATE_TEST_SUITE_P(Topologies, Sample,
                         ::testing::Values("fattree2-16h", "fattree3-64h", "torus-3x3x3",
                                           "dragonfly-4-2-2", "random-20s-40h"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + what.size()))
    ++found;
  return found;
}

/// The lines of records without the fields whose values differ between the two simulators on
/// purpose.
std::string without(const std::string& text, const std::string& fields) {
  std::istringstream in(text);
  std::string kept;
  const std::regex meant("^\\s*#?\\s*(" + fields + ")\\b.*");
  for (std::string line; std::getline(in, line);) {
    if (!std::regex_match(line, meant)) kept += line + "\n";
  }
  return kept;
}

TEST(Records, SaqueryPrintsAllOfThemOnBoth) {
  Preloaded ibsim(sample_net("fattree2-16h"), "ibsim"),
      heddle(sample_net("fattree2-16h"), HEDDLE_SIM_PROGRAM);
  for (Preloaded* each : {&ibsim, &heddle})
    ASSERT_TRUE(each->start_opensm("H0-0").says("SUBNET UP"));
  struct Record {
    const char* name;
    std::size_t count;   // 0: as many as on ibsim
    const char* fields;  // that differ on purpose: other devices, other capacities, cables of
                         // unnamed speed; activity
  };
  const Record records[]{
      {"NR", 24, "vendor_id|revision|partition_cap|device_id"},
      {"PIR", 0, nullptr},
      {"LR", 64, ""},
      {"PR", 576, "mtu|rate"},
      {"SL2VL", 0, ""},
      {"VLAR", 0, ""},
      {"LFTR", 8, ""},
      {"MCMR", 1, ""},
      {"SWIR", 8, nullptr},
      {"SMIR", 1, "ActCount"},
      {"CPI", 0, ""},
      {"SR", 0, ""},
      {"IIR", 0, ""},
  };
  for (const Record& record : records) {
    SCOPED_TRACE(record.name);
    const std::string there = ibsim.out({"saquery", record.name}, "H1-0"),
                      here = heddle.out({"saquery", record.name}, "H1-0");
    EXPECT_EQ(count(there, "Record dump"), count(here, "Record dump"));
    EXPECT_TRUE(record.count == 0 || count(here, "Record dump") == record.count)
        << count(here, "Record dump");
    if (record.fields == nullptr) continue;
    const std::string fields = *record.fields != 0 ? record.fields : "nothing";
    EXPECT_EQ(without(there, fields), without(here, fields));
  }
}

TEST(Tools, AllRun) {
  Preloaded heddle(sample_net("fattree2-16h"), HEDDLE_SIM_PROGRAM);
  ASSERT_TRUE(heddle.start_opensm("H0-0").says("SUBNET UP"));
  const Cabling plan = heddle.fabric().cabling();
  EXPECT_EQ(parse_cabling(heddle.out({"ibnetdiscover"}, "H2-0")).cables, plan.cables);
  EXPECT_EQ(count(heddle.out({"iblinkinfo", "-l"}, "H2-0"), "LinkUp"), 2 * plan.cables.size());
  EXPECT_THAT(heddle.out({"smpquery", "portinfo", "1"}, "H2-0"),
              HasSubstr("LinkState:.......................Active"));
  EXPECT_THAT(heddle.out({"smpquery", "-D", "nodeinfo", "0,1"}, "H2-0"), HasSubstr("Switch"));
  EXPECT_THAT(heddle.out({"sminfo"}, "H2-0"), HasSubstr("SMINFO_MASTER"));
  EXPECT_THAT(heddle.out({"perfquery", "1", "1"}, "H2-0"),
              HasSubstr("SymbolErrorCounter:..............0"));
  EXPECT_THAT(heddle.out({"perfquery", "-x", "1", "1"}, "H2-0"), HasSubstr("PortXmitData:"));
  EXPECT_THAT(heddle.out({"ibqueryerrors"}, "H2-0"),
              HasSubstr("24 nodes checked, 0 bad nodes found"));
  EXPECT_THAT(heddle.out({"ibtracert", "1", "10"}, "H2-0"), HasSubstr("To ca"));
  const Finished ibdiagnet = heddle.run({"ibdiagnet"}, "H2-0");
  EXPECT_TRUE(ibdiagnet.ok()) << ibdiagnet.out << ibdiagnet.err;
  EXPECT_THAT(ibdiagnet.out, HasSubstr("Bad GUIDs/LIDs Check                     0      0"));
  EXPECT_THAT(ibdiagnet.out, HasSubstr("Link State Active Check                  0      0"));
}

TEST(Tools, IbpingServerAndClient) {
  Preloaded heddle(sample_net("fattree2-16h"), HEDDLE_SIM_PROGRAM);
  ASSERT_TRUE(heddle.start_opensm("H0-0").says("SUBNET UP"));
  heddle.start({"ibping", "-S"}, "H3-0", heddle.fabric().new_dir("ibping"));
  std::smatch lid;
  const std::string stat = heddle.out({"ibstat"}, "H3-0");
  ASSERT_TRUE(std::regex_search(stat, lid, std::regex("Base lid: ([0-9]+)")));
  std::string pings;
  for (int tries = 0; tries < 20 && pings.find("3 received") == std::string::npos; ++tries)
    pings = heddle.run({"ibping", "-f", "-c", "3", lid[1]}, "H1-1").out;
  EXPECT_THAT(pings, HasSubstr("3 packets transmitted, 3 received"));
}

/// Each manager on each simulator, by itself: osmtest spends most of its time waiting for leases.
class Osmtest : public ::testing::TestWithParam<std::tuple<SmKind, bool>> {};

TEST_P(Osmtest, AllNineFlowsPass) {
  const auto [kind, on_ibsim] = GetParam();
  Preloaded on(sample_net("fattree2-16h"), on_ibsim ? "ibsim" : HEDDLE_SIM_PROGRAM);
  const auto manager = on.start_manager(kind, "H0-0");
  ASSERT_TRUE(manager.says("SUBNET UP"));
  Preloaded::wait_quiet(manager);
  const std::filesystem::path dir = on.fabric().new_dir("osmtest");
  for (const char* flow : {"c", "a", "v", "s", "e", "m", "q", "t"}) {
    SCOPED_TRACE(flow);
    Process& osmtest = on.start_osmtest(flow, dir);
    const auto exit = osmtest.wait(Milliseconds(100'000));
    const std::string said = read_file(dir / "stdout");
    EXPECT_TRUE(exit && exit->code == 0 && said.find("PASS") != std::string::npos)
        << said.substr(said.size() > 3000 ? said.size() - 3000 : 0);
  }
  // The ninth, flood, in the mode with some thousand queries instead of 100,000 of each kind.
  Process& flood = on.start({"osmtest", "-f", "f", "-s", "2"}, "H2-2", dir);
  const auto exit = flood.wait(Milliseconds(100'000));
  EXPECT_TRUE(exit && exit->code == 0) << read_file(dir / "stdout").substr(0, 3000);
}

INSTANTIATE_TEST_SUITE_P(Managers, Osmtest,
                         ::testing::Combine(::testing::ValuesIn(available_sms()),
                                            ::testing::Bool()),
                         [](const auto& test) {
                           return find_name(std::get<0>(test.param)) +
                                  (std::get<1>(test.param) ? "OnIbsim" : "OnHeddleSim");
                         });

// osmtest's inventory of a subnet under one manager is valid for the same subnet under the other.
TEST(OsmtestInventory, OfOneManagerIsValidUnderTheOther) {
  for (const SmKind maker : {SmKind::opensm, SmKind::heddle}) {
    SCOPED_TRACE(find_name(maker));
    const SmKind taker = maker == SmKind::opensm ? SmKind::heddle : SmKind::opensm;
    Preloaded first(sample_net("fattree2-16h"), HEDDLE_SIM_PROGRAM),
        second(sample_net("fattree2-16h"), HEDDLE_SIM_PROGRAM);
    const auto made_by = first.start_manager(maker, "H0-0");
    ASSERT_TRUE(made_by.says("SUBNET UP"));
    Preloaded::wait_quiet(made_by);
    const std::filesystem::path dir = first.fabric().new_dir("inventory");
    const auto created = first.start_osmtest("c", dir).wait(Milliseconds(100'000));
    ASSERT_TRUE(created && created->code == 0) << read_file(dir / "stdout");

    const auto taken_by = second.start_manager(taker, "H0-0", {}, {}, {},
                                               {{"guid2lid", read_file(made_by.dir / "guid2lid")}});
    ASSERT_TRUE(taken_by.says("SUBNET UP"));
    Preloaded::wait_quiet(taken_by);
    const std::filesystem::path there = second.fabric().new_dir("inventory");
    std::filesystem::create_directories(there);
    // LocalPortNum depends on the manager: it is the port by which it reached the switch.
    write_file(there / "osmtest.dat",
               std::regex_replace(read_file(dir / "osmtest.dat"), std::regex("\nlocal_port_num"),
                                  "\n# local_port_num"));
    const auto valid = second.start_osmtest("v", there).wait(Milliseconds(100'000));
    const std::string said = read_file(there / "stdout");
    EXPECT_TRUE(valid && valid->code == 0)
        << said.substr(said.size() > 3000 ? said.size() - 3000 : 0);
  }
}

TEST_P(Sample, HeddleConverges) {
  Preloaded heddle(sample_net(GetParam()), HEDDLE_SIM_PROGRAM);
  const std::filesystem::path dir = heddle.fabric().new_dir("heddle");
  write_file(dir / "opensm.conf", "");
  Process& daemon =
      heddle.start({program_of(SmKind::heddle), "-o", "-F", "opensm.conf", "-f", "heddle.log"},
                   heddle.fabric().first_host(), dir);
  const auto exit = daemon.wait(Milliseconds(60'000));
  EXPECT_TRUE(exit && exit->code == 0)
      << read_file(dir / "heddle.log") << read_file(dir / "stderr");
  const Problems problems = check_fabric(heddle.fabric());
  EXPECT_TRUE(problems.empty()) << text_of(problems);
}

TEST(Managers, TwoOpenSmsElectAMasterAndFailOver) {
  Preloaded heddle(sample_net("fattree2-16h"), HEDDLE_SIM_PROGRAM);
  const auto first = heddle.start_opensm("H0-0", "5");
  ASSERT_TRUE(first.says("SUBNET UP"));
  const auto second = heddle.start_opensm("H3-3", "3");
  ASSERT_TRUE(second.says("Entering STANDBY state")) << read_file(second.log);
  EXPECT_THAT(heddle.out({"sminfo"}, "H2-0"), HasSubstr("priority 5 state 3 SMINFO_MASTER"));
  first.process.signal(SIGKILL);
  first.process.wait(Milliseconds(10'000));
  ASSERT_TRUE(second.says("Entering MASTER state")) << read_file(second.log);
  ASSERT_TRUE(second.says("SUBNET UP")) << read_file(second.log);
  EXPECT_THAT(heddle.out({"sminfo"}, "H2-0"), HasSubstr("priority 3 state 3 SMINFO_MASTER"));
}

}  // namespace reference_tools_test
}  // namespace harness
