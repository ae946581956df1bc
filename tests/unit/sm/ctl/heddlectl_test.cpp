// heddlectl route, trace, plan and verify from the outside, with ibdmchk as the reference for
// reachability and credit loops.

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "mad/format.h"
#include "sm/ctl/topology/topology.h"
#include "support/require_tool.h"
#include "support/scratch.h"

namespace heddlectl_test {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

struct Result {
  int code = -1;
  std::string out;
};

/// Through the shell, with standard error in the output.
Result shell(const std::string& command) {
  Result result;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return result;
  char buffer[4096];
  for (std::size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;)
    result.out.append(buffer, n);
  const int status = pclose(pipe);
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

Result heddlectl(const std::string& arguments) {
  return shell(fmt::format("{} {}", HEDDLECTL_PROGRAM, arguments));
}

std::string read(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Heddlectl : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (support::parent_of_scratch() / "heddlectl-XXXXXX").string();
    dir_ = mkdtemp(pattern.data());
  }
  void TearDown() override {
    if (!HasFailure()) fs::remove_all(dir_);
  }
  std::string file(const std::string& name) const { return (dir_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(dir_ / name) << text;
    return file(name);
  }
  std::string net(const topology::Topology& topology) const {
    std::ofstream out(dir_ / "fabric.net");
    topology::write_ibsim(topology, out);
    return file("fabric.net");
  }
  static std::string sample(const std::string& name) {
    return std::string(HEDDLE_TEST_DATA "/topologies/") + name + ".net";
  }

  fs::path dir_;
};

// ---- reference tool

struct Fabric {
  const char* name;
  topology::Topology (*make)();
};
void PrintTo(const Fabric& of, std::ostream* out) { *out << of.name; }

class CheckedByIbdmchk : public Heddlectl, public ::testing::WithParamInterface<Fabric> {};

TEST_P(CheckedByIbdmchk, AllPairsAreReachableAndCreditLoopsAreThoseThatHeddleReports) {
  HEDDLE_REQUIRE_TOOL("ibdmchk", "ibutils");
  const topology::Topology topology = GetParam().make();
  const auto hosts = static_cast<std::size_t>(topology.count(topology::NodeType::ca));
  const Result routed =
      heddlectl(fmt::format("route --topology {} --engine all --json --dump {} 2>/dev/null",
                            net(topology), file("dump")));
  const auto rows = nlohmann::json::parse(routed.out, nullptr, false);
  ASSERT_FALSE(rows.is_discarded()) << routed.out;
  write("none.mcfdbs", "");
  std::size_t checked = 0;
  for (const auto& row : rows) {
    if (row.contains("refusal")) continue;
    const std::string name = row["engine"].get<std::string>();
    const fs::path tables = dir_ / "dump" / name.substr(0, name.find(' '));
    std::string command = fmt::format("ibdmchk -s {0}/opensm-subnet.lst -f {0}/opensm.fdbs -m {1}",
                                      tables.string(), file("none.mcfdbs"));
    if (fs::exists(tables / "ibdmchk-path-sls"))
      command += fmt::format(" -c {}/ibdmchk-path-sls", tables.string());
    if (fs::exists(tables / "ibdmchk-sl2vl"))
      command += fmt::format(" -d {}/ibdmchk-sl2vl", tables.string());
    const Result checked_by_tool = shell(command);
    EXPECT_THAT(checked_by_tool.out,
                HasSubstr(fmt::format("Scanned:{} CA to CA paths", hosts * (hosts - 1))))
        << row["engine"];
    if (row["credit_loops"] == 0) {
      EXPECT_THAT(checked_by_tool.out,
                  AllOf(HasSubstr("no credit loops found"), Not(HasSubstr("-E-"))))
          << row["engine"];
    } else {
      EXPECT_THAT(checked_by_tool.out, HasSubstr("credit loops in routing")) << row["engine"];
    }
    EXPECT_EQ(row["cables"]["lost_pairs"], 0) << row["engine"];
    ++checked;
  }
  EXPECT_GE(checked, 4u) << routed.out;
}

INSTANTIATE_TEST_SUITE_P(
    Fabrics, CheckedByIbdmchk,
    ::testing::Values(
        Fabric{"one_switch",
               [] { return topology::row({.switches = 1, .cables = 1, .hosts_per_switch = 4}); }},
        Fabric{"two_switches_30_cables",
               [] { return topology::row({.switches = 2, .cables = 30, .hosts_per_switch = 4}); }},
        Fabric{"fat_tree_3_levels",
               [] { return topology::fat_tree({.hosts = 54, .radix = 6, .levels = 3}); }},
        Fabric{"fat_tree_degraded",
               [] {
                 return topology::degrade(
                     topology::fat_tree({.hosts = 54, .radix = 6, .levels = 3}), 0.1, 3);
               }},
        Fabric{"torus_5x5",
               [] { return topology::torus({.dimensions = {5, 5}, .hosts_per_switch = 1}); }},
        Fabric{"torus_3x3x3",
               [] { return topology::torus({.dimensions = {3, 3, 3}, .hosts_per_switch = 1}); }},
        Fabric{"mesh_4x4",
               [] { return topology::mesh({.dimensions = {4, 4}, .hosts_per_switch = 1}); }},
        Fabric{"hypercube_4",
               [] { return topology::hypercube({.dimensions = 4, .hosts_per_switch = 1}); }},
        Fabric{"dragonfly",
               [] {
                 return topology::dragonfly(
                     {.switches_per_group = 4, .global_cables = 1, .hosts_per_switch = 2});
               }},
        Fabric{"slim_fly", [] { return topology::slim_fly({.q = 3, .hosts_per_switch = 1}); }},
        Fabric{"random",
               [] {
                 return topology::random_graph(
                     {.switches = 14, .hosts = 28, .extra_links = 12, .seed = 5});
               }}),
    [](const auto& test) { return test.param.name; });

// ---- use

TEST_F(Heddlectl, RouteComparesEnginesAndDraws) {
  const Result result =
      heddlectl(fmt::format("route --topology {} --engine minhop,dnup --svg {} --dot {}",
                            sample("random-20s-40h"), file("load.svg"), file("load.dot")));
  EXPECT_EQ(result.code, 0) << result.out;
  EXPECT_THAT(
      result.out,
      AllOf(HasSubstr("40 host ports, 20 switches, 40 cables between switches, LIDs up to 60\n"),
            HasSubstr("bisection"), HasSubstr("\nminhop "), HasSubstr("\ndnup ")));
  EXPECT_THAT(
      read(file("load-dnup.svg")),
      AllOf(HasSubstr("<svg"), HasSubstr("dnup: paths between all hosts"), HasSubstr("</svg>")));
  EXPECT_THAT(read(file("load-minhop.dot")), HasSubstr("graph fabric {"));
}

TEST_F(Heddlectl, ReportsRefusals) {
  const Result result =
      heddlectl(fmt::format("route --topology {} --engine updn", sample("random-20s-40h")));
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.out, HasSubstr("updn: no switch has nearly all hosts at one distance"));
}

TEST_F(Heddlectl, EnginesOfTheCommandLineReadTheirFiles) {
  const topology::Topology torus =
      topology::torus({.dimensions = {3, 3, 3}, .hosts_per_switch = 1});
  const auto guid = [&](std::string_view name) { return torus.nodes[torus.find(name)].guid; };
  const std::string net_file = net(torus),
                    described = write("torus.conf", fmt::format("torus 3 3 3\n"
                                                                "xp_link {0} {1}\n"
                                                                "yp_link {0} {2}\n"
                                                                "zp_link {0} {3}\n",
                                                                guid("S0_0_0"), guid("S1_0_0"),
                                                                guid("S0_1_0"), guid("S0_0_1")));
  for (const char* const engine : {"torus-2QoS", "ar_torus"}) {
    const std::string command =
        fmt::format("route --topology {} --engine {} --set torus_config=", net_file, engine);
    const Result routed = heddlectl(command + described);
    EXPECT_EQ(routed.code, 0) << routed.out;
    const Result missing = heddlectl(command + "/none/t");
    EXPECT_EQ(missing.code, 1) << missing.out;
    EXPECT_THAT(missing.out,
                AllOf(HasSubstr("--set:1:14: warning: torus_config /none/t cannot be read: No such "
                                "file or directory; "),
                      HasSubstr("no torus_config was read")));
  }
}

TEST_F(Heddlectl, RouteKnowsTheEnginesThatTheDaemonKnows) {
  const Result chosen =
      heddlectl(fmt::format("route --topology {} --engine auto,ar_updn", sample("fattree2-16h")));
  EXPECT_EQ(chosen.code, 0) << chosen.out;
  EXPECT_THAT(chosen.out, AllOf(HasSubstr("auto ("), HasSubstr("updn")));
  const Result unknown =
      heddlectl(fmt::format("route --topology {} --engine best 2>&1", sample("fattree2-16h")));
  EXPECT_NE(unknown.code, 0);
  EXPECT_THAT(unknown.out,
              HasSubstr("routing engine \"best\" is unknown; engines: minhop, updn, "));
  for (const std::string command : {"route", "plan", "verify"}) {
    const Result misspelled = heddlectl(command + " --engine minhop,UPDN");
    EXPECT_EQ(misspelled.code, 2) << command;
    EXPECT_THAT(misspelled.out,
                HasSubstr("routing engine \"UPDN\" is unknown; did you mean updn? engines: "));
  }
}

TEST_F(Heddlectl, ReadsWhatDumpFtsPrints) {
  const std::string samples = std::string(HEDDLE_TEST_DATA) + "/infiniband_diags/",
                    topology = samples + "ibnetdiscover.txt";
  const auto plan = [&](const std::string& tables) {
    return heddlectl(
        fmt::format("plan --topology {} --tables {}{} --engine minhop", topology, samples, tables));
  };
  const Result plain = plan("dump_fts.txt"), all = plan("dump_fts-a.txt");
  EXPECT_EQ(plain.code, 0) << plain.out;
  EXPECT_EQ(all.code, 0) << all.out;
  EXPECT_EQ(all.out, plain.out);
  for (const std::string file : {"dump_fts-M.txt", "dump_fts-M-a.txt"}) {
    const Result multicast = plan(file);
    EXPECT_EQ(multicast.code, 1) << file;
    EXPECT_THAT(multicast.out,
                testing::EndsWith(file + ":1:1: error: this file has multicast forwarding tables "
                                         "only (dump_fts -M); write unicast forwarding tables: "
                                         "dump_fts without -M\n"));
  }
}

TEST_F(Heddlectl, TablesOfOneManagerCanBeFollowedAndCompared) {
  const std::string dump =
      std::string(HEDDLE_TEST_DATA) + "/opensm_dumps/fattree2-16h.minhop.opensm-lfts.dump";
  const Result trace = heddlectl(
      fmt::format("trace --topology {} --tables {} H0-0 H3-3", sample("fattree2-16h"), dump));
  EXPECT_EQ(trace.code, 0) << trace.out;
  EXPECT_THAT(trace.out, AllOf(HasSubstr("LID 24 by 4 cables"), HasSubstr("LID 1 by 4 cables")));

  const Result same =
      heddlectl(fmt::format("plan --topology {} --tables {} --engine file --set lfts_file={}",
                            sample("fattree2-16h"), dump, dump));
  EXPECT_EQ(same.code, 0) << same.out;
  EXPECT_THAT(same.out, AllOf(HasSubstr("0 of 24 end ports would get another"),
                              HasSubstr("0 entries in 0 blocks would change")));

  const Result lost =
      heddlectl(fmt::format("plan --topology {} --tables {} --engine minhop --without S2_0-0",
                            sample("fattree2-16h"), dump));
  EXPECT_EQ(lost.code, 0) << lost.out;
  EXPECT_THAT(lost.out, AllOf(HasSubstr("minhop would route it"), HasSubstr("found\n"),
                              HasSubstr("now  lost"), Not(HasSubstr(" 0 would change"))));

  const Result leaf =
      heddlectl(fmt::format("plan --topology {} --tables {} --engine minhop --without S1_0-0",
                            sample("fattree2-16h"), dump));
  EXPECT_EQ(leaf.code, 0) << leaf.out;
  EXPECT_THAT(leaf.out, HasSubstr("4 hosts would be cut off: \"H0-0 mlx5_0\""));
  EXPECT_THAT(leaf.out, HasSubstr("108 would be lost")) << "16 * 15 - 12 * 11";
  EXPECT_THAT(leaf.out, Not(HasSubstr("\"S1_0-0\" (0x")))
      << "no table of the switch that is gone would change\n"
      << leaf.out;
}

TEST_F(Heddlectl, WhatItWritesItsFileEngineReadsAgain) {
  const std::string topology = net(topology::torus({.dimensions = {3, 4}, .hosts_per_switch = 2}));
  ASSERT_EQ(
      heddlectl(fmt::format("route --topology {} --engine sssp --dump {}", topology, file("dump")))
          .code,
      0);
  const Result again = heddlectl(
      fmt::format("route --topology {} --engine file --set lfts_file={}/opensm-lfts.dump --dump {}",
                  topology, file("dump"), file("again")));
  EXPECT_EQ(again.code, 0) << again.out;
  EXPECT_EQ(read(dir_ / "again/opensm-lfts.dump"), read(dir_ / "dump/opensm-lfts.dump"));
  EXPECT_NE(read(dir_ / "dump/opensm-lfts.dump"), "");
}

// ---- mistakes

TEST_F(Heddlectl, VerifyProvesWhatHoldsForAllChoicesOfPorts) {
  const Result result = heddlectl(
      fmt::format("verify --topology {} --engine ar_updn --losses 2 --samples 20 --seed 7",
                  sample("fattree2-16h")));
  EXPECT_EQ(result.code, 0) << result.out;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("ar_updn routes it: 4 groups on 8 switches\n"),
                    testing::ContainsRegex("\nno cycle among [0-9]+ dependencies on 1 VL\n"
                                           "longest adversarial path: 2 hops [(]bound 2[)]\n"
                                           "1 link lost, adaptive: [0-9]+ of [0-9]+ pairs keep all "
                                           "paths without the manager, "),
                    HasSubstr("1 link lost, fast recovery alone: "),
                    HasSubstr("2 links lost, adaptive: "), HasSubstr("20 samples")));
  const Result again = heddlectl(
      fmt::format("verify --topology {} --engine ar_updn --losses 2 --samples 20 --seed 7",
                  sample("fattree2-16h")));
  EXPECT_EQ(again.out, result.out);
}

