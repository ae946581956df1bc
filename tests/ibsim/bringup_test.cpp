// First bring-up of a fabric: all families of topologies, checked by infiniband-diags.

#include <functional>
#include <optional>

#include "fabric/topology/write.h"
#include "ibsim/fixture.h"
#include "mad/format.h"
#include "sm/ctl/topology/generators.h"

namespace harness {
namespace bringup_test {

struct FabricCase {
  std::string name;
  std::function<std::string()> net;
  bool cheap = true;         // also run with OpenSM, to verify the checks
  unsigned traces_max = 30;  // see CheckOptions
  bool on_busy_cores = false;
};

std::string text(const topology::Topology& topology) {
  std::ostringstream out;
  topology::write_ibsim(topology, out);
  return out.str();
}

std::vector<FabricCase> fabrics() {
  std::vector<FabricCase> cases{
      {"BackToBack", [] { return text(topology::back_to_back()); }},
      {"OneSwitch",
       [] { return text(topology::row({.switches = 1, .cables = 0, .hosts_per_switch = 4})); }},
      {"TwoSwitchesOneCable",
       [] { return text(topology::row({.switches = 2, .cables = 1, .hosts_per_switch = 2})); }},
      {"TwoSwitchesFourCables",
       [] { return text(topology::row({.switches = 2, .cables = 4, .hosts_per_switch = 3})); }},
      {"TwoPortHostsOneSwitch",
       [] {
         return text(topology::row(
             {.switches = 1, .cables = 0, .hosts_per_switch = 3, .ports_per_host = 2}));
       }},
      {"TwoPortHostsTwoSwitches",
       [] {
         return text(topology::row(
             {.switches = 2, .cables = 2, .hosts_per_switch = 2, .ports_per_host = 2}));
       }},
      {"LongRow",
       [] { return text(topology::row({.switches = 40, .cables = 1, .hosts_per_switch = 1})); },
       true, 0},
      {"Torus4x4",
       [] { return text(topology::torus({.dimensions = {4, 4}, .hosts_per_switch = 2})); }},
      {"Random",
       [] {
         return text(
             topology::random_graph({.switches = 24, .hosts = 50, .extra_links = 30, .seed = 5}));
       }},
  };
  for (const char* sample :
       {"fattree2-16h", "fattree3-64h", "torus-3x3x3", "dragonfly-4-2-2", "random-20s-40h"}) {
    std::string name = sample;
    std::erase(name, '-');
    cases.push_back({"Sample_" + name, [sample] { return sample_net(sample); }});
  }
  cases.push_back({"FatTree324", [] {
                     return text(topology::fat_tree({.hosts = 324, .radix = 36, .levels = 2}));
                   }});
  cases.push_back(
      {"FatTree1728",
       [] { return text(topology::fat_tree({.hosts = 1728, .radix = 24, .levels = 3})); }, false,
       30, true});
  return cases;
}

struct BringUpCase {
  SmKind sm;
  FabricCase fabric;
};

void PrintTo(const BringUpCase& test, std::ostream* out) {
  *out << test.fabric.name << " with " << find_name(test.sm);
}

class BringUp : public OnIbsim, public ::testing::WithParamInterface<BringUpCase> {};

TEST_P(BringUp, ConvergesToACorrectFabric) {
  start_fabric(GetParam().fabric.net());
  std::optional<BusyCores> others;
  if (GetParam().fabric.on_busy_cores) others.emplace();
  bring_up_once({.kind = GetParam().sm});
  others.reset();
  expect_good_fabric({.traces_max = GetParam().fabric.traces_max});
}

std::vector<BringUpCase> bring_up_cases() {
  std::vector<BringUpCase> cases;
  for (const SmKind sm : available_sms()) {
    for (const FabricCase& fabric : fabrics()) {
      if (sm == SmKind::heddle || fabric.cheap) cases.push_back({sm, fabric});
    }
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(On, BringUp, ::testing::ValuesIn(bring_up_cases()), [](const auto& test) {
  return test.param.fabric.name + "_" + find_name(test.param.sm);
});

class BringUpOptions : public OnIbsimWithEachSm {};

TEST_P(BringUpOptions, LmcGivesEveryHostPortARangeOfLids) {
  start_fabric(sample_net("fattree2-16h"));
  bring_up_once({.kind = GetParam(), .args = {"-l", "2"}});
  expect_good_fabric();
  Problems problems;
  const Cabling found = discover(fabric(), {}, problems);
  for (const auto& [port, end_port] : found.end_ports) {
    if (found.nodes.at(port.node_guid).is_switch) continue;
    EXPECT_EQ(end_port.lmc, 2u) << port.text();
    EXPECT_EQ(end_port.lid % 4, 0u) << port.text();
  }
}

TEST_P(BringUpOptions, RunsFromAnyHostWithAnyWindow) {
  start_fabric(sample_net("torus-3x3x3"));
  const std::string host =
      std::prev(std::prev(parse_cabling(sample_net("torus-3x3x3")).nodes.end()))->second.id;
  for (const char* window : {"1", "4", "200"}) {
    SCOPED_TRACE(window);
    bring_up_once({.kind = GetParam(), .host = host, .args = {"--maxsmps", window}});
    expect_good_fabric({.host = host, .traces_max = 10});
  }
}

TEST_P(BringUpOptions, DumpsNameNodesAsTheMapDoes) {
  start_fabric(sample_net("fattree2-16h"));
  const std::filesystem::path map = fabric().new_dir("names") / "map";
  write_file(map, "0x2c90000000000 \"the first host\"  # which the manager runs on\n");
  const SubnetManager& sm =
      bring_up_once({.kind = GetParam(), .conf = "node_name_map_name " + map.string() + "\n"});
  EXPECT_THAT(read_file(sm.home() / "dumps" / "opensm-subnet.lst"),
              ::testing::HasSubstr("NodeGUID:0002c90000000000 PortGUID:0002c90000000001 "));
  EXPECT_THAT(read_file(sm.home() / "dumps" / "opensm-subnet.lst"),
              ::testing::HasSubstr("{the first host} LID:"));
}

TEST_P(BringUpOptions, RunningSmAnswersAsMaster) {
  start_fabric(sample_net("fattree2-16h"));
  SubnetManager& sm = start_sm({.kind = GetParam()});
  ASSERT_TRUE(sm.wait_subnet_up());
  const Problems problems = check_sm(fabric(), 0x2c90000000001, "SMINFO_MASTER");
  EXPECT_TRUE(problems.empty()) << text_of(problems);
  sm.signal(SIGTERM);
  const std::optional<Exit> exit = sm.wait_exit(Milliseconds(5'000));
  ASSERT_TRUE(exit.has_value());
  EXPECT_EQ(exit->code, 0);
  EXPECT_THAT(sm.log(), ::testing::HasSubstr("Exiting SM"));
}

TEST_P(BringUpOptions, KeepsLidsAcrossRestart) {
  start_fabric(sample_net("random-20s-40h"));
  Problems problems;
  const SubnetManager& first = bring_up_once({.kind = GetParam()});
  const Cabling before = discover(fabric(), {}, problems);
  EXPECT_TRUE(std::filesystem::exists(first.home() / "cache/guid2lid"));
  bring_up_once({.kind = GetParam(), .home = first.home()});
  const Cabling after = discover(fabric(), {}, problems);
  EXPECT_TRUE(problems.empty()) << text_of(problems);
  for (const auto& [port, end_port] : before.end_ports)
    EXPECT_EQ(after.end_ports.at(port).lid, end_port.lid) << port.text();
}

INSTANTIATE_TEST_SUITE_P(With, BringUpOptions, ::testing::ValuesIn(available_sms()), sm_test_name);

// OpenSM differs here: it writes everything again.
class SecondStart : public OnIbsimWithEachSm {};

TEST_P(SecondStart, WritesNothingToACorrectFabric) {
  start_fabric(sample_net("fattree3-64h"));
  const SubnetManager& first = bring_up_once({.kind = GetParam()});
  const std::filesystem::path counts_file = fabric().dir() / "counts";
  const SubnetManager& second = bring_up_once(
      {.kind = GetParam(), .home = first.home(), .env = count_smps_into(counts_file)});
  const SmpCounts counts = read_smp_counts(counts_file);
  EXPECT_GT(counts.gets, 0u);
  if (GetParam() == SmKind::opensm) {
    EXPECT_GT(counts.sets, 0u);  // verifies the counter
    return;
  }
  std::string sets;
  for (const auto& [key, count] : counts.by_method_and_attribute) {
    if (key.first == 2) sets += fmt::format("{} {}\n", count, smp_name(key.first, key.second));
  }
  EXPECT_EQ(counts.sets, 0u) << sets;
  EXPECT_THAT(second.log(),
              ::testing::ContainsRegex("sweep used [0-9]+ SubnGet and 0 SubnSet SMPs"));
  expect_good_fabric();
}

INSTANTIATE_TEST_SUITE_P(With, SecondStart, ::testing::ValuesIn(available_sms()), sm_test_name);

}  // namespace bringup_test
}  // namespace harness
