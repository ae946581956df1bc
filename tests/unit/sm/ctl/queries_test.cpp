// heddlectl's queries against the API of a manager on its control socket: filters, groups, one
// place; and --json of every command.

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "fabric/fabric_conditions.h"
#include "sm/conditions/manager_conditions.h"
#include "sm/ctl/adaptive_text.h"
#include "sm/sweep/devices/sweep_conditions.h"
#include "unit/sm/ctl/queries.h"

namespace queries_test {

using namespace queries;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST_F(Queries, ListsHaveTheFiltersOfTheApi) {
  EXPECT_EQ(as_json({"nodes", "--type", "switch"})["nodes"].size(), 4u);
  EXPECT_EQ(as_json({"nodes", "--type", "CA", "--name", "N1"})["nodes"].size(), 1u);
  EXPECT_EQ(as_json({"nodes", "--node", "leaf-1"})["nodes"][0]["description"], "leaf-1");
  run({"nodes", "--type", "host"});
  EXPECT_EQ(code, 2);
  EXPECT_THAT(err, HasSubstr("--type"));
  run({"nodes", "--node", "leaf-9"});
  EXPECT_EQ(code, 1);
  EXPECT_THAT(err, HasSubstr("leaf-9"));

  const json links = as_json({"links", "--node", "leaf-1"});
  EXPECT_EQ(links["links"].size(), 4u);
  EXPECT_EQ(links["ports_without_link"].size(), 2u) << "of that switch only";
  EXPECT_EQ(as_json({"links", "--node", "leaf-1:2"})["links"].size(), 1u);
  EXPECT_EQ(as_json({"links", "--name", "spine", "--state", "Active"})["links"].size(), 4u);
  EXPECT_EQ(as_json({"links", "--state", "Init"})["links"].size(), 0u);
}

TEST_F(Queries, ConditionsOfAnIdentifierSeverityOrPlace) {
  const fabric::Fabric& fabric = manager.view.status.subnet->fabric;
  const auto guid = [&](const char* name) {
    for (const fabric::Node& node : fabric.nodes)
      if (node.description.text() == name) return node.guid;
    return mad::Guid{};
  };
  using fabric::ConditionId;
  const mad::Guid lost{0x77};
  manager.view.status.conditions = {
      {.condition = {.id = sm::kSweepConditions.node_lost, .text = "n9 is lost", .guid = lost},
       .since = {}},
      {.condition = {.id = sm::kSweepConditions.link_lost,
                     .text = "link of leaf-1",
                     .guid = guid("leaf-1"),
                     .port = mad::PortNum{5}},
       .since = {}},
      {.condition = {.id = fabric::kFabricConditions.node_silent,
                     .text = "behind n9",
                     .guid = mad::Guid{0x78},
                     .caused_by =
                         fabric::ConditionSubject{sm::kSweepConditions.node_lost, lost, {}}},
       .since = {}}};
  manager.view.status.lost = std::make_shared<const std::vector<sm::LostThing>>(
      std::vector<sm::LostThing>{{.node = lost, .name = "n9 mlx5_0"}});
  EXPECT_THAT(run({"conditions"}), AllOf(HasSubstr("n9 is lost"), HasSubstr("link of leaf-1"),
                                         Not(HasSubstr("behind n9 "))));
  EXPECT_THAT(run({"conditions", "--node", "leaf-1"}),
              AllOf(HasSubstr("link of leaf-1"), Not(HasSubstr("n9"))));
  EXPECT_EQ(as_json({"conditions", "--node", "leaf-1:5"})["conditions"].size(), 1u);
  EXPECT_EQ(as_json({"conditions", "--node", "leaf-1:4"})["conditions"].size(), 0u);
  EXPECT_THAT(run({"conditions", "--node", "n9"}), HasSubstr("n9 is lost")) << "not in the subnet";
  EXPECT_THAT(run({"conditions", "--id", "SM-NODE-SILENT"}), HasSubstr("behind n9 [SM-NODE"))
      << "its cause is filtered out, so that it is shown itself";
  EXPECT_THAT(run({"conditions", "--severity", "critical"}), Not(HasSubstr("leaf-1")));
  run({"conditions", "--node", "n10"});
  EXPECT_EQ(code, 1);
}

TEST_F(Queries, WhatHasOccurredIsNoFinding) {
  manager.view.status.conditions.clear();
  manager.view.status.occurrences = {
      {.condition = {.id = sm::kManagerConditions.m_key_violation, .text = "n1 had a wrong M_Key"},
       .first = {},
       .last = {}}};
  EXPECT_THAT(run({"conditions", "--exit-code"}),
              AllOf(testing::StartsWith("no conditions\noccurred within ten minutes"),
                    HasSubstr("n1 had a wrong M_Key [SM-M-KEY-VIOLATION]")));
  EXPECT_EQ(code, 0) << err;
  EXPECT_EQ(as_json({"conditions"})["occurrences"].size(), 1u);
  EXPECT_THAT(run({"status"}), AllOf(HasSubstr("occurred     1 within ten minutes"),
                                     Not(HasSubstr("SM-M-KEY-VIOLATION"))));
}

TEST_F(Queries, GroupsOfAnMlidAndOfAPort) {
  const fabric::Fabric& fabric = manager.view.status.subnet->fabric;
  fabric::PortIndex port = fabric::kNoIndex;
  for (const fabric::PortIndex end : fabric.end_ports)
    if (fabric.description(fabric.ports[end].node) == "n2 mlx5_0") port = end;
  sa::Groups groups;
  const mad::Gid mgid{0xff12401bffff0000, {0xffffffff}}, other{0xff12401b80010000, {1}};
  groups.create({.mgid = mgid, .mlid = mad::kMlidMin, .p_key = {0xffff}, .mtu = 4, .rate = 3});
  groups.create({.mgid = other, .mlid = {0xc001}, .p_key = {0x8001}, .mtu = 4, .rate = 3});
  groups.join(mgid, {.port_gid = {0xfe80000000000000, fabric.ports[port].guid}, .join_state = 5});
  manager.set_groups(std::move(groups));
  EXPECT_EQ(as_json({"groups"})["groups"].size(), 2u);
  EXPECT_EQ(as_json({"groups", "0xc001"})["groups"][0]["mgid"], "ff12:401b:8001::1");
  const json of_port = as_json({"groups", "n2:1"});
  ASSERT_EQ(of_port["groups"].size(), 1u);
  EXPECT_EQ(of_port["groups"][0]["join_state"], json({"full", "send_only_non_member"}));
  EXPECT_EQ(as_json({"groups", "--port", fmt::format("{}", fabric.ports[port].guid)}), of_port);
  EXPECT_EQ(as_json({"groups", "--p-key", "1"})["groups"].size(), 1u);
  EXPECT_THAT(run({"groups", "n2"}), HasSubstr("joined: full,send_only_non_member"));
  EXPECT_EQ(as_json({"groups", "n1"})["groups"].size(), 0u);
  EXPECT_THAT(run({"groups", "ff12:401b:ffff::ffff:ffff"}), HasSubstr("n2 mlx5_0"));
  run({"groups", "n9"});
  EXPECT_EQ(code, 1);
}

TEST_F(Queries, DescribeShowsThePathsOverALink) {
  const json all = json::parse(api_client::Client(sm::api_resources(manager.sources()))
                                   .get("/v1/routing/loads?node=leaf-0")
                                   .body);
  ASSERT_EQ(all["loads"].size(), 2u);
  const json& link = all["loads"][0];
  const bool is_a = link["a"]["description"] == "leaf-0";
  const auto paths = [&](const char* ab, const char* ba) { return link[is_a ? ab : ba].dump(); };
  EXPECT_THAT(run({"describe", "leaf-0:" + link[is_a ? "a" : "b"]["port"].dump()}),
              HasSubstr("  paths           " + paths("load_ab", "load_ba") + " out, " +
                        paths("load_ba", "load_ab") + " in; of links between switches the mean"));
  EXPECT_THAT(run({"describe", "leaf-0"}), HasSubstr("paths out  in"));
  EXPECT_THAT(run({"describe", "n0"}), Not(HasSubstr("paths")));
}

TEST_F(Queries, DescribeSaysWhyThereAreNoCounters) {
  EXPECT_THAT(run({"describe", "n0"}), HasSubstr("  counters        not read: perfmgr is FALSE\n"));
  config::Options options = config::default_options(nullptr, nullptr);
  options.perfmgr = true;
  manager.view.context = sm::make_context(options, {}, partitions::default_configuration());
  EXPECT_THAT(run({"describe", "n0"}),
              HasSubstr("  counters        not read: the first poll has not ended\n"));
  auto subnet = std::make_shared<fabric::Subnet>(*manager.view.status.subnet);
  const auto n0 = std::ranges::find_if(subnet->fabric.nodes, [](const fabric::Node& node) {
    return node.description.text() == "n0 mlx5_0";
  });
  subnet->fabric.ports[n0->first_port].known = false;
  manager.publish(subnet);
  EXPECT_THAT(run({"describe", "n0"}), AllOf(HasSubstr("  rate            not known\n"),
                                             HasSubstr("  MTU, VLs        not known\n")));
}

TEST_F(Queries, PartitionHasTwoSpellings) {
  const std::string shown = run({"partition"});
  EXPECT_THAT(shown, HasSubstr("0x7fff"));
  EXPECT_EQ(run({"partitions"}), shown);
  EXPECT_THAT(run({"partition", "0x7fff"}), HasSubstr("leaf-0 port 0"));
  EXPECT_EQ(run({"partitions", "list"}), run({"partition", "list"}));
  EXPECT_THAT(run({"--help"}), Not(HasSubstr("\n  partitions ")));
}

TEST_F(Queries, TheUsageOfPartitionHasTheFormsThatItTakes) {
  EXPECT_THAT(run({"partition", "--help"}),
              HasSubstr("usage: heddlectl partition [OPTIONS] [P_KEY]\n"
                        "       heddlectl partition COMMAND [OPTIONS] ...\n"));
  EXPECT_THAT(run({"partition", "show", "--help"}),
              HasSubstr("usage: heddlectl partition show [OPTIONS] P_KEY\n"));
  EXPECT_THAT(run({"partition", "show", "0x7fff"}), HasSubstr("0x7fff"));
  EXPECT_EQ(code, 0) << err;
  run({"partition", "0x7fff", "show"});
  EXPECT_EQ(code, 2) << "the usage does not have this form";
}

/// One document, or one a line.
bool is_json(const std::string& text) {
  if (!json::parse(text, nullptr, false).is_discarded()) return true;
  std::istringstream lines(text);
  bool is_good = !text.empty();
  for (std::string line; std::getline(lines, line);)
    is_good = is_good && !json::parse(line, nullptr, false).is_discarded();
  return is_good;
}

TEST_F(Queries, EveryCommandThatPrintsHasJson) {
  // What writes a file or asks for a password has nothing to print; the help is for people.
  const std::set<std::string> nothing{"help", "record", "http-user add", "http-user passwd",
                                      "http-user remove"};
  // Need an OpenSM or a fabric: tests/ibsim/migrate_test.cpp and
  // tests/sim_server/recordings_test.cpp parse their JSON.
  const std::set<std::string> elsewhere{"migrate-from", "hardware-report"};
  const std::string net = HEDDLE_TEST_DATA "/topologies/fattree2-16h.net";
  const std::map<std::string, Words> more{
      {"route", {"--topology", net, "--engine", "minhop", "--dump", path("dump")}},
      {"trace", {"n0", "n3"}},
      {"plan", {"--topology", net, "--tables", path("dump/opensm-lfts.dump")}},
      {"verify", {"--topology", net, "--engine", "ar_updn"}},
      {"diff", {"--topology", net, net}},
      {"diff-config", {"--dump"}},
      {"describe", {"leaf-0"}},
      {"show", {"portinfo", "n1"}},
      {"check-config", {path("opensm.conf")}},
      {"support-bundle", {path("bundle.tar.gz"), "--without-record"}},
      {"http-user list", {path("users")}},
      {"isolate", {"leaf-0:1"}},
      {"release", {"leaf-0:1"}},
      {"forget", {"n9"}},
      {"log-level", {"ERROR"}},
      {"partition create", {"0x13"}},
      {"partition add", {"0x12", "0x2c90000000011"}},
      {"partition adopt", {"--all"}},
      {"partition discard", {"0x12"}},
      {"partition show", {"0x12"}},
      {"partition remove", {"0x12", "0x2c90000000011"}},
      {"partition delete", {"0x13"}}};
  std::ofstream(path("opensm.conf")) << "no_such_key 1\n";
  std::ofstream(path("users")) << "";
  manager.commands.reloaded.taken = true;
  sm::commands::CommandLine line;
  const auto commands = listed_commands(line.app());
  run({"route", "--topology", net, "--engine", "minhop", "--dump", path("dump")});
  ASSERT_EQ(code, 0) << err;
  run({"partition", "create", "0x12"});
  for (const auto& [name, command] : commands) {
    SCOPED_TRACE(name);
    EXPECT_EQ(command->get_option_no_throw("--json") == nullptr, nothing.contains(name));
    if (nothing.contains(name) || elsewhere.contains(name)) continue;
    Words words;
    std::istringstream names(name);
    for (std::string word; names >> word;) words.push_back(word);
    if (const auto found = more.find(name); found != more.end())
      words.insert(words.end(), found->second.begin(), found->second.end());
    words.emplace_back("--json");
    const std::string out = run(words);
    EXPECT_LE(code, 1) << err;  // 1: of check, findings
    // A line for each event, of which this manager has none.
    EXPECT_TRUE(is_json(out) || (name == "events" && out.empty())) << out << err;
  }
  EXPECT_THAT(commands, testing::SizeIs(testing::Gt(35u)));
}

TEST_F(Queries, ALostNodeIsDescribedWithItsPlaceAndItsConditions) {
  using fabric::ConditionId;
  manager.view.status.conditions = {
      {.condition = {.id = sm::kSweepConditions.node_lost, .text = "node lost: n9", .guid = {0x77}},
       .since = {}}};
  manager.view.status.lost = std::make_shared<const std::vector<sm::LostThing>>(
      std::vector<sm::LostThing>{{.node = {0x77},
                                  .name = "n9",
                                  .peer_node = {0x88},
                                  .peer_port = mad::PortNum{5},
                                  .peer = "leaf-0",
                                  .since = manager.view.status.now - std::chrono::minutes(3)}});
  EXPECT_THAT(run({"describe", "n9"}),
              AllOf(HasSubstr("n9 (0x0000000000000077), a host that was lost 3 min ago\n"),
                    HasSubstr("  was at          leaf-0 (0x0000000000000088) port 5\n"),
                    HasSubstr("node lost: n9 [SM-NODE-LOST]")));
  EXPECT_EQ(code, 0) << err;
  EXPECT_EQ(as_json({"describe", "n9"})["peer_port"], 5);
  run({"events", "--node", "n9"});
  EXPECT_EQ(code, 0) << err;
  run({"trace", "n0", "n9"});
  EXPECT_EQ(code, 1);
  EXPECT_THAT(err, HasSubstr("has been lost for 3 min; it was behind \"leaf-0\""));
  for (const char* const command : {"describe", "events"}) {
    run(command == std::string("events") ? std::vector<std::string>{"events", "--node", "n8"}
                                         : std::vector<std::string>{"describe", "n8"});
    EXPECT_EQ(code, 1);
    EXPECT_THAT(err, HasSubstr("n8"));
  }
}

class AdaptiveQueries : public Queries {
 protected:
  AdaptiveQueries() {
    auto next = published::routed(published::small_tree());
    routing = published::adaptive_tree(*next);
    next->adaptive = routing;
    subnet = next;
    manager.publish(next);
    routing->switches[published::find_switch(*subnet, "leaf-1")] = {
        .state = fabric::AdaptiveState::unsupported};
  }
  std::shared_ptr<fabric::AdaptiveRouting> routing;
  std::shared_ptr<const fabric::Subnet> subnet;
};

TEST_F(AdaptiveQueries, StatusSaysWhichSwitchesRouteAdaptivelyAndWhatApplicationsNeed) {
  routing->sl_mask = 0x00FF;
  const std::string guid = fmt::format(
      "{}",
      subnet->fabric.nodes[subnet->fabric.switches[published::find_switch(*subnet, "leaf-1")].node]
          .guid);
  EXPECT_THAT(run({"status"}),
              HasSubstr("  routing      adaptive routing: on 3 of 4 switches; \"leaf-1\" (" + guid +
                        "): no adaptive routing capability\n"
                        "               SLs 0-7 are adaptive for RC and DC; packets of SLs 8-15 "
                        "stay in order\n"
                        "               applications: NCCL_IB_ADAPTIVE_ROUTING=1 NCCL_IB_SL=0 "
                        "UCX_IB_SL=0\n"));
  manager.publish(published::routed(published::small_tree()));
  EXPECT_THAT(run({"status"}), Not(HasSubstr("adaptive")));
  EXPECT_THAT(run({"adaptive"}), HasSubstr("routing_engine ar_updn"));
}

TEST_F(AdaptiveQueries, AdaptiveListsSwitchesOrTheGroupsOfOne) {
  EXPECT_THAT(run({"adaptive"}),
              AllOf(HasSubstr("unsupported  0       -              leaf-1; no adaptive routing"),
                    HasSubstr("active       2       fast recovery  leaf-0"),
                    HasSubstr("SLs 0-15 are adaptive")));
  EXPECT_EQ(as_json({"adaptive", "--state", "active"})["switches"].size(), 3u);
  EXPECT_THAT(run({"adaptive", "leaf-0"}), HasSubstr("leaf-1  3, 4\n"));
  EXPECT_EQ(as_json({"adaptive", "spine-0"})["groups"].size(), 2u);
  run({"adaptive", "leaf-0", "--state", "active"});
  EXPECT_EQ(code, 2);
  EXPECT_THAT(run({"describe", "leaf-0"}),
              HasSubstr("  adaptive        active, 2 groups, fast recovery\n"));
  EXPECT_THAT(run({"describe", "leaf-1"}),
              HasSubstr("  adaptive        unsupported: no adaptive routing capability\n"));
}

TEST_F(AdaptiveQueries, TraceShowsAllPortsWithTheirSharesAndMarksTheStaticOne) {
  const std::string text = run({"trace", "n0", "n3"});
  EXPECT_EQ(code, 0) << err;
  EXPECT_THAT(text, AllOf(HasSubstr(" in 1, group 2\n     50.0 %  out 3, 4X NDR"),
                          HasSubstr("to \"spine-0\""), HasSubstr("to \"spine-1\""),
                          HasSubstr("\"spine-1\" ("), HasSubstr("50.0 % of the packets"),
                          HasSubstr(" by 4 cables with SL 0; 2 paths; ports marked static")));
  EXPECT_NE(text.find("; static\n"), std::string::npos);
  EXPECT_EQ(as_json({"trace", "n0", "n3"})["forward"]["adaptive_hops"].size(), 6u);
  routing->sl_mask = 2;
  EXPECT_THAT(run({"trace", "n0", "n3"}), Not(HasSubstr("group")));
}

TEST_F(AdaptiveQueries, PathsWithoutAManagerHaveTheNamesOfTheApi) {
  const auto port = [&](const char* name) {
    for (const fabric::PortIndex end : subnet->fabric.end_ports)
      if (subnet->fabric.owning_node(end).description.text().starts_with(name)) return end;
    return fabric::PortIndex(fabric::kNoIndex);
  };
  const sm::Trace path = sm::trace(subnet->fabric, subnet->lids, *subnet->lfts, {}, {}, port("n0"),
                                   subnet->lid_range(port("n3")).base);
  const sm::AdaptiveTrace adaptive = sm::trace_adaptive(
      {subnet->fabric, subnet->lids, *subnet->lfts, {}}, *routing, port("n0"), path);
  json hops = json::parse(sm::ctl::adaptive_hops_json(adaptive, subnet->fabric).dump());
  json answer = as_json({"trace", "n0", "n3"})["forward"]["adaptive_hops"];
  for (json* const each : {&hops, &answer})
    for (json& hop : *each)
      for (json& out : hop["out_ports"]) out.erase("vl");  // as the port has it set
  EXPECT_EQ(hops, answer);
}

}  // namespace queries_test