TEST_F(Heddlectl, VerifyCountsThePairsThatALossCuts) {
  // Two leaves of two hosts, two spines: 4 links. Without the link of a leaf, the other leaf may
  // still send to its spine.
  const std::string topology =
      net(topology::xgft({.children = {2, 2}, .parents = {1, 2}, .cables = {}}));
  const auto json = [&](const std::string& engine) {
    const Result result = heddlectl(
        fmt::format("verify --topology {} --engine {} --json 2>/dev/null", topology, engine));
    EXPECT_EQ(result.code, 0) << result.out;
    return nlohmann::json::parse(result.out);
  };
  const auto adaptive = json("ar_updn"), plain = json("updn");
  EXPECT_EQ(adaptive["engine"], "ar_updn");
  EXPECT_EQ(adaptive["holds"], true);
  EXPECT_EQ(adaptive["groups"], 2);
  EXPECT_EQ(adaptive["bound_hops"], 2);
  ASSERT_EQ(adaptive["losses"].size(), 2u);
  EXPECT_EQ(adaptive["losses"][0]["tried"], 8);
  EXPECT_EQ(adaptive["losses"][0]["kept"], 4);
  EXPECT_EQ(adaptive["losses"][0]["at_risk"], 4);
  EXPECT_EQ(adaptive["losses"][0]["examples"].size(), 4u);
  EXPECT_EQ(adaptive["losses"][1]["choice"], "fast_recovery");
  EXPECT_EQ(adaptive["losses"][1]["cut"], 4);
  EXPECT_EQ(plain["groups"], 0);
  ASSERT_EQ(plain["losses"].size(), 1u);
  EXPECT_EQ(plain["losses"][0]["cut"], 8);
}

TEST_F(Heddlectl, VerifyFailsWhereACycleIsPossible) {
  const Result refused =
      heddlectl(fmt::format("verify --topology {} --engine ar_minhop", sample("torus-5x5x5-lost")));
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.out, HasSubstr("no engine routes this fabric: ar_minhop: adaptive routing is "
                                     "not possible: credit loop possible: "));
  const Result cycle = heddlectl(
      fmt::format("verify --topology {} --engine minhop --losses 0", sample("torus-5x5x5-lost")));
  EXPECT_EQ(cycle.code, 1);
  EXPECT_THAT(cycle.out, AllOf(HasSubstr("minhop routes it: no groups, by forwarding tables alone\n"
                                         "a cycle is possible among "),
                               HasSubstr("credit loop possible: ")));
}

TEST_F(Heddlectl, SaysWhatIsWrong) {
  const std::string topology = sample("fattree2-16h");
  struct Mistake {
    std::string arguments, message;
    int code;
  };
  const std::string bad_net = write("bad.net", "Switch 8 \"S\"\n[9] \"H\"[1]\n"),
                    bad_tables = write("bad.lfts", "0x0001 002\n"),
                    empty = write("empty.lfts", "\n");
  for (const Mistake& mistake :
       {Mistake{"", "A subcommand is required", 2},
        Mistake{"paint", "there is no command \"paint\"", 2},
        Mistake{"check-config a b", "was not expected: b", 2},
        Mistake{"status --what", "there is no option --what (try heddlectl status --help)", 2},
        Mistake{"route --guid x", "--guid: 'x' is not a GUID such as 0x", 2},
        Mistake{"route --what", "there is no option --what (try heddlectl route --help)", 2},
        Mistake{"route --engine", "--engine: 1 required", 2},
        Mistake{fmt::format("route --topology {} --engine best", topology),
                "routing engine \"best\" is unknown; engines: minhop", 2},
        Mistake{fmt::format("route --topology {} word", topology), "was not expected: word", 2},
        Mistake{fmt::format("trace --topology {} H0-0", topology), "TO is required", 2},
        Mistake{fmt::format("trace --topology {} H0-0 H9", topology),
                "nothing here is called \"H9\"", 1},
        Mistake{fmt::format("plan --topology {}", topology), "--topology requires --tables", 2},
        Mistake{"route --topology /nowhere.net", "/nowhere.net: error: cannot be read", 1},
        Mistake{"route --topology " + bad_net, "bad.net:2:1: error:", 1},
        Mistake{fmt::format("plan --topology {} --tables {}", topology, bad_tables),
                "bad.lfts:1:1: error:", 1},
        Mistake{fmt::format("plan --topology {} --tables {}", topology, empty),
                "no table of a switch in this file", 1},
        Mistake{fmt::format("route --topology {} --set max_op_vls", topology), "KEY=VALUE", 1},
        Mistake{fmt::format("route --topology {} --set lmc=9", topology), "--set:1:5: error:", 1},
        Mistake{fmt::format("route --topology {} --without S9", topology),
                "--without S9: nothing here is called", 1},
        Mistake{fmt::format("route --topology {} --without S2_0-0:8", topology),
                "there is no cable", 1},
        Mistake{fmt::format("route --topology {} --degrade 2", topology),
                "--degrade: '2' is not a number from 0 to 1", 2},
        Mistake{fmt::format("route --topology {} --degrade 0.9", topology),
                "cannot be removed without", 1},
        Mistake{fmt::format("route --topology {} --seed x", topology),
                "--seed: 'x' is not a number from 0 to", 2},
        Mistake{fmt::format("route --topology {} --dump /proc/x", topology), "heddlectl:", 1}}) {
    const Result result = heddlectl(mistake.arguments);
    EXPECT_EQ(result.code, mistake.code) << mistake.arguments << '\n' << result.out;
    EXPECT_THAT(result.out, HasSubstr(mistake.message)) << mistake.arguments;
  }
}

TEST_F(Heddlectl, CheckConfigEndsWithAVerdict) {
  struct Case {
    std::string arguments, verdict;
    int code;
  };
  const std::string good = write("good.conf", "lmc 0\n"),
                    old = write("old.conf", "swep_interval 5\nsharp_enabled 1\n"),
                    bad = write("bad.conf", "lmc 9\nswep_interval 5\nsm_priority 99\n");
  for (const Case& each :
       {Case{"/nowhere.conf", "/nowhere.conf: not usable: 1 error\n", 1},
        Case{good, good + ": usable\n", 0}, Case{"--strict " + good, good + ": usable\n", 0},
        Case{old, old + ": usable, 2 features without effect\n", 0},
        Case{"--strict " + old, old + ": not usable: 2 features without effect\n", 1},
        Case{bad, bad + ": not usable: 2 errors\n", 1}}) {
    const Result result = heddlectl("check-config " + each.arguments);
    EXPECT_EQ(result.code, each.code) << each.arguments << '\n' << result.out;
    EXPECT_THAT(result.out, testing::EndsWith(each.verdict)) << each.arguments;
  }
  EXPECT_THAT(heddlectl("check-config " + bad).out,
              testing::ContainsRegex("bad.conf:1:(.|\n)*bad.conf:2:1: warning: unknown key "
                                     "'swep_interval', ignored; did you mean 'sweep_interval'"
                                     "(.|\n)*bad.conf:3:"));
}

TEST_F(Heddlectl, CheckConfigDemandsThatOnlyTheOwnerReadsKeys) {
  const auto check = [&](const std::string& name, const std::string& text, fs::perms mode) {
    const std::string file = write(name, text);
    fs::permissions(file, mode);
    return heddlectl("check-config " + file);
  };
  const fs::perms owner = fs::perms::owner_read | fs::perms::owner_write,
                  group = owner | fs::perms::group_read;
  const std::string seed = "lmc 0\nkey_mgr_seed 0x5f0c2a97d1e64b83\n",
                    yaml = "key_mgr_seed: 0x5f0c2a97d1e64b83\n";
  EXPECT_EQ(check("own.conf", seed, owner).code, 0);
  EXPECT_EQ(check("own.yaml", yaml, owner).code, 0);
  for (const Result& result : {check("seed.conf", seed, group), check("seed.yaml", yaml, group)}) {
    EXPECT_EQ(result.code, 1);
    EXPECT_THAT(result.out, AllOf(HasSubstr(": error: this file has the secret key_mgr_seed, and "
                                            "others than its owner may access it (mode 0640); "
                                            "chmod 0600 "),
                                  HasSubstr("not usable: 1 error")));
  }
  const Result keys = check("keys.conf", "sa_key 0x1234\n", group);
  EXPECT_EQ(keys.code, 0);
  EXPECT_THAT(keys.out, HasSubstr("keys.conf:1:8: warning: this file has the secret sa_key, "));
}

TEST_F(Heddlectl, ExplainsConditions) {
  const Result one = heddlectl("explain sm-node-silent");
  EXPECT_EQ(one.code, 0);
  EXPECT_THAT(one.out, AllOf(StartsWith("SM-NODE-SILENT (error)\n"), HasSubstr("What to do:\n")));
  const Result all = heddlectl("explain");
  EXPECT_EQ(all.code, 0);
  EXPECT_THAT(all.out, AllOf(HasSubstr("SM-GUID-DUPLICATE"), HasSubstr("SA-BUSY")));
  const Result unknown = heddlectl("explain SM-NOTHING");
  EXPECT_EQ(unknown.code, 1);
  EXPECT_THAT(unknown.out, HasSubstr("no condition is called SM-NOTHING"));
}

TEST_F(Heddlectl, HelpHelps) {
  for (const std::string command : {"route", "trace", "plan", "verify"}) {
    const Result help = heddlectl(command + " --help");
    EXPECT_EQ(help.code, 0);
    EXPECT_THAT(help.out, AllOf(HasSubstr("usage: heddlectl " + command),
                                HasSubstr("--topology FILE"), HasSubstr("--without"),
                                HasSubstr("Examples:"), HasSubstr("--seed NUMBER=1")));
  }
  const Result all = heddlectl("--help");
  EXPECT_EQ(all.code, 0);
  EXPECT_THAT(all.out, AllOf(HasSubstr("usage: heddlectl [OPTIONS] COMMAND"), HasSubstr("route"),
                             HasSubstr("Exit codes: 0 done")));
  EXPECT_EQ(heddlectl("help").out, all.out);
  EXPECT_EQ(heddlectl("version").out, heddlectl("--version").out);
  EXPECT_THAT(heddlectl("version").out, HasSubstr("heddlectl "));
}

}  // namespace heddlectl_test
